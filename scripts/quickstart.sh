#!/usr/bin/env bash
# From a sound file to its spectrogram: installs what is missing, builds papilio, draws the picture.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/quickstart.sh [FILE]

Installs the missing Debian packages, builds the papilio program, for this computer and with the
verbs of sound alone, into build/quickstart, and draws the spectrogram of FILE (WAV, FLAC, Ogg,
Opus, MP3, ...; a short guitar recording if none is given) as papilio-NAME.png into the current
folder. Prints the picture's path, the sound's format and duration, and its strongest spectral peaks.
END
}

if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  usage
  exit 0
fi
if (($# > 1)) || [[ "${1:-}" == -* ]] || [[ $# == 1 && -z "$1" ]]; then
  echo "quickstart.sh: takes one sound file, or none; a name that begins with - needs ./ before it" >&2
  usage >&2
  exit 2
fi

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
sound="${1:-$root/examples/data/guit_e_fifths.flac}"
[[ "$sound" == /* ]] || sound="$PWD/$sound"
name="$(basename -- "$sound")"
picture="$PWD/papilio-${name%.*}.png"
build="$root/build/quickstart"

if [[ ! -f "$sound" || ! -r "$sound" ]]; then
  echo "quickstart.sh: not a file that can be read: $sound" >&2
  exit 1
fi

"$root/scripts/install_dependencies.sh" sound

echo "==> Configuring $build"
cd -- "$root"
cmake --preset quickstart
echo "==> Building the papilio program"
cmake --build "$build"
echo "==> Drawing the spectrogram of $sound"
"$build/src/cli/papilio" spectrogram "$sound" --out "$picture"

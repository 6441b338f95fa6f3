#!/usr/bin/env bash
# Tries what scripts/wheel.sh made: try.sh DIST PYTHON...
# Each wheel in a virtual environment, one on a bare Debian 12, and the source archive as pip builds it.
set -euo pipefail
dist="$(realpath "$1")"
shift
here="$(dirname -- "$(realpath "${BASH_SOURCE[0]}")")"
sound="$here/../../examples/data/guit_e_fifths.flac"
work="$(dirname "$dist")/try"
rm -rf -- "$work"
mkdir -p "$work"

fail() {
  echo "try.sh: $1" >&2
  exit 1
}

# use whole|part BIN RUN...: what a user does first, by RUN, whose environment has nothing of this computer.
use() {
  local bin="$2" run=("${@:3}")
  "${run[@]}" "$bin/papilio" --version
  "${run[@]}" "$bin/papilio" spectrogram sound.flac -o first.png --force
  "${run[@]}" "$bin/python" -I -c '
import sys, papilio, numpy as np
sound = papilio.read("sound.flac")
sound.picture().save("second.png")
x = sound.mono()
error = abs(papilio.fft.rfft(x) - np.fft.rfft(x)).max() / abs(np.fft.rfft(x)).max()
whole = "einsum" in dir(papilio)
assert error < 1e-5 and whole == (sys.argv[1] == "whole")
if whole:
    product = papilio.einsum("ij,jk->ik", np.eye(3), np.ones((3, 4)))
    assert (product == 1).all() and papilio.device.kernels()
print(f"Python {sys.version.split()[0]}: {sound}, error of rfft {error:.1e}")
' "$1"
}

for python in "$@"; do
  environment="$work/$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")')"
  echo "==> A virtual environment of $python"
  "$python" -m venv "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check --find-links "$dist" papilio
  cp -- "$sound" "$environment/sound.flac"
  (cd -- "$environment" && use whole "$environment/bin" env -i HOME="$environment" PATH=/usr/bin:/bin)
done

bare() {
  ((EUID == 0)) || { echo "try.sh: left out: a bare Debian 12, which needs root" && return; }
  command -v debootstrap >/dev/null || { echo "try.sh: left out: a bare Debian 12, without debootstrap" && return; }
  local root="$work/root" archive
  archive="$(dirname "$dist")/root.tar"
  if [[ ! -s "$archive" ]]; then
    debootstrap --variant=minbase --include=python3-venv bookworm "$root" http://deb.debian.org/debian >"$root.log" 2>&1 ||
      { echo "try.sh: left out: debootstrap failed: $(tail -n 1 "$root.log")" && return; }
    tar -C "$root" -cf "$archive.part" .
    mv -- "$archive.part" "$archive"
    rm -rf -- "$root"
  fi
  mkdir -p "$root"
  tar -C "$root" -xf "$archive"
  "$1" -m pip download --quiet --disable-pip-version-check --only-binary :all: --python-version 3.11 \
    --dest "$root/wheels" numpy
  cp -- "$dist"/*.whl "$root/wheels"
  cp -- "$sound" "$root/root/sound.flac"
  echo "==> A bare Debian 12: $(find "$root/usr/bin" -name 'gcc*' -o -name 'cc' -o -name 'fc-list' | wc -l) compilers and fontconfigs"
  # Programs find libraries beside them by /proc.
  local in_root=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root unshare --mount --pid --fork
    "--mount-proc=$root/proc" chroot "$root" env -C /root)
  local start
  start=$(date +%s%N)
  "${in_root[@]}" sh -c 'python3 -m venv e && e/bin/pip install -q --no-index --find-links /wheels papilio &&
    e/bin/papilio spectrogram sound.flac'
  local milliseconds=$((($(date +%s%N) - start) / 1000000))
  echo "first picture $milliseconds ms after python3 -m venv, with numpy's wheel at hand"
  ((milliseconds < 60000)) || fail "the first picture took $milliseconds ms, 60000 are allowed"
  cp -- "$root/root/sound.png" "$work/bare.png"
  use whole /root/e/bin "${in_root[@]}"
  cp -- "$root/root/second.png" "$work/bare_python.png"
  cmp "$root/root/first.png" "$root/root/sound.png" || fail "two pictures of one sound differ"
  rm -rf -- "$root"
}
bare "$1"

echo "==> The source archive, as pip builds it: for this computer, without tensors and accelerator"
"$1" -m venv "$work/source"
"$work/source/bin/pip" install --disable-pip-version-check --quiet -C cmake.define.PAPILIO_SIMD=native \
  -C cmake.define.PAPILIO_TENSOR=OFF -C cmake.define.PAPILIO_DEVICE=OFF "$dist"/papilio-*.tar.gz
cp -- "$sound" "$work/source/sound.flac"
(cd -- "$work/source" && use part "$work/source/bin" env -i HOME="$work/source" PATH=/usr/bin:/bin)

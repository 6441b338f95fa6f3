#!/usr/bin/env bash
# Says whether programs that were linked with another revision's libraries run with this tree's.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/abi.sh REVISION

Builds the shared libraries of REVISION of git and of this tree with the compiler's types, and
compares them with abidiff: functions and types of the installed headers, not those of the library's
inside (namespaces that end in _detail). Exits with 1 where a program that was linked with REVISION's may break.
Within a minor version before 1.0, and a major one after, that must not be.
END
}

if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  usage
  exit 0
fi
if (($# != 1)); then
  usage >&2
  exit 2
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
revision="$(git rev-parse --verify --end-of-options "$1^{commit}")" || {
  echo "abi.sh: no such revision: $1" >&2
  exit 1
}
./scripts/install_dependencies.sh build abi

# The other revision, built by this tree's preset whether it has one or not.
other=build/abi-other
rm -rf -- "$other/source"
mkdir -p "$other/source"
git archive "$revision" | tar -x -C "$other/source"
cp -- CMakePresets.json "$other/source/"
(cd "$other/source" && cmake --preset abi -B ../build && cmake --build ../build)
cmake --preset abi
cmake --build --preset abi

broken=0
for library in build/abi/src/libpapilio_*.so; do
  name="$(basename -- "$library")"
  echo "==> $name"
  if [[ ! -e "$other/build/src/$name" ]]; then
    echo "not in $1"
    continue
  fi
  # Bits of the exit status: 1 error, 2 usage, 4 a change of what programs use, 8 one that surely breaks them.
  status=0
  abidiff --suppressions packaging/abi.abignore --leaf-changes-only --no-added-syms --drop-private-types \
    --headers-dir1 "$other/source/include" --headers-dir2 include \
    "$other/build/src/$name" "$library" || status=$?
  if ((status & 3)); then exit 1; fi
  if ((status & 12)); then broken=1; fi
done
exit $broken

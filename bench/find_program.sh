# shellcheck shell=sh
# find_program NAME: the newest program of this name in $PAPILIO_BUILD/bench, else in build/*/bench.
# `here` is the folder of this file.
find_program() {
  if [ -n "${PAPILIO_BUILD:-}" ]; then
    found=$(ls "$PAPILIO_BUILD/bench/$1" 2>/dev/null || true)
  else
    found=$(ls -t "$here"/../build/*/bench/"$1" 2>/dev/null | head -n 1 || true)
  fi
  if [ -z "$found" ]; then
    echo "$0: there is no $1. Build it: cmake --preset release -DPAPILIO_BUILD_BENCH=ON &&" \
      "cmake --build --preset release --target $1" >&2
    exit 1
  fi
  (cd -- "$(dirname -- "$found")" && echo "$PWD/$1")
}

#!/usr/bin/env bash
# Builds papilio with other compilers, for another processor too, and runs the tests.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/portability.sh clang-14|clang-16|aarch64...

Installs what is missing, builds the components that do not need BLAS or the emulator, with warnings
as errors, and runs their tests:
  clang-14, clang-16  core, fft, signal, sound and the program
  aarch64             core, fft and signal for 64-bit ARM, which run under qemu, but for slow tests and those
                      that start themselves again (qemu does not let them); the libraries for it are
                      unpacked into build/aarch64-root, and nothing is installed into this system but the
                      cross compiler and qemu
END
}

if (($# == 0)); then
  usage >&2
  exit 2
fi
for argument in "$@"; do
  case "$argument" in
    -h | --help)
      usage
      exit 0
      ;;
    clang-14 | clang-16 | aarch64) ;;
    *)
      echo "portability.sh: unknown build: $argument" >&2
      usage >&2
      exit 2
      ;;
  esac
done

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# Debian's libraries for 64-bit ARM, with all that they need, unpacked and not installed.
unpack_aarch64() {
  local root="$PWD/build/aarch64-root" apt="$PWD/build/aarch64-apt"
  if [[ -e "$root/unpacked" ]]; then return; fi
  rm -rf -- "$root"
  mkdir -p "$root" "$apt/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/status"
  local options=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64
    -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::State::lists="$apt/lists"
    -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1)
  echo "==> Libraries for 64-bit ARM into $root"
  apt-get "${options[@]}" update
  apt-get "${options[@]}" install --yes --download-only --no-install-recommends \
    libstdc++-12-dev libgomp1 libhwy-dev libfmt-dev libgtest-dev librapidcheck-dev libfftw3-dev libebur128-dev nlohmann-json3-dev
  local package
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
  touch "$root/unpacked"
}

for build in "$@"; do
  ./scripts/install_dependencies.sh sound test "$build"
  if [[ "$build" == aarch64 ]]; then unpack_aarch64; fi
  echo "==> Building and testing: $build"
  cmake --preset "$build"
  cmake --build --preset "$build"
  ctest --preset "$build" --no-tests=error --parallel "$(nproc)"
done

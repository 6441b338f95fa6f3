#!/usr/bin/env bash
# Installs what is missing, builds everything, runs every test.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/test.sh [CMAKE_OPTION...]

Installs the missing Debian packages, builds the library, the program, the examples and the tests
into build/release, with FFTW as a backend, and runs every test with ctest. What is built is for AVX2
and AVX-512, where this computer has AVX2. Options such as -DPAPILIO_WERROR=ON go to cmake.
END
}

for argument in "$@"; do
  case "$argument" in
    -h | --help)
      usage
      exit 0
      ;;
    -D*) ;;
    *)
      echo "test.sh: not a CMake option: $argument" >&2
      usage >&2
      exit 2
      ;;
  esac
done

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build/release"
jobs="$(nproc)"
simd=all
if grep -qsw avx2 /proc/cpuinfo; then simd=avx2+avx512; fi

"$root/scripts/install_dependencies.sh" build test

echo "==> Configuring $build"
cd -- "$root"
cmake --preset release -DPAPILIO_BUILD_CLI=ON -DPAPILIO_BUILD_TESTS=ON \
  -DPAPILIO_BUILD_EXAMPLES=ON -DPAPILIO_BUILD_BENCH=OFF -DPAPILIO_FFTW=ON \
  -DPAPILIO_PRECOMPILED_HEADERS=ON -DPAPILIO_SIMD="$simd" "$@"
echo "==> Building the library, the program, the examples and the tests"
cmake --build "$build"
echo "==> Running every test"
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs"

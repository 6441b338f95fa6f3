#!/usr/bin/env bash
# Installs what is missing, builds everything, runs every test.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/test.sh [CMAKE_OPTION...]

Installs the missing Debian packages, builds the library, the program, the Python module, the
examples and the tests into build/release, with FFTW as a backend, and runs every test with ctest.
What is built is for AVX2 and AVX-512, where this computer has AVX2. The Python module is tested in
build/python, a virtual environment with packages of PyPI (python/requirements-test.txt); where these
cannot be had, it is left out, which is said. Options such as -DPAPILIO_WERROR=ON go to cmake.
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

"$root/scripts/install_dependencies.sh" build test python

# The environment is that of the requirements: made anew where they have changed.
environment="$root/build/python"
requirements="$root/python/requirements-test.txt"
python=(-DPAPILIO_PYTHON=ON -DPython_EXECUTABLE="$environment/bin/python")
if ! cmp -s "$requirements" "$environment/requirements.txt"; then
  echo "==> Packages of PyPI into $environment"
  rm -rf -- "$environment"
  python3 -m venv "$environment"
  if "$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"; then
    cp -- "$requirements" "$environment/requirements.txt"
  else
    echo "==> Left out: the Python module, since its packages cannot be had"
    python=(-DPAPILIO_PYTHON=OFF)
  fi
fi

echo "==> Configuring $build"
cd -- "$root"
cmake --preset release -DPAPILIO_BUILD_CLI=ON -DPAPILIO_BUILD_TESTS=ON \
  -DPAPILIO_BUILD_EXAMPLES=ON -DPAPILIO_BUILD_BENCH=OFF -DPAPILIO_FFTW=ON -DPAPILIO_MPI=ON \
  -DPAPILIO_PRECOMPILED_HEADERS=ON -DPAPILIO_SIMD="$simd" "${python[@]}" "$@"
echo "==> Building the library, the program, the examples and the tests"
cmake --build "$build"
echo "==> Running every test"
ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$jobs"

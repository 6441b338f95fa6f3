#!/usr/bin/env bash
# Installs with apt the Debian packages that papilio is built from, those only that are missing.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/install_dependencies.sh [GROUP...]

Installs the missing ones of the Debian packages of each GROUP:
  sound   compiler, build tools and libraries of what scripts/quickstart.sh builds
  build   the same of all components and the program
  test    what the tests add
  bench   what the benchmarks add
  python  what the Python module adds; numpy and others come from PyPI, into an environment of its own
  wheel   what scripts/wheel.sh adds
  style   the formatter and the linter
  fuzz    what scripts/fuzz.sh adds
  browser what the tests labelled browser add
  package what scripts/package.sh adds
  abi     what scripts/abi.sh adds
  clang-14, clang-16, aarch64  what scripts/portability.sh adds for each
Without a GROUP: build and test. Needs root or sudo only if a package is missing.
END
}

packages_of() {
  case "$1" in
    sound)
      echo g++ cmake ninja-build pkg-config libhwy-dev libfmt-dev libpng-dev libsndfile1-dev \
        libflac-dev libmpg123-dev libsoxr-dev libcairo2-dev libpango1.0-dev libmp3lame-dev libcli11-dev \
        nlohmann-json3-dev
      ;;
    build) echo "$(packages_of sound)" libopenblas-dev liblapacke-dev ;;
    test) echo make ffmpeg fish zsh libgtest-dev librapidcheck-dev libfftw3-dev libebur128-dev libopenmpi-dev openmpi-bin ;;
    bench) echo libbenchmark-dev libbenchmark-tools python3-scipy libfftw3-dev libopenmpi-dev openmpi-bin libfftw3-mpi-dev valgrind python3-pip ;;
    python) echo python3-dev python3-venv ;;
    wheel) echo fonts-dejavu-core binutils ;;
    style) echo clang-format-16 clang-tidy ;;
    fuzz) echo clang-14 libomp-14-dev ;;
    browser) echo chromium ;;
    package) echo dpkg-dev file gzip lintian debootstrap ;;
    abi) echo abigail-tools ;;
    clang-14) echo clang-14 libomp-14-dev ;;
    clang-16) echo clang-16 libomp-16-dev ;;
    aarch64) echo g++-aarch64-linux-gnu qemu-user ;;
    *)
      echo "install_dependencies.sh: unknown group: $1" >&2
      usage >&2
      exit 2
      ;;
  esac
}

is_installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

for argument in "$@"; do
  if [[ "$argument" == -h || "$argument" == --help ]]; then
    usage
    exit 0
  fi
done
if (($# == 0)); then set -- build test; fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_dependencies.sh: needs a Debian system (dpkg and apt)" >&2
  exit 1
fi

missing=()
for group in "$@"; do
  packages="$(packages_of "$group")"
  for package in $packages; do
    is_installed "$package" || missing+=("$package")
  done
done

if ((${#missing[@]} == 0)); then
  echo "==> Packages ($*): all installed"
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies.sh: these packages are missing: ${missing[*]}" >&2
    echo "install_dependencies.sh: neither root nor sudo: install them, or run this as root" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "==> Installing with apt: ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"

#!/usr/bin/env bash
# Builds the wheels and the source archive of the Python package, and checks them.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/wheel.sh [--test] [PYTHON...]

Installs what is missing, and builds into build/wheel/dist, for every x86-64 processor,
  a wheel for each PYTHON (python3.11 and python3.12, those that are there); that of 3.12 or later serves
  all versions from 3.12 on,
  the source archive.
The wheels need nothing but Python and numpy: they have the libraries of others that papilio needs, those of
this Debian, with their licences. --test installs each into a virtual environment of its own and draws a
picture, does the same on a bare Debian 12 (debootstrap, about 400 MB in build/wheel/try; needs root), and
lets pip compile the source archive, without tensors and accelerator. CMAKE_CXX_COMPILER_LAUNCHER=ccache in
the environment is heeded.
END
}

test=
pythons=()
for argument in "$@"; do
  case "$argument" in
    -h | --help)
      usage
      exit 0
      ;;
    --test) test=1 ;;
    -*)
      echo "wheel.sh: unknown option: $argument" >&2
      usage >&2
      exit 2
      ;;
    *) pythons+=("$argument") ;;
  esac
done

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
if ((${#pythons[@]} == 0)); then
  for python in python3.11 python3.12; do
    if "$python" -c 'import venv' 2>/dev/null; then
      pythons+=("$python")
    else
      echo "==> Left out: the wheel of $python, which is not here"
    fi
  done
fi
((${#pythons[@]} > 0)) || {
  echo "wheel.sh: needs Python 3.11 or later" >&2
  exit 1
}
./scripts/install_dependencies.sh build python wheel

dist=build/wheel/dist
rm -rf -- "$dist" build/wheel/raw
mkdir -p "$dist" build/wheel/raw
for python in "${pythons[@]}"; do
  tag="$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")')"
  tools="build/wheel/tools-$tag"
  if ! cmp -s python/requirements-wheel.txt "$tools/requirements.txt"; then
    echo "==> Packages of PyPI into $tools"
    rm -rf -- "$tools"
    "$python" -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement python/requirements-wheel.txt
    cp -- python/requirements-wheel.txt "$tools/requirements.txt"
  fi
  tools="$PWD/$tools/bin"
  echo "==> The wheel of Python $tag"
  # All wheels share one build folder: the libraries are built once.
  PATH="$tools:$PATH" "$tools/python" -m build --wheel --no-isolation -C build-dir=build/wheel/objects \
    --outdir "build/wheel/raw/$tag" .
  PATH="$tools:$PATH" "$tools/python" packaging/wheel/repair.py build/wheel/raw/"$tag"/*.whl "$dist"
done
echo "==> The source archive"
"$tools/python" -m build --sdist --no-isolation --outdir "$dist" .
if [[ -n "$test" ]]; then packaging/wheel/try.sh "$dist" "${pythons[@]}"; fi
ls -l "$dist"

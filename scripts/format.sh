#!/usr/bin/env bash
# Formats the C++ sources that git knows, or checks that they are formatted.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/format.sh [--check]

Rewrites every C++ source in the repository as .clang-format says. With --check it changes nothing,
shows what it would change and exits 1 if there is anything.
END
}

mode=(-i)
case "${1:-}" in
  "") ;;
  -h | --help)
    usage
    exit 0
    ;;
  --check) mode=(--dry-run -Werror) ;;
  *)
    usage >&2
    exit 2
    ;;
esac

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
cd -- "$root"
if ! command -v clang-format-16 >/dev/null; then
  echo "format.sh: clang-format-16 is missing: scripts/install_dependencies.sh style" >&2
  exit 1
fi
echo "==> clang-format-16 ${mode[*]} on the sources in git"
git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' |
  xargs -0 --no-run-if-empty clang-format-16 "${mode[@]}"

#!/usr/bin/env bash
# Makes Debian packages of papilio, and checks them.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/package.sh [--test]

Installs what is missing, builds papilio for every x86-64 processor, makes the Debian packages in
build/package/packages and checks them with lintian. --test also installs them on a bare Debian 12
(debootstrap, about 500 MB in build/package/root; needs root), draws a picture, compiles a program,
and removes them. PAPILIO_MAINTAINER, as in "NAME <ADDRESS>", is who answers for the packages; without
it they are this computer's own, and lintian does not ask for an address.
END
}

test=
for argument in "$@"; do
  case "$argument" in
    -h | --help)
      usage
      exit 0
      ;;
    --test) test=1 ;;
    *)
      echo "package.sh: unknown argument: $argument" >&2
      usage >&2
      exit 2
      ;;
  esac
done

cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
./scripts/install_dependencies.sh build package
cmake --preset package ${PAPILIO_MAINTAINER:+-DPAPILIO_MAINTAINER="$PAPILIO_MAINTAINER"}
cmake --build --preset package
packages=build/package/packages
rm -f -- "$packages"/*.deb
cpack --config build/package/CPackConfig.cmake
rm -rf -- "$packages/_CPack_Packages"
echo "==> lintian"
# cpack itself writes the calls of ldconfig, beside the trigger.
passed_over=initial-upload-closes-no-bugs,maintscript-calls-ldconfig
if [[ -z "${PAPILIO_MAINTAINER:-}" ]]; then passed_over+=,bogus-mail-host,bogus-mail-host-in-debian-changelog; fi
lintian --allow-root --suppress-tags "$passed_over" --fail-on error "$packages"/*.deb
for package in "$packages"/*.deb; do
  printf '%-28s %9s bytes, installed %6s KiB; needs %s\n' "$(dpkg-deb -f "$package" Package)" \
    "$(stat -c %s "$package")" "$(dpkg-deb -f "$package" Installed-Size)" "$(dpkg-deb -f "$package" Depends)"
done
if [[ -n "$test" ]]; then ctest --preset package -L packages --no-tests=error --verbose; fi

#!/usr/bin/env bash
# Installs the packages on a bare Debian 12, draws a picture, compiles a program, removes the packages:
#   bare_debian.sh PACKAGES ROOT
# Exits with 77 where there is no root's right, no debootstrap, or no Debian to be had.
set -euo pipefail
packages="$1"
root="$2"

skip() {
  echo "bare_debian.sh: left out: $1"
  exit 77
}
fail() {
  echo "bare_debian.sh: $1" >&2
  exit 1
}
((EUID == 0)) || skip "needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
compgen -G "$packages/*.deb" >/dev/null || fail "no packages in $packages"

# The bare system is kept as an archive: every run begins with a new one.
archive="$root.tar"
if [[ ! -s "$archive" ]]; then
  rm -rf -- "$root"
  debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian >"$root.log" 2>&1 ||
    skip "debootstrap failed: $(tail -n 1 "$root.log")"
  tar -C "$root" -cf "$archive.part" .
  mv -- "$archive.part" "$archive"
fi
rm -rf -- "$root"
mkdir -p "$root/packages"
tar -C "$root" -xf "$archive"
cp -- /etc/resolv.conf "$root/etc/resolv.conf"
cp -- "$packages"/*.deb "$root/packages/"
in_root() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
installed_here() { in_root find / -xdev -name '*papilio*' -not -path '/proc/*' -not -path '/packages/*' -not -path '/var/*'; }

in_root apt-get -q update >/dev/null || skip "apt-get update failed"

echo "==> apt install ./papilio_*.deb and what it needs"
in_root sh -c 'apt-get -q -y --no-install-recommends install \
  /packages/papilio_*.deb /packages/papilio-doc_*.deb /packages/libpapilio-*0.*.deb' >"$root.log" 2>&1 ||
  { cat "$root.log"; fail "the program's packages cannot be installed"; }
data=/usr/share/doc/papilio/examples/data/guit_e_fifths.flac
start=$(date +%s%N)
in_root papilio spectrogram "$data" -o /root/first.png
milliseconds=$((($(date +%s%N) - start) / 1000000))
echo "first picture after $milliseconds ms"
((milliseconds < 10000)) || fail "the first picture took $milliseconds ms, 10000 are allowed"
[[ "$(head -c 8 "$root/root/first.png" | od -An -tx1 | tr -d ' ')" == 89504e470d0a1a0a ]] || fail "no PNG file"
in_root papilio --version
for verb in info psd features; do in_root papilio "$verb" "$data" >/dev/null; done
in_root papilio profile fft n=1024 --dry-run >/dev/null
for page in man/man1/papilio.1 bash-completion/completions/papilio zsh/vendor-completions/_papilio \
  fish/vendor_completions.d/papilio.fish; do
  [[ -s "$root/usr/share/$page" || -s "$root/usr/share/$page.gz" ]] || fail "no $page"
done

echo "==> A program against libpapilio-signal-dev alone"
in_root sh -c 'apt-get -q -y --no-install-recommends install g++ pkg-config \
  /packages/libpapilio-core-dev_*.deb /packages/libpapilio-fft-dev_*.deb /packages/libpapilio-signal-dev_*.deb' \
  >"$root.log" 2>&1 || { cat "$root.log"; fail "libpapilio-signal-dev cannot be installed"; }
cat >"$root/root/one.cpp" <<'END'
#include <cstdio>
#include <papilio/papilio.hpp>
#include <vector>

int main() {
  const std::vector<double> x(441, 0.5);
  std::printf("%zu bins of %s\n", papilio::rfft(x).size(), PAPILIO_VERSION);
}
END
in_root sh -c 'cd /root && c++ -std=c++20 one.cpp $(pkg-config --cflags --libs papilio-signal) -o one && ./one'

echo "==> apt remove"
in_root sh -c "apt-get -q -y purge 'papilio*' 'libpapilio*'" >"$root.log" 2>&1 ||
  { cat "$root.log"; fail "the packages cannot be removed"; }
left="$(installed_here | grep -v '^/root/' || true)"
[[ -z "$left" ]] || fail "left after removal: $left"
rm -rf -- "$root"
echo "the packages were installed, used and removed"

# usage: needed.sh FOLDER FFTW MPI   whether the shared libraries of papilio's components in FOLDER load what
# they are to load and nothing else; FFTW is ON where they have FFTW, MPI where papilio::mpi is built
folder=$1
fftw=
[ "$2" = ON ] && fftw="fftw3 fftw3f fftw3l"
runtime="c m stdc++ gcc_s ld-linux ld-linux-x86-64 ld-linux-aarch64"
status=0

fail() {
  echo "needed.sh: $*"
  status=1
}
has() { # WORD WORD...   whether the first is among the others
  word=$1
  shift
  case " $* " in *" $word "*) return 0 ;; esac
  return 1
}
# Names of libraries without folder, lib, .so and version.
stem() { sed -E 's|^.*/||; s|^lib||; s|\.so.*$||'; }
# What FILE itself asks the loader for.
needed() { readelf -W --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# What a component's library must load, and beyond that and the runtime may: what one compiler leaves
# in and another optimises away, or what comes with one that it must.
check() { # COMPONENT "MUST..." "MAY..."
  file=$folder/libpapilio_$1.so
  [ -e "$file" ] || { fail "there is no $file"; return; }
  found=$(needed "$file" | stem | tr '\n' ' ')
  echo "papilio_$1: $found"
  for name in $2; do
    has "$name" $found || fail "libpapilio_$1 does not load $name, which it is to use"
  done
  for name in $found; do
    has "$name" $2 $3 $runtime || fail "libpapilio_$1 loads $name, which the component has no use for"
  done
  # Of papilio's own, exactly this version.
  version=$(basename "$(readlink -f "$file")" | sed 's/.*\.so\.//; s/\./_/g')
  for name in $(needed "$file" | grep '^libpapilio' | stem); do
    nm --dynamic --undefined-only "$file" | grep -q " ${name}_$version\$" ||
      fail "libpapilio_$1 takes any version of $name"
  done
}
check core "gomp fmt" ""
check fft "papilio_core $fftw" "hwy fmt"
check signal "papilio_fft papilio_core" ""
check sound "papilio_core sndfile FLAC mpg123 soxr cairo pango-1.0 pangocairo-1.0 png16 z fmt" "gobject-2.0 glib-2.0"
check tensor "papilio_core openblas lapacke fmt" "hwy"
check device "papilio_core fmt" "hwy"
[ "$3" != ON ] || check mpi "papilio_fft papilio_core mpi" ""

# All that the loader maps for a program that asks for these alone.
closure() { # COMPONENT "MAY..."
  listing=$(ldd "$folder/libpapilio_$1.so") || fail "ldd cannot read libpapilio_$1.so"
  found=$(echo "$listing" | sed -E 's/^[[:space:]]*//; s/ .*//' | grep -v '^linux-vdso' | stem | sort | tr '\n' ' ')
  echo "all that papilio_$1 loads: $found"
  case $listing in *"not found"*) fail "libpapilio_$1 does not find all: $listing" ;; esac
  for name in $found; do
    has "$name" $2 $runtime || fail "libpapilio_$1 loads $name by way of others"
  done
}
closure core "gomp fmt"
closure fft "papilio_core gomp fmt hwy $fftw"
closure signal "papilio_core papilio_fft gomp fmt hwy $fftw"
exit $status

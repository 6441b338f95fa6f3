#!/usr/bin/env bash
# Fuzzes the readers of bytes from outside with libFuzzer.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/fuzz.sh MINUTES [TARGET...]

Builds the targets of tests/fuzz with clang 14, its libFuzzer and its sanitizers into build/fuzz, and
runs each of them (or those that are named), one after the other, for so many minutes: whole or
decimal. New inputs are kept in build/fuzz/corpus/TARGET, findings in build/fuzz/findings. Prints the
executions of each; exit 1 if there is a finding. Needs clang and libomp-dev:
scripts/install_dependencies.sh fuzz. PAPILIO_FUZZ_BUILD names another folder than build/fuzz.
END
}

if [[ "${1:-}" == -h || "${1:-}" == --help ]]; then
  usage
  exit 0
fi
if [[ ! "${1:-}" =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
  usage >&2
  exit 2
fi
seconds="$(awk -v minutes="$1" 'BEGIN { print int(60 * minutes + 0.5) }')"
shift

root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)"
cd -- "$root"
seeds="$root/tests/fuzz/corpus"
build="${PAPILIO_FUZZ_BUILD:-$root/build/fuzz}"
targets=("$@")
((${#targets[@]} > 0)) || mapfile -t targets < <(ls -- "$seeds")
for target in "${targets[@]}"; do
  if [[ ! -d "$seeds/$target" ]]; then
    echo "fuzz.sh: no such target: $target; there are: $(ls -- "$seeds" | tr '\n' ' ')" >&2
    exit 2
  fi
done

cmake --preset fuzz -B "$build"
cmake --build "$build" --target "${targets[@]/#/papilio_fuzz_}"

export ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS="suppressions=$root/tests/support/leaks.txt:print_suppressions=0"
# Files of the readers want to be in memory.
[[ ! -w /dev/shm ]] || export TMPDIR=/dev/shm
mkdir -p -- "$build/findings"
found=0
for target in "${targets[@]}"; do
  mkdir -p -- "$build/corpus/$target"
  log="$build/findings/$target.log"
  status=0
  "$build/tests/fuzz/papilio_fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=20 \
    -print_final_stats=1 -artifact_prefix="$build/findings/$target-" \
    "$build/corpus/$target" "$seeds/$target" >"$log" 2>&1 || status=$?
  executions="$(awk '/number_of_executed_units/ { print $2 }' "$log")"
  if ((status == 0)); then
    echo "$target: ${executions:-0} executions, no finding"
  else
    echo "$target: ${executions:-0} executions, a finding: $log"
    found=1
  fi
done
exit "$found"

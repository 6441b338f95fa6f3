#!/usr/bin/env bash
# Refuses the program single allocations, and says what became of each.
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/refusals.sh BUILD [NUMBER]

NUMBER allocations (2000; 0: all) of every kind of output are refused, one in each run of the
program. Exits 1 if an output is wrong or cut, or the program ends otherwise than it should.
END
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  "")
    usage >&2
    exit 2
    ;;
esac
PAPILIO_REFUSALS="${2:-2000}" exec "$1/tests/cli/papilio_test_no_memory"

# usage: hardening.sh LIBRARY PROGRAM   whether they have what SECURITY.md says
status=0
require() { # FILE WHAT PATTERN READELF_OPTION
  readelf -W "$4" "$1" | grep -q -E "$3" && return
  echo "$1: no $2"
  status=1
}
for file in "$@"; do
  require "$file" "binding at the start" 'BIND_NOW|FLAGS_1.*NOW' --dynamic
  require "$file" "read-only relocations" 'GNU_RELRO' --program-headers
  require "$file" "stack canaries" '__stack_chk_fail' --dyn-syms
  require "$file" "position-independent code" 'Type:.*DYN' --file-header
done
require "$1" "checked copies" '__[a-z]+_chk@' --dyn-syms
exit "$status"

#!/bin/sh
# Writes papilio's man page, made from the help texts of the program and of every verb.
#   man_page.sh PROGRAM PAGE
set -eu
program=$1
page=$2
hint='^papilio help VERB tells more'  # of no use on the page that has it all

# A help text as roff: options and positionals as tagged paragraphs, all else as it stands.
as_roff() {
  awk '
    function escaped(text) {
      gsub(/\\/, "\\e", text)
      gsub(/-/, "\\-", text)
      gsub(/"/, "\\(dq", text)
      if (text ~ /^[.\047]/) text = "\\&" text
      return text
    }
    function mode(wanted) {
      if (verbatim && wanted != "verbatim") print ".fi"
      if (!verbatim && wanted == "verbatim") print ".PP\n.nf"
      verbatim = wanted == "verbatim"
    }
    NR == 1 && $0 != "" { print ".PP\n" escaped($0); next }
    /^Usage: / { print ".PP\n.B " escaped(substr($0, 8)); listing = 0; next }
    /^[A-Za-z][A-Za-z ]*:$/ { mode("text"); print ".SS \"" escaped(substr($0, 1, length($0) - 1)) "\""
                              listing = 1; next }
    /^$/ { if (!listing && verbatim) print ""; else listing = 0; next }
    listing && /^  [^ ]/ {
      name = substr($0, 3)
      rest = ""
      if (match(name, /  +/)) { rest = substr(name, RSTART + RLENGTH); name = substr(name, 1, RSTART - 1) }
      print ".TP\n.B \"" escaped(name) "\""
      if (rest != "") print escaped(rest)
      next
    }
    listing { sub(/^ +/, ""); print escaped($0); next }
    { mode("verbatim"); print escaped($0) }
    END { mode("text") }
  '
}

version=$("$program" --version)
help=$("$program" --help)
verbs=$(printf '%s\n' "$help" | awk '
  /^[A-Z][a-z]*:$/ {listing = $0 != "Options:"; next}
  /^$/ {listing = 0}
  listing && !/ Not in this build/ {print $1}')
{
  printf '.TH PAPILIO 1 "" "%s" "User Commands"\n' "$(printf '%s' "$version" | head -n 1)"
  printf '.SH NAME\npapilio \\- %s\n' "$(printf '%s\n' "$help" | sed -n '1s/^papilio: //p')"
  printf '.SH SYNOPSIS\n.B papilio\nVERB [OPTIONS] ...\n.SH DESCRIPTION\n'
  printf '%s\n' "$help" | sed "1,2d;/$hint/d" | as_roff
  for verb in $verbs; do
    printf '.SH "PAPILIO %s"\n' "$(printf '%s' "$verb" | tr '[:lower:]' '[:upper:]')"
    "$program" "$verb" --help | sed "/$hint/d;/^Examples:\$/,\$d" | as_roff
  done
  printf '.SH EXIT STATUS\n.TP\n0\nDone.\n'
  printf '.TP\n1\nThe data was bad; the message says which file, and why.\n'
  printf '.TP\n2\nThe usage was bad; the message names the flag.\n'
  printf '.SH ENVIRONMENT\n.TP\nPAPILIO_POLICY, PAPILIO_MACHINE, PAPILIO_RUNTIME\n'
  printf 'What \\-\\-policy, \\-\\-machine and \\-\\-runtime say where they are not given.\n'
  printf '.SH FILES\n.TP\n$XDG_CONFIG_HOME/papilio.toml\nDefaults of options, by verb; \\-\\-no\\-config leaves them alone.\n'
  printf '.SH EXAMPLES\n'
  for verb in $verbs; do
    "$program" "$verb" --help | sed '1,/^Examples:$/d' | sed "1s/^/\\npapilio $verb:\\n/" | as_roff
  done
  printf '.SH SEE ALSO\n.BR sox (1),\n.BR sndfile\\-info (1)\n'
} >"$page.part"
mv -- "$page.part" "$page"

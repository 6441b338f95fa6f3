#!/usr/bin/env bash
# Opens pages of papilio report and profile in headless Chromium: what they show after their scripts, and what these
# do when one points, zooms, sorts, searches and opens a sound.
#   pages.sh PAPILIO RECORDING
# Exits with 77 where no Chromium is installed.
set -euo pipefail
papilio="$1"
recording="$2"
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"
browser="$(command -v chromium || command -v chromium-browser || true)"
if [[ -z "$browser" ]]; then
  echo "pages.sh: left out: chromium is not installed"
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf -- "$folder"' EXIT

failed=0
fail() {
  echo "pages.sh: $1" >&2
  failed=1
}
# open PAGE WIDTH ADDRESS_PART TEXT...: the page with a script of tests behind its own, its texts in a
# frame that wide, since no window is narrower than 500 pixels, and nothing in the console.
open_page() {
  local page="$1" width="$2" part="$3"
  shift 3
  sed -e "/<\/body>/{r $here/actions.html
N}" "$folder/$page" >"$folder/tried.html"
  cat >"$folder/frame.html" <<END
<body style="margin: 0"><iframe src="tried.html$part" style="border: 0; width: ${width}px; height: 1400px"></iframe>
<script>setTimeout(() => { document.body.innerHTML = frames[0].document.body.innerHTML; }, 7000)</script>
END
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" \
    --allow-file-access-from-files --enable-logging=stderr --window-size=1400,1400 \
    --virtual-time-budget=8000 --dump-dom "file://$folder/frame.html" >"$folder/dom.html" 2>"$folder/log" || fail "$page: the browser failed"
  if grep 'CONSOLE' "$folder/log"; then fail "$page, $width: messages in the console"; fi
  for text in "$@"; do
    grep -qF -- "$text" "$folder/dom.html" || fail "$page, $width: no \"$text\""
  done
  grep -o '<p class="wrong">[^<]*' "$folder/dom.html" >&2 && fail "$page, $width: see above"
  grep -qF 'id="tried"' "$folder/dom.html" || fail "$page, $width: the actions did not end"
}

"$papilio" report "$recording" -o "$folder/one.html" >/dev/null
mkdir "$folder/sounds"
for i in 1 2 3 4 5; do
  cp -- "$recording" "$folder/sounds/take $i <b>.flac"
done
printf 'no sound' >"$folder/sounds/notes.txt"
"$papilio" report "$folder/sounds" -o "$folder/all.html" >/dev/null 2>&1 && fail "a broken file went unnoticed"

"$papilio" profile gemm m=300 k=200 n=600 --dry-run --timeline "$folder/time.html" \
  --roofline "$folder/roof.html" >/dev/null

for width in 1300 480; do
  open_page time.html "$width" "" 'Timeline' 'bound by' 'dma 15' 'tensor load' 'Time (us)' '<canvas'
  open_page roof.html "$width" "" 'Roofline' 'this run: ' 'fp32 23 TFLOP/s' '<circle'
  open_page one.html "$width" "" '<h1 id="title">guit_e_fifths.flac</h1>' 'Signed 16 bit PCM' '369.4 Hz' \
    '<canvas' 'Spectral centroid' 'dBFS/Hz' 'Time (s)'
  open_page all.html "$width" "" 'take 1 &lt;b&gt;.flac' '5 sounds' 'Not shown: 1' 'src="data:image/png'
  open_page all.html "$width" "#sound-2" '<h1 id="title">take 2 &lt;b&gt;.flac</h1>' 'All sounds' '<canvas'
done
for width in 320 400; do
  open_page all.html "$width" "" '5 sounds' 'src="data:image/png'
  open_page one.html "$width" "" 'Spectral centroid'
done
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$folder/profile" \
  --print-to-pdf="$folder/one.pdf" "file://$folder/one.html" >/dev/null 2>&1 || fail "the page cannot be printed"
[[ "$(head -c 5 "$folder/one.pdf")" == "%PDF-" ]] || fail "no PDF"
exit "$failed"

// Samples without a header: a line that describes them, as --raw does, and the samples behind it.
#include "fuzz/sound_walk.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  const std::string_view text = test::text_of(data, size);
  const std::size_t end = std::min(text.find('\n'), size);
  raw_pcm form;
  try {
    form = parse_raw_pcm(text.substr(0, end));
  } catch (const invalid_argument&) {
    return 0;
  }
  try {
    test::walk_sound(test::write_input("raw", text.substr(std::min(end + 1, size))), {.raw = form});
  } catch (const io_error&) {
  }
  return 0;
}

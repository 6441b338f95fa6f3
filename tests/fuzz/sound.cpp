// Sound files of all formats that are decoded in this process, and arrays of samples. The last byte
// says how they are read.
#include <cstdlib>

#include "fuzz/sound_walk.hpp"

// No ffmpeg on the path: what it decodes is not ours to try.
extern "C" int LLVMFuzzerInitialize(int*, char***) { return setenv("PATH", "/nonexistent", 1); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  if (size == 0) return 0;
  const unsigned choice = data[size - 1];
  const sound_options options{
      .strict = (choice & 1) != 0,
      .nan = (choice & 2) != 0 ? nan_policy::zero : nan_policy::refuse,
      .array_rate_hz = (choice & 8) != 0 ? std::optional(1000) : std::nullopt,
      .reading = (choice & 4) != 0 ? sound_reading::as_it_comes : sound_reading::whole};
  try {
    test::walk_sound(test::write_input("sound", test::text_of(data, size - 1)), options);
  } catch (const io_error&) {
  }
  return 0;
}

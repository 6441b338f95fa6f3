// Shared objects of kernels, before they are loaded: what they then do is their own.
#include "cli/profile_run.hpp"
#include "fuzz/input.hpp"
#include "papilio/base.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  try {
    cli::profile_verb::require_shared_object(
        test::write_input("kernels.so", test::text_of(data, size)));
    test::require(size > 64, "an object has a header");
  } catch (const io_error&) {
  }
  return 0;
}

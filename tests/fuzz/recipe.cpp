// Recipes of transforms as text.
#include "fuzz/input.hpp"
#include "papilio/base.hpp"
#include "papilio/fft.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  try {
    const recipe read = parse_recipe(test::text_of(data, size));
    test::require(parse_recipe(to_string(read)) == read, "a recipe is read as it was printed");
  } catch (const invalid_argument&) {
  }
  return 0;
}

// What `papilio plan` is asked about: transforms, short-time transforms and products.
#include "cli/common.hpp"
#include "cli/plan_operation.hpp"
#include "fuzz/input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace papilio;
  for (const real_type type :
       {real_type::single_precision, real_type::double_precision, real_type::extended_precision}) {
    try {
      const auto read = cli::parse_operation(test::text_of(data, size), type);
      test::require(!read.name.empty(), "an operation has a name");
      if (read.transform)
        test::require(read.transform->lines >= 1 && read.transform->bytes_in > 0,
                      "a transform reads something");
    } catch (const cli::usage_error&) {
    }
  }
  return 0;
}

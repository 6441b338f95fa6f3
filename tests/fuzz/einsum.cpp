// Einsum's subscripts. "ij,jk->ik|23|34": the subscripts, then the extents of each operand, a digit
// each.
#include <algorithm>
#include <vector>

#include "fuzz/input.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"

using namespace papilio;

namespace {

std::vector<std::size_t> digits(std::string_view text) {
  std::vector<std::size_t> result;
  for (const char c : text)
    if (c >= '0' && c <= '9') result.push_back(static_cast<std::size_t>(c - '0'));
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = test::text_of(data, size);
  const auto take = [&rest] {
    const std::string_view part = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    return part;
  };
  const std::string_view subscripts = take();
  std::vector<std::vector<std::size_t>> extents;
  while (!rest.empty()) extents.push_back(digits(take()));
  try {
    const einsum_expression read = parse_einsum(subscripts, extents);
    validate(read.network);
    test::require(read.axes.size() == extents.size(), "an expression has all operands");
    for (std::size_t i = 0; i < extents.size(); ++i)
      test::require(read.axes[i].size() == extents[i].size(), "and all their axes");
  } catch (const error&) {
  }
  return 0;
}

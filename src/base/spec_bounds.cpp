#include "base/spec_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace papilio::base_detail {

std::string expectation(const bounds& where, bool whole) {
  if (whole)
    return fmt::format("must be a whole number from {:.0f} to {:.0f}", where.least, where.most);
  return fmt::format("must be a number {} {:g} and <= {:g}", where.open ? ">" : ">=", where.least,
                     where.most);
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace papilio::base_detail

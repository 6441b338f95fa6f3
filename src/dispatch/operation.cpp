#include "papilio/dispatch/operation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dispatch/problem_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

std::string dispatch_detail::text_of(std::span<const std::size_t> extents) {
  std::string text;
  for (const std::size_t e : extents)
    text.append(text.empty() ? "" : "x").append(base_detail::message(e));
  return text.empty() ? "scalar" : text;
}

double dispatch_detail::count_of(std::span<const std::size_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0,
                         [](double a, std::size_t b) { return a * static_cast<double>(b); });
}

std::size_t dispatch_detail::in_ratio(std::size_t value, std::size_t size, std::size_t of) {
  const double scaled =
      static_cast<double>(value) * static_cast<double>(size) / static_cast<double>(of);
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(scaled)));
}

std::size_t operand_shape::count() const {
  std::size_t n = 1;
  for (const std::size_t e : extents) n = checked_multiply(n, e, "operand: elements");
  return n;
}

std::string to_string(const operation& what) {
  return std::visit([](const auto& p) { return p.text(); }, what);
}

operand_shapes shapes_of(const operation& what) {
  return std::visit([](const auto& p) { return p.shapes(); }, what);
}

double nominal_flops(const operation& what) {
  return std::visit([](const auto& p) { return p.nominal_flops(); }, what);
}

void require_valid(const char* function, const operation& what) {
  std::visit(
      [&](const auto& p) {
        if constexpr (requires { p.require_valid(function); }) p.require_valid(function);
      },
      what);
}

}  // namespace papilio

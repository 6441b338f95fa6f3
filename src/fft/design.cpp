#include "fft/design.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "fft/bluestein.hpp"
#include "fft/codelet.hpp"
#include "fft/direct.hpp"
#include "fft/four_step.hpp"
#include "fft/rader.hpp"
#include "fft/stockham.hpp"
#include "fft/two_step.hpp"

namespace papilio::fft_detail {

double cost(const recipe& r) {
  switch (r.kind) {
    case recipe_kind::codelet:
      return codelet_cost(r);
    case recipe_kind::two_step:
      return two_step_cost(r);
    case recipe_kind::direct:
      return direct_cost(r);
    case recipe_kind::four_step:
      return four_step_cost(r);
    case recipe_kind::rader:
      return rader_cost(r);
    case recipe_kind::bluestein:
      return bluestein_cost(r);
    default:
      return stockham_cost(r);
  }
}

bool needs_lanes(const recipe& r) {
  return r.kind == recipe_kind::codelet || r.kind == recipe_kind::two_step ||
         r.kind == recipe_kind::direct || r.kind == recipe_kind::four_step ||
         std::ranges::any_of(r.parts, needs_lanes);
}

std::vector<recipe> candidates(std::size_t n, bool lanes) {
  std::vector<recipe> found;
  const auto add = [&](std::optional<recipe> r) {
    if (r && std::ranges::find(found, *r) == found.end()) found.push_back(std::move(*r));
  };
  // Without lanes there are few registers too: radix 16 is too large.
  add(design_stockham(n, 8, lanes));
  if (lanes)
    for (const std::size_t largest_power : {16, 4}) add(design_stockham(n, largest_power));
  // A large odd radix costs n operations a point, the convolution a constant number.
  const auto is_large = [](std::size_t radix) { return radix > 16; };
  if (found.empty() || std::ranges::any_of(found[0].radices, is_large)) {
    add(design_bluestein(n, lanes));
    add(design_rader(n, lanes));
  }
  if (lanes) {
    add(design_codelet(n));
    for (recipe& r : design_two_steps(n, 4)) add(std::move(r));
    add(design_direct(n));
    add(design_four_step(n));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const recipe& a, const recipe& b) { return cost(a) < cost(b); });
  // Without lanes a pass of a large radix has none to lose: it is cheaper than a convolution, and
  // it rounds less.
  if (!lanes)
    std::stable_partition(found.begin(), found.end(),
                          [](const recipe& r) { return r.kind == recipe_kind::stockham; });
  return found;
}

// Codelets and two steps cost less than all others wherever they exist, so these are not compared.
recipe design(std::size_t n, bool lanes) {
  if (lanes)
    for (const auto& cheapest : {design_codelet, design_two_step})
      if (auto r = cheapest(n)) return *std::move(r);
  return candidates(n, lanes).front();
}

recipe split_design(std::size_t n, bool lanes) {
  if (auto r = design_codelet(n); r && lanes) return *std::move(r);
  const std::vector<recipe> all = candidates(n, lanes);
  return *std::ranges::find_if(all,
                               [](const recipe& r) { return r.kind != recipe_kind::two_step; });
}

recipe filter_design(std::size_t n, bool lanes) {
  if (lanes)
    if (auto r = design_four_step(n)) return *std::move(r);
  return design(n, lanes);
}

recipe real_design(std::size_t n, complex_design part) {
  return {recipe_kind::real, n, {}, {part(n % 2 == 0 ? n / 2 : n)}};
}

trigonometric_part part_of(trigonometric_kind kind, std::size_t n) {
  switch (kind) {
    case trigonometric_kind::dct1:
      return {true, 2 * (n - 1)};
    case trigonometric_kind::dst1:
      return {true, 2 * (n + 1)};
    case trigonometric_kind::dct4:
    case trigonometric_kind::dst4:
      return n % 2 == 0 ? trigonometric_part{false, n / 2} : trigonometric_part{true, n};
    default:
      return {true, n};
  }
}

recipe trigonometric_design(trigonometric_kind kind, std::size_t n, recipe part) {
  const int first = static_cast<int>(recipe_kind::dct1);  // both lists have the same order
  return {static_cast<recipe_kind>(first + static_cast<int>(kind)), n, {}, {std::move(part)}};
}

}  // namespace papilio::fft_detail

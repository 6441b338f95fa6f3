#include "fft/design.hpp"

#include <algorithm>

#include "fft/bluestein.hpp"
#include "fft/rader.hpp"
#include "fft/stockham.hpp"

namespace papilio::fft_detail {

double cost(const recipe& r) {
  if (r.kind == recipe_kind::rader) return rader_cost(r);
  return r.kind == recipe_kind::bluestein ? bluestein_cost(r) : stockham_cost(r);
}

std::vector<recipe> candidates(std::size_t n) {
  std::vector<recipe> found;
  for (const std::size_t largest_power : {8, 16, 4})
    if (auto r = design_stockham(n, largest_power);
        r && std::find(found.begin(), found.end(), *r) == found.end())
      found.push_back(std::move(*r));
  // A large odd radix costs n operations a point, the convolution a constant number.
  const auto is_large = [](std::size_t radix) { return radix > 16; };
  if (found.empty() || std::ranges::any_of(found[0].radices, is_large)) {
    found.push_back(design_bluestein(n));
    if (auto r = design_rader(n)) found.push_back(std::move(*r));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const recipe& a, const recipe& b) { return cost(a) < cost(b); });
  return found;
}

recipe design(std::size_t n) { return candidates(n).front(); }

}  // namespace papilio::fft_detail

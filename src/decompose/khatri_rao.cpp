#include "decompose/khatri_rao.hpp"

#include <algorithm>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

template <class T>
double rows_of(std::span<const view<const T, 2>> factors) {
  double rows = 1;
  for (const auto& f : factors) rows *= static_cast<double>(f.extent(0));
  return rows;
}

template <class T>
std::size_t balanced_split(std::span<const view<const T, 2>> factors) {
  std::size_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t at = 1; at < factors.size(); ++at) {
    const double longer = std::max(rows_of(factors.first(at)), rows_of(factors.subspan(at)));
    if (longer < least) least = longer, best = at;
  }
  return best;
}

}  // namespace

template <class S, class T>
array<S, 2> khatri_rao(std::span<const view<const T, 2>> factors, std::size_t rank) {
  std::size_t length = 1;
  for (const auto& f : factors) length = checked_multiply(length, f.extent(0), "decompose: size");
  array<S, 2> result({rank, length}, uninitialized);
  for (std::size_t r = 0; r < rank; ++r) {
    S* const row = result.data() + r * length;
    row[0] = 1;
    std::size_t made = 1;
    for (const auto& f : factors) {
      // Writing begins at the end: what is still to be read lies before what is written.
      for (std::size_t before = made; before-- > 0;) {
        const S value = row[before];
        for (std::size_t i = f.extent(0); i-- > 0;)
          row[before * f.extent(0) + i] = value * static_cast<S>(f(i, r));
      }
      made *= f.extent(0);
    }
  }
  return result;
}

template <class S, class T>
two_factors<S> split_cp(std::span<const view<const T, 2>> factors, std::span<const T> weights) {
  const std::size_t at = balanced_split(factors), rank = weights.size();
  const array<S, 2> before = khatri_rao<S>(factors.first(at), rank);
  const std::size_t rows = before.extent(1);
  two_factors<S> result{array<S, 2>({rows, rank}, uninitialized),
                        khatri_rao<S>(factors.subspan(at), rank)};
  for (std::size_t r = 0; r < rank; ++r)
    for (std::size_t i = 0; i < rows; ++i)
      result.left.data()[i * rank + r] = static_cast<S>(weights[r]) * before.data()[r * rows + i];
  return result;
}

#define PAPILIO_INSTANTIATE(S, T)                                                     \
  template array<S, 2> khatri_rao<S>(std::span<const view<const T, 2>>, std::size_t); \
  template two_factors<S> split_cp<S>(std::span<const view<const T, 2>>, std::span<const T>)
PAPILIO_INSTANTIATE(float, float);
PAPILIO_INSTANTIATE(double, float);
PAPILIO_INSTANTIATE(double, double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail

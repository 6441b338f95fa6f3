#include "signal/overlap_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/base/error.hpp"

namespace papilio::signal_detail {
namespace {

constexpr double least_cover = 1e-10;  // as scipy.signal.check_NOLA, but relative

}  // namespace

template <class T>
overlap_weights<T>::overlap_weights(const segment_geometry& geometry, std::span<const T> analysis,
                                    std::span<const T> synthesis)
    : geometry_(geometry),
      product_(geometry.n(), uninitialized),
      repeating_(std::min(geometry.n(), geometry.hop())),
      divisor_(repeating_.size()) {
  for (std::size_t j = 0; j < product_.size(); ++j) {
    product_[j] = static_cast<double>(analysis[j]) * static_cast<double>(synthesis[j]);
    largest_ = std::max(largest_, std::abs(product_[j]));
  }
  const double n = static_cast<double>(geometry.n());
  repeats_covered_ = geometry.hop() <= geometry.n();
  for (std::size_t r = 0; r < repeating_.size(); ++r) {
    for (std::size_t j = r; j < geometry.n(); j += std::min(geometry.hop(), geometry.n()))
      repeating_[r] += product_[j];
    divisor_[r] = static_cast<T>(n * repeating_[r]);
    repeats_covered_ = repeats_covered_ && covers(repeating_[r]);
  }
}

template <class T>
double overlap_weights<T>::sum(std::uint64_t p, std::uint64_t segments) const {
  const std::uint64_t n = geometry_.n(), hop = geometry_.hop();
  const std::uint64_t last = std::min(p / hop, segments - 1);
  double weight = 0;
  for (std::uint64_t j = p - last * hop; j < n && j <= p; j += std::min(hop, n))
    weight += product_[j];
  return weight;
}

template <class T>
bool overlap_weights<T>::covers(double weight) const {
  return std::abs(weight) > least_cover * largest_;
}

template <class T>
void overlap_weights<T>::divide(const T* sums, T* out, std::uint64_t p, std::size_t count,
                                std::uint64_t segments) const {
  const std::uint64_t n = geometry_.n(), hop = geometry_.hop();
  const std::uint64_t end = p + count, tail = geometry_.first(segments);
  while (p < end) {
    const std::uint64_t r = p % hop;
    if (p + hop >= n && p < tail && r < divisor_.size()) {
      // p - r + j for every j that is r modulo hop lies at or behind position 0.
      const std::uint64_t stop = std::min({end, tail, p - r + divisor_.size()});
      for (std::uint64_t i = 0; i < stop - p; ++i) out[i] = sums[i] / divisor_[r + i];
      sums += stop - p;
      out += stop - p;
      p = stop;
    } else {
      *out++ = *sums++ / static_cast<T>(static_cast<double>(n) * sum(p, segments));
      ++p;
    }
  }
}

template <class T>
bool overlap_weights<T>::repeats_from(std::uint64_t first, std::uint64_t segments) const {
  const std::uint64_t n = geometry_.n();
  return repeats_covered_ && first + geometry_.hop() >= n && first + n <= geometry_.first(segments);
}

template <class T>
array<T, 1> overlap_weights<T>::divided_window(std::span<const T> window) const {
  const double n = static_cast<double>(geometry_.n());
  array<T, 1> result(repeats_covered_ ? window.size() : 0, uninitialized);
  for (std::size_t j = 0; j < result.size(); ++j)
    result[j] =
        static_cast<T>(static_cast<double>(window[j]) / (n * repeating_[j % repeating_.size()]));
  return result;
}

template <class T>
void overlap_weights<T>::require_covered(const char* function, std::uint64_t p, std::uint64_t end,
                                         std::uint64_t segments) const {
  const std::uint64_t n = geometry_.n(), hop = geometry_.hop();
  const auto check = [&](std::uint64_t from, std::uint64_t to) {
    for (; from < to; ++from)
      if (const double weight = sum(from, segments); !covers(weight))
        throw_uncovered(function, from, weight);
  };
  // Between the segments' first n - hop positions and the end of the last but one W repeats; where
  // that is not enough everywhere, one period and what may be missing before it tell.
  const std::uint64_t unlike = repeats_covered_ ? n - hop : p + n + std::min(hop, n + 1);
  const std::uint64_t head = std::min(end, unlike);
  check(p, head);
  check(std::max({p, head, geometry_.first(segments)}), end);
}

template <class T>
void overlap_weights<T>::require_covered(const char* function, std::uint64_t p) const {
  const std::uint64_t n = geometry_.n(), hop = geometry_.hop();
  if (hop > n)
    throw invalid_argument(base_detail::message(function, ": hop must be at most n_fft (", n,
                                                "), or samples are not covered; got ", hop));
  array<double, 1> weight = product_;  // W(p) grows with p in steps of the hop
  for (std::uint64_t j = 0; j < n; ++j) {
    if (j >= hop) weight[j] += weight[j - hop];
    if (j >= p && !covers(weight[j])) throw_uncovered(function, j, weight[j]);
  }
  for (std::uint64_t j = n; j < n + hop; ++j)
    if (j >= p && !covers(repeating_[j % hop])) throw_uncovered(function, j, repeating_[j % hop]);
}

template <class T>
void overlap_weights<T>::throw_uncovered(const char* function, std::uint64_t p,
                                         double weight) const {
  throw invalid_argument(base_detail::message(function, ": sample ", p - geometry_.lead(),
                                              " is not covered: the sum of w^2 there must exceed ",
                                              least_cover, " of the window's largest w^2, got ",
                                              largest_ == 0 ? 0 : std::abs(weight) / largest_));
}

template class overlap_weights<float>;
template class overlap_weights<double>;

}  // namespace papilio::signal_detail

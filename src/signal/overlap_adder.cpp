#include "signal/overlap_adder.hpp"

#include <algorithm>
#include <cassert>

namespace papilio::signal_detail {

template <class T>
void add_under_window(const T* samples, const T* window, std::size_t shared, std::size_t count,
                      T* sums, std::ptrdiff_t stride) {
  if (stride == 1) {
    for (std::size_t j = 0; j < shared; ++j) sums[j] += samples[j] * window[j];
    for (std::size_t j = shared; j < count; ++j) sums[j] = samples[j] * window[j];
  } else {
    for (std::size_t j = 0; j < shared; ++j, sums += stride) *sums += samples[j] * window[j];
    for (std::size_t j = shared; j < count; ++j, sums += stride) *sums = samples[j] * window[j];
  }
}

template <class T>
void overlap_adder<T>::add(std::uint64_t p, std::size_t channel, const T* samples) {
  const auto offset = static_cast<std::size_t>(p - front_);
  assert(p >= front_ && offset + n_ <= stride());
  if (start_ + offset + n_ > stride()) {
    for (std::size_t c = 0; c < sums_.extent(0); ++c) std::copy_n(sums(c), live_, &sums_(c, 0));
    start_ = 0;
  }
  T* const to = sums(channel) + offset;
  if (live_ < offset) std::fill(sums(channel) + live_, to, T(0));
  add_under_window(samples, window_, live_ > offset ? live_ - offset : 0, n_, to);
  if (channel + 1 == sums_.extent(0)) live_ = offset + n_;
}

template <class T>
void overlap_adder<T>::advance(std::uint64_t p) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(p - front_, live_));
  front_ = p;
  start_ += count;
  live_ -= count;
}

template void add_under_window(const float*, const float*, std::size_t, std::size_t, float*,
                               std::ptrdiff_t);
template void add_under_window(const double*, const double*, std::size_t, std::size_t, double*,
                               std::ptrdiff_t);
template class overlap_adder<float>;
template class overlap_adder<double>;

}  // namespace papilio::signal_detail

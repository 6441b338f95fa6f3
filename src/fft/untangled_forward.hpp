#pragma once

#include <cstddef>
#include <memory>

#include "base/roots_of_unity.hpp"
#include "fft/blocks.hpp"
#include "fft/executable.hpp"
#include "fft/pointwise.hpp"
#include "fft/real_transform.hpp"
#include "fft/shared_table.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

/// Reals to bins by any complex transform of half length and a pass of its own that untangles (the
/// identity is in pointwise.hpp).
template <class T>
class untangled_forward {
 public:
  untangled_forward(const recipe& part, const real_scales& scales)
      : half_(part.n),
        to_bins_(build<T>(part, direction::forward, scales.forward)),
        ends_(static_cast<T>(scales.forward_ends)),
        twiddles_(table_shared_as<T>(base_detail::message("untangling ", half_), [&] {
          array<T, 1> table(2 * (half_ / 2 + 1));
          const roots_of_unity<T> root(2 * half_);
          for (std::size_t k = 0; k <= half_ / 2; ++k) {
            const std::complex<T> w = root(k);  // -i w / 2
            table[k] = w.imag() / 2;
            table[half_ / 2 + 1 + k] = -w.real() / 2;
          }
          return table;
        })) {}

  std::size_t scratch_reals() const { return to_bins_->scratch_reals(); }
  /// -i W^k / 2 for k = 0 ... half/2.
  const T* twiddles_re() const { return twiddles_->data(); }
  const T* twiddles_im() const { return twiddles_->data() + half_ / 2 + 1; }

  void run(const T* in, T* bins, T* scratch, int threads) const {
    to_bins_->execute(in, bins, scratch, threads);
    for_each_range(half_ / 2 + 1, threads, [&](std::size_t first, std::size_t last) {
      pointwise_.untangle(half_, twiddles_re(), twiddles_im(), bins, first, last);
    });
    for (T* const end : {bins, bins + 2 * half_}) *end *= ends_;
  }

 private:
  std::size_t half_;
  std::unique_ptr<const executable<T>> to_bins_;
  T ends_;
  shared_table<T> twiddles_;  // re, then im
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
};

}  // namespace papilio::fft_detail

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "papilio/signal/welch.hpp"

namespace papilio::signal_detail {

/// Returns the options with overlap and n_fft resolved. Throws invalid_argument as welch_stream.
welch_options checked_segments(welch_options o);

std::size_t bins_of(const welch_options& resolved);
double frequency_of(const welch_options& resolved, std::size_t bin);

/// Returns the factor of the powers |sum w x exp|^2 by the scaling of resolved options.
double scale_of(const welch_options& o);

/// Returns the expectation of the median of n exponentially distributed numbers of mean 1, n odd
/// (Allen et al. 2012, appendix B); as scipy does, that of n - 1 where n is even.
double median_bias(std::uint64_t n);

/// Returns the median, NaN where a value is; the values change their order.
double median(std::span<double> values);

/// Puts the average power of bin k <= n_fft / 2, scaled, at its places among a density's.
template <class T>
void place_density(const welch_options& o, std::size_t k, double power, T* out) {
  const bool alone = k == 0 || 2 * k == o.n_fft;
  out[k] = static_cast<T>(o.one_sided && !alone ? 2 * power : power);
  if (!o.one_sided && !alone) out[o.n_fft - k] = out[k];
}

}  // namespace papilio::signal_detail

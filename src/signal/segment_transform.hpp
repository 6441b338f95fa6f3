#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "papilio/base/array.hpp"
#include "papilio/fft/rfft_plan.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/analysis_window.hpp"
#include "signal/segment_geometry.hpp"

namespace papilio::signal_detail {

template <class T>
class synthesis;

/// Window, real FFT and scaling of one segment: n contiguous samples to bins() contiguous bins,
/// magnitudes or powers. The one place where a segment is transformed. Immutable; scratch holds
/// scratch_size() elements, overlaps nothing, and nothing is allocated.
/// As the adjoint of an inverse it divides samples by the sums of w^2 first: with the window where
/// they repeat from hop to hop, which costs nothing, before it elsewhere.
template <class T>
class segment_transform {
 public:
  explicit segment_transform(const windowed_options& resolved);
  /// The adjoint of what an inverse makes of the bins of a segment: divided samples under its
  /// synthesis window to bins with the weights that it gives them.
  explicit segment_transform(std::shared_ptr<const synthesis<T>> inverse);

  const stft_options& options() const { return options_; }
  const segment_geometry& geometry() const { return geometry_; }
  std::size_t bins() const { return bins_; }
  std::span<const T> window() const { return window_.flat(); }
  /// The window with the scaling in it.
  std::span<const T> weights() const { return weights_.flat(); }
  /// The inverse whose adjoint this is; null if this is a transform itself.
  const std::shared_ptr<const synthesis<T>>& adjoint_of() const { return inverse_; }
  /// Bin 0 and bin n / 2 of an even n carry half the factor of the others.
  bool halves_ends() const { return options_.scaling == stft_scaling::dbfs; }
  const rfft_plan<T>& plan() const { return plan_; }
  std::size_t scratch_size() const { return scratch_size_; }

  /// The weights that divide too, of an adjoint, as overlap_weights::divided_window has them.
  std::span<const T> dividing_weights() const { return dividing_weights_.flat(); }

  /// `window` is weights() or dividing_weights().
  void execute(const T* samples, std::span<const T> window, std::complex<T>* out,
               std::complex<T>* scratch) const;
  void execute_magnitude(const T* samples, std::span<const T> window, T* out,
                         std::complex<T>* scratch) const;
  void execute_power(const T* samples, std::span<const T> window, T* out,
                     std::complex<T>* scratch) const;

 private:
  // Completes a row from bins 0 ... n / 2, whose values are of this power of the bins.
  template <class Value>
  void finish(Value* out, int power) const;

  std::shared_ptr<const synthesis<T>> inverse_;
  stft_options options_;
  segment_geometry geometry_;
  rfft_plan<T> plan_;
  std::size_t scratch_size_ = plan_.spectrum_scratch_size(), bins_;
  array<T, 1> window_, weights_, dividing_weights_;
};

}  // namespace papilio::signal_detail

#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "papilio/base/array.hpp"
#include "signal/overlap_weights.hpp"
#include "signal/segment_transform.hpp"

namespace papilio::signal_detail {

/// From the bins of one segment back to its samples, and what overlapping segments are divided by.
/// Immutable; scratch holds scratch_size() elements, overlaps nothing, and nothing is allocated.
template <class T>
class synthesis {
 public:
  explicit synthesis(const windowed_options& resolved);

  const segment_transform<T>& analysis() const { return analysis_; }
  const segment_geometry& geometry() const { return analysis_.geometry(); }
  const overlap_weights<T>& weights() const { return weights_; }
  std::size_t scratch_size() const {
    return analysis_.plan().bins() + analysis_.plan().scratch_size();
  }

  /// n_fft times the analysed samples, still under the analysis window.
  void execute(view<const std::complex<T>, 1> bins, T* samples, std::complex<T>* scratch) const;

 private:
  segment_transform<T> analysis_;
  overlap_weights<T> weights_;
};

}  // namespace papilio::signal_detail

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "papilio/base/array.hpp"
#include "signal/overlap_weights.hpp"
#include "signal/segment_transform.hpp"

namespace papilio::signal_detail {

/// Synthesis of a segment's samples from its bins, with the weights that overlapping segments are
/// divided by. It is the inverse of an analysis, or its adjoint, which gives every bin the weight
/// 1, puts the analysis window over the samples and divides by nothing. Immutable; scratch holds
/// scratch_size() elements, overlaps nothing, and nothing is allocated.
template <class T>
class synthesis {
 public:
  explicit synthesis(const windowed_options& resolved);
  /// Makes the adjoint of an analysis.
  explicit synthesis(std::shared_ptr<const segment_transform<T>> analysis);

  const segment_transform<T>& analysis() const { return *analysis_; }
  /// The analysis whose adjoint this is; null for an inverse.
  std::shared_ptr<const segment_transform<T>> adjoint_of() const {
    return is_adjoint_ ? analysis_ : nullptr;
  }
  const segment_geometry& geometry() const { return analysis_->geometry(); }
  const overlap_weights<T>& weights() const { return weights_; }
  /// Window by which samples are multiplied before they are added.
  std::span<const T> window() const {
    return is_adjoint_ ? analysis_->weights() : analysis_->window();
  }
  std::size_t scratch_size() const { return plan_.bins() + plan_.scratch_size(); }

  /// Computes n_fft times the analysed samples, still under the analysis window; for the adjoint,
  /// the gradient by the windowed samples. `bins` is a view, as a copy would wait for the stores
  /// that made it.
  void execute(const view<const std::complex<T>, 1>& bins, T* samples,
               std::complex<T>* scratch) const;

  /// Computes the result at positions p ... p + count - 1 from the sums of segments there; out may
  /// be sums.
  void finish(const T* sums, T* out, std::uint64_t p, std::size_t count,
              std::uint64_t segments) const;

  /// Throws shape_error or invalid_argument unless `samples` >= 1 of the signal from `first` on can
  /// be had of so many segments.
  void require_reached(const char* function, std::uint64_t segments, std::uint64_t samples,
                       std::uint64_t first) const;

 private:
  std::shared_ptr<const segment_transform<T>> analysis_;
  bool is_adjoint_;
  rfft_plan<T> plan_;
  overlap_weights<T> weights_;
};

}  // namespace papilio::signal_detail

#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "base/internal.hpp"
#include "fft/operands.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/rfft_plan.hpp"

namespace papilio::fft_detail {

enum class tile_way;

/// Transforms of the lines along one axis in parts of an array, with the bits that the whole array,
/// in row-major order, has: a line goes the way that it goes there, whatever the part's extents.
template <class T>
class PAPILIO_INTERNAL box_lines {
 public:
  /// Complex lines along `axis` of an array of these extents.
  box_lines(std::span<const std::size_t> extents, std::size_t axis, direction dir,
            fft_options options);

  std::size_t axis() const { return axis_; }
  /// Reals of memory for run.
  std::size_t memory_reals() const;
  /// Whether the last axis of both operands must have a stride of 1.
  bool needs_neighbours() const;
  /// Whether columns of rows that lie far apart are written row by row, past the caches, by
  /// themselves.
  bool copies_rows() const { return copies_rows_; }
  /// Transforms all lines of a part that is not empty; in place allowed.
  void run(strided<const std::complex<T>> in, strided<std::complex<T>> out, T* memory) const;

 private:
  std::size_t axis_;
  fft_plan<T> plan_;
  tile_way way_;
  bool copies_rows_;
};

/// Real transforms along the last axis, and back, likewise.
template <class T>
class PAPILIO_INTERNAL real_box_lines {
 public:
  real_box_lines(std::size_t n, fft_options options) : plan_(n, options) {}

  std::size_t memory_reals() const;
  void forward(strided<const T> in, strided<std::complex<T>> out, T* memory) const;
  void inverse(strided<const std::complex<T>> in, strided<T> out, T* memory) const;

 private:
  rfft_plan<T> plan_;
};

}  // namespace papilio::fft_detail

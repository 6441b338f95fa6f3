#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio {

/// Rows that stand before the first and after the last of n, where a window reaches beyond them.
///   interpolate  none: the polynomial of the first or the last whole window is used, whose highest
///                derivative is constant. At least `width` rows are needed.
///   nearest      the first or the last row
///   mirror       rows about the first or the last, which is not repeated: 2 1 | 0 1 2
///   zero         rows of zeros
///   wrap         the other end's rows
enum class delta_edges { interpolate, nearest, mirror, zero, wrap };

/// Options of deltas.
struct delta_options {
  std::size_t width = 9;  ///< rows of a window, odd, 3 ... 2^20 - 1
  std::size_t order = 1;  ///< of the derivative and of the polynomial, 1 ... 8, below the width
  delta_edges edges = delta_edges::interpolate;
};

/// Deltas of features: the derivative of degree `order`, per row, of the polynomial of that degree
/// that fits `width` rows about each in the least squares (Savitzky and Golay), as
/// librosa.feature.delta(data, width=, order=, mode=). With h = width / 2 and p the monic Gram
/// polynomial of the degree, orthogonal to lower ones on -h ... h:
///
///   out[t] = order! sum_j p(j) x[t + j] / sum_j p(j)^2
///
/// T is float or double; sums are kept in double. Immutable and safe to use from many threads.
///
/// Savitzky, A., Golay, M. J. E. (1964), Anal. Chem. 36, 1627; Furui, S. (1986), IEEE Trans.
/// ASSP-34, 52 (deltas of cepstra).
template <class T>
class PAPILIO_API delta_plan {
 public:
  /// Computes the weights. Throws invalid_argument if an option is out of range.
  explicit delta_plan(const delta_options& options = {});

  const delta_options& options() const { return options_; }
  /// Weights of the rows t - h ... t + h, `width` of them, per row.
  std::span<const double> weights() const { return weights_; }

  /// Computes the deltas of rows [segments, features] along the segments, with any strides with
  /// which an axis of out steps over the whole of the other. No rows give no rows. The bits do not
  /// depend on `threads`. O(segments * features * width).
  /// Throws shape_error unless out has the extents of rows, and for fewer than `width` rows, but
  /// some, under `interpolate`; invalid_argument if out overlaps rows.
  void execute(view<const T, 2> rows, view<T, 2> out, int threads = 1) const;
  array<T, 2> execute(view<const T, 2> rows, int threads = 1) const;

 private:
  delta_options options_;
  std::vector<double> weights_;
};

extern template class delta_plan<float>;
extern template class delta_plan<double>;

/// Callback of a stream of rows, with the index of the row, from 0, and its values, valid until it
/// returns.
template <class T>
using row_sink = function_ref<void(std::uint64_t row, std::span<const T> values)>;

/// Deltas, delta_plan, of rows that arrive one after another; each has the bits of the plan's. Row t
/// goes to the sink with row t + width / 2, or with finish(). Nothing is allocated after
/// construction: memory is `width` rows. Not thread-safe. Exceptions of a sink pass through; only
/// reset() may then be called.
template <class T>
class PAPILIO_API delta_stream {
 public:
  /// Makes a stream of rows of so many features. Throws invalid_argument under `wrap`, which needs
  /// the last rows for the first, if features is 0, and as delta_plan.
  delta_stream(const delta_options& options, std::size_t features);

  const delta_plan<T>& plan() const { return plan_; }
  std::size_t features() const { return sums_.size(); }
  /// Number of rows received, and passed to the sink.
  std::uint64_t received() const { return received_; }
  std::uint64_t rows() const { return made_; }

  /// Takes the next rows, [rows, features] with any strides.
  /// Throws shape_error for another number of features, invalid_argument after finish().
  void push(view<const T, 2> rows, row_sink<T> sink);
  /// Ends the rows. Does nothing when called again. Throws shape_error for fewer than `width` rows,
  /// but some, under `interpolate`.
  void finish(row_sink<T> sink);
  /// Resets the stream for other rows.
  void reset();

 private:
  void make(std::uint64_t row, row_sink<T> sink);

  delta_plan<T> plan_;
  array<T, 2> last_;  // row r of those received is at r mod width
  std::vector<double> sums_;
  std::vector<T> out_;
  std::uint64_t received_ = 0, made_ = 0;
  bool is_finished_ = false;
};

extern template class delta_stream<float>;
extern template class delta_stream<double>;

}  // namespace papilio

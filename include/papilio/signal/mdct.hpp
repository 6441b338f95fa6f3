#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/fft/dct_plan.hpp"

namespace papilio {

/// Window of 2n weights w of an MDCT of n coefficients, k = 0 ... 2n-1, equal about its middle.
///   sine                  sin(pi (k + 1/2) / (2n)) (AAC, MP3)
///   kaiser_bessel_derived sqrt(sum_{j<=k} K[j] / sum_j K[j]) of the first half, K the Kaiser window
///                         of n + 1 points with beta = pi alpha (AAC, AC-3)
///   vorbis                sin(pi/2 sin^2(pi (k + 1/2) / (2n)))
/// All have w[k]^2 + w[k + n]^2 = 1 (Princen and Bradley), so that frames add up to the signal.
enum class mdct_window { sine, kaiser_bessel_derived, vorbis };

/// Options of an MDCT.
struct mdct_options {
  std::size_t coefficients = 1024;  ///< n of a frame and its hop in samples, even, 2 ... 2^23
  mdct_window window = mdct_window::sine;
  double alpha = 4;  ///< of kaiser_bessel_derived, 0 ... 200; AAC has 4, AC-3 5
  normalization norm = normalization::backward;
};

/// Computes the window of an MDCT, 2n weights in double within 1e-15 (kaiser_bessel_derived: 1e-14),
/// rounded to T, float or double. Throws as mdct_plan.
template <class T = double>
PAPILIO_API array<T, 1> make_mdct_window(const mdct_options& options);

/// Modified discrete cosine transform and its inverse: frames of 2n samples, n apart, to n
/// coefficients, from which overlapping frames add up to the signal. Frame f begins at sample
/// (f - 1) n of the signal x, with zeros before and after it:
///
///   X[f, k] = a sum_j w[j] x[(f - 1) n + j] cos(pi / n (j + 1/2 + n/2) (k + 1/2)),  j < 2n, k < n
///   y[f, j] = b w[j] sum_k X[f, k] cos(pi / n (j + 1/2 + n/2) (k + 1/2))
///   x[f n + i] = y[f, n + i] + y[f + 1, i]
///
/// a, b are 1, 2/n (backward); both sqrt(2/n), a tight frame of bound 1: the sums of squares of
/// coefficients and samples are equal (orthonormal); 2/n, 1 (forward); both 1 (none, x is n/2 times
/// too large). So inverse(forward(x)) = x except under `none`, within a few epsilon of the largest.
///
/// By folding a frame to n values (time-domain aliasing) and a DCT-IV: O(n log n) a frame. T is float
/// or double. Immutable, cheap to copy, and safe to use from many threads at once.
///
/// Princen, J. P., Johnson, A. W., Bradley, A. B. (1987), Proc. ICASSP, 2161; Malvar, H. S. (1992),
/// Signal Processing with Lapped Transforms; Vorbis I specification (2004), 1.3.2.
template <class T>
class PAPILIO_API mdct_plan {
 public:
  /// Plans both directions. Throws invalid_argument if an option is out of range, resource_error if
  /// the tables cannot be allocated.
  explicit mdct_plan(const mdct_options& options = {});

  const mdct_options& options() const { return options_; }
  std::size_t coefficients() const { return options_.coefficients; }
  /// Scratch size, in elements, with which single frames allocate nothing.
  std::size_t scratch_size() const { return transform_.scratch_size() + coefficients(); }

  /// Returns the number of frames that hold a signal: 1 + samples / n, rounded up; 0 for none.
  std::uint64_t frames(std::uint64_t samples) const;

  /// Computes the frames of a signal, out [frames(samples), n]. The bits do not depend on `threads`.
  /// Throws shape_error for other extents, invalid_argument if out overlaps signal.
  void forward(std::span<const T> signal, view<T, 2> out, int threads = 1) const;
  array<T, 2> forward(std::span<const T> signal, int threads = 1) const;

  /// Computes a signal of at most (frames - 1) n samples from frames [frames, n]; none for all.
  /// Throws shape_error for other extents, or more samples than that; invalid_argument if out
  /// overlaps frames.
  void inverse(view<const T, 2> frames, std::span<T> signal, int threads = 1) const;
  array<T, 1> inverse(view<const T, 2> frames, std::optional<std::size_t> samples = {},
                      int threads = 1) const;

  /// Transforms one frame: 2n samples to n coefficients X, and n coefficients to 2n samples y, which
  /// are to be added to those of the frames beside.
  /// Throws shape_error for other lengths, or shorter scratch than scratch_size(); the operands must
  /// not overlap.
  void forward_frame(std::span<const T> samples, std::span<T> coefficients,
                     std::span<T> scratch) const;
  void inverse_frame(std::span<const T> coefficients, std::span<T> samples,
                     std::span<T> scratch) const;

 private:
  mdct_options options_;
  dct_plan<T> transform_;
  std::vector<T> analysis_, synthesis_;  // a w / 2 and b w / 2: the DCT-IV brings a factor of 2
};

extern template class mdct_plan<float>;
extern template class mdct_plan<double>;

/// Callback of mdct_stream, with the index of the frame, from 0, and its coefficients; and of
/// imdct_stream, with n samples. Both are valid until it returns.
template <class T>
using frame_sink = function_ref<void(std::uint64_t frame, std::span<const T> coefficients)>;
template <class T>
using samples_sink = function_ref<void(std::span<const T> samples)>;

/// MDCT of a signal that arrives in blocks of any sizes; each frame has the bits of the plan's. Use
/// one stream a channel. After construction nothing is allocated; memory is 4n and the scratch of a
/// frame. Not thread-safe. Exceptions of a sink pass through; only reset() may then be called.
template <class T>
class PAPILIO_API mdct_stream {
 public:
  /// Makes a stream that shares the plan's tables.
  explicit mdct_stream(const mdct_plan<T>& plan);

  const mdct_plan<T>& plan() const { return plan_; }
  /// Number of samples received, and of frames passed to the sink.
  std::uint64_t received() const { return received_; }
  std::uint64_t frames() const { return frames_; }

  /// Takes the next samples. Throws invalid_argument after finish().
  void push(std::span<const T> samples, frame_sink<T> sink);
  /// Ends the signal and passes on its last frames, to plan().frames(received()). Does nothing when
  /// called again.
  void finish(frame_sink<T> sink);
  /// Resets the stream for another signal.
  void reset();

 private:
  void transform(frame_sink<T> sink);

  mdct_plan<T> plan_;
  std::vector<T> frame_, coefficients_, scratch_;
  std::size_t filled_;  // samples of the frame, from n on at first: before the signal are zeros
  std::uint64_t received_ = 0, frames_ = 0;
  bool is_finished_ = false;
};

extern template class mdct_stream<float>;
extern template class mdct_stream<double>;

/// Inverse MDCT of frames that arrive one after another; samples have the bits of the plan's. Frame f
/// completes the n samples from (f - 1) n on; the first completes none. Nothing is allocated after
/// construction. Not thread-safe.
template <class T>
class PAPILIO_API imdct_stream {
 public:
  /// Makes a stream that shares the plan's tables.
  explicit imdct_stream(const mdct_plan<T>& plan);

  const mdct_plan<T>& plan() const { return plan_; }
  std::uint64_t frames() const { return frames_; }

  /// Takes the next frame, n coefficients, and passes on n samples, but for the first.
  /// Throws shape_error for another number of coefficients.
  void push(std::span<const T> coefficients, samples_sink<T> sink);
  /// Resets the stream for another signal.
  void reset();

 private:
  mdct_plan<T> plan_;
  std::vector<T> samples_, tail_, scratch_;
  std::uint64_t frames_ = 0;
};

extern template class imdct_stream<float>;
extern template class imdct_stream<double>;

}  // namespace papilio

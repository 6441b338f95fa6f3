#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/frequency_axis.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

/// Options of spectrogram().
template <class T>
struct spectrogram_options {
  const mel_filterbank<T>* mel = nullptr;       ///< bands in place of bins; must outlive the call
  std::optional<decibel_options> decibel = {};  ///< levels in dB in place of powers
};

/// Computes the powers of a plan's segments, or their mel bands, or the levels of either:
/// to_decibel of mel_filterbank::apply of stft_plan::execute_power, as far as the options ask for
/// them. [signals, samples] to [signals, segments, bins or bands], with any strides with which one
/// axis of out steps over the whole of the others; a top_db and a reference of none depend on all
/// signals. Levels of amplitudes are those of magnitudes. Memory of the host: bands and levels, and
/// with bands the powers of a signal.
///
/// An accelerator computes it in one launch and copies back only bands or levels. It has no kernel
/// for what stft_plan lists, nor for levels with a top_db (the default), or a reference of none:
/// these would need all values before the first. The floor must be 2^-126 ... 2^126 in squared
/// units of the reference.
///
/// Throws shape_error unless the extents fit and the filterbank is one of n_fft points;
/// invalid_argument as to_decibel, for bands of two-sided spectra, for levels of amplitudes in
/// bands (which are sums of powers), and if out overlaps the signals; device_error under
/// policy::device without a kernel.
template <class T>
PAPILIO_API void spectrogram(const stft_plan<T>& plan,
                             std::type_identity_t<view<const T, 2>> signals,
                             std::type_identity_t<view<T, 3>> out,
                             const spectrogram_options<T>& options = {}, const execution& on = {});
template <class T>
PAPILIO_API void spectrogram(const stft_plan<T>& plan, std::type_identity_t<std::span<const T>> x,
                             std::type_identity_t<view<T, 2>> out,
                             const spectrogram_options<T>& options = {}, const execution& on = {});

namespace signal_detail {
class wide_spectrum;
PAPILIO_API shared_tensor spectrogram_on_device(const stft_plan<float>& plan,
                                                const shared_tensor& signals,
                                                const spectrogram_options<float>& options,
                                                const execution& on);
}  // namespace signal_detail

/// Computes the spectrogram of a device array [samples] or [signals, samples], to a device array.
/// Throws also device_error if there is no kernel.
template <std::size_t Rank>
  requires(Rank == 1 || Rank == 2)
device_array<float, Rank + 1> spectrogram(const stft_plan<float>& plan,
                                          const device_array<float, Rank>& signals,
                                          const spectrogram_options<float>& options = {},
                                          const execution& on = {}) {
  return device_array<float, Rank + 1>(
      signal_detail::spectrogram_on_device(plan, signals.tensor("spectrogram"), options, on));
}

/// Returns the frequencies of a spectrogram's picture: low_hz to high_hz, if not given 0 to
/// rate_hz / 2. A logarithmic axis begins at two bins, as far as the main lobe of most windows
/// reaches from 0 Hz; but so that 20 Hz is the least and 50 Hz the most, and in proportion to rates
/// below 4 kHz. Nothing is checked.
PAPILIO_API frequency_axis spectrogram_axis(frequency_scale scale, double rate_hz,
                                            std::size_t n_fft, std::optional<double> low_hz = {},
                                            std::optional<double> high_hz = {});

/// Returns the hop of a picture of so many samples in so many columns whose hop nobody chose, as sox
/// chooses it: stft.hop, but at most the sum of the window's weights beside the largest, and
///   - of a short sound, whose columns are narrower, their width, a sixteenth of the window at least,
///     so that each column has a segment of its own as far as that shows;
///   - where a column is at least four windows wide that sum (n_fft / 2 of a Hann window). Every
///     sample then still has about half of the window's largest weight in some segment (0.5 of a Hann
///     window, 0.46 of a Gaussian one), and the mean and the largest of the segments of a column
///     differ little from those of twice as many.
/// Throws as make_window; invalid_argument if columns is 0.
PAPILIO_API std::size_t spectrogram_hop(const stft_options& stft, std::uint64_t samples,
                                        std::size_t columns);

/// Reduction of the powers that fall into one cell: the largest, or their mean.
enum class pooling { maximum, mean };

/// Options of a pooled_spectrogram.
struct pooled_spectrogram_options {
  stft_options stft = {};     ///< one-sided and without scaling: the levels have their own
  std::size_t channels = 1;   ///< powers are averaged over the channels
  std::uint64_t samples = 0;  ///< per channel, of the whole signal
  std::size_t rows = 1024;    ///< cells along frequency; without an axis at most the number of bins
  std::size_t columns = 2000;  ///< most cells along time; at most the number of segments
  /// Samples whose time the columns divide, if the signal is part of a longer picture; 0: its own.
  std::uint64_t span = 0;
  pooling pool = pooling::maximum;
  /// Frequencies that the rows divide evenly on its scale, at most rate_hz / 2. None: all bins.
  std::optional<frequency_axis> axis = {};
  double rate_hz = 0;  ///< sample rate; used with an axis only
};

/// Columns of a spectrogram in time: column c lies about sample first + c step of the signal.
struct spectrogram_columns {
  double first = 0, step = 1;

  double sample(std::size_t column) const { return first + static_cast<double>(column) * step; }
};

/// Returns levels as a picture of `samples` samples in so many even columns shows them: in each the
/// column of levels that lies nearest to its middle, NaN where none lies within half a step, or
/// behind the last within a whole one.
PAPILIO_API array<float, 2> spread_columns(view<const float, 2> levels,
                                           const spectrogram_columns& of, std::uint64_t samples,
                                           std::size_t columns);

/// Spectrogram of a signal that arrives in blocks, reduced to a picture's size as it comes: every
/// segment and every bin (with an axis: every one on it) falls into exactly one cell, so that none
/// is skipped, and memory is rows * columns plus a few segments for any length. Where the span has
/// more segments than columns, these divide its time evenly, and a segment falls into the one that
/// holds its centre; columns before the first centre and behind the last are left out. Otherwise
/// each segment is a column. On an axis, a row
/// too narrow to hold a bin is interpolated between the nearest two, linearly in dB over frequency
/// (in power beside silence).
///
/// Levels are powers relative to a full-scale sine: |X|^2 (2 / sum w)^2, with 1 / sum w at 0 Hz and
/// at the Nyquist frequency. A sine of amplitude 1 at a bin's centre is 1 (0 dBFS). They are those
/// of a transform in float, or in double where a float does not hold the powers. The result does
/// not depend on how the signal is cut into blocks. NaN or infinite samples make NaN of the cells
/// and means that they reach. A hop above n_fft skips samples. Not thread-safe.
class PAPILIO_API pooled_spectrogram {
 public:
  /// Plans the picture of a signal. Throws as stft_plan, and invalid_argument for samples,
  /// channels, rows or columns of 0, for samples that make no segment, a span below samples, two
  /// sides, a scaling, or an axis that is not valid or reaches beyond rate_hz / 2.
  explicit pooled_spectrogram(const pooled_spectrogram_options& options);
  /// Plans the picture with the plan's tables; options.stft is replaced by the plan's.
  /// Throws also invalid_argument unless the plan is one-sided and scaled dbfs.
  pooled_spectrogram(const stft_plan<float>& plan, const pooled_spectrogram_options& options);
  pooled_spectrogram(pooled_spectrogram&&) noexcept;
  pooled_spectrogram& operator=(pooled_spectrogram&&) noexcept;
  ~pooled_spectrogram();

  /// Takes the next block, [frames, channels], any strides.
  /// Throws shape_error if the channels differ or more frames come than options.samples.
  void push(view<const float, 2> block);

  /// Analyses, after the last block, the segments that reach into the padding. Does nothing when
  /// called again. Throws shape_error if frames are missing.
  void finish();

  std::uint64_t segments() const { return segments_; }
  /// Levels [rows, columns], row 0 lowest in frequency. Complete after finish().
  view<const double, 2> levels() const { return levels_.view(); }
  /// Returns where the columns lie: the centre of a column's one segment, or the middle of its
  /// time.
  spectrogram_columns columns() const;
  /// Mean power |X|^2 (2 / sum w)^2 of every bin, [bins], 0 Hz and the Nyquist frequency too, as
  /// find_peaks takes it: over the channels and over the segments that lie wholly within the signal
  /// (over all if the signal is shorter than n_fft + hop, which may hold none). Complete after
  /// finish().
  std::span<const double> mean_power() const { return mean_power_.flat(); }
  const stft_plan<float>& plan() const { return stream_.plan(); }

 private:
  pooled_spectrogram(const pooled_spectrogram_options& checked, stft_stream<float> stream);
  void add_segment(std::uint64_t segment, view<const float, 2> power);
  bool is_averaged(std::uint64_t segment) const;
  void add_powers(std::span<const float> power, bool counts);
  void add_wide_spectrums(bool counts);
  void add_recent();
  std::uint64_t column_of(std::uint64_t segment) const;
  void close_column(std::size_t first, std::size_t last);
  /// The bins [low, high) of a row; none: `share` of the way from bin low - 1 to bin low.
  struct row_bins {
    std::size_t low, high;
    double share;
  };
  std::vector<row_bins> make_rows() const;
  std::size_t count_interpolated() const;
  template <class T>
  T cell(const row_bins& row, std::span<const T> column, std::span<const T> octaves) const;
  template <class T>
  void write_cells(std::span<T> column, std::span<T> octaves, std::size_t first, std::size_t last);

  pooled_spectrogram_options options_;
  stft_stream<float> stream_;  // powers, a sine of amplitude 1 reads 1
  std::unique_ptr<signal_detail::wide_spectrum> wide_;
  std::uint64_t segments_;
  bool is_even_;                  // more segments than columns, which divide the time
  array<float, 1> power_;         // of the current segment, sum over channels
  array<float, 1> column_;        // largest of the current column; of a closed one what it shows
  array<double, 1> wide_column_;  // as column_, of segments in double, or empty
  array<double, 1> column_sum_;
  array<float, 1> recent_sum_;     // of the last few segments in mean_power_
  array<float, 1> uncounted_sum_;  // of those that are in no mean
  std::vector<row_bins> rows_;
  std::vector<float> octaves_;  // log2 of the column's powers, of the bins between which rows lie
  std::uint64_t column_segments_ = 0, averaged_segments_ = 0;
  array<double, 2> levels_;
  array<double, 1> mean_power_;
  bool finished_ = false;
};

}  // namespace papilio

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/frequency_axis.hpp"
#include "papilio/signal/constant_q.hpp"
#include "papilio/signal/spectrogram.hpp"

namespace papilio::signal_detail {

/// Picture of a constant-Q transform.
struct octave_picture {
  std::size_t channels = 1;
  bool stacked = false;       ///< one panel for each channel, instead of one of their mean power
  std::uint64_t samples = 0;  ///< per channel, of the whole signal
  std::uint64_t span = 0;     ///< samples whose time the columns divide, at least as many
  std::size_t rows = 1, columns = 1;  ///< cells along frequency, and most cells along time
  pooling pool = pooling::maximum;
  frequency_axis axis = {};  ///< logarithmic, from the lowest bin to below the highest one
};

/// Powers of a constant-Q transform, of a full-scale sine 1, in the cells of a picture: of all segments
/// of a column and all bins of a row the largest, or their mean, and where a row is narrower than the
/// bins are apart, between two of them in dB. Memory is that of the stream, a block's powers and the
/// picture, whatever the length.
class PAPILIO_INTERNAL octave_spectrogram {
 public:
  /// The plan is one of l1 norm without scaling.
  octave_spectrogram(const constant_q_plan<float>& plan, const octave_picture& of);

  /// [frames, channels].
  void push(view<const float, 2> block);
  void finish();

  std::uint64_t segments() const { return segments_; }
  /// Mean power of each bin over all channels and segments.
  std::vector<double> mean_power() const;
  /// [rows, columns] of each panel.
  const std::vector<array<double, 2>>& levels() const { return levels_; }
  spectrogram_columns columns() const;

 private:
  struct row_bins {
    std::size_t low,
        high;      // from low to before high, or between low and low + 1 where they are equal
    double share;  // of the second
  };

  void take(std::uint64_t first, std::size_t channel, view<std::complex<float>, 2> values);
  void add_block(std::uint64_t first, std::size_t count, std::size_t panel);
  void close_column(std::size_t panel, std::size_t first, std::size_t last);
  std::size_t column_of(std::uint64_t segment) const;

  octave_picture of_;
  constant_q_stream<float> stream_;
  std::uint64_t segments_;
  bool is_even_;
  std::vector<row_bins> rows_;
  std::vector<double> scale_;           // of powers, by bin
  array<double, 2> power_;              // [segments of a block, bins]
  array<double, 2> column_;             // [panels, bins], of the column that is not full yet
  std::vector<std::size_t> in_column_;  // segments of it, by panel
  std::vector<double> sum_;             // by bin
  std::vector<array<double, 2>> levels_;
};

}  // namespace papilio::signal_detail

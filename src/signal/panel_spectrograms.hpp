#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/signal/spectrogram.hpp"

namespace papilio::signal_detail {

/// One pooled spectrogram of all channels, or one of each.
class PAPILIO_INTERNAL panel_spectrograms {
 public:
  /// `each` describes one panel: with several its channels are 1.
  panel_spectrograms(const stft_plan<float>& plan, std::size_t panels,
                     const pooled_spectrogram_options& each);

  /// [frames, all channels].
  void push(view<const float, 2> block);
  void finish();

  std::uint64_t segments() const { return each_[0].segments(); }
  /// Over the panels, as pooled_spectrogram has it.
  std::vector<double> mean_power() const;
  /// [rows, columns] of each panel.
  std::vector<array<double, 2>> levels() const;
  spectrogram_columns columns() const { return each_[0].columns(); }

 private:
  std::vector<pooled_spectrogram> each_;
};

}  // namespace papilio::signal_detail

#pragma once

#include <cstdint>
#include <vector>

#include "papilio/render.hpp"

namespace papilio::cli {

/// Collects the strip under a spectrogram from sound that arrives in blocks. Columns divide the
/// time evenly; each holds the lowest and highest sample of all channels, or the level of their
/// mean power.
class sound_strip {
 public:
  enum class kind { waveform, level };

  sound_strip(kind what, std::uint64_t frames, std::size_t columns);

  /// [frames, channels].
  void push(view<const float, 2> block);

  /// The strip, with so many columns without sound behind. Levels are beside a full-scale sine, from
  /// 60 dB below the highest ten.
  spectrogram_strip made(std::size_t empty_columns) const;

  std::size_t columns() const { return columns_.size(); }

 private:
  struct column {
    float low = 0, high = 0;
    double squares = 0;
    std::uint64_t samples = 0;
  };

  /// The first frame that is behind a column.
  std::uint64_t end_of(std::size_t number) const;

  kind kind_;
  std::uint64_t frames_, done_ = 0;
  std::vector<column> columns_;
  std::size_t current_ = 0;
};

}  // namespace papilio::cli

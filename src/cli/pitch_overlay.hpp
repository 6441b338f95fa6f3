#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "papilio/signal/pitch.hpp"

namespace papilio::cli {

/// Fundamental frequency of a sound that comes in blocks, by pYIN from C2 to C7, in segments of three
/// periods of C2 or more: what lies over a picture of it.
class pitch_overlay {
 public:
  /// io_error, naming the file, if its rate has no frequency above C2.
  pitch_overlay(const std::string& file, double rate_hz, std::size_t channels);

  /// Takes [frames, channels].
  void push(view<const float, 2> block);
  /// Ends the sound. Returns the frequencies in Hz, NaN where it is not voiced, at the middles of
  /// columns that divide so many frames evenly.
  std::vector<float> finish(std::uint64_t frames, std::size_t columns);

 private:
  void keep(std::span<const pitch> pitches);

  pyin_stream<float> stream_;
  std::vector<float> hz_;  // of each segment
};

}  // namespace papilio::cli

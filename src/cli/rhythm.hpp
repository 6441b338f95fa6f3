#pragma once

#include <optional>
#include <vector>

#include "cli/excerpt.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// How a rhythm is found.
struct rhythm_settings {
  bool refine = true;   ///< tempo and times lie between segments, and equal clicks are all beats
  bool onsets = false;  ///< in the place of beats
  bool trim = true;
  std::optional<double> bpm = {};
  double start_bpm = 120, max_bpm = 320, tightness = 100;
};

struct rhythm {
  double bpm = 0;  ///< that beats were tracked with, or of the onsets; 0: nothing begins
  std::vector<std::size_t> segments = {};  ///< of the beats or onsets
  std::vector<double> seconds = {};        ///< from the file's beginning
};

/// Segments of about 93 ms, a quarter apart: the 2048 and 512 samples of librosa at 22050 Hz.
onset_options rhythm_segments(double rate_hz);

/// The onset strength of the reader's excerpt, which is read twice where it is long. io_error where it
/// has fewer than two segments.
std::vector<double> strength_of(excerpt_reader& reader, const onset_options& o,
                                const std::string& file);

/// The rhythm of strengths, the first of them at `first_seconds`.
rhythm rhythm_of(const rhythm_settings& settings, const std::vector<double>& strength,
                 double frame_rate_hz, double first_seconds);

/// The beats of the reader's excerpt, as papilio tempo finds them without flags. io_error as for
/// strength_of.
rhythm beats_of(excerpt_reader& reader, const std::string& file);

}  // namespace papilio::cli

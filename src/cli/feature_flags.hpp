#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "signal/feature_extractor.hpp"

namespace papilio::cli {

/// The flags of features, in every verb that has them.
struct feature_flags {
  bool rms = false, centroid = false, bandwidth = false, rolloff = false, flatness = false,
       zero_crossings = false, mel = false, mfcc = false, mel_db = false;
  std::optional<double> rolloff_share, fmin_hz, fmax_hz, lifter, top_db;
  std::optional<std::size_t> bands, coefficients;
  std::string mel_scale, mel_norm;  ///< empty: the preset's

  /// --rms, --centroid, ... --mfcc: what is made.
  void add_choice_to(command& verb);
  /// --n-mels, --mel-scale, --mel-norm, --fmin, --fmax, --mel-db, --top-db: how mel is made.
  void add_mel_to(command& verb);
  /// --rolloff-share, --n-mfcc, --lifter: how the others are.
  void add_rest_to(command& verb);

  /// All that are one number a segment, where none is chosen; `preset` as of stft_flags.
  /// usage_error, naming the flag, for those that contradict each other or belong to what is not
  /// chosen.
  signal_detail::feature_selection selection(const std::string& preset) const;
};

}  // namespace papilio::cli

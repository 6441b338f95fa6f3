#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "papilio/audio.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// Which numbers describe a segment, and how they are made.
struct feature_selection {
  bool rms = false, centroid = false, bandwidth = false, rolloff = false, flatness = false,
       zero_crossings = false, mel = false, mfcc = false;
  double rolloff_share = 0.85;
  mel_options bands = {};
  std::optional<decibel_options> mel_levels = {};  ///< none: mel bands are powers
  mfcc_options cepstrum = {};
  bool whole_hz = false;  ///< half an odd rate is rounded down, as torchaudio does

  /// Whether any of them is made from magnitudes.
  bool needs_magnitudes() const { return centroid || bandwidth || rolloff || flatness; }
  bool needs_bands() const { return mel || mfcc; }
  /// Whether a level depends on the highest of the whole sound.
  bool needs_highest() const {
    return (mel_levels && mel_levels->top_db) || (mfcc && cepstrum.decibel.top_db);
  }
  /// Half of it is the frequency of the highest bin, Hz.
  double rate_hz(const sound_info& info) const {
    return whole_hz ? info.rate_hz / 2 * 2 : info.rate_hz;
  }
};

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
  feature_selection selection(const std::string& preset) const;
};

}  // namespace papilio::cli

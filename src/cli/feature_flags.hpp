#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>

#include "papilio/signal.hpp"

namespace papilio::cli {

/// Which numbers describe a segment, and how they are made.
struct feature_selection {
  bool rms = false, centroid = false, bandwidth = false, rolloff = false, flatness = false,
       zero_crossings = false, mel = false, mfcc = false;
  double rolloff_share = 0.85;
  mel_options bands = {};
  bool mel_in_db = false;
  mfcc_options cepstrum = {};

  /// Whether any of them is made from magnitudes.
  bool needs_magnitudes() const { return rms || centroid || bandwidth || rolloff || flatness; }
  bool needs_bands() const { return mel || mfcc; }
};

/// The flags of features, in every verb that has them.
struct feature_flags {
  bool rms = false, centroid = false, bandwidth = false, rolloff = false, flatness = false,
       zero_crossings = false, mel = false, mfcc = false, mel_db = false;
  std::optional<double> rolloff_share, fmin_hz, fmax_hz, lifter;
  std::optional<std::size_t> bands, coefficients;
  std::string mel_scale, mel_norm;  ///< empty: slaney

  /// --rms, --centroid, ... --mfcc: what is made.
  void add_choice_to(CLI::App& verb);
  /// --bands, --mel-scale, --mel-norm, --fmin, --fmax, --mel-db: how mel is made.
  void add_mel_to(CLI::App& verb);
  /// --rolloff-share, --coefficients, --lifter: how the others are.
  void add_rest_to(CLI::App& verb);

  /// All that are one number a segment, where none is chosen. usage_error, naming the flag, for
  /// those that contradict each other or belong to what is not chosen.
  feature_selection selection() const;
};

}  // namespace papilio::cli

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/flags.hpp"
#include "signal/feature_extractor.hpp"

namespace papilio::cli {

/// Flags that say how contrast, PCEN, auditory bands and deltas are made.
struct row_feature_flags {
  std::optional<double> pcen_gain, pcen_bias, pcen_power, pcen_seconds;
  std::optional<std::size_t> octaves, erb_bands, delta_width;

  void add_to(command& verb, const char* group);

  /// Writes them into a selection whose other members say which features are chosen. usage_error,
  /// naming the flag, for those that contradict each other or belong to what is not chosen.
  void select(signal_detail::feature_selection& s) const;
};

/// Checks that every octave of contrast has a bin at the rate of a file. Throws bad_file.
void require_octaves(const std::string& file, const signal_detail::feature_selection& what,
                     double rate_hz, std::size_t n_fft);

/// Refuses a flag that belongs to what is not chosen.
void require_chosen(bool given, const char* flag, bool chosen, const char* needed);

}  // namespace papilio::cli

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/flags.hpp"
#include "cli/report.hpp"
#include "signal/feature_extractor.hpp"

namespace papilio::cli {

/// Flags that say how contrast, PCEN, auditory bands, pitches and deltas are made.
struct row_feature_flags {
  std::optional<double> pcen_gain, pcen_bias, pcen_power, pcen_seconds, f0_min_hz, f0_max_hz;
  std::optional<std::size_t> octaves, erb_bands, delta_width;

  void add_to(command& verb, const char* group);

  /// Writes them into a selection whose other members say which features are chosen. usage_error,
  /// naming the flag, for those that contradict each other or belong to what is not chosen.
  void select(signal_detail::feature_selection& s) const;
};

/// Checks that every octave of contrast has a bin at the rate of a file. Throws bad_file.
void require_octaves(const std::string& file, const signal_detail::feature_selection& what,
                     double rate_hz, std::size_t n_fft);

/// Checks that a file has a loudness: its rate, and as many channels as have usual weights. Throws
/// bad_file.
void require_loudness(const std::string& file, const signal_detail::feature_selection& what,
                      int rate_hz, std::size_t channels);

/// Checks that frequencies of --f0 lie within what segments at the rate of a file can have. Throws
/// bad_file.
void require_pitches(const std::string& file, const signal_detail::feature_selection& what,
                     double rate_hz, std::size_t n_fft);

/// Warns where a segment has less than two periods of the lowest frequency.
void add_pitch_warning(const signal_detail::feature_selection& what, double rate_hz,
                       std::size_t n_fft, std::vector<std::string>& warnings);

/// Sums of a column of a table.
class column_sums {
 public:
  void add(double value);
  /// Adds a row of the name, and minimum, mean and maximum: NaN where any value is, but of f0 and of
  /// loudness those of the segments that have one.
  void add_to(table_rows& rows, const std::string& name) const;

 private:
  double minimum_ = std::numeric_limits<double>::infinity(), maximum_ = -minimum_, sum_ = 0,
         sum_of_numbers_ = 0;
  std::uint64_t values_ = 0, numbers_ = 0;  // of which numbers are not NaN
};

/// Refuses a flag that belongs to what is not chosen.
void require_chosen(bool given, const char* flag, bool chosen, const char* needed);

}  // namespace papilio::cli

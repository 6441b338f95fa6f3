#include "cli/row_features.hpp"

#include <algorithm>
#include <cmath>

#include "cli/loudness.hpp"
#include "cli/sound_verb.hpp"

namespace papilio::cli {

using signal_detail::feature_selection;

void row_feature_flags::add_to(command& verb, const char* group) {
  verb.add(
      {{"--contrast-octaves", octaves, "Octaves of --contrast above 200 Hz [6]",
        whole_number_from(1, 32)},
       {"--pcen-gain", pcen_gain, "Exponent of the smoothed level in --pcen [0.98]",
        number_from(0, 100)},
       {"--pcen-bias", pcen_bias, "Bias B of --pcen, (G + B)^P - B^P [2]", number_from(0, 1e9)},
       {"--pcen-power", pcen_power, "Power P of --pcen; 0: log(1 + G) [0.5]", number_from(0, 100)},
       {"--pcen-time", pcen_seconds, "Time constant of the level in --pcen, seconds [0.4]",
        number_from(1e-6, 1e6)},
       {"--n-erb", erb_bands, "Number of bands of --erb and --gammatone [64]",
        whole_number_from(1, 4096)},
       {"--f0-min", f0_min_hz, "Lowest frequency of --f0, Hz [65.4]", number_from(1e-3, 1e6)},
       {"--f0-max", f0_max_hz, "Highest frequency of --f0, Hz [2093, or half the rate]",
        number_from(1e-3, 1e6)},
       {"--delta-width", delta_width, "Segments that a delta is fitted to, odd [9]",
        whole_number_from(3, 9999)}},
      group);
}

void row_feature_flags::select(feature_selection& s) const {
  require_chosen(octaves.has_value(), "--contrast-octaves", s.contrast, "--contrast");
  require_chosen(pcen_gain.has_value(), "--pcen-gain", s.pcen, "--pcen");
  require_chosen(pcen_bias.has_value(), "--pcen-bias", s.pcen, "--pcen");
  require_chosen(pcen_power.has_value(), "--pcen-power", s.pcen, "--pcen");
  require_chosen(pcen_seconds.has_value(), "--pcen-time", s.pcen, "--pcen");
  require_chosen(erb_bands.has_value(), "--n-erb", s.needs_auditory(), "--erb or --gammatone");
  require_chosen(delta_width.has_value(), "--delta-width", s.delta_orders > 0, "--deltas");
  require_chosen(f0_min_hz.has_value(), "--f0-min", s.f0, "--f0");
  require_chosen(f0_max_hz.has_value(), "--f0-max", s.f0, "--f0");
  s.f0_min_hz = f0_min_hz.value_or(s.f0_min_hz);
  s.f0_max_hz = f0_max_hz;
  if (s.f0 && f0_max_hz.value_or(c7_hz) <= s.f0_min_hz)
    throw usage_error("--f0-max: must be above --f0-min {}, got {}", s.f0_min_hz,
                      f0_max_hz.value_or(c7_hz));
  s.octaves.octaves = octaves.value_or(s.octaves.octaves);
  pcen_options& pcen = s.gain_control;
  pcen.gain = pcen_gain.value_or(pcen.gain);
  pcen.bias = pcen_bias.value_or(pcen.bias);
  pcen.power = pcen_power.value_or(pcen.power);
  pcen.time_constant_seconds = pcen_seconds.value_or(pcen.time_constant_seconds);
  s.auditory.bands = erb_bands.value_or(s.auditory.bands);
  const auditory_options& bands = s.auditory;
  if (s.needs_auditory() && bands.fmax_hz && *bands.fmax_hz <= bands.fmin_hz)
    throw usage_error("--fmax: must be above --fmin {}, got {}", bands.fmin_hz, *bands.fmax_hz);
  s.delta_width = delta_width.value_or(s.delta_width);
  if (s.delta_width % 2 == 0)
    throw usage_error("--delta-width: must be odd, got {}", s.delta_width);
  if (s.delta_orders >= s.delta_width)
    throw usage_error("--deltas: must be below --delta-width {}, got {}", s.delta_width,
                      s.delta_orders);
}

void require_octaves(const std::string& file, const feature_selection& what, double rate_hz,
                     std::size_t n_fft) {
  if (!what.contrast) return;
  const double highest_hz = rate_hz / 2,
               last_hz = std::ldexp(what.octaves.fmin_hz, int(what.octaves.octaves) - 1);
  if (last_hz >= highest_hz)
    throw bad_file(file,
                   "--contrast-octaves {}: the highest octave begins at {} Hz, which must be below "
                   "half the rate, {} Hz",
                   what.octaves.octaves, last_hz, highest_hz);
  try {
    contrast_plan<double>(rate_hz, n_fft, what.octaves);
  } catch (const invalid_argument&) {
    throw bad_file(
        file,
        "--contrast: needs a longer --n-fft than {} at {} Hz, so that every octave has a "
        "bin",
        n_fft, rate_hz);
  }
}

void require_loudness(const std::string& file, const feature_selection& what, int rate_hz,
                      std::size_t channels) {
  if (!what.loudness) return;
  if (!has_loudness_rate(rate_hz)) refuse_loudness_rate(file, rate_hz);
  if (channels > 8)
    throw bad_file(file, "--loudness: {} have no usual weights: choose one by --channel",
                   counted(channels, "channel"));
}

void require_pitches(const std::string& file, const feature_selection& what, double rate_hz,
                     std::size_t n_fft) {
  if (!what.f0) return;
  const double highest_hz = rate_hz / 2;
  if (what.f0_max_hz && *what.f0_max_hz > highest_hz)
    throw bad_file(file, "--f0-max {}: must be at most half its rate, {} Hz", *what.f0_max_hz,
                   highest_hz);
  if (what.f0_min_hz >= highest_hz)
    throw bad_file(file, "--f0-min {}: must be below half its rate, {} Hz", what.f0_min_hz,
                   highest_hz);
  const double least_hz = n_fft < 2 ? rate_hz : rate_hz / static_cast<double>(n_fft - 1);
  if (what.f0_min_hz <= least_hz)
    throw bad_file(file,
                   "--f0-min {:.6g}: must be above {:.6g} Hz, of which a segment of {} samples at "
                   "{} Hz has one period: choose a longer --n-fft",
                   what.f0_min_hz, least_hz, n_fft, rate_hz);
}

void add_pitch_warning(const feature_selection& what, double rate_hz, std::size_t n_fft,
                       std::vector<std::string>& warnings) {
  if (!what.f0 || rate_hz / what.f0_min_hz < static_cast<double>(n_fft) / 2) return;
  warnings.push_back(
      fmt::format("segments of {} samples have less than two periods of {:.6g} Hz: choose a longer "
                  "--n-fft or a higher --f0-min",
                  n_fft, what.f0_min_hz));
}

void column_sums::add(double value) {
  ++values_;
  sum_ += value;
  if (std::isnan(value)) return;
  ++numbers_;
  sum_of_numbers_ += value;
  minimum_ = std::min(minimum_, value);
  maximum_ = std::max(maximum_, value);
}

void column_sums::add_to(table_rows& rows, const std::string& name) const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto mean = [](double sum, std::uint64_t count) {
    return sum / static_cast<double>(count);
  };
  if (numbers_ == 0)
    rows.add(name, nan, nan, nan);
  else if (name == "f0_hz" || name.ends_with("_lufs"))
    rows.add(name, minimum_, mean(sum_of_numbers_, numbers_), maximum_);
  else
    rows.add(name, minimum_, mean(sum_, values_), maximum_);
}

void require_chosen(bool given, const char* flag, bool chosen, const char* needed) {
  if (given && !chosen) throw usage_error("{}: needs {}", flag, needed);
}

}  // namespace papilio::cli

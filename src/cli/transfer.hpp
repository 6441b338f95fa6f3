#pragma once

#include <array>
#include <functional>

#include "cli/excerpt.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// One channel of a file: the reference or what was measured.
struct pair_side {
  std::string file;
  std::size_t channel = 1;  ///< from 1

  std::string text() const { return fmt::format("{}, channel {}", shown_name(file), channel); }
};

/// Two channels that are read together, of one file or of two.
class sound_pair {
 public:
  /// Channels may be empty: the first two of one file, or the first of each. usage_error for rates
  /// that differ; io_error for a channel or an excerpt that a file has not.
  sound_pair(const std::vector<std::string>& files, const std::vector<std::size_t>& channels,
             const sound_flags& sound, const excerpt_request& part, const on_progress& progress);

  int rate_hz() const { return first_.info().rate_hz; }
  const pair_side& side(std::size_t i) const { return sides_[i]; }
  std::uint64_t frames(std::size_t i) const;
  /// Reads no more frames than the shorter one has; without it, usage_error for lengths that
  /// differ.
  void take_equal_lengths(bool shortest);

  /// Hands on blocks of both, equally long, from the beginning to the end of the shorter one.
  using on_block = function_ref<void(std::span<const double> x, std::span<const double> y)>;
  void read(on_block take);
  /// Returns all samples of one of the two. io_error for more than `most`.
  std::vector<double> all_of(std::size_t i, std::size_t most);

  sound_facts facts(std::size_t i) const { return reader(i).facts(); }

 private:
  excerpt_reader& reader(std::size_t i) { return i > 0 && second_ ? *second_ : first_; }
  const excerpt_reader& reader(std::size_t i) const { return i > 0 && second_ ? *second_ : first_; }

  std::array<pair_side, 2> sides_;
  excerpt_reader first_;
  std::optional<excerpt_reader> second_;
};

/// Results of a pair of channels.
struct transfer_result {
  std::vector<double> frequency_hz = {}, group_delay_seconds = {};
  std::vector<double> coherence = {};  ///< none of a sweep
  std::vector<std::complex<double>> response = {};
  double delay_samples = 0, correlation = 0;
  std::uint64_t segments = 0;
  std::vector<double> impulse = {};                        ///< of a sweep, from time 0 on
  std::vector<std::pair<std::size_t, double>> leads = {};  ///< harmonics' order and samples
  std::vector<std::string> warnings = {};
};

/// 20 log10 |h|.
double magnitude_db(std::complex<double> h);
/// Level of the bin that is nearest to 1 kHz, if half the rate is that high.
std::optional<double> gain_1khz_db(const transfer_result& r);
/// Mean over all bins but 0 Hz that have a coherence.
std::optional<double> mean_coherence(const transfer_result& r);

struct transfer_request {
  welch_options segments;
  transfer_estimator estimator = transfer_estimator::h1;
  delay_weighting weighting = delay_weighting::none;
  bool align = false;
};

/// Estimates the response in two readings: of the delay, then of the spectra, with whole samples of
/// the delay taken out before if they are to be aligned. Memory does not depend on the length.
/// io_error for channels that do not vary.
transfer_result measure_noise(sound_pair& pair, const transfer_request& request);

/// Computes the response to an exponential sweep from low to high: the spectrum of the impulse
/// response about its largest sample. Both channels are held in memory.
transfer_result measure_sweep(sound_pair& pair, const transfer_request& request, double low_hz,
                              double high_hz);

}  // namespace papilio::cli

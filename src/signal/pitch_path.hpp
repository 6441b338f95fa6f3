#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/signal/pitch.hpp"
#include "signal/pitch_candidates.hpp"

namespace papilio::signal_detail {

/// The most probable path of a hidden Markov model with the states bin + bins * (not voiced), by
/// Viterbi's algorithm over logarithms of probabilities. From bin j of either voicing to bin i of either
/// leads the probability t[i - j] / z[j] times that of the voicing to stay or to switch: t is
/// triangular and reaches width() bins, z makes the sum over i 1. Any other step has the least
/// probability, and so has a bin that is not observed.
///
/// The values of 2 delay segments are kept in place of pointers back: on the way back the step is
/// found anew, of one state of each segment.
class pitch_path {
 public:
  pitch_path(const pyin_options& options, std::size_t bins, std::size_t bins_per_octave);

  static std::size_t delay(std::size_t bins);

  /// Adds a segment. Passes on the pitches of delay() segments if twice as many wait.
  void push(const pitch_observation& observed, pitch_sink sink);
  /// Passes on what waits, and resets the path.
  void finish(pitch_sink sink);
  void reset();

 private:
  std::size_t states() const { return 2 * bins_; }
  double* row(std::size_t waiting) { return &values_((begin_ + waiting) % values_.extent(0), 0); }
  void observe(const pitch_observation& observed, double* values) const;
  void step(const double* before, double* values);
  std::size_t step_back(const double* before, std::size_t state) const;
  void decide(std::size_t count, pitch_sink sink);
  pitch pitch_of(std::size_t state, double voiced) const;

  std::size_t bins_, reach_;
  double fmin_hz_, bins_per_octave_;
  std::optional<double> fill_hz_;
  std::vector<double> triangle_;  // [2 reach + 1], log t
  std::vector<double> total_;     // [bins], log z
  double log_stay_, log_switch_;
  std::vector<double> from_;  // [2, padded bins], values less log z, the padding below all
  std::vector<double> best_;  // [2, padded bins]
  array<double, 2> values_;   // [2 delay, states], a ring
  std::vector<double> voiced_;
  std::vector<pitch> decided_;
  std::size_t begin_ = 0, waiting_ = 0;
  std::uint64_t first_ = 0;
};

}  // namespace papilio::signal_detail

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "papilio/signal/pitch.hpp"
#include "signal/yin_differences.hpp"

namespace papilio::signal_detail {

/// Probabilities of a segment's pitch bins, those that are not 0, bins ascending.
struct pitch_observation {
  struct candidate {
    std::size_t bin;
    double probability;
  };
  std::vector<candidate> candidates;
  double voiced = 0;  ///< their sum, at most 1
};

/// The part of pYIN that knows one segment only: tables of a plan.
template <class T>
class pitch_candidates {
 public:
  explicit pitch_candidates(const pyin_options& options);

  const pyin_options& options() const { return options_; }
  const yin_differences<T>& differences() const { return differences_; }
  std::size_t bins() const { return bins_; }
  std::size_t bins_per_octave() const { return bins_per_octave_; }

  /// Memory of one thread.
  struct work {
    explicit work(const pitch_candidates& of) : segment(of.differences_) {}

    typename yin_differences<T>::work segment;
    std::vector<std::size_t> troughs, ranks, below;
    std::vector<double> shares;
  };

  /// Finds the candidates of the segment whose differences are in w.segment.
  void find(work& w, pitch_observation& out) const;

 private:
  void find_troughs(work& w) const;
  std::size_t rank(double height) const;
  void begin_shares(work& w) const;

  pyin_options options_;
  yin_differences<T> differences_;
  std::size_t bins_per_octave_, bins_;
  std::vector<double> thresholds_;  // [thresholds], ascending
  std::vector<double> prior_;       // of each
  std::vector<double> before_;      // [thresholds + 1], sums of priors of those before
};

}  // namespace papilio::signal_detail

#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/internal.hpp"
#include "signal/onset_steps.hpp"

namespace papilio::signal_detail {

/// Onset strength of a sound that is shown in blocks: once, or, where its levels are more than are kept
/// until the highest is known, twice.
template <class T>
class PAPILIO_INTERNAL onset_envelope {
 public:
  /// Throws as onset_strength.
  onset_envelope(const onset_options& options, std::size_t channels);

  /// Whether the sound is to be shown from its beginning, once more or at all.
  bool wants_more() const;
  /// [frames, channels], whose powers are averaged.
  void push(view<const T, 2> block);
  void end_pass();
  /// The strengths, after the last pass.
  std::vector<double> take() { return std::move(strength_); }

 private:
  void keep(std::span<const float> levels_db);

  onset_options options_;
  std::size_t channels_;
  std::optional<level_stream<T>> levels_;  // until the floor is known
  std::optional<onset_stream<T>> stream_;
  std::vector<float> kept_;
  std::vector<double> strength_;
  bool keeps_ = true, done_ = false;
};

}  // namespace papilio::signal_detail

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/internal.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal/istft.hpp"
#include "papilio/signal/spectral_gate.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio::signal_detail {

/// The noise in each bin of each channel of a sound that arrives in blocks.
class PAPILIO_INTERNAL noise_meter {
 public:
  /// `is_passage` says that nothing but noise comes, cut out of sound that goes on. All segments
  /// then lie within it, because those that reach beyond it hold less noise.
  noise_meter(stft_options segments, std::size_t channels, bool is_passage);

  void push(view<const float, 2> block);
  /// Returns the number of segments that were looked at; push() must not follow.
  std::uint64_t finish();
  /// Returns noise powers, [bins] of each channel: means of a passage, else values from this
  /// quantile of each bin's.
  std::vector<array<float, 1>> powers(double quantile) const;

 private:
  void add(view<std::complex<float>, 2> values);

  bool is_passage_;
  stft_stream<float> stream_;
  std::vector<noise_profile<float>> profiles_;
};

/// STFT, spectral gate of each channel, ISTFT, of a sound that arrives in blocks.
class PAPILIO_INTERNAL noise_reducer {
 public:
  using sink = function_ref<void(view<const float, 2> samples)>;  ///< [frames, channels]

  noise_reducer(const stft_options& segments, const spectral_gate_options& gate,
                const std::vector<array<float, 1>>& noise);

  void push(view<const float, 2> block, sink out);
  /// Ends the sound, which has so many frames in all.
  void finish(std::uint64_t frames, sink out);

 private:
  void take(view<std::complex<float>, 2> values, sink out);
  void synthesise(sink out);
  std::span<std::complex<float>> row(std::size_t channel) {
    return {&opened_(channel, 0u), opened_.extent(1)};
  }

  stft_stream<float> analysis_;
  istft_stream<float> synthesis_;
  std::vector<spectral_gate<float>> gates_;
  array<std::complex<float>, 2> opened_;
};

}  // namespace papilio::signal_detail

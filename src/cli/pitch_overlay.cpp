#include "cli/pitch_overlay.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cli/sound_verb.hpp"

namespace papilio::cli {
namespace {

pyin_options pitch_options_of(const std::string& file, double rate_hz) {
  if (rate_hz / 2 <= c2_hz)
    throw bad_file(file, "--overlay f0: half its rate, {} Hz, must be above {:.6g} Hz", rate_hz / 2,
                   c2_hz);
  const std::size_t frame = std::bit_ceil(static_cast<std::size_t>(std::ceil(3 * rate_hz / c2_hz)));
  return {.rate_hz = rate_hz,
          .fmax_hz = std::min(c7_hz, rate_hz / 2),
          .frame = frame,
          .hop = frame / 4};
}

}  // namespace

pitch_overlay::pitch_overlay(const std::string& file, double rate_hz, std::size_t channels)
    : stream_(pyin_plan<float>(pitch_options_of(file, rate_hz)), channels) {}

void pitch_overlay::keep(std::span<const pitch> pitches) {
  for (const pitch& p : pitches) hz_.push_back(static_cast<float>(p.f0_hz));
}

void pitch_overlay::push(view<const float, 2> block) {
  stream_.push(block, [&](std::uint64_t, std::span<const pitch> pitches) { keep(pitches); });
}

std::vector<float> pitch_overlay::finish(std::uint64_t frames, std::size_t columns) {
  stream_.finish([&](std::uint64_t, std::span<const pitch> pitches) { keep(pitches); });
  const double step = static_cast<double>(frames) / static_cast<double>(columns),
               hop = static_cast<double>(stream_.plan().options().hop);
  std::vector<float> hz(columns, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t c = 0; c < columns; ++c) {
    const auto segment =
        static_cast<std::size_t>(std::lround((static_cast<double>(c) + 0.5) * step / hop));
    if (segment < hz_.size()) hz[c] = hz_[segment];
  }
  return hz;
}

}  // namespace papilio::cli

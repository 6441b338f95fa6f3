#include "cli/sound_strip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "papilio/signal.hpp"

namespace papilio::cli {
namespace {

constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
constexpr float levels_shown_db = 60;
constexpr float silent_db = -2000;  // below every float that is not 0

/// The least of 1, 2 or 5 times a power of ten that holds the value.
float round_bound(float value) {
  if (!(value >= std::numeric_limits<float>::min())) return 1.0f;
  const double most = double{std::numeric_limits<float>::max()};
  return static_cast<float>(std::min(nice_step(value).major, most));
}

}  // namespace

sound_strip::sound_strip(kind what, std::uint64_t frames, std::size_t columns)
    : kind_(what),
      frames_(frames),
      columns_(static_cast<std::size_t>(std::min<std::uint64_t>(frames, columns))) {}

std::uint64_t sound_strip::end_of(std::size_t number) const {
  const double share = static_cast<double>(number + 1) / static_cast<double>(columns_.size());
  return static_cast<std::uint64_t>(share * static_cast<double>(frames_));
}

void sound_strip::push(view<const float, 2> block) {
  const std::size_t channels = block.extent(1);
  for (std::size_t i = 0; i < block.extent(0);) {
    while (done_ >= end_of(current_) && current_ + 1 < columns_.size()) ++current_;
    const std::uint64_t end = current_ + 1 < columns_.size() ? end_of(current_) : frames_;
    const auto last = static_cast<std::size_t>(std::min<std::uint64_t>(
        block.extent(0), i + std::max<std::uint64_t>(1, end - std::min(end, done_))));
    column of = columns_[current_];
    if (of.samples == 0) of.low = of.high = block(i, 0u);
    of.samples += (last - i) * channels;
    done_ += last - i;
    for (; i < last; ++i)
      for (std::size_t c = 0; c < channels; ++c) {
        const float sample = block(i, c);
        of.low = std::min(of.low, sample);
        of.high = std::max(of.high, sample);
        of.squares += double{sample} * sample;
      }
    columns_[current_] = of;
  }
}

spectrogram_strip sound_strip::made(std::size_t empty_columns) const {
  spectrogram_strip strip;
  float most = 0;
  for (const column& of : columns_) {
    const double mean = of.squares / static_cast<double>(std::max<std::uint64_t>(of.samples, 1));
    const auto level = static_cast<float>(power_to_db(mean, 0.5, silent_db));
    strip.lower.push_back(of.low);
    strip.upper.push_back(kind_ == kind::level ? level : of.high);
    most = std::max({most, -of.low, of.high});
  }
  if (kind_ == kind::level) {
    const float highest = *std::ranges::max_element(strip.upper);
    strip.high = highest > silent_db ? 10 * std::ceil(highest / 10) : 0;
    strip.low = strip.high - levels_shown_db;
    std::ranges::fill(strip.lower, strip.low);
    strip.unit = "dBFS";
  } else {
    strip.high = round_bound(most);
    strip.low = -strip.high;
  }
  strip.lower.resize(columns_.size() + empty_columns, nothing);
  strip.upper.resize(strip.lower.size(), nothing);
  return strip;
}

}  // namespace papilio::cli

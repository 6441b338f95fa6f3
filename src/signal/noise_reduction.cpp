#include "signal/noise_reduction.hpp"

namespace papilio::signal_detail {
namespace {

using spectra = view<std::complex<float>, 2>;

stft_plan<float> noise_plan(stft_options options, bool is_passage) {
  if (is_passage) {
    options.centre = false;
    options.pad_end = false;
  }
  return stft_plan<float>(options);
}

std::span<const std::complex<float>> bins_of(const spectra& values, std::size_t channel) {
  return {&values(channel, 0u), values.extent(1)};
}

}  // namespace

noise_meter::noise_meter(stft_options segments, std::size_t channels, bool is_passage)
    : is_passage_(is_passage),
      stream_(noise_plan(segments, is_passage), channels),
      profiles_(channels, noise_profile<float>(stream_.plan().bins())) {}

void noise_meter::add(spectra values) {
  for (std::size_t c = 0; c < profiles_.size(); ++c) profiles_[c].add(bins_of(values, c));
}

void noise_meter::push(view<const float, 2> block) {
  stream_.push(block, [&](std::uint64_t, spectra values) { add(values); });
}

std::uint64_t noise_meter::finish() {
  if (!is_passage_) stream_.finish([&](std::uint64_t, spectra values) { add(values); });
  return profiles_.front().segments();
}

std::vector<array<float, 1>> noise_meter::powers(double quantile) const {
  std::vector<array<float, 1>> noise;
  for (const auto& profile : profiles_)
    noise.push_back(is_passage_ ? profile.mean() : profile.from_quantile(quantile));
  return noise;
}

noise_reducer::noise_reducer(const stft_options& segments, const spectral_gate_options& gate,
                             const std::vector<array<float, 1>>& noise)
    : analysis_(segments, noise.size()),
      synthesis_(segments, noise.size()),
      opened_({noise.size(), analysis_.plan().bins()}) {
  for (const auto& power : noise) gates_.emplace_back(power.flat(), gate);
}

void noise_reducer::push(view<const float, 2> block, sink out) {
  analysis_.push(block, [&](std::uint64_t, spectra values) { take(values, out); });
}

void noise_reducer::finish(std::uint64_t frames, sink out) {
  analysis_.finish([&](std::uint64_t, spectra values) { take(values, out); });
  for (bool more = true; more;) {
    for (std::size_t c = 0; c < gates_.size(); ++c) more = gates_[c].finish(row(c));
    if (more) synthesise(out);
  }
  synthesis_.finish(frames, out);
}

// The gates of all channels are as far as each other.
void noise_reducer::take(spectra values, sink out) {
  bool done = false;
  for (std::size_t c = 0; c < gates_.size(); ++c) done = gates_[c].push(bins_of(values, c), row(c));
  if (done) synthesise(out);
}

void noise_reducer::synthesise(sink out) {
  synthesis_.push(view<const std::complex<float>, 2>(opened_.view()), out);
}

}  // namespace papilio::signal_detail

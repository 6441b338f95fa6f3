#include "signal/wide_spectrum.hpp"

#include <algorithm>
#include <cmath>

#include "signal/plan_parts.hpp"
#include "signal/segment_transform.hpp"

namespace papilio::signal_detail {
namespace {

// Bounds of powers between which a float holds a power, what lies 190 dB below it, and sums of 2^26
// such.
constexpr float least_power = 0x1p-60f, most_power = 0x1p100f;

}  // namespace

float largest_safe_sample(const stft_plan<float>& plan) {
  double sum = 0;
  for (const float w : plan_parts<float>::transform(plan)->weights())
    sum += std::abs(static_cast<double>(w));
  return static_cast<float>(std::min(0x1p120, 0x1p50 / std::max(sum, 0x1p-60)));
}

stft_plan<double> in_double(const stft_plan<float>& plan) {
  stft_options options = plan.options();
  options.window_length = 0;
  const std::span<const float> window = plan.window();
  return stft_plan<double>(options, std::vector<double>(window.begin(), window.end()));
}

template <class T>
bool any_beyond(view<const T, 2> block, T bound) {
  const auto beyond = [bound](const T* x, std::size_t count, std::ptrdiff_t step) {
    unsigned any = 0;  // without a branch, so that many are compared at once
    if (step == 1)
      for (std::size_t i = 0; i < count; ++i) any |= std::abs(x[i]) > bound ? 1u : 0u;
    else
      for (std::size_t i = 0; i < count; ++i, x += step) any |= std::abs(*x) > bound ? 1u : 0u;
    return any != 0;
  };
  const std::size_t rows = block.extent(0), columns = block.extent(1);
  if (block.empty()) return false;
  if (block.stride(1) == 1 && block.stride(0) == static_cast<std::ptrdiff_t>(columns))
    return beyond(block.data(), block.size(), 1);
  for (std::size_t c = 0; c < columns; ++c)
    if (beyond(&block(0u, c), rows, block.stride(0))) return true;
  return false;
}

template bool any_beyond(view<const float, 2>, float);
template bool any_beyond(view<const double, 2>, double);

bool is_silence(std::span<const float> samples) {
  return !any_beyond(view<const float, 2>(samples.data(), {samples.size(), 1}), 0.0f);
}

wide_spectrum::wide_spectrum(const stft_plan<float>& plan)
    : plan_(plan), geometry_(plan.options()), bound_(largest_safe_sample(plan)) {}

void wide_spectrum::note(view<const float, 2> block, std::uint64_t received) {
  // Padding repeats a sample at most lead() later.
  if (any_beyond(block, bound_))
    large_until_ = received + block.extent(0) + 2 * std::uint64_t{geometry_.lead()};
}

bool wide_spectrum::leave_float(std::uint64_t segment, std::span<const float> values,
                                bool squared) const {
  const float least = squared ? std::sqrt(least_power) : least_power;
  const float most = squared ? std::sqrt(most_power) : most_power;
  if (geometry_.first(segment) < large_until_ &&
      std::ranges::any_of(values, [most](float v) { return !(std::abs(v) <= most); }))
    return true;
  return std::ranges::all_of(values, [least](float v) { return std::abs(v) < least; });
}

wide_spectrum::double_transform& wide_spectrum::loaded(std::span<const float> samples) {
  if (!made_) {
    stft_plan<double> plan = in_double(plan_);
    const std::size_t n = plan.options().n_fft, bins = plan.bins();
    const std::size_t scratch = plan.segment_scratch_size();
    made_.emplace(double_transform{std::move(plan), array<double, 1>(n), array<double, 1>(bins),
                                   array<std::complex<double>, 1>(bins),
                                   array<std::complex<double>, 1>(scratch)});
  }
  std::ranges::copy(samples, made_->samples.begin());
  return *made_;
}

std::span<const double> wide_spectrum::power(std::span<const float> samples) {
  double_transform& made = loaded(samples);
  const auto& transform = *plan_parts<double>::transform(made.plan);
  transform.execute_power(made.samples.data(), transform.weights(), made.power.data(),
                          made.scratch.data());
  return made.power.flat();
}

std::span<const std::complex<double>> wide_spectrum::bins(std::span<const float> samples) {
  double_transform& made = loaded(samples);
  made.plan.transform_segment(made.samples.flat(), made.bins.flat(), made.scratch.flat());
  return made.bins.flat();
}

}  // namespace papilio::signal_detail

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/pitch.hpp"
#include "signal/rhythm_parts.hpp"
#include "signal/yin_differences.hpp"

namespace papilio {
namespace {
namespace yin_parts {

constexpr const char* function = "yin_plan::execute";

/// The first trough below the threshold, or else the least. Blocks that have none are only compared.
std::size_t chosen(std::span<const double> d, double threshold) {
  constexpr std::size_t lanes = 8, block = 4 * lanes;
  double least[lanes];
  std::fill_n(least, lanes, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < d.size(); i += block) {
    const std::size_t end = std::min(i + block, d.size());
    if (end == i + block)
      for (std::size_t y = i; y < end; y += lanes)
        for (std::size_t x = 0; x < lanes; ++x)
          least[x] = d[y + x] < least[x] ? d[y + x] : least[x];
    else
      least[0] = std::min(least[0],
                          *std::min_element(d.begin() + static_cast<std::ptrdiff_t>(i), d.end()));
    if (*std::min_element(least, least + lanes) >= threshold) continue;
    for (std::size_t k = i; k < end; ++k)
      if (d[k] < threshold && signal_detail::is_trough(d, k)) return k;
  }
  const double lowest = *std::min_element(least, least + lanes);
  return static_cast<std::size_t>(std::ranges::find(d, lowest) - d.begin());
}

}  // namespace yin_parts
}  // namespace

template <class T>
yin_plan<T>::yin_plan(const yin_options& o)
    : options_(o),
      differences_(std::make_shared<const signal_detail::yin_differences<T>>("yin_options", o)) {
  rhythm_parts::require_positive("yin_options", "trough_threshold", o.trough_threshold);
}

template <class T>
std::uint64_t yin_plan<T>::segments(std::uint64_t samples) const {
  return differences_->geometry().segments(samples);
}

template <class T>
void yin_plan<T>::execute(std::span<const T> signal, std::span<double> f0_hz, int threads) const {
  const auto& differences = *differences_;
  const signal_detail::segment_geometry& geometry = differences.geometry();
  signal_detail::require_segments(yin_parts::function, geometry, signal.size(), f0_hz.size());
  const base_detail::team team = base_detail::team_of(threads).at_most(f0_hz.size());
  std::vector<std::optional<typename signal_detail::yin_differences<T>::work>> works(team.workers);
  const auto run = [&](std::size_t first, std::size_t last, std::size_t worker) {
    if (!works[worker]) works[worker].emplace(differences);
    auto& w = *works[worker];
    for (std::size_t s = first; s < last; ++s) {
      const auto load = [&](std::size_t, T* out) {
        signal_detail::copy_segment(geometry, signal.data(), 1, signal.size(), s, out);
      };
      differences.compute(yin_parts::function, 1, load, w);
      const std::size_t i = yin_parts::chosen(w.normalised, options_.trough_threshold);
      f0_hz[s] = options_.rate_hz / differences.period(w.normalised, i);
    }
  };
  base_detail::share(f0_hz.size(), team, run);
}

template <class T>
array<double, 1> yin_plan<T>::execute(std::span<const T> signal, int threads) const {
  array<double, 1> f0_hz({static_cast<std::size_t>(segments(signal.size()))});
  execute(signal, f0_hz.flat(), threads);
  return f0_hz;
}

template class yin_plan<float>;
template class yin_plan<double>;

}  // namespace papilio

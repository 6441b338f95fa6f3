#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/signal/filters.hpp"

namespace papilio {
namespace {
namespace zero_phase {

// scipy's number of samples, three times the taps of the cascade as one filter.
std::size_t default_padding(std::span<const sos_section> sections) {
  const auto zeros = [&](double sos_section::*coefficient) {
    return static_cast<std::size_t>(std::ranges::count(sections, 0.0, coefficient));
  };
  return 3 * (2 * sections.size() + 1 - std::min(zeros(&sos_section::b2), zeros(&sos_section::a2)));
}

template <class T>
array<double, 1> padded(std::span<const T> x, filter_padding kind, std::size_t padding) {
  const std::size_t n = x.size();
  array<double, 1> out(n + 2 * padding);
  for (std::size_t i = 0; i < n; ++i) out[padding + i] = static_cast<double>(x[i]);
  if (padding == 0) return out;
  const double first = out[padding], last = out[padding + n - 1];
  for (std::size_t k = 1; k <= padding; ++k) {
    const double before = out[padding + k], behind = out[padding + n - 1 - k];
    double& left = out[padding - k];
    double& right = out[padding + n - 1 + k];
    switch (kind) {
      case filter_padding::odd:
        left = 2 * first - before;
        right = 2 * last - behind;
        break;
      case filter_padding::even:
        left = before;
        right = behind;
        break;
      default:
        left = first;
        right = last;
    }
  }
  return out;
}

}  // namespace zero_phase
}  // namespace

template <class T>
array<T, 1> sosfiltfilt(std::span<const sos_section> sections, std::span<const T> signal,
                        filter_padding kind, std::optional<std::size_t> given) {
  sos_filter<double> filter(sections);
  const std::size_t n = signal.size(), padding = kind == filter_padding::none ? 0
                                                 : given                      ? *given
                                                         : zero_phase::default_padding(sections);
  if (n <= padding && n + padding > 0)
    throw invalid_argument(base_detail::message(
        "sosfiltfilt: signal must be longer than the padding of ", padding, " samples, got ", n));
  array<T, 1> out(n);
  if (n == 0) return out;
  array<double, 1> work = zero_phase::padded(signal, kind, padding);
  const view<double, 2> forward(work.data(), {work.size(), 1});
  const view<double, 2> backward(&work[work.size() - 1], {work.size(), 1}, {-1, 1});
  for (const view<double, 2> way : {forward, backward}) {
    const double first = way(0u, 0u);
    filter.settle({&first, 1});
    filter.push(way, way);
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(work[padding + i]);
  return out;
}

template PAPILIO_API array<float, 1> sosfiltfilt(std::span<const sos_section>,
                                                 std::span<const float>, filter_padding,
                                                 std::optional<std::size_t>);
template PAPILIO_API array<double, 1> sosfiltfilt(std::span<const sos_section>,
                                                  std::span<const double>, filter_padding,
                                                  std::optional<std::size_t>);

}  // namespace papilio

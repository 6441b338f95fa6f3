#include "papilio/signal/pcen.hpp"

#include <algorithm>
#include <cmath>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"

namespace papilio {
namespace {
namespace pcen {

constexpr std::size_t bands_at_once = 64;

void require(bool good, const char* name, const char* bound, double value) {
  if (!good || !std::isfinite(value))
    throw invalid_argument(
        base_detail::message("pcen_plan: ", name, " must be finite and ", bound, ", got ", value));
}

double smoothing_of(double rate_hz, std::size_t hop, const pcen_options& o) {
  require(rate_hz > 0, "rate_hz", "above 0", rate_hz);
  require(hop >= 1, "hop", "at least 1", static_cast<double>(hop));
  require(o.gain >= 0, "gain", "at least 0", o.gain);
  require(o.bias >= 0, "bias", "at least 0", o.bias);
  require(o.power >= 0, "power", "at least 0", o.power);
  require(o.floor > 0, "floor", "above 0", o.floor);
  require(o.time_constant_seconds > 0, "time_constant_seconds", "above 0", o.time_constant_seconds);
  require(o.largest_of >= 1 && o.largest_of <= (std::size_t{1} << 20), "largest_of",
          "1 ... 1048576", static_cast<double>(o.largest_of));
  if (o.smoothing) {
    require(*o.smoothing > 0 && *o.smoothing <= 1, "smoothing", "above 0 and at most 1",
            *o.smoothing);
    return *o.smoothing;
  }
  // (sqrt(1 + 4 T^2) - 1) / (2 T^2), without the difference.
  return 2 /
         (1 + std::hypot(1.0, 2 * o.time_constant_seconds * rate_hz / static_cast<double>(hop)));
}

}  // namespace pcen
}  // namespace

template <class T>
pcen_plan<T>::pcen_plan(double rate_hz, std::size_t hop, const pcen_options& options)
    : options_(options),
      smoothing_(pcen::smoothing_of(rate_hz, hop, options)),
      bias_power_(std::pow(options.bias, options.power)) {}

// Differences of powers do not cancel where G is small beside the bias.
template <class T>
void pcen_plan<T>::compress(std::span<double> values) const {
  const double bias = options_.bias, power = options_.power, less = bias_power_;
  if (power == 0)
    for (double& v : values) v = std::log1p(v);
  else if (bias == 0)
    for (double& v : values) v = std::pow(v, power);
  else if (power == 0.5)
    for (double& v : values) v = v / (std::sqrt(v + bias) + less);
  else
    for (double& v : values) v = less * std::expm1(power * std::log1p(v / bias));
}

template <class T>
void pcen_plan<T>::execute(view<const T, 2> bands, view<T, 2> out, std::span<double> levels,
                           int threads) const {
  const std::size_t segments = bands.extent(0), count = bands.extent(1);
  if (bands.extents() != out.extents() || levels.size() != count)
    throw shape_error(base_detail::message("pcen_plan: bands are ", segments, " x ", count,
                                           ", and out must be so and have as many levels, got ",
                                           out.extent(0), " x ", out.extent(1), " and ",
                                           levels.size()));
  base_detail::require_distinct("pcen_plan", out);
  if (base_detail::reach(bands).overlaps(base_detail::reach(out)))
    throw invalid_argument("pcen_plan: out overlaps bands");
  const std::size_t before = options_.largest_of / 2, after = (options_.largest_of - 1) / 2;
  // Some bands at a time, so that what is no logarithm and no exponential is a loop of vectors.
  const auto run_some = [&](std::size_t t, std::size_t first, std::size_t some) {
    double energy[pcen::bands_at_once], largest[pcen::bands_at_once];
    for (std::size_t i = 0; i < some; ++i)
      energy[i] = largest[i] = static_cast<double>(bands(t, first + i));
    for (std::size_t i = 0; i < some && options_.largest_of > 1; ++i) {
      const std::size_t b = first + i, high = std::min(b + after, count - 1);
      for (std::size_t k = b - std::min(b, before); k <= high; ++k) {
        const double other = static_cast<double>(bands(t, k));
        largest[i] = other > largest[i] || std::isnan(other) ? other : largest[i];
      }
    }
    double* const level = levels.data() + first;
    for (std::size_t i = 0; i < some; ++i)
      level[i] = (1 - smoothing_) * level[i] + smoothing_ * largest[i];
    for (std::size_t i = 0; i < some; ++i)
      energy[i] *= std::exp(-options_.gain * std::log(options_.floor + level[i]));
    compress({energy, some});
    for (std::size_t i = 0; i < some; ++i) out(t, first + i) = static_cast<T>(energy[i]);
  };
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    for (std::size_t t = 0; t < segments; ++t)
      for (std::size_t b = first; b < last; b += pcen::bands_at_once)
        run_some(t, b, std::min(pcen::bands_at_once, last - b));
  };
  base_detail::share(count, base_detail::team_of(threads), run);
}

template <class T>
void pcen_plan<T>::execute(view<const T, 2> bands, view<T, 2> out, int threads) const {
  std::vector<double> levels(bands.extent(1), 1.0);
  execute(bands, out, levels, threads);
}

template <class T>
array<T, 2> pcen_plan<T>::execute(view<const T, 2> bands, int threads) const {
  array<T, 2> out(bands.extents());
  execute(bands, out, threads);
  return out;
}

template <class T>
pcen_stream<T>::pcen_stream(const pcen_plan<T>& plan, std::size_t bands)
    : plan_(plan), levels_(bands, 1.0) {
  if (bands == 0) throw invalid_argument("pcen_stream: bands must be at least 1, got 0");
}

template <class T>
void pcen_stream<T>::reset() {
  std::ranges::fill(levels_, 1.0);
}

template class pcen_plan<float>;
template class pcen_plan<double>;
template class pcen_stream<float>;
template class pcen_stream<double>;

}  // namespace papilio

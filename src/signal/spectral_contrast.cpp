#include "papilio/signal/spectral_contrast.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {
namespace {
namespace contrast {

void require(bool good, const char* name, const std::string& bound, double value) {
  if (!good)
    throw invalid_argument(
        base_detail::message("contrast_plan: ", name, " must be ", bound, ", got ", value));
}

void check(double rate_hz, std::size_t n_fft, const contrast_options& o) {
  require(rate_hz > 0 && std::isfinite(rate_hz), "rate_hz", "finite and above 0", rate_hz);
  require(n_fft >= 1 && n_fft <= max_n_fft, "n_fft", "1 ... 16777216", static_cast<double>(n_fft));
  require(o.octaves >= 1 && o.octaves <= 32, "octaves", "1 ... 32", static_cast<double>(o.octaves));
  require(o.quantile > 0 && o.quantile < 1, "quantile", "above 0 and below 1", o.quantile);
  require(o.fmin_hz > 0, "fmin_hz", "above 0", o.fmin_hz);
  const double least = std::ldexp(rate_hz / 2, 1 - static_cast<int>(o.octaves));
  require(
      o.fmin_hz < least, "fmin_hz",
      base_detail::message("below rate_hz / 2^octaves = ", least, ", for ", o.octaves, " octaves"),
      o.fmin_hz);
}

// Up to so many are kept in order while the values pass.
constexpr std::size_t most_in_order = 3;

/// Sum of the first `count` after `less`, at most most_in_order.
template <class Less>
double sum_of_few(std::span<const double> values, std::size_t count, const Less& less) {
  double kept[most_in_order];
  std::size_t filled = 0;
  for (const double v : values) {
    if (filled == count && !less(v, kept[count - 1])) continue;
    std::size_t at = filled < count ? filled++ : count - 1;
    for (; at > 0 && less(v, kept[at - 1]); --at) kept[at] = kept[at - 1];
    kept[at] = v;
  }
  return std::accumulate(kept, kept + count, 0.0);
}

/// The smallest and the largest of values, side by side: one comparison waits for another.
std::pair<double, double> ends_of(std::span<const double> values) {
  constexpr std::size_t lanes = 16;
  double low[lanes], high[lanes];
  std::fill_n(low, lanes, values[0]);
  std::fill_n(high, lanes, values[0]);
  std::size_t next = 0;
  for (; next + lanes <= values.size(); next += lanes)
    for (std::size_t i = 0; i < lanes; ++i) {
      const double v = values[next + i];
      low[i] = v < low[i] ? v : low[i];
      high[i] = v > high[i] ? v : high[i];
    }
  for (const double v : values.subspan(next)) {
    low[0] = std::min(low[0], v);
    high[0] = std::max(high[0], v);
  }
  return {*std::min_element(low, low + lanes), *std::max_element(high, high + lanes)};
}

/// Brings to the front some values that hold the first `count` after `less`, and says how many: not
/// many more, where halving the range of the values finds a bound for that. Each halving is a loop of
/// vectors, and takes less than a selection's comparisons.
template <class Less>
std::size_t move_first(std::span<double> values, std::size_t count, const Less& less) {
  constexpr int most_halvings = 24;
  const auto [one, other] = ends_of(values);
  double before = less(one, other) ? one : other, bound = less(one, other) ? other : one;
  std::size_t within = values.size();
  for (int i = 0; i < most_halvings && within > 2 * count; ++i) {
    const double middle = before / 2 + bound / 2;
    std::int64_t up_to_middle = 0;
    for (const double v : values) up_to_middle += less(middle, v) ? 0 : 1;
    const bool is_enough = up_to_middle >= static_cast<std::int64_t>(count);
    (is_enough ? bound : before) = middle;
    if (is_enough) within = static_cast<std::size_t>(up_to_middle);
  }
  std::size_t moved = 0;
  for (const double v : values) {
    values[moved] = v;
    moved += less(bound, v) ? 0 : 1;
  }
  return moved;
}

/// Mean of the first `count` after `less` of values, which are changed.
template <class Less>
double mean_of_first(std::span<double> values, std::size_t count, const Less& less) {
  const double number = static_cast<double>(count);
  if (count <= most_in_order) return sum_of_few(values, count, less) / number;
  const std::span<double> some = values.first(move_first(values, count, less));
  const auto end = some.begin() + static_cast<std::ptrdiff_t>(count);
  if (end != some.end()) std::nth_element(some.begin(), end - 1, some.end(), less);
  return std::accumulate(some.begin(), end, 0.0) / number;
}

template <class T>
void require_extents(const char* name, view<const T, 2> values, std::size_t segments,
                     std::size_t columns) {
  if (values.extent(0) != segments || values.extent(1) != columns)
    throw shape_error(base_detail::message("contrast_plan: ", name, " must be ", segments, " x ",
                                           columns, ", got ", values.extent(0), " x ",
                                           values.extent(1)));
}

}  // namespace contrast
}  // namespace

template <class T>
contrast_plan<T>::contrast_plan(double rate_hz, std::size_t n_fft, const contrast_options& options)
    : options_(options), bins_(n_fft / 2 + 1) {
  contrast::check(rate_hz, n_fft, options);
  const double bin_hz = rate_hz / static_cast<double>(n_fft);
  const auto hz = [&](std::size_t k) { return static_cast<double>(k) * bin_hz; };
  std::size_t next = 0;  // first bin at the lower edge or above
  for (std::size_t b = 0; b <= options.octaves; ++b) {
    const double low = b == 0 ? 0 : std::ldexp(options.fmin_hz, static_cast<int>(b) - 1),
                 high = std::ldexp(options.fmin_hz, static_cast<int>(b));
    while (next < bins_ && hz(next) < low) ++next;
    std::size_t end = next;
    while (end < bins_ && hz(end) <= high) ++end;
    const bool has_edges = end > next;
    const std::size_t first = b == 0 ? next : next - 1;
    if (b == options.octaves) end = bins_;
    const std::size_t all = end - first, kept = b == options.octaves ? all : all - 1;
    if (!has_edges || kept == 0)
      throw invalid_argument(base_detail::message(
          "contrast_plan: n_fft must be so large that every band has a bin, got ", n_fft,
          ", with which band ", b, " of ", low, " to ", high, " Hz has none"));
    const auto share =
        static_cast<std::size_t>(std::nearbyint(options.quantile * static_cast<double>(all)));
    bands_.push_back({first, kept, std::clamp<std::size_t>(share, 1, kept)});
  }
}

template <class T>
void contrast_plan<T>::peaks_and_valleys(view<const T, 2> magnitude, view<double, 2> peaks,
                                         view<double, 2> valleys, int threads) const {
  const std::size_t segments = magnitude.extent(0);
  contrast::require_extents<T>("magnitude", magnitude, segments, bins_);
  contrast::require_extents<double>("peaks", peaks, segments, bands());
  contrast::require_extents<double>("valleys", valleys, segments, bands());
  for (const view<double, 2> out : {peaks, valleys}) {
    base_detail::require_distinct("contrast_plan", out);
    if (base_detail::reach(magnitude).overlaps(base_detail::reach(out)))
      throw invalid_argument("contrast_plan: peaks or valleys overlap magnitude");
  }
  if (base_detail::reach(peaks).overlaps(base_detail::reach(valleys)))
    throw invalid_argument("contrast_plan: peaks overlap valleys");
  const auto run = [&](std::size_t from, std::size_t last, std::size_t) {
    std::vector<double> row(2 * bins_);
    for (std::size_t s = from; s < last; ++s)
      for (std::size_t b = 0; b < bands(); ++b) {
        const band& of = bands_[b];
        const std::span<double> values(row.data(), of.bins), again(row.data() + bins_, of.bins);
        bool is_number = true;
        for (std::size_t k = 0; k < of.bins; ++k) {
          values[k] = again[k] = static_cast<double>(magnitude(s, of.first_bin + k));
          is_number &= !std::isnan(values[k]);
        }
        const double nan = std::numeric_limits<double>::quiet_NaN();
        valleys(s, b) = is_number ? contrast::mean_of_first(values, of.share, std::less<>()) : nan;
        peaks(s, b) = is_number ? contrast::mean_of_first(again, of.share, std::greater<>()) : nan;
      }
  };
  base_detail::share(segments, base_detail::team_of(threads), run);
}

template <class T>
void contrast_plan<T>::execute(view<const T, 2> magnitude, view<T, 2> out, int threads) const {
  contrast::require_extents<T>("out", out, magnitude.extent(0), bands());
  base_detail::require_distinct("contrast_plan", out);
  if (base_detail::reach(magnitude).overlaps(base_detail::reach(out)))
    throw invalid_argument("contrast_plan: out overlaps magnitude");
  array<double, 2> peaks(out.extents()), valleys(out.extents());
  peaks_and_valleys(magnitude, peaks, valleys, threads);
  if (!options_.is_linear) {
    to_decibel<double>(peaks.flat(), peaks.flat(), options_.levels);
    to_decibel<double>(valleys.flat(), valleys.flat(), options_.levels);
  }
  for (std::size_t s = 0; s < out.extent(0); ++s)
    for (std::size_t b = 0; b < bands(); ++b)
      out(s, b) = static_cast<T>(peaks(s, b) - valleys(s, b));
}

template <class T>
array<T, 2> contrast_plan<T>::execute(view<const T, 2> magnitude, int threads) const {
  array<T, 2> out({magnitude.extent(0), bands()});
  execute(magnitude, out, threads);
  return out;
}

template class contrast_plan<float>;
template class contrast_plan<double>;

}  // namespace papilio

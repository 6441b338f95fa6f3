#include "papilio/signal/chroma.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "base/share.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {
namespace {
namespace chroma_parts {

constexpr std::size_t most_classes = 1024;
constexpr double a0_hz = 27.5;

template <class Value>
void require(bool good, const char* function, const char* name, const char* bound, Value value) {
  if (!good)
    throw invalid_argument(
        base_detail::message(function, ": ", name, " must be ", bound, ", got ", value));
}

void require_rate(const char* function, double rate_hz) {
  require(rate_hz > 0 && std::isfinite(rate_hz), function, "rate_hz", "positive and finite",
          rate_hz);
}

double positive_remainder(double value, double divisor) {
  const double rest = std::fmod(value, divisor);
  return rest < 0 ? rest + divisor : rest;
}

// Pitches of the bins in classes above A0; 0 Hz lies an octave and a half below bin 1.
std::vector<double> pitches_of(double rate_hz, std::size_t n_fft, const chroma_options& o) {
  const double classes = static_cast<double>(o.classes);
  const double lowest_hz = a0_hz * std::exp2(o.tuning / classes);
  std::vector<double> pitches(n_fft);
  for (std::size_t k = 1; k < n_fft; ++k)
    pitches[k] = classes * std::log2(static_cast<double>(k) * rate_hz / static_cast<double>(n_fft) /
                                     lowest_hz);
  pitches[0] = pitches[1] - 1.5 * classes;
  return pitches;
}

/// Divides by the norm, but where that is below the least normal number.
template <class T>
void normalize(std::span<T> values, chroma_norm norm) {
  if (norm == chroma_norm::none) return;
  double length = 0;
  for (const T v : values) {
    const double magnitude = std::abs(static_cast<double>(v));
    if (norm == chroma_norm::peak)
      length = std::max(length, magnitude);
    else
      length += norm == chroma_norm::l1 ? magnitude : magnitude * magnitude;
  }
  if (norm == chroma_norm::l2) length = std::sqrt(length);
  if (length < static_cast<double>(std::numeric_limits<T>::min())) return;
  for (T& v : values) v = static_cast<T>(static_cast<double>(v) / length);
}

/// Sum in sixteen parts, which become vectors.
template <class T>
T weighted_sum(std::size_t n, const T* weights, const T* values) {
  constexpr std::size_t parts = 16;
  T part[parts] = {};
  std::size_t k = 0;
  for (; k + parts <= n; k += parts)
    for (std::size_t i = 0; i < parts; ++i) part[i] += weights[k + i] * values[k + i];
  for (; k < n; ++k) part[k % parts] += weights[k] * values[k];
  T sum = 0;
  for (const T p : part) sum += p;
  return sum;
}

template <class T>
array<T, 2> copy_of(view<const T, 2> values) {
  array<T, 2> copy(values.extents());
  for (std::size_t s = 0; s < values.extent(0); ++s)
    for (std::size_t c = 0; c < values.extent(1); ++c) copy(s, c) = values(s, c);
  return copy;
}

template <class T>
std::span<T> row(array<T, 2>& values, std::size_t s) {
  return values.flat().subspan(s * values.extent(1), values.extent(1));
}

struct partial {
  double hz, strength;
};

/// Maxima of one segment, between 150 Hz and 4 kHz.
template <class T>
void add_partials(view<const T, 1> values, double bin_hz, std::vector<partial>& found) {
  T most = 0;
  for (std::size_t k = 0; k < values.size(); ++k) most = std::max(most, values[k]);
  const double least = 0.1 * static_cast<double>(most);
  const auto kept = [&](std::size_t k) {
    const double v = static_cast<double>(values[k]);
    return v > least ? v : 0;
  };
  const auto first = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(150 / bin_hz)));
  for (std::size_t k = first; k + 1 < values.size(); ++k) {
    if (!(static_cast<double>(k) * bin_hz < 4000)) break;
    if (!(kept(k) > kept(k - 1) && kept(k) >= kept(k + 1))) continue;
    const double below = static_cast<double>(values[k - 1]), at = static_cast<double>(values[k]),
                 above = static_cast<double>(values[k + 1]);
    const double curvature = above + below - 2 * at, slope = (above - below) / 2;
    const double shift = std::abs(slope) >= std::abs(curvature) ? 0 : -slope / curvature;
    found.push_back({(static_cast<double>(k) + shift) * bin_hz, at + 0.5 * slope * shift});
  }
}

double median_strength(const std::vector<partial>& found) {
  std::vector<double> strengths;
  for (const partial& p : found) strengths.push_back(p.strength);
  const auto middle = strengths.begin() + static_cast<std::ptrdiff_t>(strengths.size() / 2);
  std::ranges::nth_element(strengths, middle);
  if (strengths.size() % 2 == 1) return *middle;
  return (*std::max_element(strengths.begin(), middle) + *middle) / 2;
}

}  // namespace chroma_parts
}  // namespace

template <class T>
chroma_filterbank<T>::chroma_filterbank(double rate_hz, std::size_t n_fft,
                                        const chroma_options& o) {
  using namespace chroma_parts;
  constexpr const char* function = "chroma_filterbank";
  require_rate(function, rate_hz);
  require(n_fft >= 2 && n_fft <= max_n_fft, function, "n_fft", "2 ... 16777216", n_fft);
  require(o.classes >= 1 && o.classes <= most_classes, function, "classes", "1 ... 1024",
          o.classes);
  require(std::isfinite(o.tuning), function, "tuning", "finite", o.tuning);
  require(std::isfinite(o.centre_octave), function, "centre_octave", "finite", o.centre_octave);
  if (o.octave_width)
    require(*o.octave_width > 0 && std::isfinite(*o.octave_width), function, "octave_width",
            "positive and finite", *o.octave_width);
  const std::vector<double> pitches = pitches_of(rate_hz, n_fft, o);
  const double classes = static_cast<double>(o.classes), half = std::nearbyint(classes / 2);
  weights_ = array<T, 2>({o.classes, n_fft / 2 + 1});
  std::vector<double> column(o.classes);
  const std::size_t from_a_to_c = 3 * (o.classes / 12);
  for (std::size_t k = 0; k < bins(); ++k) {
    const double width = k + 1 < n_fft ? std::max(pitches[k + 1] - pitches[k], 1.0) : 1;
    double square = 0;
    for (std::size_t c = 0; c < o.classes; ++c) {
      const double away =
          positive_remainder(pitches[k] - static_cast<double>(c) + half + 10 * classes, classes) -
          half;
      column[c] = std::exp(-0.5 * std::pow(2 * away / width, 2));
      square += column[c] * column[c];
    }
    const double octave = pitches[k] / classes - o.centre_octave;
    const double gain = o.octave_width ? std::exp(-0.5 * std::pow(octave / *o.octave_width, 2)) : 1;
    const double length = square > 0 ? std::sqrt(square) : 1;
    for (std::size_t c = 0; c < o.classes; ++c)
      weights_((c + o.classes - from_a_to_c) % o.classes, k) =
          static_cast<T>(column[c] / length * gain);
  }
}

template <class T>
chroma_filterbank<T>::chroma_filterbank(const constant_q_options& o, std::size_t classes) {
  using namespace chroma_parts;
  constexpr const char* function = "chroma_filterbank";
  require(classes >= 1 && classes <= most_classes && o.bins_per_octave % classes == 0 &&
              o.bins_per_octave > 0,
          function, "classes", "1 ... 1024 and divide bins_per_octave", classes);
  require(o.bins >= 1, function, "bins", "at least 1", o.bins);
  require(o.fmin_hz > 0 && std::isfinite(o.fmin_hz), function, "fmin_hz", "positive and finite",
          o.fmin_hz);
  weights_ = array<T, 2>({classes, o.bins});
  const std::size_t merged = o.bins_per_octave / classes;
  const double above_c = positive_remainder(12 * std::log2(o.fmin_hz / c1_hz), 12);
  const auto first =
      static_cast<std::size_t>(std::nearbyint(above_c * static_cast<double>(classes) / 12));
  for (std::size_t k = 0; k < o.bins; ++k)
    weights_(((k + merged / 2) / merged + first) % classes, k) = 1;
}

template <class T>
array<T, 2> chroma_filterbank<T>::apply(view<const T, 2> values, chroma_norm norm,
                                        int threads) const {
  if (values.extent(1) != bins())
    throw shape_error(base_detail::message("chroma_filterbank::apply: values must be segments x ",
                                           bins(), " bins, got ", values.extent(0), " x ",
                                           values.extent(1)));
  array<T, 2> out({values.extent(0), classes()});
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    const bool is_gapless = values.stride(1) == 1;
    std::vector<T> copy(is_gapless ? 0 : bins());
    for (std::size_t s = first; s < last; ++s) {
      for (std::size_t k = 0; k < copy.size(); ++k) copy[k] = values(s, k);
      const T* const line = is_gapless ? &values(s, 0) : copy.data();
      for (std::size_t c = 0; c < classes(); ++c)
        out(s, c) = chroma_parts::weighted_sum(bins(), &weights_(c, 0), line);
      chroma_parts::normalize(chroma_parts::row(out, s), norm);
    }
  };
  base_detail::share(out.extent(0), base_detail::team_of(threads), run);
  return out;
}

template <class T>
double estimate_tuning(view<const T, 2> values, double rate_hz, std::size_t n_fft,
                       std::size_t bins_per_octave) {
  using namespace chroma_parts;
  constexpr const char* function = "estimate_tuning";
  require_rate(function, rate_hz);
  require(bins_per_octave >= 1 && bins_per_octave <= most_classes, function, "bins_per_octave",
          "1 ... 1024", bins_per_octave);
  if (values.extent(1) != n_fft / 2 + 1)
    throw shape_error(base_detail::message(function, ": values must be segments x ", n_fft / 2 + 1,
                                           " bins, got ", values.extent(0), " x ",
                                           values.extent(1)));
  for (std::size_t s = 0; s < values.extent(0); ++s) {
    T zero = 0;  // or NaN
    for (std::size_t k = 0; k < values.extent(1); ++k) zero += values(s, k) * T(0);
    for (std::size_t k = 0; zero != 0 && k < values.extent(1); ++k)
      if (!(values(s, k) * T(0) == 0))
        throw invalid_argument(base_detail::message(function, ": values must be finite, got ",
                                                    values(s, k), " at segment ", s, ", bin ", k));
  }
  std::vector<partial> found;
  for (std::size_t s = 0; s < values.extent(0); ++s)
    add_partials(values[s], rate_hz / static_cast<double>(n_fft), found);
  if (found.empty()) return 0;
  const double least = median_strength(found);
  constexpr std::size_t steps = 100;
  std::array<std::size_t, steps> counts{};
  for (const partial& p : found) {
    if (!(p.strength >= least)) continue;
    double away =
        positive_remainder(static_cast<double>(bins_per_octave) * std::log2(p.hz / a0_hz), 1);
    if (away >= 0.5) away -= 1;
    ++counts[std::min(steps - 1, static_cast<std::size_t>((away + 0.5) * steps))];
  }
  const auto most = std::ranges::max_element(counts) - counts.begin();
  return static_cast<double>(most) / steps - 0.5;
}

template <class T>
array<T, 2> chroma_cens(view<const T, 2> chroma, const chroma_cens_options& options) {
  using namespace chroma_parts;
  array<T, 2> steps = copy_of(chroma);
  for (std::size_t s = 0; s < steps.extent(0); ++s) {
    normalize(row(steps, s), chroma_norm::l1);
    for (T& v : row(steps, s)) {
      const T share = v;
      v = 0;
      for (const double threshold : {0.4, 0.2, 0.1, 0.05})
        if (static_cast<double>(share) > threshold) v += T(0.25);
    }
  }
  array<T, 2> out(steps.extents());
  if (options.smoothing == 0) {
    out = steps;
  } else {
    // A symmetric window is 0 at its two ends: as many weights as asked for are left.
    const array<double, 1> window =
        make_window(options.window, options.smoothing + 2, window_symmetry::symmetric);
    const double sum = window_sum<double>(window.flat());
    const auto half = static_cast<std::ptrdiff_t>(window.size() / 2),
               segments = static_cast<std::ptrdiff_t>(steps.extent(0));
    for (std::ptrdiff_t s = 0; s < segments; ++s)
      for (std::size_t c = 0; c < steps.extent(1); ++c) {
        double total = 0;
        for (std::ptrdiff_t j = 0; j < std::ssize(window.flat()); ++j) {
          const std::ptrdiff_t at = s + half - j;
          if (at >= 0 && at < segments)
            total += window[static_cast<std::size_t>(j)] / sum *
                     static_cast<double>(steps(static_cast<std::size_t>(at), c));
        }
        out(static_cast<std::size_t>(s), c) = static_cast<T>(total);
      }
  }
  for (std::size_t s = 0; s < out.extent(0); ++s) normalize(row(out, s), options.norm);
  return out;
}

template <class T>
array<T, 2> tonnetz(view<const T, 2> chroma) {
  using namespace chroma_parts;
  if (chroma.extent(1) == 0) throw shape_error("tonnetz: chroma must have at least 1 class, got 0");
  // Half turns that a semitone has, of fifths, minor and major thirds, and the radius of the circle.
  struct circle {
    double half_turns, radius;
  };
  constexpr circle circles[] = {{7.0 / 6, 1}, {3.0 / 2, 1}, {2.0 / 3, 0.5}};
  const std::size_t classes = chroma.extent(1);
  array<double, 2> weights({6, classes});
  for (std::size_t i = 0; i < std::size(circles); ++i)
    for (std::size_t c = 0; c < classes; ++c) {
      const double semitones = 12 * static_cast<double>(c) / static_cast<double>(classes),
                   angle = std::numbers::pi * circles[i].half_turns * semitones;
      weights(2 * i, c) = circles[i].radius * std::sin(angle);
      weights(2 * i + 1, c) = circles[i].radius * std::cos(angle);
    }
  array<T, 2> shares = copy_of(chroma), out({chroma.extent(0), 6});
  for (std::size_t s = 0; s < out.extent(0); ++s) {
    normalize(row(shares, s), chroma_norm::l1);
    for (std::size_t i = 0; i < 6; ++i) {
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c)
        sum += weights(i, c) * static_cast<double>(shares(s, c));
      out(s, i) = static_cast<T>(sum);
    }
  }
  return out;
}

template class chroma_filterbank<float>;
template class chroma_filterbank<double>;
template PAPILIO_API double estimate_tuning(view<const float, 2>, double, std::size_t, std::size_t);
template PAPILIO_API double estimate_tuning(view<const double, 2>, double, std::size_t,
                                            std::size_t);
template PAPILIO_API array<float, 2> chroma_cens(view<const float, 2>, const chroma_cens_options&);
template PAPILIO_API array<double, 2> chroma_cens(view<const double, 2>,
                                                  const chroma_cens_options&);
template PAPILIO_API array<float, 2> tonnetz(view<const float, 2>);
template PAPILIO_API array<double, 2> tonnetz(view<const double, 2>);

}  // namespace papilio

#include "papilio/signal/welch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/share.hpp"
#include "papilio/signal/stft.hpp"
#include "signal/welch_scale.hpp"
#include "signal/wide_spectrum.hpp"

namespace papilio {

using signal_detail::trend;

namespace {

welch_options checked(welch_options o) {
  const auto require = [](bool good, const char* name, const char* bound, auto value) {
    if (!good)
      throw invalid_argument(
          base_detail::message("welch_options: ", name, " must be ", bound, ", got ", value));
  };
  require(o.rate_hz > 0 && std::isfinite(o.rate_hz), "rate_hz", "positive and finite", o.rate_hz);
  require(o.segment_length >= 1 && o.segment_length <= max_n_fft, "segment_length",
          "1 ... 16777216", o.segment_length);
  if (o.n_fft == 0) o.n_fft = o.segment_length;
  require(o.n_fft >= o.segment_length && o.n_fft <= max_n_fft, "n_fft",
          "at least segment_length and at most 16777216", o.n_fft);
  if (!o.overlap) o.overlap = o.segment_length / 2;
  require(*o.overlap < o.segment_length, "overlap", "below segment_length", *o.overlap);
  return o;
}

template <class T>
array<T, 1> weights_of(const welch_options& o) {
  array<T, 1> window = make_window<T>(o.window, o.segment_length);
  const T largest = *std::ranges::max_element(window.flat());
  const T least = std::sqrt(std::numeric_limits<T>::min());  // powers of less vanish
  if (!(largest >= least))
    throw invalid_argument(
        base_detail::message("welch_options: window's largest weight must be at least ", least,
                             ", got ", largest, " of ", to_string(o.window)));
  return window;
}

// out = (samples - trend) window; the line by least squares, with the middle as its origin.
template <class T>
trend detrend_and_weight(std::span<const T> samples, std::span<const T> window, detrending kind,
                         T* out) {
  const std::size_t n = samples.size();
  double mean = 0, slope = 0;
  const double middle = 0.5 * static_cast<double>(n - 1);
  if (kind != detrending::none) {
    for (const T x : samples) mean += static_cast<double>(x);
    mean /= static_cast<double>(n);
  }
  if (kind == detrending::linear && n > 1) {
    double products = 0;
    for (std::size_t j = 0; j < n; ++j)
      products += (static_cast<double>(j) - middle) * (static_cast<double>(samples[j]) - mean);
    const double length = static_cast<double>(n);
    slope = products / (length * (length * length - 1) / 12);
  }
  for (std::size_t j = 0; j < n; ++j)
    out[j] = static_cast<T>(static_cast<double>(samples[j]) - mean -
                            slope * (static_cast<double>(j) - middle)) *
             window[j];
  return {mean, slope};
}

double median(std::span<double> values) {
  const std::size_t middle = values.size() / 2;
  for (const double v : values)
    if (std::isnan(v)) return v;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(middle));
  const double high = values[middle];
  if (values.size() % 2 == 1) return high;
  return (high + *std::ranges::max_element(values.first(middle))) / 2;
}

// The exponent takes the largest sample times 2^-exponent to 1/2 ... 1; it is 0 for silence and where
// samples are not finite.
template <class T>
int exponent_of(std::span<const T> samples) {
  T largest = 0;
  for (const T x : samples) largest = std::max(largest, std::abs(x));
  int exponent = 0;
  if (std::isfinite(largest)) std::frexp(largest, &exponent);
  return exponent;
}

// Whether T does not hold the power, or only with few digits.
template <class T>
bool vanishes(std::complex<T> x) {
  using limits = std::numeric_limits<T>;
  static const T least = std::ldexp(std::sqrt(limits::min()), limits::digits + 6);
  return std::abs(x.real()) < least && std::abs(x.imag()) < least;
}

}  // namespace

double signal_detail::median_bias(std::uint64_t n) {
  double bias = 1;
  for (std::uint64_t i = 1; i <= (n - 1) / 2; ++i) {
    const double even = 2 * static_cast<double>(i);
    bias += 1 / (even + 1) - 1 / even;
  }
  return bias;
}

double signal_detail::scale_of(const welch_options& o) {
  const array<double, 1> window = make_window<double>(o.window, o.segment_length);
  const double sum = window_sum<double>(window.flat());
  double squares = 0;
  for (const double w : window) squares += w * w;
  return o.scaling == psd_scaling::spectrum ? 1 / (sum * sum) : 1 / (o.rate_hz * squares);
}

template <class T>
welch_stream<T>::welch_stream(const welch_options& options)
    : options_(checked(options)),
      transform_(options_.n_fft, {.norm = normalization::none}),
      window_(weights_of<T>(options_)),
      scale_(signal_detail::scale_of(options_)),
      // Sums of segment_length products with weights, which are about 1.
      bound_(std::sqrt(std::numeric_limits<T>::max()) /
             static_cast<T>(4 * options_.segment_length)),
      line_(options_.segment_length),
      windowed_(options_.n_fft),
      spectrum_(half_bins()),
      scratch_(transform_.scratch_size()),
      sum_(half_bins()) {}

template <class T>
std::size_t welch_stream<T>::bins() const {
  return options_.one_sided ? half_bins() : options_.n_fft;
}

template <class T>
double welch_stream<T>::frequency_hz(std::size_t bin) const {
  const double n = static_cast<double>(options_.n_fft), k = static_cast<double>(bin);
  const bool negative = !options_.one_sided && bin >= (options_.n_fft + 1) / 2;
  return (negative ? k - n : k) * options_.rate_hz / n;
}

template <class T>
void welch_stream<T>::push(std::span<const T> samples) {
  const std::size_t length = options_.segment_length, kept = *options_.overlap;
  received_ += samples.size();
  if (signal_detail::any_beyond(view<const T, 2>(samples.data(), {samples.size(), 1}), bound_))
    large_until_ = received_;
  while (!samples.empty()) {
    const std::size_t count = std::min(samples.size(), length - filled_);
    std::copy_n(samples.begin(), count, line_.begin() + filled_);
    filled_ += count;
    samples = samples.subspan(count);
    if (filled_ < length) return;
    analyse(line_.flat());
    std::copy(line_.end() - kept, line_.end(), line_.begin());
    filled_ = kept;
  }
}

// The spectrum of samples 2^-exponent.
template <class T>
trend welch_stream<T>::transform(std::span<const T> segment, int exponent) {
  if (exponent != 0) {
    const std::span<T> scaled = windowed_.flat().first(segment.size());
    std::ranges::transform(segment, scaled.begin(),
                           [exponent](T x) { return std::ldexp(x, -exponent); });
    segment = scaled;
  }
  const trend removed =
      detrend_and_weight<T>(segment, window_.flat(), options_.detrend, windowed_.data());
  transform_.forward(windowed_.flat(), spectrum_.flat(), scratch_.flat());
  return {std::ldexp(removed.mean, exponent), std::ldexp(removed.slope, exponent)};
}

template <class T>
void welch_stream<T>::analyse(std::span<const T> segment) {
  const std::size_t hop = options_.segment_length - *options_.overlap;
  int exponent = segments_ * hop < large_until_ ? exponent_of(segment) : 0;
  trend removed = transform(segment, exponent);
  if (exponent == 0 && std::ranges::all_of(spectrum_, vanishes<T>)) {
    exponent = exponent_of(segment);
    if (exponent != 0) removed = transform(segment, exponent);
  }
  const double rise = removed.slope * static_cast<double>(options_.segment_length) / 2;
  trends_.mean += removed.mean;
  trends_.mean_square += removed.mean * removed.mean;
  trends_.rise_square += rise * rise;
  const double unit = std::ldexp(1.0, 2 * exponent);
  if (options_.average == psd_average::median) units_.push_back(unit);
  for (std::size_t k = 0; k < spectrum_.size(); ++k) {
    const double re = static_cast<double>(spectrum_[k].real()),
                 im = static_cast<double>(spectrum_[k].imag());
    if (options_.average == psd_average::mean)
      sum_[k] += (re * re + im * im) * unit;
    else
      powers_.push_back(static_cast<T>(re * re + im * im));
  }
  ++segments_;
}

template <class T>
template <class Out>
void welch_stream<T>::place_result(Out* out) const {
  if (segments_ == 0)
    throw invalid_argument(base_detail::message("welch: the signal must hold a segment of ",
                                                options_.segment_length, " samples, got ",
                                                received_));
  const bool mean = options_.average == psd_average::mean;
  const double factor =
      scale_ / (mean ? static_cast<double>(segments_) : signal_detail::median_bias(segments_));
  std::vector<double> column(mean ? 0 : segments_);
  for (std::size_t k = 0; k < half_bins(); ++k) {
    for (std::size_t s = 0; s < column.size(); ++s)
      column[s] = static_cast<double>(powers_[s * half_bins() + k]) * units_[s];
    const double power = factor * (mean ? sum_[k] : median(column));
    signal_detail::place_density(options_, k, power, out);
  }
}

template <class T>
void welch_stream<T>::result(std::span<T> out) const {
  if (out.size() != bins())
    throw shape_error(base_detail::message("welch_stream::result: out must hold ", bins(),
                                           " elements, got ", out.size()));
  place_result(out.data());
}

template <class T>
array<T, 1> welch_stream<T>::result() const {
  array<T, 1> out(bins());
  place_result(out.data());
  return out;
}

template <class T>
array<double, 1> welch_stream<T>::result_in_double() const {
  array<double, 1> out(bins());
  place_result(out.data());
  return out;
}

template <class T>
void welch_stream<T>::reset() {
  segments_ = received_ = large_until_ = 0;
  filled_ = 0;
  std::ranges::fill(sum_, 0.0);
  powers_.clear();
  units_.clear();
  trends_ = {};
}

template <class T>
array<T, 1> welch(std::span<const T> signal, const welch_options& options) {
  welch_stream<T> stream(options);
  stream.push(signal);
  return stream.result();
}

namespace {

template <class T, class Out>
array<Out, 2> densities_of(view<const T, 2> signals, const welch_options& options, int threads) {
  const welch_stream<T> model(options);
  array<Out, 2> out({signals.extent(0), model.bins()});
  const auto run = [&](std::size_t first, std::size_t last, std::size_t) {
    welch_stream<T> stream = model;
    array<T, 1> block(signals.stride(1) == 1 ? 0 : 4096);
    for (std::size_t i = first; i < last; ++i) {
      const view<const T, 1> signal = signals[i];
      stream.reset();
      if (block.empty()) stream.push({signal.data(), signal.size()});
      for (std::size_t done = 0; !block.empty() && done < signal.size();) {
        const std::size_t count = std::min(block.size(), signal.size() - done);
        for (std::size_t j = 0; j < count; ++j) block[j] = signal[done + j];
        stream.push(block.flat().first(count));
        done += count;
      }
      if constexpr (std::is_same_v<T, Out>)
        stream.result({&out(i, 0), model.bins()});
      else
        std::ranges::copy(stream.result_in_double(), &out(i, 0));
    }
  };
  base_detail::share(signals.extent(0), base_detail::team_of(threads), run);
  return out;
}

}  // namespace

template <class T>
array<T, 2> welch(view<const T, 2> signals, const welch_options& options, int threads) {
  return densities_of<T, T>(signals, options, threads);
}

template <class T>
array<double, 2> welch_in_double(view<const T, 2> signals, const welch_options& options,
                                 int threads) {
  return densities_of<T, double>(signals, options, threads);
}

namespace {

welch_options of_whole(std::size_t samples, const periodogram_options& o) {
  if (samples == 0) throw invalid_argument("periodogram: the signal must hold samples, got 0");
  return {.rate_hz = o.rate_hz,
          .segment_length = samples,
          .overlap = 0,
          .n_fft = o.n_fft,
          .window = o.window,
          .detrend = o.detrend,
          .scaling = o.scaling,
          .one_sided = o.one_sided};
}

}  // namespace

template <class T>
array<T, 1> periodogram(std::span<const T> signal, const periodogram_options& options) {
  return welch(signal, of_whole(signal.size(), options));
}
template <class T>
array<T, 1> periodogram(std::span<const T> signal, const periodogram_options& options,
                        const execution& on) {
  return welch(signal, of_whole(signal.size(), options), on);
}
template <class T>
array<T, 2> periodogram(view<const T, 2> signals, const periodogram_options& options, int threads) {
  return welch(signals, of_whole(signals.extent(1), options), threads);
}
template <class T>
array<T, 2> periodogram(view<const T, 2> signals, const periodogram_options& options,
                        const execution& on) {
  return welch(signals, of_whole(signals.extent(1), options), on);
}

template class welch_stream<float>;
template class welch_stream<double>;
template PAPILIO_API array<float, 1> welch(std::span<const float>, const welch_options&);
template PAPILIO_API array<double, 1> welch(std::span<const double>, const welch_options&);
template PAPILIO_API array<float, 2> welch(view<const float, 2>, const welch_options&, int);
template PAPILIO_API array<double, 2> welch(view<const double, 2>, const welch_options&, int);
template PAPILIO_API array<double, 2> welch_in_double(view<const float, 2>, const welch_options&,
                                                      int);
template PAPILIO_API array<double, 2> welch_in_double(view<const double, 2>, const welch_options&,
                                                      int);
template PAPILIO_API array<float, 1> periodogram(std::span<const float>,
                                                 const periodogram_options&);
template PAPILIO_API array<double, 1> periodogram(std::span<const double>,
                                                  const periodogram_options&);
template PAPILIO_API array<float, 1> periodogram(std::span<const float>, const periodogram_options&,
                                                 const execution&);
template PAPILIO_API array<double, 1> periodogram(std::span<const double>,
                                                  const periodogram_options&, const execution&);
template PAPILIO_API array<float, 2> periodogram(view<const float, 2>, const periodogram_options&,
                                                 int);
template PAPILIO_API array<double, 2> periodogram(view<const double, 2>, const periodogram_options&,
                                                  int);
template PAPILIO_API array<float, 2> periodogram(view<const float, 2>, const periodogram_options&,
                                                 const execution&);
template PAPILIO_API array<double, 2> periodogram(view<const double, 2>, const periodogram_options&,
                                                  const execution&);

}  // namespace papilio

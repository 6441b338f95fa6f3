#include "papilio/signal/welch.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/share.hpp"
#include "signal/welch_scale.hpp"

namespace papilio {

double signal_detail::median(std::span<double> values) {
  const std::size_t middle = values.size() / 2;
  for (const double v : values)
    if (std::isnan(v)) return v;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(middle));
  const double high = values[middle];
  if (values.size() % 2 == 1) return high;
  return (high + *std::ranges::max_element(values.first(middle))) / 2;
}

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

std::size_t signal_detail::bins_of(const welch_options& o) {
  return o.one_sided ? o.n_fft / 2 + 1 : o.n_fft;
}

double signal_detail::frequency_of(const welch_options& o, std::size_t bin) {
  const double n = static_cast<double>(o.n_fft), k = static_cast<double>(bin);
  const bool negative = !o.one_sided && bin >= (o.n_fft + 1) / 2;
  return (negative ? k - n : k) * o.rate_hz / n;
}

template <class T>
welch_stream<T>::welch_stream(const welch_options& options)
    : options_(signal_detail::checked_segments(options)),
      analysis_(options_),
      scale_(signal_detail::scale_of(options_)),
      sum_(half_bins()) {}

template <class T>
std::size_t welch_stream<T>::bins() const {
  return signal_detail::bins_of(options_);
}

template <class T>
double welch_stream<T>::frequency_hz(std::size_t bin) const {
  return signal_detail::frequency_of(options_, bin);
}

template <class T>
void welch_stream<T>::push(std::span<const T> samples) {
  analysis_.expect(samples);
  while (analysis_.take(samples)) add(analysis_.analyse());
}

template <class T>
void welch_stream<T>::add(const signal_detail::segment_spectrum<T>& segment) {
  const signal_detail::trend& removed = segment.removed;
  const double rise = removed.slope * static_cast<double>(options_.segment_length) / 2;
  trends_.mean += removed.mean;
  trends_.mean_square += removed.mean * removed.mean;
  trends_.rise_square += rise * rise;
  const double unit = std::ldexp(1.0, 2 * segment.exponent);
  if (options_.average == psd_average::median) units_.push_back(unit);
  for (std::size_t k = 0; k < segment.bins.size(); ++k) {
    const double re = static_cast<double>(segment.bins[k].real()),
                 im = static_cast<double>(segment.bins[k].imag());
    if (options_.average == psd_average::mean)
      sum_[k] += (re * re + im * im) * unit;
    else
      powers_.push_back(static_cast<T>(re * re + im * im));
  }
}

template <class T>
template <class Out>
void welch_stream<T>::place_result(Out* out) const {
  const std::uint64_t count = segments();
  if (count == 0)
    throw invalid_argument(base_detail::message("welch: the signal must hold a segment of ",
                                                options_.segment_length, " samples, got ",
                                                analysis_.received()));
  const bool mean = options_.average == psd_average::mean;
  const double factor =
      scale_ / (mean ? static_cast<double>(count) : signal_detail::median_bias(count));
  std::vector<double> column(mean ? 0 : count);
  for (std::size_t k = 0; k < half_bins(); ++k) {
    for (std::size_t s = 0; s < column.size(); ++s)
      column[s] = static_cast<double>(powers_[s * half_bins() + k]) * units_[s];
    const double power = factor * (mean ? sum_[k] : signal_detail::median(column));
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
  analysis_.reset();
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

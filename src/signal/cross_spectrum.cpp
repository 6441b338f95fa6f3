#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/signal/two_channel.hpp"
#include "signal/welch_scale.hpp"

namespace papilio {
namespace {
namespace cross_parts {

template <class T>
std::complex<double> wide(std::complex<T> x) {
  return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}

// conj(x) y, without the care for infinite products that operator* takes.
std::complex<double> conjugate_product(std::complex<double> x, std::complex<double> y) {
  return {x.real() * y.real() + x.imag() * y.imag(), x.real() * y.imag() - x.imag() * y.real()};
}

double conjugate(double x) { return x; }
std::complex<double> conjugate(std::complex<double> x) { return std::conj(x); }

template <class T>
cross_spectrum_stream<T> of_whole(std::span<const T> x, std::span<const T> y,
                                  const welch_options& options) {
  cross_spectrum_stream<T> stream(options);
  stream.push(x, y);
  return stream;
}

}  // namespace cross_parts
}  // namespace

template <class T>
cross_spectrum_stream<T>::cross_spectrum_stream(const welch_options& options)
    : options_(signal_detail::checked_segments(options)),
      x_(options_),
      y_(x_),
      scale_(signal_detail::scale_of(options_)),
      xx_(half_bins()),
      yy_(half_bins()),
      xy_(half_bins()) {}

template <class T>
std::size_t cross_spectrum_stream<T>::bins() const {
  return signal_detail::bins_of(options_);
}

template <class T>
double cross_spectrum_stream<T>::frequency_hz(std::size_t bin) const {
  return signal_detail::frequency_of(options_, bin);
}

template <class T>
void cross_spectrum_stream<T>::push(std::span<const T> x, std::span<const T> y) {
  if (x.size() != y.size())
    throw shape_error(
        base_detail::message("cross_spectrum_stream: x and y must have equal lengths, "
                             "got ",
                             x.size(), " and ", y.size(), " samples"));
  x_.expect(x);
  y_.expect(y);
  for (;;) {
    const bool is_whole = x_.take(x);
    y_.take(y);
    if (!is_whole) return;
    const signal_detail::segment_spectrum<T> a = x_.analyse(), b = y_.analyse();
    const bool mean = options_.average == psd_average::mean;
    const double x_unit = std::ldexp(1.0, 2 * a.exponent), y_unit = std::ldexp(1.0, 2 * b.exponent),
                 unit = std::ldexp(1.0, a.exponent + b.exponent);
    if (!mean) units_.push_back(unit);
    for (std::size_t k = 0; k < a.bins.size(); ++k) {
      const std::complex<double> u = cross_parts::wide(a.bins[k]), v = cross_parts::wide(b.bins[k]),
                                 product = cross_parts::conjugate_product(u, v);
      if (!mean) {
        products_.emplace_back(static_cast<T>(product.real()), static_cast<T>(product.imag()));
        continue;
      }
      xx_[k] += std::norm(u) * x_unit;
      yy_[k] += std::norm(v) * y_unit;
      xy_[k] += product * unit;
    }
  }
}

template <class T>
void cross_spectrum_stream<T>::require(bool mean) const {
  if (segments() == 0)
    throw invalid_argument(
        base_detail::message("cross_spectrum_stream: the signals must hold a segment of ",
                             options_.segment_length, " samples, got ", x_.received()));
  if (mean && options_.average != psd_average::mean)
    throw invalid_argument(
        "cross_spectrum_stream: average must be mean for powers and their ratios, got median");
}

template <class T>
double cross_spectrum_stream<T>::mean_scale() const {
  return scale_ / static_cast<double>(segments());
}

// Values of bins, in the order of bins; a power is doubled where it stands for two bins.
template <class T>
template <class Function>
auto cross_spectrum_stream<T>::placed(bool is_power, const Function& value) const {
  array<decltype(value(std::size_t{})), 1> out(bins());
  for (std::size_t k = 0; k < half_bins(); ++k) {
    const bool is_alone = k == 0 || 2 * k == options_.n_fft;
    const auto of_bin = value(k);
    out[k] = is_power && options_.one_sided && !is_alone ? 2.0 * of_bin : of_bin;
    if (!options_.one_sided && !is_alone) out[options_.n_fft - k] = cross_parts::conjugate(of_bin);
  }
  return out;
}

template <class T>
array<std::complex<double>, 1> cross_spectrum_stream<T>::cross_spectrum() const {
  require(false);
  if (options_.average == psd_average::mean)
    return placed(true, [&, scale = mean_scale()](std::size_t k) { return xy_[k] * scale; });
  const double scale = scale_ / signal_detail::median_bias(segments());
  std::vector<double> real(segments()), imaginary(segments());
  return placed(true, [&](std::size_t k) {
    for (std::size_t s = 0; s < real.size(); ++s) {
      const std::complex<double> product =
          cross_parts::wide(products_[s * half_bins() + k]) * units_[s];
      real[s] = product.real();
      imaginary[s] = product.imag();
    }
    return scale * std::complex(signal_detail::median(real), signal_detail::median(imaginary));
  });
}

template <class T>
array<double, 1> cross_spectrum_stream<T>::x_power() const {
  require(true);
  return placed(true, [&, scale = mean_scale()](std::size_t k) { return xx_[k] * scale; });
}

template <class T>
array<double, 1> cross_spectrum_stream<T>::y_power() const {
  require(true);
  return placed(true, [&, scale = mean_scale()](std::size_t k) { return yy_[k] * scale; });
}

template <class T>
array<double, 1> cross_spectrum_stream<T>::coherence() const {
  require(true);
  return placed(false, [&](std::size_t k) {
    const double root = std::abs(xy_[k]) / std::sqrt(xx_[k]) / std::sqrt(yy_[k]);
    return std::min(root * root, 1.0);
  });
}

template <class T>
array<std::complex<double>, 1> cross_spectrum_stream<T>::transfer_function(
    transfer_estimator estimator) const {
  require(true);
  return placed(false, [&](std::size_t k) {
    const std::complex<double> h1 = xy_[k] / xx_[k];
    if (estimator == transfer_estimator::h1) return h1;
    const double root = std::abs(xy_[k]) / std::sqrt(xx_[k]) / std::sqrt(yy_[k]);
    return estimator == transfer_estimator::hv ? h1 / root : h1 / (root * root);
  });
}

template <class T>
void cross_spectrum_stream<T>::reset() {
  x_.reset();
  y_.reset();
  std::ranges::fill(xx_, 0.0);
  std::ranges::fill(yy_, 0.0);
  std::ranges::fill(xy_, 0.0);
  products_.clear();
  units_.clear();
}

template <class T>
array<std::complex<double>, 1> csd(std::span<const T> x, std::span<const T> y,
                                   const welch_options& options) {
  return cross_parts::of_whole(x, y, options).cross_spectrum();
}

template <class T>
array<double, 1> coherence(std::span<const T> x, std::span<const T> y,
                           const welch_options& options) {
  return cross_parts::of_whole(x, y, options).coherence();
}

template <class T>
array<std::complex<double>, 1> transfer_function(std::span<const T> x, std::span<const T> y,
                                                 const welch_options& options,
                                                 transfer_estimator estimator) {
  return cross_parts::of_whole(x, y, options).transfer_function(estimator);
}

template class cross_spectrum_stream<float>;
template class cross_spectrum_stream<double>;
template PAPILIO_API array<std::complex<double>, 1> csd(std::span<const float>,
                                                        std::span<const float>,
                                                        const welch_options&);
template PAPILIO_API array<std::complex<double>, 1> csd(std::span<const double>,
                                                        std::span<const double>,
                                                        const welch_options&);
template PAPILIO_API array<double, 1> coherence(std::span<const float>, std::span<const float>,
                                                const welch_options&);
template PAPILIO_API array<double, 1> coherence(std::span<const double>, std::span<const double>,
                                                const welch_options&);
template PAPILIO_API array<std::complex<double>, 1> transfer_function(std::span<const float>,
                                                                      std::span<const float>,
                                                                      const welch_options&,
                                                                      transfer_estimator);
template PAPILIO_API array<std::complex<double>, 1> transfer_function(std::span<const double>,
                                                                      std::span<const double>,
                                                                      const welch_options&,
                                                                      transfer_estimator);

}  // namespace papilio

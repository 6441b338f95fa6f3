#include "papilio/signal/filters.hpp"

#include <cmath>

#include "papilio/fft/rfft_plan.hpp"

namespace papilio {
namespace {
namespace hilbert_steps {

/// Computes the Hilbert transform: each bin of half the spectrum times -i, which is 0 at 0 Hz and, for
/// even lengths, at half the rate.
template <class T>
array<T, 1> hilbert_transform(std::span<const T> signal) {
  const std::size_t n = signal.size();
  array<T, 1> out(n);
  const rfft_plan<T> plan(n);
  array<std::complex<T>, 1> bins(plan.bins());
  plan.forward(signal, bins.flat());
  for (std::complex<T>& x : bins) x = {x.imag(), -x.real()};
  bins[0] = 0;
  if (n % 2 == 0) bins[n / 2] = 0;
  plan.inverse(bins.flat(), out.flat());
  return out;
}

}  // namespace hilbert_steps
}  // namespace

template <class T>
array<std::complex<T>, 1> hilbert(std::span<const T> signal) {
  array<std::complex<T>, 1> out(signal.size());
  if (signal.empty()) return out;
  const array<T, 1> imaginary = hilbert_steps::hilbert_transform(signal);
  for (std::size_t i = 0; i < signal.size(); ++i) out[i] = {signal[i], imaginary[i]};
  return out;
}

template <class T>
array<T, 1> hilbert_envelope(std::span<const T> signal) {
  if (signal.empty()) return array<T, 1>(0);
  array<T, 1> out = hilbert_steps::hilbert_transform(signal);
  for (std::size_t i = 0; i < signal.size(); ++i) out[i] = std::hypot(signal[i], out[i]);
  return out;
}

template PAPILIO_API array<std::complex<float>, 1> hilbert(std::span<const float>);
template PAPILIO_API array<std::complex<double>, 1> hilbert(std::span<const double>);
template PAPILIO_API array<float, 1> hilbert_envelope(std::span<const float>);
template PAPILIO_API array<double, 1> hilbert_envelope(std::span<const double>);

}  // namespace papilio

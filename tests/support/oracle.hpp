#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace papilio::test {

using exact = std::complex<long double>;

/// The definition of the DFT, O(n^2), in long double: sign -1 is forward, +1 inverse; unscaled.
std::vector<exact> dft(std::span<const exact> x, int sign);

/// n normally distributed numbers, the same for the same seed.
template <class T>
std::vector<std::complex<T>> random_complex(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<T> normal;
  std::vector<std::complex<T>> x(n);
  for (auto& v : x) {
    const T re = normal(generator);
    v = {re, normal(generator)};
  }
  return x;
}
template <class T>
std::vector<T> random_real(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<T> normal;
  std::vector<T> x(n);
  for (auto& v : x) v = normal(generator);
  return x;
}

template <class T>
std::vector<exact> widened(std::span<const std::complex<T>> x) {
  return {x.begin(), x.end()};
}
template <class T>
std::vector<exact> widened(std::span<const T> x) {
  return {x.begin(), x.end()};
}

/// |got - expected| / |expected| in the Euclidean norm; infinity if anything is not finite.
template <class Got>
double relative_error(const Got& got, std::span<const exact> expected) {
  long double error = 0, norm = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    error += std::norm(exact(got[k]) - expected[k]);
    norm += std::norm(expected[k]);
  }
  if (got.size() != expected.size() || !std::isfinite(error))
    return std::numeric_limits<double>::infinity();
  return norm == 0 ? static_cast<double>(std::sqrt(error))
                   : static_cast<double>(std::sqrt(error / norm));
}

/// Error model of an FFT: the rounding errors of log2(n) stages, about 0.3 epsilon of the norm
/// each, add up in quadrature; a convolution runs twice the stages at twice the length, which makes
/// about 0.6 epsilon sqrt(log2 2n). For single inputs, of few points too, twice that.
template <class T>
double fft_tolerance(std::size_t n) {
  return 1.2 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
         std::sqrt(std::log2(2 * static_cast<double>(n)));
}

}  // namespace papilio::test

// The loops of pointwise.hpp for long double, one lane.
#include "fft/pointwise.hpp"

#include <algorithm>
#include <complex>

namespace papilio::fft_detail {
namespace {

using real = long double;

template <bool Swap>
std::complex<real> load(const real* p) {
  return {p[Swap], p[!Swap]};
}
template <bool Swap>
void store(std::complex<real> v, real* p) {
  p[Swap] = v.real();
  p[!Swap] = v.imag();
}
// Multiplies without the care that std::complex's product takes for infinities.
std::complex<real> product(std::complex<real> a, std::complex<real> w) {
  return {a.real() * w.real() - a.imag() * w.imag(), a.real() * w.imag() + a.imag() * w.real()};
}

void multiply(std::size_t n, const real* a_re, const real* a_im, const real* w_re, const real* w_im,
              real* out_re, real* out_im) {
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<real> y = product({a_re[k], a_im[k]}, {w_re[k], w_im[k]});
    out_re[k] = y.real();
    out_im[k] = y.imag();
  }
}
template <bool Swap>
void multiply_in(std::size_t n, const real* a, const real* w_re, const real* w_im, real* out_re,
                 real* out_im) {
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<real> y = product(load<Swap>(a + 2 * k), {w_re[k], w_im[k]});
    out_re[k] = y.real();
    out_im[k] = y.imag();
  }
}
template <bool Swap>
void multiply_out(std::size_t n, const real* a_re, const real* a_im, const real* w_re,
                  const real* w_im, real* out) {
  for (std::size_t k = 0; k < n; ++k)
    store<Swap>(product({a_re[k], a_im[k]}, {w_re[k], w_im[k]}), out + 2 * k);
}

void stream_copy(std::size_t n, const real* from, real* to) { std::copy_n(from, n, to); }

void end_streams() {}

void untangle(std::size_t h, const real* w_re, const real* w_im, real* data, std::size_t first,
              std::size_t last) {
  if (first == 0) {
    const real re = data[0], im = data[1];
    store<false>({re + im, 0}, data);
    store<false>({re - im, 0}, data + 2 * h);
    first = 1;
  }
  // The bin h/2 is its own mirror: X = conj Z.
  if (h % 2 == 0 && last > h / 2) data[h + 1] = -data[h + 1];
  for (std::size_t k = first; k < std::min(last, (h + 1) / 2); ++k) {
    const auto a = load<false>(data + 2 * k), b = std::conj(load<false>(data + 2 * (h - k)));
    const auto even = (a + b) * 0.5L, odd = product(a - b, {w_re[k], w_im[k]});
    store<false>(even + odd, data + 2 * k);
    store<false>(std::conj(even - odd), data + 2 * (h - k));
  }
}

void entangle(std::size_t h, const real* w_re, const real* w_im, const real* bins, real* data) {
  const real first = bins[0], last = bins[2 * h];
  store<false>({first + last, first - last}, data);
  for (std::size_t k = 1; 2 * k < h; ++k) {
    const auto a = load<false>(bins + 2 * k), b = std::conj(load<false>(bins + 2 * (h - k)));
    const auto even = a + b, odd = product(a - b, {2 * w_re[k], -2 * w_im[k]});
    store<false>(even + odd, data + 2 * k);
    store<false>(std::conj(even - odd), data + 2 * (h - k));
  }
  if (h % 2 == 0) {
    data[h] = 2 * bins[h];
    data[h + 1] = -2 * bins[h + 1];
  }
}

constexpr pointwise_kernels<real> kernels = {1,
                                             multiply,
                                             {multiply_in<false>, multiply_in<true>},
                                             {multiply_out<false>, multiply_out<true>},
                                             stream_copy,
                                             end_streams,
                                             untangle,
                                             entangle};

}  // namespace

template <>
const pointwise_kernels<long double>& find_pointwise_kernels<long double>() {
  return kernels;
}

}  // namespace papilio::fft_detail

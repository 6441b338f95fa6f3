// Rader: for a prime p the indices 1 ... p-1 are the powers of a generator g, whose products are
// sums of exponents, so that the DFT without its zeroth row and column is a cyclic convolution:
//   X[g^-q] = x[0] + sum_m x[g^m] W^(g^-(q-m)),   0 <= q, m < p - 1,   W = exp(-2 pi i / p),
//   X[0] = x[0] + sum_m x[g^m].
// The convolution is done by transforms A, B of x[g^m] and of W^(g^-m) / (p - 1); the second
// transform runs forward too, which leaves X[g^r] at r: input and output share one permutation.
#include "fft/rader.hpp"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "fft/convolution.hpp"
#include "fft/design.hpp"
#include "fft/prime.hpp"
#include "fft/stockham.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

std::optional<recipe> design_rader(std::size_t n, bool lanes) {
  if (n < 3 || n > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  if (!design_stockham(n - 1, 8) || !is_prime(static_cast<std::uint32_t>(n))) return std::nullopt;
  return recipe{recipe_kind::rader, n, {}, {split_design(n - 1, lanes)}};
}

// A gather and a scatter, one element at a time, a product, and the four calls, which count where n
// is small.
double rader_cost(const recipe& r) {
  return 2 * cost(r.parts[0]) + 12 * static_cast<double>(r.n) + 1200;
}

namespace {

// The powers of a generator of p.
std::vector<std::uint32_t> powers_of(std::size_t p) {
  const std::uint32_t g = primitive_root(static_cast<std::uint32_t>(p));
  std::vector<std::uint32_t> powers(p - 1);
  std::uint64_t power = 1;
  for (std::uint32_t& at : powers) {
    at = static_cast<std::uint32_t>(power);
    power = power * g % p;
  }
  return powers;
}

// Computed in filter_real and rounded once. g^-m is g^(p - 1 - m). Two identities take most of
// the transform's error away: B[-k] = (-1)^k conj B[k], since g^((p-1)/2) = -1, and, of Gauss,
// |B[k]| = sqrt p but for B[0] = -1, before the division by p - 1.
template <class T>
array<T, 1> filter_of(std::span<const std::uint32_t> powers, long double scale) {
  using real = filter_real<T>;
  const std::size_t length = powers.size(), p = length + 1;
  array<real, 1> line(2 * length);
  const roots_of_unity<real> root(p);
  for (std::size_t m = 0; m < length; ++m) {
    const std::complex<real> w = root(powers[m == 0 ? 0 : length - m]);
    line[2 * m] = w.real();
    line[2 * m + 1] = w.imag();
  }
  const auto transform =
      build<real>(filter_design(length, has_lanes<real>()), direction::forward, 1);
  array<real, 1> scratch(transform->scratch_reals(), uninitialized);
  transform->execute(line.data(), line.data(), scratch.data());
  array<T, 1> filter(2 * length);
  const auto factor = static_cast<real>(scale / static_cast<long double>(length));
  const real modulus = std::sqrt(static_cast<real>(p));
  filter[0] = static_cast<T>(-factor);
  for (std::size_t k = 1; k < length; ++k) {
    const std::complex<real> here(line[2 * k], line[2 * k + 1]);
    const std::size_t mirror = 2 * (length - k);
    const std::complex<real> there(line[mirror], -line[mirror + 1]);
    const std::complex<real> twice = k % 2 == 0 ? here + there : here - there;
    const real correction = modulus / std::abs(twice) * factor;
    filter[k] = static_cast<T>(twice.real() * correction);
    filter[length + k] = static_cast<T>(twice.imag() * correction);
  }
  return filter;
}

template <class T>
class rader final : public executable<T> {
 public:
  rader(const recipe& r, direction dir, long double scale) : rader(r, dir, scale, powers_of(r.n)) {}

  void execute(const T* in, T* out, T* scratch, int threads) const override {
    swap_ ? run<2>(in + 1, in, out + 1, out, scratch, threads)
          : run<2>(in, in + 1, out, out + 1, scratch, threads);
  }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    execute_split_parallel(in_re, in_im, out_re, out_im, scratch, 1);
  }
  void execute_split_parallel(const T* in_re, const T* in_im, T* out_re, T* out_im, T* scratch,
                              int threads) const override {
    swap_ ? run<1>(in_im, in_re, out_im, out_re, scratch, threads)
          : run<1>(in_re, in_im, out_re, out_im, scratch, threads);
  }

 private:
  rader(const recipe& r, direction dir, long double scale, const std::vector<std::uint32_t>& powers)
      : rader(dir, scale, {r.parts[0], direction::forward, filter_of<T>(powers, scale)}, powers) {}
  rader(direction dir, long double scale, convolution<T> convolved,
        const std::vector<std::uint32_t>& powers)
      : executable<T>(convolved.scratch_reals()),
        swap_(dir == direction::inverse),
        scale_(static_cast<T>(scale)),
        convolution_(std::move(convolved)),
        powers_(powers) {}

  // Step is 2 for interleaved operands, 1 for split ones. Everything is read before anything is
  // written. x[0] enters every output through the zeroth term of the product.
  template <std::size_t Step>
  void run(const T* in_re, const T* in_im, T* out_re, T* out_im, T* scratch, int threads) const {
    const std::uint32_t* const powers = powers_.data();
    const std::complex<T> x0(in_re[0] * scale_, in_im[0] * scale_);
    const std::complex<T> sum = convolution_.run(
        scratch, threads, x0,
        [&](std::size_t m, std::size_t count, T* re, T* im) {
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = Step * std::size_t{powers[m + i]};
            re[i] = in_re[at];
            im[i] = in_im[at];
          }
        },
        [&](std::size_t m, std::size_t count, const T* re, const T* im) {
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = Step * std::size_t{powers[m + i]};
            out_re[at] = re[i];
            out_im[at] = im[i];
          }
        });
    out_re[0] = x0.real() + sum.real() * scale_;
    out_im[0] = x0.imag() + sum.imag() * scale_;
  }

  bool swap_;
  T scale_;
  convolution<T> convolution_;
  std::vector<std::uint32_t> powers_;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_rader(const recipe& r, direction dir,
                                                 long double scale) {
  return std::make_unique<rader<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_rader(const recipe&, direction,
                                                              long double);
template std::unique_ptr<const executable<double>> build_rader(const recipe&, direction,
                                                               long double);
template std::unique_ptr<const executable<long double>> build_rader(const recipe&, direction,
                                                                    long double);

}  // namespace papilio::fft_detail

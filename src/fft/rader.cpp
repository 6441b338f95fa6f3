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
#include <utility>

#include "base/roots_of_unity.hpp"
#include "fft/blocks.hpp"
#include "fft/design.hpp"
#include "fft/pointwise.hpp"
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

template <class T>
class rader final : public executable<T> {
 public:
  rader(const recipe& r, direction dir, long double scale)
      : rader(r, dir, scale, build<T>(r.parts[0], direction::forward, 1)) {}

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
  rader(const recipe& r, direction dir, long double scale,
        std::unique_ptr<const executable<T>> child)
      : executable<T>(
            checked_add(2 * pitch(r.parts[0].n), child->scratch_reals(), "fft_plan: scratch")),
        length_(r.parts[0].n),
        pitch_(pitch(length_)),
        swap_(dir == direction::inverse),
        shares_(r.parts[0].kind == recipe_kind::four_step ||
                r.parts[0].kind == recipe_kind::bluestein),
        scale_(static_cast<T>(scale)),
        child_(std::move(child)),
        powers_(length_),
        filter_(2 * length_) {
    const std::uint32_t g = primitive_root(static_cast<std::uint32_t>(r.n));
    std::uint64_t power = 1;
    for (std::size_t m = 0; m < length_; ++m) {
      powers_[m] = static_cast<std::uint32_t>(power);
      power = power * g % r.n;
    }
    fill_filter(r, scale);
  }

  static std::size_t pitch(std::size_t length) {
    return checked_add(length, 128 / sizeof(T), "fft_plan: scratch");
  }

  // Computed in filter_real and rounded once. g^-m is g^(length - m). Two identities take most of
  // the transform's error away: B[-k] = (-1)^k conj B[k], since g^(length/2) = -1, and, of Gauss,
  // |B[k]| = sqrt p but for B[0] = -1, before the division by length.
  void fill_filter(const recipe& r, long double scale) {
    using real = filter_real<T>;
    array<real, 1> line(2 * length_);
    const roots_of_unity<real> root(r.n);
    for (std::size_t m = 0; m < length_; ++m) {
      const std::complex<real> w = root(powers_[m == 0 ? 0 : length_ - m]);
      line[2 * m] = w.real();
      line[2 * m + 1] = w.imag();
    }
    const auto transform =
        build<real>(filter_design(length_, has_lanes<real>()), direction::forward, 1);
    array<real, 1> scratch(transform->scratch_reals(), uninitialized);
    transform->execute(line.data(), line.data(), scratch.data());
    const auto factor = static_cast<real>(scale / static_cast<long double>(length_));
    const real modulus = std::sqrt(static_cast<real>(r.n));
    filter_[0] = static_cast<T>(-factor);
    for (std::size_t k = 1; k < length_; ++k) {
      const std::complex<real> here(line[2 * k], line[2 * k + 1]);
      const std::size_t mirror = 2 * (length_ - k);
      const std::complex<real> there(line[mirror], -line[mirror + 1]);
      const std::complex<real> twice = k % 2 == 0 ? here + there : here - there;
      const real correction = modulus / std::abs(twice) * factor;
      filter_[k] = static_cast<T>(twice.real() * correction);
      filter_[length_ + k] = static_cast<T>(twice.imag() * correction);
    }
  }

  // Step is 2 for interleaved operands, 1 for split ones. Everything is read before anything is
  // written. x[0] enters every output through the zeroth term of the product.
  template <std::size_t Step>
  void run(const T* in_re, const T* in_im, T* out_re, T* out_im, T* scratch, int threads) const {
    if (!shares_) threads = 1;
    T *const a_re = scratch, *const a_im = a_re + pitch_, *const rest = a_im + pitch_;
    const std::uint32_t* const powers = powers_.data();
    const T* const filter = filter_.data();
    const T x0_re = in_re[0] * scale_, x0_im = in_im[0] * scale_;
    for_each_range(length_, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t m = first; m < last; ++m) {
        const std::size_t at = Step * std::size_t{powers[m]};
        a_re[m] = in_re[at];
        a_im[m] = in_im[at];
      }
    });
    child_->execute_split_parallel(a_re, a_im, a_re, a_im, rest, threads);
    const T sum_re = a_re[0] * scale_, sum_im = a_im[0] * scale_;
    for_each_range(length_, threads, [&](std::size_t k, std::size_t last) {
      pointwise_.multiply(last - k, a_re + k, a_im + k, filter + k, filter + length_ + k, a_re + k,
                          a_im + k);
    });
    a_re[0] += x0_re;
    a_im[0] += x0_im;
    child_->execute_split_parallel(a_re, a_im, a_re, a_im, rest, threads);
    out_re[0] = x0_re + sum_re;
    out_im[0] = x0_im + sum_im;
    for_each_range(length_, threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t m = first; m < last; ++m) {
        const std::size_t at = Step * std::size_t{powers[m]};
        out_re[at] = a_re[m];
        out_im[at] = a_im[m];
      }
    });
  }

  std::size_t length_, pitch_;
  bool swap_;
  bool shares_;  // the child may share a line; else no thread is worth its start
  T scale_;
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
  std::unique_ptr<const executable<T>> child_;
  array<std::uint32_t, 1> powers_;
  array<T, 1> filter_;
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

// Bluestein: jk = (j^2 + k^2 - (k-j)^2) / 2 makes the DFT a convolution with a chirp:
//   X[k] = c[k] sum_j (x[j] c[j]) conj(c[k-j]),   c[k] = exp(-pi i k^2 / n),
// done cyclically in a smooth length m >= 2n - 1.
#include "fft/bluestein.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "fft/convolution.hpp"
#include "fft/design.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;

recipe design_bluestein(std::size_t n, bool lanes) {
  const std::size_t least = checked_multiply(n, std::size_t{2}, "fft_plan: n") - 1;
  recipe best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const std::size_t odd : {1, 3, 5, 9, 15}) {
    std::size_t m = odd * 8;
    while (m < least) m = checked_multiply(m, std::size_t{2}, "fft_plan: padded length");
    recipe part = split_design(m, lanes);
    if (const double c = cost(part); c < best_cost) {
      best_cost = c;
      best = {recipe_kind::bluestein, n, {}, {std::move(part)}};
    }
  }
  return best;
}

double bluestein_cost(const recipe& r) {
  // Two transforms, three products, and what the calls cost.
  return 2.2 * cost(r.parts[0]) + 7 * static_cast<double>(r.parts[0].n) + 800;
}

namespace {

// DFT of conj(c) wrapped to length m, over m: computed in filter_real and rounded once. The
// filter is even; the mean of its two halves has less of the transform's error than either.
template <class T>
array<T, 1> filter_of(std::span<const std::complex<filter_real<T>>> chirp, std::size_t m) {
  using real = filter_real<T>;
  const auto mirror = [m](std::size_t k) { return k == 0 ? 0 : m - k; };
  array<real, 1> line(2 * m);
  for (std::size_t k = 0; k < chirp.size(); ++k)
    for (const std::size_t at : {k, mirror(k)}) {
      line[2 * at] = chirp[k].real();
      line[2 * at + 1] = -chirp[k].imag();
    }
  const auto transform = build<real>(filter_design(m, has_lanes<real>()), direction::forward, 1);
  array<real, 1> scratch(transform->scratch_reals(), uninitialized);
  transform->execute(line.data(), line.data(), scratch.data());
  array<T, 1> filter(2 * m, uninitialized);
  const real twice = 2 * static_cast<real>(m);
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t other = mirror(k);
    filter[k] = static_cast<T>((line[2 * k] + line[2 * other]) / twice);
    filter[m + k] = static_cast<T>((line[2 * k + 1] + line[2 * other + 1]) / twice);
  }
  return filter;
}

// The chirp's angle is reduced in integers: k^2 mod 2n, built up by differences.
template <class Real>
std::vector<std::complex<Real>> chirp_of(std::size_t n) {
  const roots_of_unity<Real> root(2 * n);
  std::vector<std::complex<Real>> chirp;
  chirp.reserve(n);
  std::size_t square = 0;
  for (std::size_t k = 0; k < n; ++k) {
    chirp.push_back(root(square));
    square += 2 * k + 1;
    if (square >= 2 * n) square -= 2 * n;
  }
  return chirp;
}

template <class T>
class bluestein final : public executable<T> {
 public:
  bluestein(const recipe& r, direction dir, long double scale)
      : bluestein(r, dir, scale, chirp_of<filter_real<T>>(r.n)) {}

  void execute(const T* in, T* out, T* scratch, int threads) const override {
    convolve(
        scratch, threads,
        [&](std::size_t k, std::size_t count, T* re, T* im) {
          pointwise_.multiply_in[swap_](count, in + 2 * k, chirp_re() + k, chirp_im() + k, re, im);
        },
        [&](std::size_t k, std::size_t count, const T* re, const T* im) {
          pointwise_.multiply_out[swap_](count, re, im, last_chirp_re() + k, last_chirp_im() + k,
                                         out + 2 * k);
        });
  }

  void execute_split(const T* in_re, const T* in_im, T* out_re, T* out_im,
                     T* scratch) const override {
    execute_split_parallel(in_re, in_im, out_re, out_im, scratch, 1);
  }
  void execute_split_parallel(const T* in_re, const T* in_im, T* out_re, T* out_im, T* scratch,
                              int threads) const override {
    if (swap_) {
      std::swap(in_re, in_im);
      std::swap(out_re, out_im);
    }
    convolve(
        scratch, threads,
        [&](std::size_t k, std::size_t count, T* re, T* im) {
          pointwise_.multiply(count, in_re + k, in_im + k, chirp_re() + k, chirp_im() + k, re, im);
        },
        [&](std::size_t k, std::size_t count, const T* re, const T* im) {
          pointwise_.multiply(count, re, im, last_chirp_re() + k, last_chirp_im() + k, out_re + k,
                              out_im + k);
        });
  }

 private:
  using chirp = std::vector<std::complex<filter_real<T>>>;

  bluestein(const recipe& r, direction dir, long double scale, const chirp& c)
      : bluestein(r.n, dir, scale, c,
                  {r.parts[0], direction::inverse, filter_of<T>(c, r.parts[0].n)}) {}
  bluestein(std::size_t n, direction dir, long double scale, const chirp& c,
            convolution<T> convolved)
      : executable<T>(convolved.scratch_reals()),
        n_(n),
        swap_(dir == direction::inverse),
        convolution_(std::move(convolved)),
        chirp_(4 * n, uninitialized) {
    T* const to = chirp_.data();
    const auto factor = static_cast<filter_real<T>>(scale);
    for (std::size_t k = 0; k < n_; ++k) {
      to[k] = static_cast<T>(c[k].real());
      to[n_ + k] = static_cast<T>(c[k].imag());
      to[2 * n_ + k] = static_cast<T>(c[k].real() * factor);
      to[3 * n_ + k] = static_cast<T>(c[k].imag() * factor);
    }
  }

  // load and store, of elements of x c and of the result times c, are given the first n.
  template <class Load, class Store>
  void convolve(T* scratch, int threads, const Load& load, const Store& store) const {
    convolution_.run(
        scratch, threads, 0,
        [&](std::size_t k, std::size_t count, T* re, T* im) {
          const std::size_t some = std::clamp(n_, k, k + count) - k;
          if (some > 0) load(k, some, re, im);
          std::fill(re + some, re + count, T(0));
          std::fill(im + some, im + count, T(0));
        },
        [&](std::size_t k, std::size_t count, const T* re, const T* im) {
          if (k < n_) store(k, std::min(count, n_ - k), re, im);
        });
  }

  const T* chirp_re() const { return chirp_.data(); }
  const T* chirp_im() const { return chirp_.data() + n_; }
  const T* last_chirp_re() const { return chirp_.data() + 2 * n_; }
  const T* last_chirp_im() const { return chirp_.data() + 3 * n_; }

  std::size_t n_;
  bool swap_;
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
  convolution<T> convolution_;
  array<T, 1> chirp_;
};

}  // namespace

template <class T>
std::unique_ptr<const executable<T>> build_bluestein(const recipe& r, direction dir,
                                                     long double scale) {
  return std::make_unique<bluestein<T>>(r, dir, scale);
}

template std::unique_ptr<const executable<float>> build_bluestein(const recipe&, direction,
                                                                  long double);
template std::unique_ptr<const executable<double>> build_bluestein(const recipe&, direction,
                                                                   long double);
template std::unique_ptr<const executable<long double>> build_bluestein(const recipe&, direction,
                                                                        long double);

}  // namespace papilio::fft_detail

// Bluestein: jk = (j^2 + k^2 - (k-j)^2) / 2 makes the DFT a convolution with a chirp:
//   X[k] = c[k] sum_j (x[j] c[j]) conj(c[k-j]),   c[k] = exp(-pi i k^2 / n),
// done cyclically in a smooth length m >= 2n - 1.
#include "fft/bluestein.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "fft/blocks.hpp"
#include "fft/design.hpp"
#include "fft/pointwise.hpp"
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

template <class T>
class bluestein final : public executable<T> {
 public:
  bluestein(const recipe& r, direction dir, long double scale)
      : bluestein(r, dir, scale, build<T>(r.parts[0], direction::forward, 1)) {}

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
  bluestein(const recipe& r, direction dir, long double scale,
            std::unique_ptr<const executable<T>> child)
      : executable<T>(
            checked_add(4 * pitch(r.parts[0].n), child->scratch_reals(), "fft_plan: scratch")),
        n_(r.n),
        m_(r.parts[0].n),
        pitch_(pitch(m_)),
        swap_(dir == direction::inverse),
        shares_(r.parts[0].kind == recipe_kind::four_step),
        child_(std::move(child)),
        tables_(4 * r.n + 2 * m_, uninitialized) {
    const auto chirp = chirp_of(n_);
    fill_chirp(chirp, scale);
    fill_filter(chirp);
  }

  static std::size_t pitch(std::size_t m) {
    return checked_add(m, 128 / sizeof(T), "fft_plan: scratch");
  }

  using real = filter_real<T>;

  // The chirp's angle is reduced in integers: k^2 mod 2n, built up by differences.
  static std::vector<std::complex<real>> chirp_of(std::size_t n) {
    const roots_of_unity<real> root(2 * n);
    std::vector<std::complex<real>> chirp;
    chirp.reserve(n);
    std::size_t square = 0;
    for (std::size_t k = 0; k < n; ++k) {
      chirp.push_back(root(square));
      square += 2 * k + 1;
      if (square >= 2 * n) square -= 2 * n;
    }
    return chirp;
  }

  void fill_chirp(const std::vector<std::complex<real>>& chirp, long double scale) {
    T* const c = tables_.data();
    const auto factor = static_cast<real>(scale);
    for (std::size_t k = 0; k < n_; ++k) {
      c[k] = static_cast<T>(chirp[k].real());
      c[n_ + k] = static_cast<T>(chirp[k].imag());
      c[2 * n_ + k] = static_cast<T>(chirp[k].real() * factor);
      c[3 * n_ + k] = static_cast<T>(chirp[k].imag() * factor);
    }
  }

  std::size_t mirror(std::size_t k) const { return k == 0 ? 0 : m_ - k; }

  // DFT of conj(c) wrapped to length m, over m: computed in filter_real and rounded once. The
  // filter is even; the mean of its two halves has less of the transform's error than either.
  void fill_filter(const std::vector<std::complex<real>>& chirp) {
    array<real, 1> line(2 * m_);
    for (std::size_t k = 0; k < n_; ++k)
      for (const std::size_t at : {k, mirror(k)}) {
        line[2 * at] = chirp[k].real();
        line[2 * at + 1] = -chirp[k].imag();
      }
    const auto transform = build<real>(filter_design(m_, has_lanes<real>()), direction::forward, 1);
    array<real, 1> scratch(transform->scratch_reals(), uninitialized);
    transform->execute(line.data(), line.data(), scratch.data());
    T* const filter = tables_.data() + 4 * n_;
    const real twice = 2 * static_cast<real>(m_);
    for (std::size_t k = 0; k < m_; ++k) {
      const std::size_t other = mirror(k);
      filter[k] = static_cast<T>((line[2 * k] + line[2 * other]) / twice);
      filter[m_ + k] = static_cast<T>((line[2 * k + 1] + line[2 * other + 1]) / twice);
    }
  }

  // Cyclic convolution with the filter of what load(k, count, re, im) leaves: elements k to k +
  // count of x c. store(k, count, re, im) is given those of the result. The inverse transform is
  // the forward one with re and im exchanged on both sides.
  template <class Load, class Store>
  void convolve(T* scratch, int threads, const Load& load, const Store& store) const {
    if (!shares_) threads = 1;
    T *const a_re = scratch, *const a_im = a_re + pitch_;
    T *const b_re = a_im + pitch_, *const b_im = b_re + pitch_, *const rest = b_im + pitch_;
    for_each_range(m_, threads, [&](std::size_t k, std::size_t last) {
      const std::size_t end = std::clamp(n_, k, last);
      if (k < end) load(k, end - k, a_re + k, a_im + k);
      std::fill(a_re + end, a_re + last, T(0));
      std::fill(a_im + end, a_im + last, T(0));
    });
    child_->execute_split_parallel(a_re, a_im, b_re, b_im, rest, threads);
    const T* const filter = tables_.data() + 4 * n_;
    for_each_range(m_, threads, [&](std::size_t k, std::size_t last) {
      pointwise_.multiply(last - k, b_re + k, b_im + k, filter + k, filter + m_ + k, b_re + k,
                          b_im + k);
    });
    child_->execute_split_parallel(b_im, b_re, a_im, a_re, rest, threads);
    for_each_range(n_, threads, [&](std::size_t k, std::size_t last) {
      store(k, last - k, a_re + k, a_im + k);
    });
  }

  const T* chirp_re() const { return tables_.data(); }
  const T* chirp_im() const { return tables_.data() + n_; }
  const T* last_chirp_re() const { return tables_.data() + 2 * n_; }
  const T* last_chirp_im() const { return tables_.data() + 3 * n_; }

  std::size_t n_, m_, pitch_;
  bool swap_;
  bool shares_;  // the child shares a line; else no thread is worth its start
  const pointwise_kernels<T>& pointwise_ = find_pointwise_kernels<T>();
  std::unique_ptr<const executable<T>> child_;
  array<T, 1> tables_;
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

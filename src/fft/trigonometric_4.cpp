// Type 4. Sines are cosines of other signs and order: dst4(x)[k] = (-1)^k dct4(x[n-1-j])[k].
#include <algorithm>
#include <numbers>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "fft/line.hpp"
#include "fft/trigonometric.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

// n even: with W = exp(-i pi / 8n) and the n/2 complex numbers z[j] = x[2j] + i x[n-1-2j],
//   S[k] = W^(8k+1) sum_j W^(8j+1) z[j] exp(-2 pi i j k / (n/2)),
//   dct4(x)[2k] = 2 Re S[k],   dct4(x)[n-1-2k] = -2 Im S[k],
// because (4j+1)(4k+1) / 4n = 4jk / n + (8j+1) / 8n + (8k+1) / 8n.
template <class T>
class type_4_even final : public trigonometric<T> {
 public:
  type_4_even(const trigonometric_problem& p, fft_plan<T> half)
      : trigonometric<T>(p.n + 2 * half.scratch_size()),
        n_(p.n),
        is_sine_(p.is_sine()),
        before_(p.n / 2),
        after_(p.n / 2),
        half_(std::move(half)) {
    const roots_of_unity<T> root(16 * n_);
    for (std::size_t j = 0; j < n_ / 2; ++j) {
      before_[j] = root(8 * j + 1);
      after_[j] = std::complex<T>(std::complex<long double>(before_[j]) * (2 * p.scale));
    }
  }

  void execute(const T* in, T* out, T* scratch) const override {
    const std::size_t count = n_ / 2, last = n_ - 1;
    auto* const z = reinterpret_cast<std::complex<T>*>(scratch);
    for (std::size_t j = 0; j < count; ++j) {
      const T a = in[is_sine_ ? last - 2 * j : 2 * j], b = in[is_sine_ ? 2 * j : last - 2 * j];
      const T w_re = before_[j].real(), w_im = before_[j].imag();
      z[j] = {a * w_re - b * w_im, a * w_im + b * w_re};
    }
    half_.execute({z, count}, {z, count}, {z + count, half_.scratch_size()});
    const T odd = is_sine_ ? T(1) : T(-1);  // n-1-2k is odd
    for (std::size_t k = 0; k < count; ++k) {
      const T re = z[k].real(), im = z[k].imag();
      const T w_re = after_[k].real(), w_im = after_[k].imag();
      out[2 * k] = re * w_re - im * w_im;
      out[last - 2 * k] = odd * (re * w_im + im * w_re);
    }
  }

 private:
  std::size_t n_;
  bool is_sine_;
  array<std::complex<T>, 1> before_, after_;
  fft_plan<T> half_;
};

// n odd: x[j] belongs to the odd number u = 2j+1 of cos(pi u v / 4n), y[k] to v = 2k+1. Let f be x
// continued by f(-u) = f(u), f(u + 4n) = -f(u), which leaves f(u) cos(pi u v / 4n) as it is under
// both. One representative of each pair u, -u modulo 4n is n + 4m, 0 <= m < n, and
//   cos(pi (n + 4m)(n + 4l) / 4n) = (-1)^(m+l) cos(pi n / 4 + 2 pi m 2l / n),
// a real DFT without twiddles: with G = DFT of (-1)^m f(n + 4m) and s = sqrt(1/2),
//   y(n + 4l) = 2 (-1)^l s (+-Re G[2l] +- Im G[2l]), the signs of cos and sin(pi n / 4).
template <class T>
class type_4_odd final : public trigonometric<T> {
 public:
  type_4_odd(const trigonometric_problem& p, rfft_plan<T> line)
      : trigonometric<T>(2 * line.bins() + 2 * line.scratch_size()),
        n_(p.n),
        is_sine_(p.is_sine()),
        scale_(static_cast<T>(p.scale * std::numbers::sqrt2_v<long double>)),
        line_(std::move(line)) {}

  void execute(const T* in, T* out, T* scratch) const override {
    for (std::size_t m = 0; m < n_; ++m) {
      const place p = representative(m);
      const T x = in[is_sine_ ? n_ - 1 - p.index : p.index];
      scratch[m] = p.is_negative ? -x : x;
    }
    auto* const bins = reinterpret_cast<std::complex<T>*>(scratch);
    line_.forward({scratch, n_}, {bins, line_.bins()}, {bins + line_.bins(), line_.scratch_size()});
    const std::size_t octant = n_ % 8;  // of pi n / 4: 1, 3, 5 or 7
    const T c = octant == 1 || octant == 7 ? scale_ : -scale_;
    const T s = octant < 4 ? scale_ : -scale_;
    for (std::size_t l = 0; l < n_; ++l) {
      const place p = representative(l);
      const std::size_t bin = 2 * l % n_;  // those above n/2 are conjugates
      const T re = bins[std::min(bin, n_ - bin)].real();
      const T im = bin <= n_ / 2 ? bins[bin].imag() : -bins[n_ - bin].imag();
      const bool is_negative = p.is_negative != (is_sine_ && p.index % 2 == 1);
      const T y = c * re + s * im;
      out[p.index] = is_negative ? -y : y;
    }
  }

 private:
  // (-1)^m f(n + 4m) is x[index], or its negative.
  struct place {
    std::size_t index;
    bool is_negative;
  };
  place representative(std::size_t m) const {
    const bool odd = m % 2 == 1;
    const std::size_t u = n_ + 4 * m;  // below 5n
    if (u < 2 * n_) return {u / 2, odd};
    if (u < 4 * n_) return {(4 * n_ - u) / 2, !odd};
    return {(u - 4 * n_) / 2, !odd};
  }

  std::size_t n_;
  bool is_sine_;
  T scale_;
  rfft_plan<T> line_;
};

}  // namespace

template <class T>
trigonometric_ptr<T> build_type_4_even(const trigonometric_problem& p, fft_plan<T> half) {
  return std::make_unique<const type_4_even<T>>(p, std::move(half));
}
template <class T>
trigonometric_ptr<T> build_type_4_odd(const trigonometric_problem& p, rfft_plan<T> line) {
  return std::make_unique<const type_4_odd<T>>(p, std::move(line));
}

template trigonometric_ptr<float> build_type_4_even(const trigonometric_problem&, fft_plan<float>);
template trigonometric_ptr<double> build_type_4_even(const trigonometric_problem&,
                                                     fft_plan<double>);
template trigonometric_ptr<long double> build_type_4_even(const trigonometric_problem&,
                                                          fft_plan<long double>);
template trigonometric_ptr<float> build_type_4_odd(const trigonometric_problem&, rfft_plan<float>);
template trigonometric_ptr<double> build_type_4_odd(const trigonometric_problem&,
                                                    rfft_plan<double>);
template trigonometric_ptr<long double> build_type_4_odd(const trigonometric_problem&,
                                                         rfft_plan<long double>);

}  // namespace papilio::fft_detail

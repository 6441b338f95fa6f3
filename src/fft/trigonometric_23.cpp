// Types 2 and 3 by one real transform of the same length (Makhoul 1980). With the even-numbered
// elements in front and the odd-numbered ones behind them in reverse,
//   v[j] = x[2j], v[n-1-j] = x[2j+1],   V = DFT v,   Z[k] = exp(-i pi k / 2n) V[k],
// the cosine transform is dct2(x)[k] = 2 Re Z[k], dct2(x)[n-k] = -2 Im Z[k]; type 3 goes the same
// way back. Sines are cosines of other signs and order:
//   dst2(x)[k] = dct2((-1)^j x[j])[n-1-k],   dst3(x)[k] = (-1)^k dct3(x[n-1-j])[k].
#include <numbers>
#include <utility>

#include "base/roots_of_unity.hpp"
#include "fft/line.hpp"
#include "fft/trigonometric.hpp"

namespace papilio::fft_detail {

using base_detail::roots_of_unity;
namespace {

// factor exp(-i pi k / 2n), k = 0 ... n/2.
template <class T>
array<std::complex<T>, 1> quarter_twiddles(std::size_t n, long double factor) {
  array<std::complex<T>, 1> w(n / 2 + 1);
  const roots_of_unity<T> root(4 * n);
  for (std::size_t k = 0; k < w.size(); ++k) {
    const std::complex<long double> exact(root(k));
    w[k] = std::complex<T>(exact * factor);
  }
  return w;
}

template <class T>
class type_2 final : public trigonometric<T> {
 public:
  type_2(const trigonometric_problem& p, rfft_plan<T> line)
      : trigonometric<T>(2 * line.bins() + 2 * line.scratch_size()),
        n_(p.n),
        is_sine_(p.is_sine()),
        first_(static_cast<T>(p.orthogonal ? p.scale * std::numbers::sqrt2_v<long double>
                                           : 2 * p.scale)),
        twiddles_(quarter_twiddles<T>(p.n, 2 * p.scale)),
        line_(std::move(line)) {}

  void execute(const T* in, T* out, T* scratch) const override {
    const T odd = is_sine_ ? T(-1) : T(1);
    for (std::size_t j = 0; 2 * j < n_; ++j) scratch[j] = in[2 * j];
    for (std::size_t j = 0; 2 * j + 1 < n_; ++j) scratch[n_ - 1 - j] = odd * in[2 * j + 1];
    auto* const bins = reinterpret_cast<std::complex<T>*>(scratch);
    line_.forward({scratch, n_}, {bins, line_.bins()}, {bins + line_.bins(), line_.scratch_size()});
    const auto at = [&](std::size_t k) -> T& { return out[is_sine_ ? n_ - 1 - k : k]; };
    at(0) = first_ * bins[0].real();
    for (std::size_t k = 1; 2 * k <= n_; ++k) {
      const T re = bins[k].real(), im = bins[k].imag();
      const T w_re = twiddles_[k].real(), w_im = twiddles_[k].imag();
      at(n_ - k) = -(re * w_im + im * w_re);
      at(k) = re * w_re - im * w_im;
    }
  }

 private:
  std::size_t n_;
  bool is_sine_;
  T first_;
  array<std::complex<T>, 1> twiddles_;
  rfft_plan<T> line_;
};

template <class T>
class type_3 final : public trigonometric<T> {
 public:
  type_3(const trigonometric_problem& p, rfft_plan<T> line)
      : trigonometric<T>(2 * line.bins() + 2 * line.scratch_size()),
        n_(p.n),
        is_sine_(p.is_sine()),
        first_(
            static_cast<T>(p.orthogonal ? p.scale * std::numbers::sqrt2_v<long double> : p.scale)),
        twiddles_(quarter_twiddles<T>(p.n, p.scale)),
        line_(std::move(line)) {}

  // V[k] = conj W (a[k] - i a[n-k]), which are twice the bins of the sequence sought; the backward
  // transform without its 1/n makes 2n of them.
  void execute(const T* in, T* out, T* scratch) const override {
    const auto at = [&](std::size_t k) { return in[is_sine_ ? n_ - 1 - k : k]; };
    auto* const bins = reinterpret_cast<std::complex<T>*>(scratch);
    bins[0] = first_ * at(0);
    for (std::size_t k = 1; 2 * k <= n_; ++k) {
      const T a = at(k), b = at(n_ - k);
      const T w_re = twiddles_[k].real(), w_im = twiddles_[k].imag();
      bins[k] = {a * w_re - b * w_im, -(a * w_im + b * w_re)};
    }
    line_.inverse({bins, line_.bins()}, {scratch, n_}, {bins + line_.bins(), line_.scratch_size()});
    const T odd = is_sine_ ? T(-1) : T(1);
    for (std::size_t j = 0; 2 * j < n_; ++j) out[2 * j] = scratch[j];
    for (std::size_t j = 0; 2 * j + 1 < n_; ++j) out[2 * j + 1] = odd * scratch[n_ - 1 - j];
  }

 private:
  std::size_t n_;
  bool is_sine_;
  T first_;
  array<std::complex<T>, 1> twiddles_;
  rfft_plan<T> line_;
};

}  // namespace

template <class T>
trigonometric_ptr<T> build_type_2(const trigonometric_problem& p, rfft_plan<T> line) {
  return std::make_unique<const type_2<T>>(p, std::move(line));
}
template <class T>
trigonometric_ptr<T> build_type_3(const trigonometric_problem& p, rfft_plan<T> line) {
  return std::make_unique<const type_3<T>>(p, std::move(line));
}

template trigonometric_ptr<float> build_type_2(const trigonometric_problem&, rfft_plan<float>);
template trigonometric_ptr<double> build_type_2(const trigonometric_problem&, rfft_plan<double>);
template trigonometric_ptr<long double> build_type_2(const trigonometric_problem&,
                                                     rfft_plan<long double>);
template trigonometric_ptr<float> build_type_3(const trigonometric_problem&, rfft_plan<float>);
template trigonometric_ptr<double> build_type_3(const trigonometric_problem&, rfft_plan<double>);
template trigonometric_ptr<long double> build_type_3(const trigonometric_problem&,
                                                     rfft_plan<long double>);

}  // namespace papilio::fft_detail

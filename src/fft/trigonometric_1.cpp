// Type 1: n reals, continued evenly about both ends with period 2(n-1), or oddly about the places
// before and behind them with period 2(n+1), have a spectrum that is real, or imaginary: the
// transform, or minus it. (Shorter forms divide by sines of small angles and lose digits.)
#include <numbers>
#include <utility>

#include "fft/line.hpp"
#include "fft/trigonometric.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
class type_1 final : public trigonometric<T> {
 public:
  type_1(const trigonometric_problem& p, rfft_plan<T> whole)
      : trigonometric<T>(2 * whole.bins() + 2 * whole.scratch_size()),
        p_(p),
        scale_(static_cast<T>(p.scale)),
        whole_(std::move(whole)) {}

  void execute(const T* in, T* out, T* scratch) const override {
    const std::size_t period = whole_.size();
    p_.is_sine() ? continue_oddly(in, scratch, period) : continue_evenly(in, scratch, period);
    auto* const bins = reinterpret_cast<std::complex<T>*>(scratch);
    whole_.forward({scratch, period}, {bins, whole_.bins()},
                   {bins + whole_.bins(), whole_.scratch_size()});
    if (p_.is_sine()) {
      for (std::size_t k = 0; k < p_.n; ++k) out[k] = -scale_ * bins[k + 1].imag();
      return;
    }
    for (std::size_t k = 0; k < p_.n; ++k) out[k] = scale_ * bins[k].real();
    if (p_.orthogonal) {
      out[0] /= std::numbers::sqrt2_v<T>;
      out[p_.n - 1] /= std::numbers::sqrt2_v<T>;
    }
  }

 private:
  void continue_evenly(const T* in, T* x, std::size_t period) const {
    const std::size_t last = p_.n - 1;
    const T end = p_.orthogonal ? std::numbers::sqrt2_v<T> : T(1);
    x[0] = end * in[0];
    x[last] = end * in[last];
    for (std::size_t j = 1; j < last; ++j) x[j] = x[period - j] = in[j];
  }
  void continue_oddly(const T* in, T* x, std::size_t period) const {
    x[0] = x[p_.n + 1] = 0;
    for (std::size_t j = 0; j < p_.n; ++j) {
      x[j + 1] = in[j];
      x[period - j - 1] = -in[j];
    }
  }

  trigonometric_problem p_;
  T scale_;
  rfft_plan<T> whole_;
};

}  // namespace

template <class T>
trigonometric_ptr<T> build_type_1(const trigonometric_problem& p, rfft_plan<T> whole) {
  return std::make_unique<const type_1<T>>(p, std::move(whole));
}

template trigonometric_ptr<float> build_type_1(const trigonometric_problem&, rfft_plan<float>);
template trigonometric_ptr<double> build_type_1(const trigonometric_problem&, rfft_plan<double>);
template trigonometric_ptr<long double> build_type_1(const trigonometric_problem&,
                                                     rfft_plan<long double>);

}  // namespace papilio::fft_detail

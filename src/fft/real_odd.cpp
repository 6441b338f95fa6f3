// Odd n: a complex transform of length n with zero imaginary part, of which half is kept.
#include <algorithm>

#include "fft/executable.hpp"
#include "fft/real_transform.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
using odd_part = std::unique_ptr<const executable<T>>;

template <class T>
class real_odd final : public real_transform<T> {
 public:
  real_odd(const recipe& r, real_scales scales)
      : real_odd(r.n, build<T>(r.parts[0], direction::forward, scales.forward),
                 build<T>(r.parts[0], direction::inverse, scales.inverse), scales) {}

  void forward(const T* in, T* bins, T* scratch, int) const override {
    T *const zero = scratch, *const re = zero + n_, *const im = re + n_;
    std::fill_n(zero, n_, T(0));
    to_bins_->execute_split(in, zero, re, im, im + n_);
    for (std::size_t k = 0; k <= n_ / 2; ++k) {
      bins[2 * k] = re[k];
      bins[2 * k + 1] = im[k];
    }
    bins[0] *= forward_ends_;
    bins[1] = 0;
  }

  void inverse(const T* bins, T* out, T* scratch, int) const override {
    T *const re = scratch, *const im = re + n_, *const out_re = im + n_, *const rest = out_re + n_;
    re[0] = inverse_ends_ * bins[0];
    im[0] = 0;
    for (std::size_t k = 1; k <= n_ / 2; ++k) {
      re[k] = re[n_ - k] = bins[2 * k];
      im[k] = bins[2 * k + 1];
      im[n_ - k] = -bins[2 * k + 1];
    }
    from_bins_->execute_split(re, im, out_re, rest, rest + n_);
    std::copy_n(out_re, n_, out);
  }

 private:
  real_odd(std::size_t n, odd_part<T> to_bins, odd_part<T> from_bins, const real_scales& scales)
      : real_transform<T>(n,
                          4 * n + std::max(to_bins->scratch_reals(), from_bins->scratch_reals())),
        n_(n),
        to_bins_(std::move(to_bins)),
        from_bins_(std::move(from_bins)),
        forward_ends_(static_cast<T>(scales.forward_ends)),
        inverse_ends_(static_cast<T>(scales.inverse_ends)) {}

  std::size_t n_;
  odd_part<T> to_bins_, from_bins_;
  T forward_ends_, inverse_ends_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_odd(const recipe& r, real_scales scales) {
  return std::make_unique<real_odd<T>>(r, scales);
}

template std::unique_ptr<const real_transform<float>> build_real_odd(const recipe&, real_scales);
template std::unique_ptr<const real_transform<double>> build_real_odd(const recipe&, real_scales);
template std::unique_ptr<const real_transform<long double>> build_real_odd(const recipe&,
                                                                           real_scales);

}  // namespace papilio::fft_detail

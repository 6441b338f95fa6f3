// The adjoints of real transforms, from the transforms themselves. An inverse transform counts the
// bins 1 ... (n - 1) / 2 twice, for they stand for their mirror images, and the ends once:
//   adjoint of the inverse = twice the forward transform, but once at the ends;
//   adjoint of the forward = half the inverse transform, and half the ends' terms once more,
//     (g[0] + (-1)^j g[n/2]) / 2.
#include <algorithm>
#include <utility>

#include "fft/real_transform.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
class real_adjoint final : public real_transform<T> {
 public:
  real_adjoint(std::size_t n, std::unique_ptr<const real_transform<T>> doubled, T half_scale)
      : real_transform<T>(n, doubled->scratch_reals()),
        n_(n),
        half_scale_(half_scale),
        transform_(std::move(doubled)) {}

  void forward(const T* in, T* bins, T* scratch, int threads) const override {
    transform_->forward(in, bins, scratch, threads);
    halve_ends(bins);
  }

  void inverse(const T* bins, T* out, T* scratch, int threads) const override {
    const bool is_even = n_ % 2 == 0;
    const T first = half_scale_ * bins[0], last = is_even ? half_scale_ * bins[n_] : T(0);
    transform_->inverse(bins, out, scratch, threads);
    const T even = first + last, odd = first - last;
    for (std::size_t j = 0; j + 1 < n_; j += 2) {
      out[j] += even;
      out[j + 1] += odd;
    }
    if (!is_even) out[n_ - 1] += first;
  }

  void spectrum(const T* in, const T* window, spectrum_form form, T* out,
                T* scratch) const override {
    if (form != spectrum_form::complex)
      return real_transform<T>::spectrum(in, window, form, out, scratch);
    transform_->spectrum(in, window, form, out, scratch);
    halve_ends(out);
  }
  std::size_t spectrum_scratch_reals() const override {
    return std::max(real_transform<T>::spectrum_scratch_reals(),
                    transform_->spectrum_scratch_reals());
  }

 private:
  void halve_ends(T* bins) const {
    bins[0] *= T(0.5);
    if (n_ % 2 == 0) bins[n_] *= T(0.5);
  }

  std::size_t n_;
  T half_scale_;
  std::unique_ptr<const real_transform<T>> transform_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_adjoint(const recipe& r, real_scales scales) {
  const long double half = scales.inverse / 2;
  return std::make_unique<real_adjoint<T>>(r.n, build_real<T>(r, {2 * scales.forward, half}),
                                           static_cast<T>(half));
}

template std::unique_ptr<const real_transform<float>> build_real_adjoint(const recipe&,
                                                                         real_scales);
template std::unique_ptr<const real_transform<double>> build_real_adjoint(const recipe&,
                                                                          real_scales);
template std::unique_ptr<const real_transform<long double>> build_real_adjoint(const recipe&,
                                                                               real_scales);

}  // namespace papilio::fft_detail

// The adjoints of real transforms, from the transforms themselves. An inverse transform counts the
// bins 1 ... (n - 1) / 2 twice, for they stand for their mirror images, and the ends once:
//   adjoint of the inverse = twice the forward transform, but once at the ends;
//   adjoint of the forward = half the inverse transform, of bins with the ends doubled.
#include <algorithm>
#include <utility>

#include "fft/real_transform.hpp"

namespace papilio::fft_detail {
namespace {

template <class T>
class real_adjoint final : public real_transform<T> {
 public:
  real_adjoint(std::size_t n, std::unique_ptr<const real_transform<T>> other)
      : real_transform<T>(n, other->scratch_reals() + n + 2), n_(n), transform_(std::move(other)) {}

  void forward(const T* in, T* bins, T* scratch, int threads) const override {
    transform_->forward(in, bins, scratch, threads);
    scale_ends(bins, T(0.5));
  }

  void inverse(const T* bins, T* out, T* scratch, int threads) const override {
    T* const doubled = scratch + transform_->scratch_reals();
    std::copy_n(bins, n_ / 2 * 2 + 2, doubled);
    scale_ends(doubled, T(2));
    transform_->inverse(doubled, out, scratch, threads);
  }

  void spectrum(const T* in, const T* window, spectrum_form form, T* out,
                T* scratch) const override {
    if (form != spectrum_form::complex)
      return real_transform<T>::spectrum(in, window, form, out, scratch);
    transform_->spectrum(in, window, form, out, scratch);
    scale_ends(out, T(0.5));
  }
  std::size_t spectrum_scratch_reals() const override {
    return std::max(real_transform<T>::spectrum_scratch_reals(),
                    transform_->spectrum_scratch_reals());
  }

 private:
  void scale_ends(T* bins, T factor) const {
    bins[0] *= factor;
    if (n_ % 2 == 0) bins[n_] *= factor;
  }

  std::size_t n_;
  std::unique_ptr<const real_transform<T>> transform_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_adjoint(const recipe& r, real_scales scales) {
  return std::make_unique<real_adjoint<T>>(
      r.n, build_real<T>(r, {2 * scales.forward, scales.inverse / 2}));
}

template std::unique_ptr<const real_transform<float>> build_real_adjoint(const recipe&,
                                                                         real_scales);
template std::unique_ptr<const real_transform<double>> build_real_adjoint(const recipe&,
                                                                          real_scales);
template std::unique_ptr<const real_transform<long double>> build_real_adjoint(const recipe&,
                                                                               real_scales);

}  // namespace papilio::fft_detail

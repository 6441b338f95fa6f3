// The adjoints of real transforms, from the transforms themselves. An inverse transform counts the
// bins 1 ... (n - 1) / 2 twice, for they stand for their mirror images, and the ends once:
//   adjoint of the inverse = twice the forward transform, but once at the ends;
//   adjoint of the forward = half the inverse transform, plus the ends' own terms once more:
//                            half of scale (bin 0 + (-1)^j bin n/2).
#include <algorithm>
#include <utility>

#include "fft/real_transform.hpp"

namespace papilio::fft_detail {
namespace {

// Adds `even` to the elements of even index, `odd` to the others.
template <class T>
void add_in_turns(T* out, std::size_t n, T even, T odd) {
  constexpr std::size_t lanes = 64 / sizeof(T);
  T both[lanes];
  for (std::size_t k = 0; k < lanes; ++k) both[k] = k % 2 == 0 ? even : odd;
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes)
    for (std::size_t k = 0; k < lanes; ++k) out[j + k] += both[k];
  for (; j < n; ++j) out[j] += both[j % 2];
}

template <class T>
class real_adjoint final : public real_transform<T> {
 public:
  real_adjoint(std::size_t n, std::unique_ptr<const real_transform<T>> other, long double scale)
      : real_transform<T>(n, other->scratch_reals()),
        n_(n),
        scale_(static_cast<T>(scale)),
        transform_(std::move(other)) {}

  void forward(const T* in, T* bins, T* scratch, int threads) const override {
    transform_->forward(in, bins, scratch, threads);
    halve_ends(bins);
  }

  void inverse(const T* bins, T* out, T* scratch, int threads) const override {
    const T first = scale_ * bins[0], last = n_ % 2 == 0 ? scale_ * bins[n_] : T(0);
    transform_->inverse(bins, out, scratch, threads);
    add_in_turns(out, n_, first + last, first - last);
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
    bins[0] /= 2;
    if (n_ % 2 == 0) bins[n_] /= 2;
  }

  std::size_t n_;
  T scale_;
  std::unique_ptr<const real_transform<T>> transform_;
};

}  // namespace

template <class T>
std::unique_ptr<const real_transform<T>> build_real_adjoint(const recipe& r, real_scales scales) {
  return std::make_unique<real_adjoint<T>>(
      r.n, build_real<T>(r, {2 * scales.forward, scales.inverse / 2}), scales.inverse / 2);
}

template std::unique_ptr<const real_transform<float>> build_real_adjoint(const recipe&,
                                                                         real_scales);
template std::unique_ptr<const real_transform<double>> build_real_adjoint(const recipe&,
                                                                          real_scales);
template std::unique_ptr<const real_transform<long double>> build_real_adjoint(const recipe&,
                                                                               real_scales);

}  // namespace papilio::fft_detail

#include "fft/real_transform.hpp"

#include <cmath>
#include <type_traits>

namespace papilio::fft_detail {

template <class T>
void real_transform<T>::spectrum(const T* in, const T* window, spectrum_form form, T* out,
                                 T* scratch) const {
  T *const product = scratch, *const bins = product + n_, *const rest = bins + n_ + 2;
  for (std::size_t j = 0; j < n_; ++j) product[j] = in[j] * window[j];
  if (form == spectrum_form::complex) return forward(product, out, rest, 1);
  forward(product, bins, rest, 1);
  for (std::size_t k = 0; k <= n_ / 2; ++k) {
    const T power = bins[2 * k] * bins[2 * k] + bins[2 * k + 1] * bins[2 * k + 1];
    out[k] = form == spectrum_form::power ? power : std::sqrt(power);
  }
}

template class real_transform<float>;
template class real_transform<double>;
template class real_transform<long double>;

template <class T>
std::unique_ptr<const real_transform<T>> build_real(const recipe& r, real_scales scales) {
  if (r.n % 2 == 1) return build_real_odd<T>(r, scales);
  if constexpr (!std::is_same_v<T, long double>)
    for (const auto form : {build_real_codelet<T>, build_real_stockham<T>, build_real_four_step<T>})
      if (auto fused = form(r, scales)) return fused;
  return build_real_half<T>(r, scales);
}

template std::unique_ptr<const real_transform<float>> build_real(const recipe&, real_scales);
template std::unique_ptr<const real_transform<double>> build_real(const recipe&, real_scales);
template std::unique_ptr<const real_transform<long double>> build_real(const recipe&, real_scales);

}  // namespace papilio::fft_detail

#include "fft/real_transform.hpp"

#include <type_traits>

namespace papilio::fft_detail {

template <class T>
std::unique_ptr<const real_transform<T>> build_real(const recipe& r, real_scales scales) {
  if (r.n % 2 == 1) return build_real_odd<T>(r, scales);
  if constexpr (!std::is_same_v<T, long double>)
    for (const auto form : {build_real_codelet<T>, build_real_stockham<T>})
      if (auto fused = form(r, scales)) return fused;
  return build_real_half<T>(r, scales);
}

template std::unique_ptr<const real_transform<float>> build_real(const recipe&, real_scales);
template std::unique_ptr<const real_transform<double>> build_real(const recipe&, real_scales);
template std::unique_ptr<const real_transform<long double>> build_real(const recipe&, real_scales);

}  // namespace papilio::fft_detail

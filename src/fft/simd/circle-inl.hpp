// Roots of unity of odd orders. Compiled once per target.
#if defined(PAPILIO_FFT_CIRCLE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_CIRCLE_INL
#undef PAPILIO_FFT_CIRCLE_INL
#else
#define PAPILIO_FFT_CIRCLE_INL
#endif

#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

/// cos and sin of 2 pi k / R, k < R, from those of 0 < k <= R / 2.
template <std::size_t R>
struct circle {
  double cosine[R] = {1}, sine[R] = {0};
};
template <std::size_t R>
constexpr circle<R> from_half(const double (&cosine)[R / 2], const double (&sine)[R / 2]) {
  circle<R> c;
  for (std::size_t k = 1; k <= R / 2; ++k) {
    c.cosine[k] = c.cosine[R - k] = cosine[k - 1];
    c.sine[k] = sine[k - 1];
    c.sine[R - k] = -sine[k - 1];
  }
  return c;
}

template <std::size_t R>
constexpr circle<R> circle_of() {
  if constexpr (R == 5) {
    return from_half<5>({0.30901699437494742410, -0.80901699437494742410},
                        {0.95105651629515357212, 0.58778525229247312917});
  } else if constexpr (R == 7) {
    return from_half<7>({0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
                        {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048});
  } else if constexpr (R == 11) {
    return from_half<11>({0.84125353283118116886, 0.41541501300188642553, -0.14231483827328514044,
                          -0.65486073394528506406, -0.95949297361449738989},
                         {0.54064081745559758211, 0.90963199535451837141, 0.98982144188093273238,
                          0.75574957435425828377, 0.28173255684142969771});
  } else {
    static_assert(R == 13);
    return from_half<13>(
        {0.8854560256532098959, 0.56806474673115580251, 0.12053668025532305335,
         -0.35460488704253562597, -0.74851074817110109863, -0.97094181742605202716},
        {0.46472317204376854566, 0.82298386589365639458, 0.9927088740980539928,
         0.93501624268541482344, 0.66312265824079520238, 0.23931566428755776715});
  }
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

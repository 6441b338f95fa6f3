// The butterflies by their radices. Compiled once per target.
#if defined(PAPILIO_FFT_RADICES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_RADICES_INL
#undef PAPILIO_FFT_RADICES_INL
#else
#define PAPILIO_FFT_RADICES_INL
#endif

#include "fft/simd/butterfly-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <std::size_t R>
struct fixed_radix {
  template <class D>
  using type = butterfly<D, R>;
};

/// visitor.template operator()<Butterfly>() for the butterfly of the radix, null where it has none
/// of its own.
template <class Visitor>
auto visit_fixed_radix(std::size_t radix, const Visitor& visitor)
    -> decltype(visitor.template operator()<odd_butterfly>()) {
  if (radix == 2) return visitor.template operator()<fixed_radix<2>::type>();
  if (radix == 3) return visitor.template operator()<fixed_radix<3>::type>();
  if (radix == 4) return visitor.template operator()<fixed_radix<4>::type>();
  if (radix == 5) return visitor.template operator()<fixed_radix<5>::type>();
  if (radix == 7) return visitor.template operator()<fixed_radix<7>::type>();
  if (radix == 8) return visitor.template operator()<fixed_radix<8>::type>();
  if (radix == 9) return visitor.template operator()<fixed_radix<9>::type>();
  if (radix == 11) return visitor.template operator()<fixed_radix<11>::type>();
  if (radix == 13) return visitor.template operator()<fixed_radix<13>::type>();
  if (radix == 16) return visitor.template operator()<fixed_radix<16>::type>();
  return nullptr;
}

/// The same; other odd radices have the generic one.
template <class Visitor>
auto visit_radix(std::size_t radix, const Visitor& visitor) {
  const auto fixed = visit_fixed_radix(radix, visitor);
  if (fixed != nullptr || radix % 2 == 0) return fixed;
  return visitor.template operator()<odd_butterfly>();
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

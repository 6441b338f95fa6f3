// The two steps of short lengths of many factors (see two_step.hpp). Compiled once per target.
#if defined(PAPILIO_FFT_TWO_STEP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_TWO_STEP_INL
#undef PAPILIO_FFT_TWO_STEP_INL
#else
#define PAPILIO_FFT_TWO_STEP_INL
#endif

#include <algorithm>
#include <bit>

#include "fft/simd/line-inl.hpp"
#include "fft/two_step.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

template <class D, std::size_t R, class T = hn::TFromD<D>>
HWY_NOINLINE void first_step(const first_step_tables<T>& tables, const T* in, T* out) {
  using V = hn::Vec<D>;
  const D d;
  constexpr std::size_t lanes = lanes_of<D>, complexes = lanes / 2;
  constexpr std::size_t groups = (R + complexes - 1) / complexes;
  const std::size_t rows = tables.rows;
  const turn<D> t(tables.sign);
  const auto scale = hn::Set(d, tables.scale);
  const T* w = tables.twiddles;
  for (std::size_t start = 0; start < rows; start += complexes) {
    const std::size_t c = std::min(start, rows - complexes);
    V x[R];
    const T* from = in + 2 * c;
    PAPILIO_UNROLL
    for (std::size_t r = 0; r < R; ++r, from += 2 * rows) x[r] = hn::LoadU(d, from);
    line<R>(t, x);
    x[0] = hn::Mul(x[0], scale);
    PAPILIO_UNROLL
    for (std::size_t k = 1; k < R; ++k, w += 2 * lanes)
      x[k] = t.times(x[k], hn::Load(d, w), hn::Load(d, w + lanes));
    T* to = out + lanes * c;
    PAPILIO_UNROLL
    for (std::size_t g = 0; g < groups; ++g, to += lanes * rows) {
      V y[complexes];
      PAPILIO_UNROLL
      for (std::size_t i = 0; i < complexes; ++i)
        y[i] = x[std::min(g * complexes, R - complexes) + i];
      transpose_complex(d, y);
      PAPILIO_UNROLL
      for (std::size_t i = 0; i < complexes; ++i) hn::Store(y[i], d, to + lanes * i);
    }
  }
}

template <class D, std::size_t R, bool Twiddled, class T = hn::TFromD<D>>
HWY_NOINLINE void row_step(const row_pass<T>& p, const T* in, T* out, std::ptrdiff_t out_step) {
  using V = hn::Vec<D>;
  const D d;
  constexpr std::size_t lanes = lanes_of<D>;
  constexpr bool scales = lanes == 2 && !Twiddled;
  const turn<D> t(p.sign);
  const auto scale = hn::Set(d, p.scale);
  const std::size_t l = Twiddled ? p.l : 1, in_step = lanes * l * p.count;
  const std::ptrdiff_t apart = static_cast<std::ptrdiff_t>(l) * out_step;
  const T* w = p.twiddles;
  for (std::size_t k = 0; k < l; ++k, w += 4 * (R - 1), in += lanes, out += out_step) {
    const T* from = in;
    T* to = out;
    for (std::size_t i = 0; i < p.count; ++i, from += lanes * l) {
      V x[R];
      PAPILIO_UNROLL
      for (std::size_t r = 0; r < R; ++r) {
        x[r] = hn::LoadU(d, from + r * in_step);
        if (Twiddled && r > 0) {
          const T* const pair = w + 4 * (r - 1);
          x[r] = t.times(x[r], repeated_pair(d, pair), repeated_pair(d, pair + 2));
        }
      }
      line<R>(t, x);
      PAPILIO_UNROLL
      for (std::size_t j = 0; j < R; ++j, to += apart)
        hn::StoreU(scales ? hn::Mul(x[j], scale) : x[j], d, to);
    }
  }
}

/// Calls visitor.template operator()<R>() for a radix that there is code for.
template <class Visitor>
auto visit_line_radix(std::size_t radix, const Visitor& visitor)
    -> decltype(visitor.template operator()<2>()) {
  switch (radix) {
    case 2:
      return visitor.template operator()<2>();
    case 3:
      return visitor.template operator()<3>();
    case 4:
      return visitor.template operator()<4>();
    case 5:
      return visitor.template operator()<5>();
    case 6:
      return visitor.template operator()<6>();
    case 7:
      return visitor.template operator()<7>();
    case 8:
      return visitor.template operator()<8>();
    case 9:
      return visitor.template operator()<9>();
    case 10:
      return visitor.template operator()<10>();
    case 12:
      return visitor.template operator()<12>();
    case 15:
      return visitor.template operator()<15>();
    case 16:
      return visitor.template operator()<16>();
    default:
      return nullptr;
  }
}

template <class T>
inline constexpr std::size_t most_complexes = lanes_of<hn::ScalableTag<T>> / 2;

// Complex numbers in the narrowest registers.
template <class T>
inline constexpr std::size_t least_complexes = 8 / sizeof(T);

template <class T, std::size_t C = most_complexes<T>>
first_step_function<T> first_step_for(std::size_t radix, std::size_t complexes) {
  if constexpr (C > least_complexes<T>) {
    if (complexes < C) return first_step_for<T, C / 2>(radix, complexes);
  }
  return visit_line_radix(radix, []<std::size_t R>() -> first_step_function<T> {
    if constexpr (R >= C) return first_step<hn::CappedTag<T, 2 * C>, R>;
    return nullptr;
  });
}

// Where registers are narrower than that, the first pass is the only one and needs no twiddles.
template <class T, std::size_t C = most_complexes<T>>
row_pass_function<T> row_pass_for(std::size_t radix, bool is_first, std::size_t complexes) {
  if constexpr (C > 1) {
    if (complexes < C) return row_pass_for<T, C / 2>(radix, is_first, complexes);
  }
  return visit_line_radix(radix, [&]<std::size_t R>() -> row_pass_function<T> {
    using D = hn::CappedTag<T, 2 * C>;
    if (is_first) return row_step<D, R, false>;
    if constexpr (C >= least_complexes<T>) return row_step<D, R, true>;
    return nullptr;
  });
}

template <class T>
std::size_t complexes_for(std::size_t columns, std::size_t rows) {
  return std::min(most_complexes<T>, std::bit_floor(std::min(columns, rows)));
}

#else

template <class T>
first_step_function<T> first_step_for(std::size_t, std::size_t) {
  return nullptr;
}
template <class T>
row_pass_function<T> row_pass_for(std::size_t, bool, std::size_t) {
  return nullptr;
}
template <class T>
std::size_t complexes_for(std::size_t, std::size_t) {
  return 1;
}

#endif

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Real transforms by codelets of half their length (see real_codelet.hpp). Compiled once per
// target.
#if defined(PAPILIO_FFT_REAL_CODELET_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_REAL_CODELET_INL
#undef PAPILIO_FFT_REAL_CODELET_INL
#else
#define PAPILIO_FFT_REAL_CODELET_INL
#endif

#include <array>

#include "fft/real_codelet.hpp"
#include "fft/simd/codelet-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Reverses the order of the complex numbers in a register.
template <class D>
HWY_INLINE hn::Vec<D> reversed_pairs(D d, hn::Vec<D> v) {
  if constexpr (lanes_of<D> == 2) {
    return v;
  } else if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const hn::RepartitionToWide<D> wide;
    return hn::BitCast(d, hn::Reverse(wide, hn::BitCast(wide, v)));
  } else {
    return hn::ReverseBlocks(d, v);
  }
}

/// Returns pairs (1, -1), which conjugate by multiplication.
template <class D>
HWY_INLINE hn::Vec<D> conjugation(D d) {
  using T = hn::TFromD<D>;
  return hn::OddEven(hn::Set(d, T(-1)), hn::Set(d, T(1)));
}

/// Stores a register of bins, (re, im), from bin `at` on, in the given form.
template <spectrum_form Form, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_pairs(D d, hn::Vec<D> x, T* out, std::size_t at) {
  if constexpr (Form == spectrum_form::complex) {
    hn::StoreU(x, d, out + 2 * at);
  } else {
    const auto square = hn::Mul(x, x), power = hn::Add(square, hn::Reverse2(d, square));
    const auto kept = Form == spectrum_form::power ? power : hn::Sqrt(power);
    if constexpr (lanes_of<D> == 2) {
      out[at] = hn::GetLane(kept);
    } else {
      const hn::Half<D> half;
      hn::StoreU(hn::LowerHalf(half, hn::ConcatEven(d, kept, kept)), half, out + at);
    }
  }
}

/// Returns the first complex number of `next`, then those of `block` behind its first, last first:
/// these are z[i], z[i - 1], ... where `next` begins at z[i] and follows `block`. The register is
/// made of two aligned ones, because an unaligned load across data that was just stored would wait
/// until that is in the cache.
template <class D>
HWY_INLINE hn::Vec<D> reversed_after_first(D d, hn::Vec<D> block, hn::Vec<D> next) {
  constexpr std::size_t complexes = lanes_of<D> / 2;
  if constexpr (complexes == 1) {
    return next;
  } else {
    const auto shifted = hn::IfThenElse(hn::FirstN(d, 2), next, block);
    if constexpr (complexes == 2) return shifted;
    alignas(64) static constexpr auto places = [] {
      std::array<hn::TFromD<hn::RebindToSigned<D>>, lanes_of<D>> p{};
      for (std::size_t i = 0; i < lanes_of<D>; ++i)
        p[i] = static_cast<decltype(+p[0])>((lanes_of<D> - i / 2 * 2) % lanes_of<D> + i % 2);
      return p;
    }();
    return hn::TableLookupLanes(shifted, hn::SetTableIndices(d, places.data()));
  }
}

template <class D, std::size_t H, spectrum_form Form, class T = hn::TFromD<D>>
HWY_INLINE void untangle_pairs(const real_codelet_tables<T>& tables, const T* z, T* out) {
  const D d;
  constexpr std::size_t lanes = lanes_of<D>, complexes = lanes / 2;
  static_assert(H % complexes == 0);
  const turn<D> t(T(1));
  const auto c = conjugation(d);
  const T* w = tables.untangling;
  auto half = hn::Load(d, tables.first_half_scale), next = hn::Load(d, z);
  for (std::size_t k = 0; k < H / 2; k += complexes, w += 2 * lanes) {
    const std::size_t block = H - k - complexes;
    const auto a = hn::Load(d, z + 2 * k), mirrors = hn::Load(d, z + 2 * block);
    const auto b = reversed_after_first(d, mirrors, next);
    next = mirrors;
    const auto even = hn::Mul(hn::MulAdd(b, c, a), half), odd = hn::NegMulAdd(b, c, a);
    half = hn::Set(d, tables.half_scale);
    const auto turned = t.times(odd, hn::Load(d, w), hn::Load(d, w + lanes));
    store_pairs<Form>(d, hn::Add(even, turned), out, k);
    store_pairs<Form>(d, reversed_pairs(d, hn::Mul(hn::Sub(even, turned), c)), out, block + 1);
  }
  // The bin H / 2 is its own mirror: X = conj Z.
  const hn::CappedTag<T, 2> pair;
  if constexpr (lanes_of<decltype(pair)> == 2) {
    const auto x = hn::Mul(hn::LoadU(pair, z + H), hn::Set(pair, 2 * tables.half_scale));
    store_pairs<Form>(pair, hn::Mul(x, conjugation(pair)), out, H / 2);
  }
}

template <class D, class Lines>
inline constexpr std::size_t spectrum_reals = 2 * Lines::n;

/// Runs transform(z, memory), which leaves the complex transform in z, and untangles that.
template <class D, class Lines, spectrum_form Form, class Transform, class T = hn::TFromD<D>>
HWY_INLINE void forward_lines(const real_codelet_tables<T>& tables, T* out,
                              const Transform& transform, T* memory) {
  constexpr std::size_t reals = spectrum_reals<D, Lines>;
  constexpr bool is_small = Lines::memory_reals == 0;
  HWY_ALIGN T own[is_small ? reals : 1];
  T* const z = is_small ? own : memory;
  transform(z, memory + reals);
  untangle_pairs<D, Lines::n, Form>(tables, z, out);
}

template <class D, class Lines, class T = hn::TFromD<D>>
HWY_NOINLINE void forward_codelet(const real_codelet_tables<T>& tables, const T* in, T* bins,
                                  T* memory) {
  forward_lines<D, Lines, spectrum_form::complex>(
      tables, bins,
      [&](T* z, T* own) PAPILIO_LAMBDA {
        if constexpr (Lines::n <= 64) {
          one_line<D, Lines, false>(tables.forward, in, z, own);
        } else {
          codelet<D, Lines, false>(tables.forward, in, z, own);
        }
      },
      memory);
}

/// Transforms in * window.
template <class D, class Lines, class T = hn::TFromD<D>>
HWY_NOINLINE void windowed_lines(const codelet_tables<T>& tables, const T* in, const T* window,
                                 T* out, T* memory) {
  const auto load = [&](std::size_t i) HWY_ATTR {
    const std::size_t at = i * lanes_of<D>;
    return hn::Mul(hn::LoadU(D(), in + at), hn::LoadU(D(), window + at));
  };
  Lines::template run<false>(tables, load, out, memory);
}

template <class D, class Lines, spectrum_form Form, class T = hn::TFromD<D>>
HWY_NOINLINE void windowed_codelet(const real_codelet_tables<T>& tables, const T* in,
                                   const T* window, T* out, T* memory) {
  forward_lines<D, Lines, Form>(
      tables, out,
      [&](T* z, T* own)
          PAPILIO_LAMBDA { windowed_lines<D, Lines>(tables.forward, in, window, z, own); },
      memory);
}

template <class D, class Lines, class T = hn::TFromD<D>>
HWY_NOINLINE void inverse_codelet(const real_codelet_tables<T>& tables, const T* bins, T* out,
                                  T* memory) {
  const D d;
  constexpr std::size_t lanes = lanes_of<D>, complexes = lanes / 2;
  const turn<D> t(T(1));
  const auto c = conjugation(d), all = hn::Set(d, tables.scale),
             first = hn::Load(d, tables.first_scale);
  const auto load = [&](std::size_t i) HWY_ATTR {
    const std::size_t k = i * complexes;
    auto a = hn::LoadU(d, bins + 2 * k);
    auto b = reversed_pairs(d, hn::LoadU(d, bins + 2 * (Lines::n - k - complexes + 1)));
    if (i == 0) {
      // The imaginary parts of the first and of the last bin count as 0.
      const auto imaginary = hn::AndNot(hn::FirstN(d, 1), hn::FirstN(d, 2));
      a = hn::IfThenZeroElse(imaginary, a);
      b = hn::IfThenZeroElse(imaginary, b);
    }
    const T* const w = tables.entangling + 2 * lanes * i;
    const auto even = hn::MulAdd(b, c, a), odd = hn::NegMulAdd(b, c, a);
    return hn::MulAdd(even, i == 0 ? first : all,
                      t.times(odd, hn::Load(d, w), hn::Load(d, w + lanes)));
  };
  Lines::template run<false>(tables.inverse, load, out, memory);
}

template <class T>
const real_codelet_code<T>* real_codelet_for(std::size_t h) {
  return visit_codelet<T>(h, []<class D, class Lines, bool>() {
    static const real_codelet_code<T> code{
        lanes_of<D> / 2,
        Lines::memory_reals == 0 ? 0 : spectrum_reals<D, Lines> + Lines::memory_reals,
        forward_codelet<D, Lines>,
        {windowed_codelet<D, Lines, spectrum_form::complex>,
         windowed_codelet<D, Lines, spectrum_form::magnitude>,
         windowed_codelet<D, Lines, spectrum_form::power>},
        inverse_codelet<D, Lines>};
    return static_cast<const real_codelet_code<T>*>(&code);
  });
}

#else

template <class T>
const real_codelet_code<T>* real_codelet_for(std::size_t) {
  return nullptr;
}

#endif

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

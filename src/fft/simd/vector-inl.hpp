// Complex vectors: loads, stores and transposes in the two layouts. Compiled once per target.
#if defined(PAPILIO_FFT_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_VECTOR_INL
#undef PAPILIO_FFT_VECTOR_INL
#else
#define PAPILIO_FFT_VECTOR_INL
#endif

#include <cstddef>

#include "hwy/highway.h"

#if HWY_COMPILER_CLANG
#define PAPILIO_UNROLL _Pragma("unroll")
#else
#define PAPILIO_UNROLL _Pragma("GCC unroll 16")
#endif

#define PAPILIO_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// step(i) for first <= i < radix, unrolled where Radix says how many there are; it is 0 otherwise.
template <std::size_t Radix, class Step>
HWY_INLINE void for_each_point(std::size_t first, std::size_t radix, const Step& step) {
  if constexpr (Radix == 0) {
    for (std::size_t i = first; i < radix; ++i) step(i);
  } else {
    PAPILIO_UNROLL
    for (std::size_t i = first; i < Radix; ++i) step(i);
  }
}

template <class D>
inline constexpr std::size_t lanes_of = hn::MaxLanes(D());

template <class D>
struct cvec {
  hn::Vec<D> re, im;
};

template <class D>
HWY_INLINE cvec<D> operator+(cvec<D> a, cvec<D> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class D>
HWY_INLINE cvec<D> operator-(cvec<D> a, cvec<D> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class D>
HWY_INLINE cvec<D> operator*(cvec<D> a, cvec<D> w) {
  return {hn::NegMulAdd(a.im, w.im, hn::Mul(a.re, w.re)),
          hn::MulAdd(a.im, w.re, hn::Mul(a.re, w.im))};
}
template <class D>
HWY_INLINE cvec<D> scaled(cvec<D> a, hn::Vec<D> s) {
  return {hn::Mul(a.re, s), hn::Mul(a.im, s)};
}
/// a - i b and a + i b.
template <class D>
HWY_INLINE cvec<D> minus_i(cvec<D> a, cvec<D> b) {
  return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
}
template <class D>
HWY_INLINE cvec<D> plus_i(cvec<D> a, cvec<D> b) {
  return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE cvec<D> load_split(D d, const T* re, const T* im) {
  return {hn::LoadU(d, re), hn::LoadU(d, im)};
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_split(D d, cvec<D> v, T* re, T* im) {
  hn::StoreU(v.re, d, re);
  hn::StoreU(v.im, d, im);
}

/// The last lane first.
template <class D>
HWY_INLINE hn::Vec<D> reversed(D d, hn::Vec<D> v) {
  if constexpr (lanes_of<D> == 1) return v;
  return hn::Reverse(d, v);
}
template <class D>
HWY_INLINE cvec<D> reversed(D d, cvec<D> v) {
  return {reversed(d, v.re), reversed(d, v.im)};
}

#if HWY_TARGET <= HWY_AVX3
/// Where Highway interleaves a 64-byte register in four shuffles, two permutations of two tables
/// do; the same where the lanes are reversed.
template <class T>
HWY_INLINE void interleave_wide(__m512 a, __m512 b, T* p) {
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i high =
      _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  _mm512_storeu_ps(p, _mm512_permutex2var_ps(a, low, b));
  _mm512_storeu_ps(p + 16, _mm512_permutex2var_ps(a, high, b));
}
template <class T>
HWY_INLINE void interleave_wide(__m512d a, __m512d b, T* p) {
  const __m512i low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const __m512i high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  _mm512_storeu_pd(p, _mm512_permutex2var_pd(a, low, b));
  _mm512_storeu_pd(p + 8, _mm512_permutex2var_pd(a, high, b));
}
template <class T>
HWY_INLINE void interleave_wide_reversed(__m512 a, __m512 b, T* p) {
  const __m512i low =
      _mm512_setr_epi32(15, 31, 14, 30, 13, 29, 12, 28, 11, 27, 10, 26, 9, 25, 8, 24);
  const __m512i high = _mm512_setr_epi32(7, 23, 6, 22, 5, 21, 4, 20, 3, 19, 2, 18, 1, 17, 0, 16);
  _mm512_storeu_ps(p, _mm512_permutex2var_ps(a, low, b));
  _mm512_storeu_ps(p + 16, _mm512_permutex2var_ps(a, high, b));
}
template <class T>
HWY_INLINE void interleave_wide_reversed(__m512d a, __m512d b, T* p) {
  const __m512i low = _mm512_setr_epi64(7, 15, 6, 14, 5, 13, 4, 12);
  const __m512i high = _mm512_setr_epi64(3, 11, 2, 10, 1, 9, 0, 8);
  _mm512_storeu_pd(p, _mm512_permutex2var_pd(a, low, b));
  _mm512_storeu_pd(p + 8, _mm512_permutex2var_pd(a, high, b));
}
template <class V>
HWY_INLINE void deinterleave_wide_reversed(const float* p, V& even, V& odd) {
  const __m512 low = _mm512_loadu_ps(p), high = _mm512_loadu_ps(p + 16);
  const __m512i from = _mm512_setr_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i next = _mm512_add_epi32(from, _mm512_set1_epi32(1));
  even = V{_mm512_permutex2var_ps(low, from, high)};
  odd = V{_mm512_permutex2var_ps(low, next, high)};
}
template <class V>
HWY_INLINE void deinterleave_wide_reversed(const double* p, V& even, V& odd) {
  const __m512d low = _mm512_loadu_pd(p), high = _mm512_loadu_pd(p + 8);
  const __m512i from = _mm512_setr_epi64(14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i next = _mm512_setr_epi64(15, 13, 11, 9, 7, 5, 3, 1);
  even = V{_mm512_permutex2var_pd(low, from, high)};
  odd = V{_mm512_permutex2var_pd(low, next, high)};
}
#endif

/// Interleaved (re, im) pairs; Swap exchanges the parts.
template <bool Swap, class D, class T = hn::TFromD<D>>
HWY_INLINE cvec<D> load_interleaved(D d, const T* p) {
  hn::Vec<D> a, b;
  if constexpr (lanes_of<D> == 1) {
    a = hn::LoadU(d, p);
    b = hn::LoadU(d, p + 1);
  } else {
    hn::LoadInterleaved2(d, p, a, b);
  }
  return Swap ? cvec<D>{b, a} : cvec<D>{a, b};
}
template <bool Swap, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_interleaved(D d, cvec<D> v, T* p) {
  const hn::Vec<D> a = Swap ? v.im : v.re, b = Swap ? v.re : v.im;
  if constexpr (lanes_of<D> == 1) {
    hn::StoreU(a, d, p);
    hn::StoreU(b, d, p + 1);
  } else {
#if HWY_TARGET <= HWY_AVX3
    if constexpr (lanes_of<D> * sizeof(T) == 64) return interleave_wide(a.raw, b.raw, p);
#endif
    hn::StoreInterleaved2(a, b, d, p);
  }
}

/// The last lane first in memory.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE cvec<D> load_interleaved_reversed(D d, const T* p) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (lanes_of<D> * sizeof(T) == 64) {
    cvec<D> v;
    deinterleave_wide_reversed(p, v.re, v.im);
    return v;
  }
#endif
  return reversed(d, load_interleaved<false>(d, p));
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_interleaved_reversed(D d, cvec<D> v, T* p) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (lanes_of<D> * sizeof(T) == 64)
    return interleave_wide_reversed(v.re.raw, v.im.raw, p);
#endif
  store_interleaved<false>(d, reversed(d, v), p);
}

/// Lanes of one 16-byte block.
template <class D>
inline constexpr std::size_t block_lanes = 16 / sizeof(hn::TFromD<D>);

#if HWY_TARGET == HWY_SCALAR
// One lane is never transposed; these only complete the discarded branches.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_blocks(D, hn::Vec<D>, T*, std::size_t) {}
template <class D>
HWY_INLINE void transpose_blocks(D, hn::Vec<D>*) {}
template <class D>
HWY_INLINE void transpose(D, hn::Vec<D>*) {}
#else
/// The 16-byte blocks 0 and 2 of a, then of b; 1 and 3 likewise. For registers of four blocks.
#if HWY_TARGET <= HWY_AVX3
template <class D, class V>
HWY_INLINE V even_blocks(D d, V a, V b) {
  const hn::Repartition<double, D> wide;
  using W = hn::Vec<decltype(wide)>;
  return hn::BitCast(d, W{_mm512_shuffle_f64x2(hn::BitCast(wide, a).raw, hn::BitCast(wide, b).raw,
                                               _MM_SHUFFLE(2, 0, 2, 0))});
}
template <class D, class V>
HWY_INLINE V odd_blocks(D d, V a, V b) {
  const hn::Repartition<double, D> wide;
  using W = hn::Vec<decltype(wide)>;
  return hn::BitCast(d, W{_mm512_shuffle_f64x2(hn::BitCast(wide, a).raw, hn::BitCast(wide, b).raw,
                                               _MM_SHUFFLE(3, 1, 3, 1))});
}
/// Transposes the 4 x 4 pairs of floats in either half of four registers.
template <class V>
HWY_INLINE void transpose_halves(V* v) {
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
  const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
  const __m512d a = _mm512_castps_pd(v[0].raw), b = _mm512_castps_pd(v[1].raw);
  const __m512d c = _mm512_castps_pd(v[2].raw), e = _mm512_castps_pd(v[3].raw);
  const __m512d ab_low = _mm512_unpacklo_pd(a, b), ab_high = _mm512_unpackhi_pd(a, b);
  const __m512d ce_low = _mm512_unpacklo_pd(c, e), ce_high = _mm512_unpackhi_pd(c, e);
  v[0] = V{_mm512_castpd_ps(_mm512_permutex2var_pd(ab_low, low, ce_low))};
  v[1] = V{_mm512_castpd_ps(_mm512_permutex2var_pd(ab_high, low, ce_high))};
  v[2] = V{_mm512_castpd_ps(_mm512_permutex2var_pd(ab_low, high, ce_low))};
  v[3] = V{_mm512_castpd_ps(_mm512_permutex2var_pd(ab_high, high, ce_high))};
}

template <class D, class V>
HWY_INLINE void transpose_four_blocks(D d, V& a, V& b, V& c, V& e) {
  const V ab_even = even_blocks(d, a, b), ab_odd = odd_blocks(d, a, b);
  const V ce_even = even_blocks(d, c, e), ce_odd = odd_blocks(d, c, e);
  a = even_blocks(d, ab_even, ce_even);
  b = even_blocks(d, ab_odd, ce_odd);
  c = odd_blocks(d, ab_even, ce_even);
  e = odd_blocks(d, ab_odd, ce_odd);
}
#endif

/// Stores the 16-byte blocks of v, `step` elements apart.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, T* out, std::size_t step) {
  if constexpr (lanes_of<D> == block_lanes<D>) {
    hn::StoreU(v, d, out);
  } else {
    const hn::Half<D> half;
    constexpr std::size_t blocks = lanes_of<D> / 2 / block_lanes<D>;
    store_blocks(half, hn::LowerHalf(half, v), out, step);
    store_blocks(half, hn::UpperHalf(half, v), out + blocks * step, step);
  }
}

/// Transposes 2x2 (double) or 4x4 (float) elements in each 16-byte block of consecutive vectors.
template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D>* v) {
  if constexpr (block_lanes<D> == 2) {
    const auto low = hn::InterleaveLower(d, v[0], v[1]), high = hn::InterleaveUpper(d, v[0], v[1]);
    v[0] = low;
    v[1] = high;
  } else {
    const hn::RepartitionToWide<decltype(d)> wide;
    const auto a = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
    const auto b = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
    const auto c = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
    const auto e = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
    v[0] = hn::BitCast(d, hn::InterleaveLower(wide, a, c));
    v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, c));
    v[2] = hn::BitCast(d, hn::InterleaveLower(wide, b, e));
    v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, b, e));
  }
}

/// Transposes as many registers as one has lanes.
template <class D>
HWY_INLINE void transpose(D d, hn::Vec<D>* v) {
  constexpr std::size_t block = block_lanes<D>, blocks = lanes_of<D> / block;
  using V = hn::Vec<D>;
  PAPILIO_UNROLL
  for (std::size_t i = 0; i < blocks; ++i) transpose_blocks(d, v + i * block);
  PAPILIO_UNROLL
  for (std::size_t i = 0; i < block; ++i) {
    if constexpr (blocks == 2) {
      const V a = v[i], b = v[i + block];
      v[i] = hn::ConcatLowerLower(d, b, a);
      v[i + block] = hn::ConcatUpperUpper(d, b, a);
    } else if constexpr (blocks == 4) {
      transpose_four_blocks(d, v[i], v[i + block], v[i + 2 * block], v[i + 3 * block]);
    }
  }
}
#endif

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

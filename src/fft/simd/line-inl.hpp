// Lines of a few interleaved complex registers: butterflies, and transposition of their numbers.
// Compiled once per target.
#if defined(PAPILIO_FFT_LINE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_LINE_INL
#undef PAPILIO_FFT_LINE_INL
#else
#define PAPILIO_FFT_LINE_INL
#endif

#include "fft/simd/circle-inl.hpp"
#include "fft/simd/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

// Multiplication by -i is an exchange of the parts and a sign; the sign vector is data, so that
// one code serves both directions.

#if HWY_TARGET != HWY_SCALAR

/// k < A B with k = p mod A and k = q mod B.
constexpr std::size_t chinese_remainder(std::size_t p, std::size_t a, std::size_t q,
                                        std::size_t b) {
  while (p % b != q) p += a;
  return p;
}

/// Vectors of interleaved complex numbers: the constants of one call.
template <class D>
struct turn {
  using T = hn::TFromD<D>;
  D d;
  hn::Vec<D> sign;  // (1, -1, ...) forward, (-1, 1, ...) inverse

  explicit HWY_INLINE turn(T imaginary_sign)
      : sign(hn::OddEven(hn::Set(d, -imaginary_sign), hn::Set(d, imaginary_sign))) {}

  /// y - i x and y + i x (forward).
  HWY_INLINE hn::Vec<D> minus_i(hn::Vec<D> y, hn::Vec<D> x) const {
    return hn::MulAdd(hn::Reverse2(d, x), sign, y);
  }
  HWY_INLINE hn::Vec<D> plus_i(hn::Vec<D> y, hn::Vec<D> x) const {
    return hn::NegMulAdd(hn::Reverse2(d, x), sign, y);
  }
  /// x (re, re) + swap(x) (-im, im), the second factor given with its signs.
  HWY_INLINE hn::Vec<D> times(hn::Vec<D> x, hn::Vec<D> re, hn::Vec<D> im) const {
    return hn::MulAdd(hn::Reverse2(d, x), im, hn::Mul(x, re));
  }
  HWY_INLINE hn::Vec<D> times_w8(hn::Vec<D> x) const {
    return hn::Mul(hn::Set(d, static_cast<T>(0.70710678118654752440)), minus_i(x, x));
  }
  HWY_INLINE hn::Vec<D> times_w8_cubed(hn::Vec<D> x) const {
    return hn::Mul(hn::Set(d, static_cast<T>(-0.70710678118654752440)), plus_i(x, x));
  }
  /// x (c - i s), c and s given.
  HWY_INLINE hn::Vec<D> times_w(hn::Vec<D> x, T c, T s) const {
    return times(x, hn::Set(d, c), hn::Mul(sign, hn::Set(d, s)));
  }
};

/// The complex number of two reals at p in all of a register.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> repeated_pair(D d, const T* p) {
  if constexpr (sizeof(T) == 4) {
    const hn::Repartition<double, D> wide;
    double pair;
    hwy::CopyBytes<sizeof pair>(p, &pair);
    return hn::BitCast(d, hn::Set(wide, pair));
  } else {
    return hn::LoadDup128(d, p);
  }
}

template <class V, class D>
HWY_INLINE void line2(D, V& a, V& b) {
  const V sum = hn::Add(a, b);
  b = hn::Sub(a, b);
  a = sum;
}

template <class D, class V>
HWY_INLINE void line4(const turn<D>& t, V& a, V& b, V& c, V& e) {
  line2(t.d, a, c);
  line2(t.d, b, e);
  const V y1 = t.minus_i(c, e), y3 = t.plus_i(c, e);
  line2(t.d, a, b);
  c = b;
  b = y1;
  e = y3;
}

template <class D, class V>
HWY_INLINE void line8(const turn<D>& t, V* x) {
  line4(t, x[0], x[2], x[4], x[6]);
  line4(t, x[1], x[3], x[5], x[7]);
  const V e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
  const V o0 = x[1], o1 = t.times_w8(x[3]), o2 = x[5], o3 = t.times_w8_cubed(x[7]);
  x[0] = hn::Add(e0, o0);
  x[4] = hn::Sub(e0, o0);
  x[1] = hn::Add(e1, o1);
  x[5] = hn::Sub(e1, o1);
  x[2] = t.minus_i(e2, o2);
  x[6] = t.plus_i(e2, o2);
  x[3] = hn::Add(e3, o3);
  x[7] = hn::Sub(e3, o3);
}

template <class D, class V>
HWY_INLINE void line16(const turn<D>& t, V* x) {
  constexpr auto c = static_cast<hn::TFromD<D>>(0.92387953251128675613);
  constexpr auto s = static_cast<hn::TFromD<D>>(0.38268343236508977173);
  line4(t, x[0], x[4], x[8], x[12]);
  line4(t, x[1], x[5], x[9], x[13]);
  line4(t, x[2], x[6], x[10], x[14]);
  line4(t, x[3], x[7], x[11], x[15]);
  const auto w_c = hn::Set(t.d, c), w_s = hn::Set(t.d, s);
  const auto turned_c = hn::Mul(t.sign, w_c), turned_s = hn::Mul(t.sign, w_s);
  x[5] = t.times(x[5], w_c, turned_s);
  x[9] = t.times_w8(x[9]);
  x[13] = t.times(x[13], w_s, turned_c);
  x[6] = t.times_w8(x[6]);
  x[14] = t.times_w8_cubed(x[14]);
  x[7] = t.times(x[7], w_s, turned_c);
  x[11] = t.times_w8_cubed(x[11]);
  x[15] = hn::Neg(t.times(x[15], w_c, turned_s));
  line4(t, x[0], x[1], x[2], x[3]);
  line4(t, x[4], x[5], x[6], x[7]);
  // x[10] takes W_16^4 = -i within its butterfly.
  {
    V a = x[8], b = x[9], m = x[10], e = x[11];
    const V sum = t.minus_i(a, m), difference = t.plus_i(a, m);
    line2(t.d, b, e);
    x[8] = hn::Add(sum, b);
    x[10] = hn::Sub(sum, b);
    x[9] = t.minus_i(difference, e);
    x[11] = t.plus_i(difference, e);
  }
  line4(t, x[12], x[13], x[14], x[15]);
  const auto exchange = [&](int a, int b) HWY_ATTR {
    const V v = x[a];
    x[a] = x[b];
    x[b] = v;
  };
  exchange(1, 4);
  exchange(2, 8);
  exchange(3, 12);
  exchange(6, 9);
  exchange(7, 13);
  exchange(11, 14);
}

template <class D, class V>
HWY_INLINE void line3(const turn<D>& t, V& a, V& b, V& c) {
  using T = hn::TFromD<D>;
  const V sum = hn::Add(b, c), difference = hn::Reverse2(t.d, hn::Sub(b, c));
  const V middle = hn::MulAdd(sum, hn::Set(t.d, static_cast<T>(-0.5)), a);
  const V sine = hn::Mul(t.sign, hn::Set(t.d, static_cast<T>(0.86602540378443864676)));
  a = hn::Add(a, sum);
  b = hn::MulAdd(difference, sine, middle);
  c = hn::NegMulAdd(difference, sine, middle);
}

/// Transforms 5 points, with cos 72 + cos 144 = -1/2 and sin 144 = 0.618 sin 72.
template <class D, class V>
HWY_INLINE void line5(const turn<D>& t, V* x) {
  using T = hn::TFromD<D>;
  const V s1 = hn::Add(x[1], x[4]), s2 = hn::Add(x[2], x[3]), sum = hn::Add(s1, s2);
  const V d1 = hn::Sub(x[1], x[4]), d2 = hn::Sub(x[2], x[3]);
  const V middle = hn::MulAdd(sum, hn::Set(t.d, static_cast<T>(-0.25)), x[0]);
  const V apart = hn::Sub(s1, s2);
  const auto half = hn::Set(t.d, static_cast<T>(0.55901699437494742410));  // (cos 72 - cos 144) / 2
  const auto ratio = hn::Set(t.d, static_cast<T>(0.61803398874989484820));
  const V sine = hn::Mul(t.sign, hn::Set(t.d, static_cast<T>(0.95105651629515357212)));
  const V even1 = hn::MulAdd(apart, half, middle), even2 = hn::NegMulAdd(apart, half, middle);
  const V odd1 = hn::Reverse2(t.d, hn::MulAdd(d2, ratio, d1));
  const V odd2 = hn::Reverse2(t.d, hn::MulSub(d1, ratio, d2));
  x[0] = hn::Add(x[0], sum);
  x[1] = hn::MulAdd(odd1, sine, even1);
  x[4] = hn::NegMulAdd(odd1, sine, even1);
  x[2] = hn::MulAdd(odd2, sine, even2);
  x[3] = hn::NegMulAdd(odd2, sine, even2);
}

/// 3 x 3, as 16.
template <class D, class V>
HWY_INLINE void line9(const turn<D>& t, V* x) {
  using T = hn::TFromD<D>;
  PAPILIO_UNROLL
  for (std::size_t r = 0; r < 3; ++r) line3(t, x[r], x[r + 3], x[r + 6]);
  constexpr auto c1 = static_cast<T>(0.76604444311897803520);
  constexpr auto s1 = static_cast<T>(0.64278760968653932632);
  constexpr auto c2 = static_cast<T>(0.17364817766693034885);
  constexpr auto s2 = static_cast<T>(0.98480775301220805937);
  constexpr auto c4 = static_cast<T>(-0.93969262078590838405);
  constexpr auto s4 = static_cast<T>(0.34202014332566873304);
  x[4] = t.times_w(x[4], c1, s1);
  x[7] = t.times_w(x[7], c2, s2);
  x[5] = t.times_w(x[5], c2, s2);
  x[8] = t.times_w(x[8], c4, s4);
  PAPILIO_UNROLL
  for (std::size_t k = 0; k < 3; ++k) line3(t, x[3 * k], x[3 * k + 1], x[3 * k + 2]);
  const auto exchange = [&](int a, int b) HWY_ATTR {
    const V v = x[a];
    x[a] = x[b];
    x[b] = v;
  };
  exchange(1, 3);
  exchange(2, 6);
  exchange(5, 7);
}

/// Transforms an odd number of points as butterfly::run_odd does.
template <std::size_t R, class D, class V>
HWY_INLINE void line_odd(const turn<D>& t, V* x) {
  using T = hn::TFromD<D>;
  constexpr std::size_t half = R / 2;
  constexpr circle<R> root = circle_of<R>();
  V sum[half], difference[half], total = x[0];
  PAPILIO_UNROLL
  for (std::size_t r = 0; r < half; ++r) {
    sum[r] = hn::Add(x[r + 1], x[R - 1 - r]);
    difference[r] = hn::Sub(x[r + 1], x[R - 1 - r]);
    total = hn::Add(total, sum[r]);
  }
  PAPILIO_UNROLL
  for (std::size_t j = 1; j <= half; ++j) {
    V even = x[0];
    V odd = hn::Mul(difference[0], hn::Set(t.d, static_cast<T>(root.sine[j])));
    even = hn::MulAdd(sum[0], hn::Set(t.d, static_cast<T>(root.cosine[j])), even);
    PAPILIO_UNROLL
    for (std::size_t r = 2; r <= half; ++r) {
      even = hn::MulAdd(sum[r - 1], hn::Set(t.d, static_cast<T>(root.cosine[j * r % R])), even);
      odd = hn::MulAdd(difference[r - 1], hn::Set(t.d, static_cast<T>(root.sine[j * r % R])), odd);
    }
    // These inputs are in the sums and differences already.
    x[j] = t.minus_i(even, odd);
    x[R - j] = t.plus_i(even, odd);
  }
  x[0] = total;
}

template <std::size_t A, std::size_t B, class D, class V>
HWY_INLINE void line_coprime(const turn<D>& t, V* x);

template <std::size_t R, class D, class V>
HWY_INLINE void line(const turn<D>& t, V* x) {
  if constexpr (R == 2) {
    line2(t.d, x[0], x[1]);
  } else if constexpr (R == 3) {
    line3(t, x[0], x[1], x[2]);
  } else if constexpr (R == 4) {
    line4(t, x[0], x[1], x[2], x[3]);
  } else if constexpr (R == 5) {
    line5(t, x);
  } else if constexpr (R == 8) {
    line8(t, x);
  } else if constexpr (R == 9) {
    line9(t, x);
  } else if constexpr (R == 16) {
    line16(t, x);
  } else if constexpr (R == 6 || R == 10) {
    line_coprime<2, R / 2>(t, x);
  } else if constexpr (R == 12) {
    line_coprime<4, 3>(t, x);
  } else if constexpr (R == 15) {
    line_coprime<3, 5>(t, x);
  } else {
    line_odd<R>(t, x);
  }
}

/// A B, which have no common factor: input B a + A b and output k with k = p mod A, k = q mod B make
/// it A B's two axes, with no factors between them (Good 1958).
template <std::size_t A, std::size_t B, class D, class V>
HWY_INLINE void line_coprime(const turn<D>& t, V* x) {
  constexpr std::size_t n = A * B;
  V y[n];
  PAPILIO_UNROLL
  for (std::size_t b = 0; b < B; ++b) {
    V u[A];
    PAPILIO_UNROLL
    for (std::size_t a = 0; a < A; ++a) u[a] = x[(B * a + A * b) % n];
    line<A>(t, u);
    PAPILIO_UNROLL
    for (std::size_t p = 0; p < A; ++p) y[p * B + b] = u[p];
  }
  PAPILIO_UNROLL
  for (std::size_t p = 0; p < A; ++p) {
    line<B>(t, y + p * B);
    PAPILIO_UNROLL
    for (std::size_t q = 0; q < B; ++q) x[chinese_remainder(p, A, q, B)] = y[p * B + q];
  }
}

/// Transposes C x C complex numbers, one row in each of C registers.
template <class D, class V>
HWY_INLINE void transpose_complex(D d, V* v) {
  constexpr std::size_t complexes = lanes_of<D> / 2;
  constexpr std::size_t in_block = block_lanes<D> / 2;
  // Within 16-byte blocks: pairs of registers exchange halves (float only).
  if constexpr (in_block == 2) {
    const hn::RepartitionToWide<D> wide;
    PAPILIO_UNROLL
    for (std::size_t i = 0; i < complexes; i += 2) {
      const auto a = hn::BitCast(wide, v[i]), b = hn::BitCast(wide, v[i + 1]);
      v[i] = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
      v[i + 1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
    }
  }
  constexpr std::size_t blocks = complexes / in_block;
  if constexpr (blocks == 2) {
    PAPILIO_UNROLL
    for (std::size_t i = 0; i < in_block; ++i) {
      const V a = v[i], b = v[i + in_block];
      v[i] = hn::ConcatLowerLower(d, b, a);
      v[i + in_block] = hn::ConcatUpperUpper(d, b, a);
    }
  } else if constexpr (blocks == 4) {
    PAPILIO_UNROLL
    for (std::size_t i = 0; i < in_block; ++i) {
      transpose_four_blocks(d, v[i], v[i + in_block], v[i + 2 * in_block], v[i + 3 * in_block]);
    }
  }
}

#endif

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

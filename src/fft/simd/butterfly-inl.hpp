// Forward DFTs of a few vectors, in registers. Compiled once per target.
#if defined(PAPILIO_FFT_BUTTERFLY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_BUTTERFLY_INL
#undef PAPILIO_FFT_BUTTERFLY_INL
#else
#define PAPILIO_FFT_BUTTERFLY_INL
#endif

#include "fft/pass.hpp"
#include "fft/simd/circle-inl.hpp"
#include "fft/simd/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

template <class D>
HWY_INLINE void dft2(cvec<D>& a, cvec<D>& b) {
  const cvec<D> sum = a + b;
  b = a - b;
  a = sum;
}

template <class D>
HWY_INLINE void dft4(cvec<D>& a, cvec<D>& b, cvec<D>& c, cvec<D>& e) {
  dft2(a, c);
  dft2(b, e);
  const cvec<D> y1 = minus_i(c, e), y3 = plus_i(c, e);
  dft2(a, b);
  c = b;
  b = y1;
  e = y3;
}

/// x W_8 and x W_8^3.
template <class D>
HWY_INLINE cvec<D> times_w8(D d, cvec<D> x) {
  const auto s = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440));
  return {hn::Mul(s, hn::Add(x.re, x.im)), hn::Mul(s, hn::Sub(x.im, x.re))};
}
template <class D>
HWY_INLINE cvec<D> times_w8_cubed(D d, cvec<D> x) {
  const auto s = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440));
  const auto minus_s = hn::Set(d, static_cast<hn::TFromD<D>>(-0.70710678118654752440));
  return {hn::Mul(s, hn::Sub(x.im, x.re)), hn::Mul(minus_s, hn::Add(x.re, x.im))};
}

template <class D>
HWY_INLINE void dft3(D d, cvec<D>& a, cvec<D>& b, cvec<D>& c) {
  using T = hn::TFromD<D>;
  const auto half = hn::Set(d, static_cast<T>(-0.5));
  const auto sine = hn::Set(d, static_cast<T>(0.86602540378443864676));
  const cvec<D> sum = b + c, turn = scaled(b - c, sine);
  const cvec<D> middle = {hn::MulAdd(sum.re, half, a.re), hn::MulAdd(sum.im, half, a.im)};
  a = a + sum;
  b = minus_i(middle, turn);
  c = plus_i(middle, turn);
}

/// Work area of one butterfly of fixed radix: its inputs, then its outputs, in natural order.
template <class D, std::size_t R>
struct butterfly {
  static constexpr std::size_t fixed_radix = R;
  using T = hn::TFromD<D>;
  cvec<D> x[R];

  HWY_INLINE void set(std::size_t r, cvec<D> v) { x[r] = v; }
  HWY_INLINE cvec<D> get(std::size_t j) const { return x[j]; }

  HWY_INLINE void run(D d, const pass<T>&) {
    if constexpr (R == 2) {
      dft2(x[0], x[1]);
    } else if constexpr (R == 3) {
      run3(d);
    } else if constexpr (R == 4) {
      dft4(x[0], x[1], x[2], x[3]);
    } else if constexpr (R == 5) {
      run5(d);
    } else if constexpr (R == 8) {
      run8(d);
    } else if constexpr (R == 9) {
      run9(d);
    } else if constexpr (R == 16) {
      run16(d);
    } else {
      run_odd(d);
    }
  }

 private:
  HWY_INLINE void run3(D d) { dft3(d, x[0], x[1], x[2]); }

  HWY_INLINE void run5(D d) {
    const auto c1 = hn::Set(d, static_cast<T>(0.30901699437494742410));
    const auto c2 = hn::Set(d, static_cast<T>(-0.80901699437494742410));
    const auto s1 = hn::Set(d, static_cast<T>(0.95105651629515357212));
    const auto s2 = hn::Set(d, static_cast<T>(0.58778525229247312917));
    const cvec<D> p1 = x[1] + x[4], m1 = x[1] - x[4], p2 = x[2] + x[3], m2 = x[2] - x[3];
    const cvec<D> a = {hn::MulAdd(p1.re, c1, hn::MulAdd(p2.re, c2, x[0].re)),
                       hn::MulAdd(p1.im, c1, hn::MulAdd(p2.im, c2, x[0].im))};
    const cvec<D> b = {hn::MulAdd(p1.re, c2, hn::MulAdd(p2.re, c1, x[0].re)),
                       hn::MulAdd(p1.im, c2, hn::MulAdd(p2.im, c1, x[0].im))};
    const cvec<D> u = {hn::MulAdd(m1.re, s1, hn::Mul(m2.re, s2)),
                       hn::MulAdd(m1.im, s1, hn::Mul(m2.im, s2))};
    const cvec<D> v = {hn::NegMulAdd(m2.re, s1, hn::Mul(m1.re, s2)),
                       hn::NegMulAdd(m2.im, s1, hn::Mul(m1.im, s2))};
    x[0] = x[0] + (p1 + p2);
    x[1] = minus_i(a, u);
    x[4] = plus_i(a, u);
    x[2] = minus_i(b, v);
    x[3] = plus_i(b, v);
  }

  HWY_INLINE void run8(D d) {
    // Even and odd inputs; the odd half takes W_8^j.
    dft4(x[0], x[2], x[4], x[6]);
    dft4(x[1], x[3], x[5], x[7]);
    const cvec<D> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    const cvec<D> o0 = x[1], o1 = times_w8(d, x[3]), o2 = x[5], o3 = times_w8_cubed(d, x[7]);
    x[0] = e0 + o0;
    x[4] = e0 - o0;
    x[1] = e1 + o1;
    x[5] = e1 - o1;
    x[2] = minus_i(e2, o2);
    x[6] = plus_i(e2, o2);
    x[3] = e3 + o3;
    x[7] = e3 - o3;
  }

  HWY_INLINE void run16(D d) {
    // 4 x 4: columns r = r0 + 4 r1 over r1, twiddles W_16^{r0 j0}, rows over r0.
    const auto c = hn::Set(d, static_cast<T>(0.92387953251128675613));
    const auto s = hn::Set(d, static_cast<T>(-0.38268343236508977173));
    const auto minus_c = hn::Neg(c), minus_s = hn::Neg(s);
    const cvec<D> w1 = {c, s}, w3 = {minus_s, minus_c}, w9 = {minus_c, minus_s};
    dft4(x[0], x[4], x[8], x[12]);
    dft4(x[1], x[5], x[9], x[13]);
    dft4(x[2], x[6], x[10], x[14]);
    dft4(x[3], x[7], x[11], x[15]);
    x[5] = x[5] * w1;
    x[9] = times_w8(d, x[9]);
    x[13] = x[13] * w3;
    x[6] = times_w8(d, x[6]);
    x[10] = {x[10].im, hn::Neg(x[10].re)};
    x[14] = times_w8_cubed(d, x[14]);
    x[7] = x[7] * w3;
    x[11] = times_w8_cubed(d, x[11]);
    x[15] = x[15] * w9;
    dft4(x[0], x[1], x[2], x[3]);
    dft4(x[4], x[5], x[6], x[7]);
    dft4(x[8], x[9], x[10], x[11]);
    dft4(x[12], x[13], x[14], x[15]);
    // Output j = j0 + 4 j1 stands at 4 j0 + j1.
    transpose4();
  }

  HWY_INLINE void run9(D d) {
    // 3 x 3, like 16.
    const cvec<D> w1 = {hn::Set(d, static_cast<T>(0.76604444311897803520)),
                        hn::Set(d, static_cast<T>(-0.64278760968653932632))};
    const cvec<D> w2 = {hn::Set(d, static_cast<T>(0.17364817766693034885)),
                        hn::Set(d, static_cast<T>(-0.98480775301220805937))};
    const cvec<D> w4 = {hn::Set(d, static_cast<T>(-0.93969262078590838405)),
                        hn::Set(d, static_cast<T>(-0.34202014332566873304))};
    dft3(d, x[0], x[3], x[6]);
    dft3(d, x[1], x[4], x[7]);
    dft3(d, x[2], x[5], x[8]);
    x[4] = x[4] * w1;
    x[7] = x[7] * w2;
    x[5] = x[5] * w2;
    x[8] = x[8] * w4;
    dft3(d, x[0], x[1], x[2]);
    dft3(d, x[3], x[4], x[5]);
    dft3(d, x[6], x[7], x[8]);
    exchange(1, 3);
    exchange(2, 6);
    exchange(5, 7);
  }

  /// Computes an odd radix as odd_butterfly does, in registers.
  HWY_INLINE void run_odd(D d) {
    constexpr std::size_t half = R / 2;
    constexpr circle<R> root = circle_of<R>();
    cvec<D> sum[half], difference[half], total = x[0];
    PAPILIO_UNROLL
    for (std::size_t r = 0; r < half; ++r) {
      sum[r] = x[r + 1] + x[R - 1 - r];
      difference[r] = x[r + 1] - x[R - 1 - r];
      total = total + sum[r];
    }
    PAPILIO_UNROLL
    for (std::size_t j = 1; j <= half; ++j) {
      cvec<D> even = x[0], odd = {hn::Zero(d), hn::Zero(d)};
      PAPILIO_UNROLL
      for (std::size_t r = 1; r <= half; ++r) {
        const auto cosine = hn::Set(d, static_cast<T>(root.cosine[j * r % R]));
        const auto sine = hn::Set(d, static_cast<T>(root.sine[j * r % R]));
        even = {hn::MulAdd(sum[r - 1].re, cosine, even.re),
                hn::MulAdd(sum[r - 1].im, cosine, even.im)};
        odd = {hn::MulAdd(difference[r - 1].re, sine, odd.re),
               hn::MulAdd(difference[r - 1].im, sine, odd.im)};
      }
      // These inputs are in the sums and differences already.
      x[j] = minus_i(even, odd);
      x[R - j] = plus_i(even, odd);
    }
    x[0] = total;
  }

  HWY_INLINE void exchange(std::size_t a, std::size_t b) {
    const cvec<D> t = x[a];
    x[a] = x[b];
    x[b] = t;
  }
  HWY_INLINE void transpose4() {
    exchange(1, 4);
    exchange(2, 8);
    exchange(3, 12);
    exchange(6, 9);
    exchange(7, 13);
    exchange(11, 14);
  }
};

/// Any odd radix up to max_odd_radix, O(radix^2), through the symmetry r <-> radix - r:
///   y_j, y_{R-j} = x_0 + sum_r cos(2 pi j r/R) (x_r + x_{R-r}) -+ i sum_r sin(...) (x_r - x_{R-r})
/// Works in memory, since the radix is known at run time only.
template <class D>
struct odd_butterfly {
  static constexpr std::size_t fixed_radix = 0;
  using T = hn::TFromD<D>;
  static constexpr std::size_t lanes = lanes_of<D>;
  HWY_ALIGN T re[max_odd_radix * lanes], im[max_odd_radix * lanes];
  HWY_ALIGN T y_re[max_odd_radix * lanes], y_im[max_odd_radix * lanes];

  HWY_INLINE void set(std::size_t r, cvec<D> v) {
    store_split(D(), v, re + r * lanes, im + r * lanes);
  }
  HWY_INLINE cvec<D> get(std::size_t j) const {
    return load_split(D(), y_re + j * lanes, y_im + j * lanes);
  }
  HWY_INLINE cvec<D> input(std::size_t r) const {
    return load_split(D(), re + r * lanes, im + r * lanes);
  }

  HWY_INLINE void run(D d, const pass<T>& p) {
    const std::size_t radix = p.radix, half = radix / 2;
    const cvec<D> x0 = input(0);
    cvec<D> total = x0;
    for (std::size_t r = 1; r <= half; ++r) {
      const cvec<D> a = input(r), b = input(radix - r);
      total = total + (a + b);
      set(r, a + b);
      set(radix - r, a - b);
    }
    store_split(d, total, y_re, y_im);
    const T* root = p.odd_roots;
    for (std::size_t j = 1; j <= half; ++j) {
      cvec<D> even = x0, odd = {hn::Zero(d), hn::Zero(d)};
      for (std::size_t r = 1; r <= half; ++r, root += 2) {
        const auto cosine = hn::Set(d, root[0]), sine = hn::Set(d, root[1]);
        const cvec<D> sum = input(r), difference = input(radix - r);
        even = {hn::MulAdd(sum.re, cosine, even.re), hn::MulAdd(sum.im, cosine, even.im)};
        odd = {hn::MulAdd(difference.re, sine, odd.re), hn::MulAdd(difference.im, sine, odd.im)};
      }
      store_split(d, minus_i(even, odd), y_re + j * lanes, y_im + j * lanes);
      store_split(d, plus_i(even, odd), y_re + (radix - j) * lanes, y_im + (radix - j) * lanes);
    }
  }
};

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

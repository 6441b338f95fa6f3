// The loops of a Stockham pass (see pass.hpp), one body for every radix and layout.
// Compiled once per target.
#if defined(PAPILIO_FFT_STOCKHAM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_STOCKHAM_INL
#undef PAPILIO_FFT_STOCKHAM_INL
#else
#define PAPILIO_FFT_STOCKHAM_INL
#endif

#include <algorithm>
#include <type_traits>

#include "fft/pass.hpp"
#include "fft/simd/butterfly-inl.hpp"
#include "fft/simd/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

enum class layout { split, interleaved, interleaved_swapped };

template <layout Layout, class D, class T>
HWY_INLINE cvec<D> load(D d, const T* re, const T* im, std::size_t at) {
  if constexpr (Layout == layout::split) return load_split(d, re + at, im + at);
  return load_interleaved<Layout == layout::interleaved_swapped>(d, re + 2 * at);
}
template <layout Layout, class D, class T>
HWY_INLINE void store(D d, cvec<D> v, T* re, T* im, std::size_t at) {
  if constexpr (Layout == layout::split) {
    store_split(d, v, re + at, im + at);
  } else {
    store_interleaved<Layout == layout::interleaved_swapped>(d, v, re + 2 * at);
  }
}

/// Radix as a constant where the butterfly has one, so that its loops unroll.
template <class Butterfly, class T>
HWY_INLINE std::size_t radix_of(const pass<T>& p) {
  return Butterfly::fixed_radix != 0 ? Butterfly::fixed_radix : p.radix;
}

/// Loads the inputs at `at`, `step` apart, times the twiddles at w (unless null).
template <layout In, bool Twiddled, class D, class Butterfly, class T>
HWY_INLINE void load_inputs(D d, const pass<T>& p, Butterfly& b, const T* re, const T* im,
                            std::size_t at, std::size_t step, const T* w) {
  constexpr std::size_t lanes = lanes_of<D>;
  b.set(0, load<In>(d, re, im, at));
  for_each_point<Butterfly::fixed_radix>(1, p.radix, [&](std::size_t r) PAPILIO_LAMBDA {
    const cvec<D> x = load<In>(d, re, im, at + r * step);
    if constexpr (Twiddled) {
      const T* const pair = w + 2 * (r - 1) * lanes;
      b.set(r, x * load_split(d, pair, pair + lanes));
    } else {
      b.set(r, x);
    }
  });
}

/// Stores output j of lane i at out[radix * i + j]: the transpose that makes k the fast index.
template <class D, class Butterfly, class T, class Part>
HWY_INLINE void store_transposed(D d, const pass<T>& p, const Butterfly& b, T* out, Part part) {
  constexpr std::size_t lanes = lanes_of<D>, radix = Butterfly::fixed_radix;
  constexpr std::size_t block = block_lanes<D>;
  if constexpr (radix != 0 && radix % block == 0 && lanes >= block) {
    PAPILIO_UNROLL
    for (std::size_t j = 0; j < radix; j += block) {
      hn::Vec<D> v[block];
      PAPILIO_UNROLL
      for (std::size_t i = 0; i < block; ++i) v[i] = part(b.get(j + i));
      transpose_blocks(d, v);
      PAPILIO_UNROLL
      for (std::size_t i = 0; i < block; ++i)
        store_blocks(d, v[i], out + radix * i + j, radix * block);
    }
  } else if constexpr (radix == 2 && lanes > 1) {
    hn::StoreInterleaved2(part(b.get(0)), part(b.get(1)), d, out);
  } else if constexpr (radix == 3 && lanes > 1) {
    hn::StoreInterleaved3(part(b.get(0)), part(b.get(1)), part(b.get(2)), d, out);
  } else {
    const std::size_t r = radix_of<Butterfly>(p);
    HWY_ALIGN T row[lanes];
    for (std::size_t j = 0; j < r; ++j) {
      hn::StoreU(part(b.get(j)), d, row);
      for (std::size_t i = 0; i < lanes; ++i) out[r * i + j] = row[i];
    }
  }
}

struct real_part {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(cvec<D> v) const {
    return v.re;
  }
};
struct imaginary_part {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(cvec<D> v) const {
    return v.im;
  }
};

/// Stores output j of the lane of m = k + l t at k + l (j + radix t), for 1 < l < lanes.
template <class D, class Butterfly, class T>
HWY_INLINE void store_scattered(D d, const pass<T>& p, const Butterfly& b, T* re, T* im,
                                std::size_t m) {
  constexpr std::size_t lanes = lanes_of<D>;
  const std::size_t radix = radix_of<Butterfly>(p), k0 = m % p.l, t0 = m / p.l;
  HWY_ALIGN T row_re[lanes];
  HWY_ALIGN T row_im[lanes];
  for (std::size_t j = 0; j < radix; ++j) {
    store_split(d, b.get(j), row_re, row_im);
    std::size_t k = k0, at = k0 + p.l * (j + radix * t0);
    for (std::size_t i = 0; i < lanes; ++i, ++at) {
      if (k == p.l) {
        k = 0;
        at += p.l * (radix - 1);
      }
      ++k;
      re[at] = row_re[i];
      im[at] = row_im[i];
    }
  }
}

/// Lanes run over m = k + l t, all l * count of them; the last block overlaps its neighbour.
template <class D, class Butterfly, layout In, bool Twiddled>
HWY_NOINLINE void narrow_loop(const pass<hn::TFromD<D>>& p, const hn::TFromD<D>* in_re,
                              const hn::TFromD<D>* in_im, hn::TFromD<D>* out_re,
                              hn::TFromD<D>* out_im) {
  const D d;
  constexpr std::size_t lanes = lanes_of<D>;
  const std::size_t radix = radix_of<Butterfly>(p), total = p.l * p.count;
  const std::size_t phase_size = 2 * (radix - 1) * lanes;
  for (std::size_t start = 0; start < total; start += lanes) {
    const std::size_t m = std::min(start, total - lanes);
    Butterfly b;
    load_inputs<In, Twiddled>(d, p, b, in_re, in_im, m, total,
                              Twiddled ? p.twiddles + (m % p.l) * phase_size : nullptr);
    b.run(d, p);
    if constexpr (Twiddled) {
      store_scattered(d, p, b, out_re, out_im, m);
    } else {
      store_transposed(d, p, b, out_re + radix * m, real_part());
      store_transposed(d, p, b, out_im + radix * m, imaginary_part());
    }
  }
}

/// Lanes run over k; the last block of a group overlaps its neighbour.
template <class D, class Butterfly, layout Out>
HWY_NOINLINE void wide_loop(const pass<hn::TFromD<D>>& p, const hn::TFromD<D>* in_re,
                            const hn::TFromD<D>* in_im, hn::TFromD<D>* out_re,
                            hn::TFromD<D>* out_im) {
  const D d;
  using T = hn::TFromD<D>;
  constexpr std::size_t lanes = lanes_of<D>;
  const std::size_t radix = radix_of<Butterfly>(p), l = p.l, total = l * p.count;
  const auto scale = hn::Set(d, p.scale);
  for (std::size_t t = 0; t < p.count; ++t) {
    const T* w = p.twiddles;
    for (std::size_t start = 0; start < l; start += lanes, w += 2 * (radix - 1) * lanes) {
      const std::size_t k = std::min(start, l - lanes);
      Butterfly b;
      load_inputs<layout::split, true>(d, p, b, in_re, in_im, k + l * t, total, w);
      b.run(d, p);
      const std::size_t at = k + l * radix * t;
      const auto store_all = [&]<bool Scaled>() PAPILIO_LAMBDA {
        for_each_point<Butterfly::fixed_radix>(0, radix, [&](std::size_t j) PAPILIO_LAMBDA {
          store<Out>(d, Scaled ? scaled(b.get(j), scale) : b.get(j), out_re, out_im, at + l * j);
        });
      };
      // Only the last pass stores interleaved numbers, whose shuffles take longer than products
      // with 1.
      if (Out != layout::split || HWY_UNLIKELY(p.scale != T(1))) {
        store_all.template operator()<true>();
      } else {
        store_all.template operator()<false>();
      }
    }
  }
}

template <class D, class Butterfly>
HWY_NOINLINE void narrow(const pass<hn::TFromD<D>>& p, const hn::TFromD<D>* in_re,
                         const hn::TFromD<D>* in_im, hn::TFromD<D>* out_re, hn::TFromD<D>* out_im) {
  if (p.l == 1) {
    narrow_loop<D, Butterfly, layout::split, false>(p, in_re, in_im, out_re, out_im);
  } else {
    narrow_loop<D, Butterfly, layout::split, true>(p, in_re, in_im, out_re, out_im);
  }
}

/// n = radix: one butterfly, scalar.
template <class D, class Butterfly, layout Layout>
HWY_NOINLINE void single(const pass<hn::TFromD<D>>& p, const hn::TFromD<D>* in_re,
                         const hn::TFromD<D>* in_im, hn::TFromD<D>* out_re, hn::TFromD<D>* out_im) {
  const D d;
  Butterfly b;
  load_inputs<Layout, false>(d, p, b, in_re, in_im, 0, 1, in_re);
  b.run(d, p);
  const auto scale = hn::Set(d, p.scale);
  for_each_point<Butterfly::fixed_radix>(0, p.radix, [&](std::size_t j) PAPILIO_LAMBDA {
    store<Layout>(d, scaled(b.get(j), scale), out_re, out_im, j);
  });
}

template <class D, class Butterfly>
constexpr pass_kernels<hn::TFromD<D>> make_kernels() {
  using enum layout;
  pass_kernels<hn::TFromD<D>> kernels{
      {narrow_loop<D, Butterfly, interleaved, false>,
       narrow_loop<D, Butterfly, interleaved_swapped, false>},
      narrow<D, Butterfly>,
      wide_loop<D, Butterfly, split>,
      {wide_loop<D, Butterfly, interleaved>, wide_loop<D, Butterfly, interleaved_swapped>},
      {nullptr, nullptr},
      nullptr};
  if constexpr (lanes_of<D> == 1) {
    kernels.single[0] = single<D, Butterfly, interleaved>;
    kernels.single[1] = single<D, Butterfly, interleaved_swapped>;
    kernels.single_split = single<D, Butterfly, split>;
  }
  return kernels;
}

/// The lanes of the widest register, and of narrower ones down to 16 bytes, and 1.
template <class T>
inline constexpr std::size_t max_lanes = lanes_of<hn::ScalableTag<T>>;

/// Short lengths alone have registers narrower than the widest, and pay there what odd_butterfly,
/// with the same sums, takes longer than code of their own.
template <class D, class Butterfly>
using butterfly_at =
    std::conditional_t<(Butterfly::fixed_radix == 7 && lanes_of<D> == 1) ||
                           (Butterfly::fixed_radix > 9 && Butterfly::fixed_radix % 2 == 1 &&
                            lanes_of<D> < max_lanes<hn::TFromD<D>>),
                       odd_butterfly<D>, Butterfly>;

/// Kernels of one butterfly at the given number of lanes, or null if there is no such width.
template <class T, template <class> class Butterfly, std::size_t Lanes = max_lanes<T>>
const pass_kernels<T>* kernels_at(std::size_t lanes) {
  if (lanes == Lanes) {
    using D = hn::CappedTag<T, Lanes>;
    static constexpr pass_kernels<T> kernels = make_kernels<D, butterfly_at<D, Butterfly<D>>>();
    return &kernels;
  }
  if constexpr (Lanes > 1) {
    constexpr std::size_t next = Lanes * sizeof(T) > 16 ? Lanes / 2 : 1;
    return kernels_at<T, Butterfly, next>(lanes);
  }
  return nullptr;
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Passes over blocks of columns (see column.hpp). Compiled once per target.
#if defined(PAPILIO_FFT_COLUMN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_COLUMN_INL
#undef PAPILIO_FFT_COLUMN_INL
#else
#define PAPILIO_FFT_COLUMN_INL
#endif

#include "fft/column.hpp"
#include "fft/simd/butterfly-inl.hpp"
#include "fft/simd/spectrum-inl.hpp"
#include "fft/simd/vector-inl.hpp"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

enum class rows { interleaved, interleaved_swapped, split, tile, streamed, streamed_swapped };

/// Whether a store of one register is one of a whole cache line, which may go past the caches.
template <class D>
inline constexpr bool has_streams = lanes_of<D> * sizeof(hn::TFromD<D>) == 64;

/// Register number `run` of the row at `at`.
template <rows Layout, class D, class T>
HWY_INLINE cvec<D> load_row(D d, const T* re, const T* im, std::ptrdiff_t at, std::size_t run) {
  constexpr std::size_t lanes = lanes_of<D>;
  re += at;
  if constexpr (Layout == rows::split) {
    return load_split(d, re + run * lanes, im + at + run * lanes);
  } else if constexpr (Layout == rows::tile) {
    return load_split(d, re + run * 2 * lanes, re + run * 2 * lanes + lanes);
  } else {
    return load_interleaved<Layout == rows::interleaved_swapped>(d, re + run * 2 * lanes);
  }
}
template <rows Layout, class D, class T>
HWY_INLINE void store_row(D d, cvec<D> v, T* re, T* im, std::ptrdiff_t at, std::size_t run) {
  constexpr std::size_t lanes = lanes_of<D>;
  re += at;
  if constexpr (Layout == rows::split) {
    store_split(d, v, re + run * lanes, im + at + run * lanes);
  } else if constexpr (Layout == rows::tile) {
    store_split(d, v, re + run * 2 * lanes, re + run * 2 * lanes + lanes);
  } else if constexpr (Layout == rows::streamed || Layout == rows::streamed_swapped) {
    HWY_ALIGN T pairs[2 * lanes];  // stays in registers
    store_interleaved<Layout == rows::streamed_swapped>(d, v, pairs);
    hn::Stream(hn::Load(d, pairs), d, re + run * 2 * lanes);
    hn::Stream(hn::Load(d, pairs + lanes), d, re + run * 2 * lanes + lanes);
  } else {
    store_interleaved<Layout == rows::interleaved_swapped>(d, v, re + run * 2 * lanes);
  }
}

template <class D, class Butterfly, rows In, rows Out, bool Twiddled, bool Scaled>
HWY_INLINE void column_loop(const pass<hn::TFromD<D>>& p,
                            const column_block<hn::TFromD<D>>& block) {
  using T = hn::TFromD<D>;
  const D d;
  const std::size_t radix = Butterfly::fixed_radix != 0 ? Butterfly::fixed_radix : p.radix;
  const auto l = static_cast<std::ptrdiff_t>(p.l), count = static_cast<std::ptrdiff_t>(p.count);
  const column_rows<const T> in = block.in;
  const column_rows<T> out = block.out;
  const std::ptrdiff_t in_step = l * count * in.stride, out_step = l * out.stride;
  const auto scale = hn::Set(d, p.scale);
  const T* w = p.twiddles;
  for (std::ptrdiff_t k = 0; k < l; ++k, w += 2 * (radix - 1))
    for (std::ptrdiff_t t = 0; t < count; ++t) {
      for (std::size_t run = 0; run < block.runs; ++run) {
        Butterfly b;
        const std::ptrdiff_t from = (k + l * t) * in.stride;
        b.set(0, load_row<In>(d, in.re, in.im, from, run));
        for_each_point<Butterfly::fixed_radix>(1, radix, [&](std::size_t r) PAPILIO_LAMBDA {
          const std::ptrdiff_t at = from + static_cast<std::ptrdiff_t>(r) * in_step;
          const cvec<D> x = load_row<In>(d, in.re, in.im, at, run);
          if constexpr (Twiddled) {
            b.set(r, x * cvec<D>{hn::Set(d, w[2 * r - 2]), hn::Set(d, w[2 * r - 1])});
          } else {
            b.set(r, x);
          }
        });
        b.run(d, p);
        const std::ptrdiff_t to = (k + l * static_cast<std::ptrdiff_t>(radix) * t) * out.stride;
        for_each_point<Butterfly::fixed_radix>(0, radix, [&](std::size_t j) PAPILIO_LAMBDA {
          const std::ptrdiff_t at = to + static_cast<std::ptrdiff_t>(j) * out_step;
          store_row<Out>(d, Scaled ? scaled(b.get(j), scale) : b.get(j), out.re, out.im, at, run);
        });
      }
    }
}

template <class D, class Butterfly, rows In>
HWY_NOINLINE void column_first(const pass<hn::TFromD<D>>& p,
                               const column_block<hn::TFromD<D>>& block) {
  column_loop<D, Butterfly, In, rows::tile, false, false>(p, block);
}

template <class D, class Butterfly>
HWY_NOINLINE void column_middle(const pass<hn::TFromD<D>>& p,
                                const column_block<hn::TFromD<D>>& block) {
  if (p.l == 1) {
    column_loop<D, Butterfly, rows::tile, rows::tile, false, false>(p, block);
  } else {
    column_loop<D, Butterfly, rows::tile, rows::tile, true, false>(p, block);
  }
}

/// A product with 1 changes nothing: one form, scaled or not.
template <class D, class Butterfly, rows Out>
HWY_NOINLINE void column_last(const pass<hn::TFromD<D>>& p,
                              const column_block<hn::TFromD<D>>& block) {
  column_loop<D, Butterfly, rows::tile, Out, true, true>(p, block);
  if constexpr (Out == rows::streamed || Out == rows::streamed_swapped) hwy::FlushStream();
}
template <class D, class Butterfly, rows Out>
constexpr column_function<hn::TFromD<D>> last_streamed_of() {
  if constexpr (has_streams<D>) return column_last<D, Butterfly, Out>;
  return nullptr;
}

template <class T>
using full_width = hn::ScalableTag<T>;

template <class T, template <class> class Butterfly>
const column_kernels<T>* column_kernels_of() {
  using D = full_width<T>;
  using B = Butterfly<D>;
  static constexpr column_kernels<T> kernels{
      {column_first<D, B, rows::interleaved>, column_first<D, B, rows::interleaved_swapped>},
      column_first<D, B, rows::split>,
      column_middle<D, B>,
      {column_last<D, B, rows::interleaved>, column_last<D, B, rows::interleaved_swapped>},
      {last_streamed_of<D, B, rows::streamed>(), last_streamed_of<D, B, rows::streamed_swapped>()}};
  return &kernels;
}

template <class T, rows Out>
HWY_NOINLINE void column_unload(std::size_t count, T scale, column_rows<const T> in,
                                column_rows<T> out, std::size_t runs) {
  const full_width<T> d;
  const auto factor = hn::Set(d, scale);
  for (std::size_t r = 0; r < count; ++r, in.re += in.stride, out.re += out.stride) {
    for (std::size_t run = 0; run < runs; ++run) {
      const auto v = load_row<rows::tile>(d, in.re, in.im, 0, run);
      store_row<Out>(d, scaled(v, factor), out.re, out.im, 0, run);
    }
    if constexpr (Out == rows::split) out.im += out.stride;
  }
}

template <class T, bool Swap>
HWY_NOINLINE void column_multiply(std::size_t count, const T* w, column_rows<T> tile) {
  const full_width<T> d;
  constexpr std::size_t lanes = lanes_of<full_width<T>>;
  for (std::size_t r = 0; r < count; ++r, w += 2 * lanes, tile.re += tile.stride) {
    T *const re = tile.re + (Swap ? lanes : 0), *const im = tile.re + (Swap ? 0 : lanes);
    store_split(d, load_row<rows::tile>(d, tile.re, tile.im, 0, 0) * load_split(d, w, w + lanes),
                re, im);
  }
}

/// A register's worth of rows at a time: times twiddles, transposed, and each column stored where
/// its row has these rows as lanes.
template <class T, bool Streamed>
HWY_NOINLINE void column_turn(std::size_t count, column_twiddles<T> w, column_rows<const T> in,
                              column_rows<T> out) {
  using D = full_width<T>;
  const D d;
  constexpr std::size_t lanes = lanes_of<D>;
  for (std::size_t k = 0; k < count; k += lanes) {
    hn::Vec<D> re[lanes], im[lanes];
    PAPILIO_UNROLL
    for (std::size_t i = 0; i < lanes; ++i) {
      const T* const row = in.re + static_cast<std::ptrdiff_t>(k + i) * in.stride;
      const T *const first = w.first + 2 * (k + i), *const lane = w.lanes + 2 * lanes * (k + i);
      const cvec<D> factor =
          load_split(d, lane, lane + lanes) * cvec<D>{hn::Set(d, first[0]), hn::Set(d, first[1])};
      const cvec<D> x = load_split(d, row, row + lanes) * factor;
      re[i] = x.re;
      im[i] = x.im;
    }
    transpose(d, re);
    transpose(d, im);
    PAPILIO_UNROLL
    for (std::size_t i = 0; i < lanes; ++i) {
      T* const row = out.re + 2 * k + static_cast<std::ptrdiff_t>(i) * out.stride;
      if constexpr (Streamed) {
        hn::Stream(re[i], d, row);
        hn::Stream(im[i], d, row + lanes);
      } else {
        store_split(d, cvec<D>{re[i], im[i]}, row, row + lanes);
      }
    }
  }
  if constexpr (Streamed) hwy::FlushStream();
}
template <class T>
constexpr decltype(column_moves<T>::turn) turn_streamed_of() {
  if constexpr (has_streams<full_width<T>>) return column_turn<T, true>;
  return nullptr;
}

template <class T>
HWY_NOINLINE void column_entangle(std::size_t count, std::size_t columns, T scale, T ends,
                                  column_twiddles<T> w, const T* bins, std::size_t c,
                                  column_rows<T> out) {
  const full_width<T> d;
  constexpr std::size_t lanes = lanes_of<full_width<T>>;
  const auto factor = hn::Set(d, scale);
  const auto first = load_split(d, w.first, w.first + lanes);
  for (std::size_t r = 0; r < count; ++r, out.re += out.stride) {
    const auto turn =
        cvec<full_width<T>>{hn::Set(d, w.lanes[2 * r]), hn::Set(d, w.lanes[2 * r + 1])};
    const auto z =
        load_entangled(d, bins, c + columns * r, columns * count, factor, ends, first * turn);
    store_split(d, cvec<full_width<T>>{z.im, z.re}, out.re, out.re + lanes);
  }
}

template <class T>
const column_moves<T>* column_moves_of() {
  static constexpr column_moves<T> moves{
      lanes_of<full_width<T>>,
      {column_unload<T, rows::interleaved>, column_unload<T, rows::interleaved_swapped>},
      column_unload<T, rows::split>,
      column_entangle<T>,
      {column_multiply<T, false>, column_multiply<T, true>},
      column_turn<T, false>,
      turn_streamed_of<T>()};
  return &moves;
}

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

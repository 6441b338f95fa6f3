// Short transforms in the interleaved layout, in registers or in the first cache. Compiled once per
// target.
#if defined(PAPILIO_FFT_CODELET_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_CODELET_INL
#undef PAPILIO_FFT_CODELET_INL
#else
#define PAPILIO_FFT_CODELET_INL
#endif

#include <algorithm>
#include <iterator>

#include "fft/codelet.hpp"
#include "fft/simd/column_codelet-inl.hpp"
#include "fft/simd/line-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

// With C complex numbers in a register and x[M r + c] in register r (M / C) + c / C, lane c % C:
//   columns   y[k][c] = W_n^{kc} sum_r W_R^{rk} x[M r + c]    over registers, lanes are c
//   transpose C x C                                           lanes become k
//   rows      X[k + R j] = sum_c W_M^{cj} y[k][c]             over registers again
//
// Each form has n, memory_reals, and run<Scaled>: `load` gives the registers of the input by number,
// all of which are read before `out` is written.

#if HWY_TARGET != HWY_SCALAR

/// Codelet of n = R1 R2 points, which stay in registers.
template <class D, std::size_t R1, std::size_t R2>
struct register_lines {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t n = R1 * R2, memory_reals = 0;

  template <bool Scaled, class Load>
  static HWY_INLINE void run(const codelet_tables<T>& tables, const Load& load, T* out, T*) {
    constexpr std::size_t lanes = lanes_of<D>, complexes = lanes / 2;
    constexpr std::size_t columns = R2 / complexes, rows = R1 / complexes;
    static_assert(R1 % complexes == 0 && R2 % complexes == 0);
    const turn<D> t(tables.sign);
    const D d;
    const auto scale = hn::Set(d, tables.scale);
    V y[R1 * R2 / complexes];
    const T* w = tables.twiddles;
    PAPILIO_UNROLL
    for (std::size_t c = 0; c < columns; ++c) {
      V x[R1];
      PAPILIO_UNROLL
      for (std::size_t r = 0; r < R1; ++r) x[r] = load(r * columns + c);
      line<R1>(t, x);
      y[c * R1] = x[0];
      PAPILIO_UNROLL
      for (std::size_t k = 1; k < R1; ++k, w += 2 * lanes)
        y[c * R1 + k] = t.times(x[k], hn::Load(d, w), hn::Load(d, w + lanes));
      PAPILIO_UNROLL
      for (std::size_t k = 0; k < rows; ++k) transpose_complex(d, y + c * R1 + k * complexes);
    }
    PAPILIO_UNROLL
    for (std::size_t k = 0; k < rows; ++k) {
      V x[R2];
      PAPILIO_UNROLL
      for (std::size_t c = 0; c < R2; ++c)
        x[c] = y[c / complexes * R1 + k * complexes + c % complexes];
      line<R2>(t, x);
      PAPILIO_UNROLL
      for (std::size_t j = 0; j < R2; ++j)
        hn::StoreU(Scaled ? hn::Mul(x[j], scale) : x[j], d, out + lanes * (j * rows + k));
    }
  }
};

/// Codelet of n = R M points, M the product of the other radices: it transforms registers of
/// columns of R and then, lanes being k, columns of M rows.
template <class D, std::size_t R, std::size_t... M>
struct cached_lines {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = lanes_of<D>, complexes = lanes / 2;
  static constexpr std::size_t m = (M * ... * std::size_t{1}), n = R * m;
  static constexpr bool is_small = n <= 256;
  // Registers whose rows lie side by side, in memory as in `out`: as many as fill a cache line.
  static constexpr std::size_t together =
      std::clamp<std::size_t>(64 / (lanes * sizeof(T)), 1, R / complexes);
  static constexpr std::size_t memory_reals = is_small ? 0 : 2 * n;
  static_assert(R % complexes == 0 && m % complexes == 0);

  template <bool Scaled, class Load>
  static HWY_INLINE void run(const codelet_tables<T>& tables, const Load& load, T* out, T* memory) {
    HWY_ALIGN T own[is_small ? 2 * n : 1];
    if constexpr (is_small) memory = own;
    const D d;
    const turn<D> t(tables.sign);
    const T* w = tables.twiddles;
    for (std::size_t c = 0; c < m; c += complexes) {
      V x[R];
      if constexpr (n >= 1024) ask_for(out + 2 * R * c);
      PAPILIO_UNROLL
      for (std::size_t r = 0; r < R; ++r) x[r] = load((r * m + c) / complexes);
      line<R>(t, x);
      PAPILIO_UNROLL
      for (std::size_t k = 1; k < R; ++k, w += 2 * lanes)
        x[k] = t.times(x[k], hn::Load(d, w), hn::Load(d, w + lanes));
      PAPILIO_UNROLL
      for (std::size_t k = 0; k < R; k += complexes) {
        transpose_complex(d, x + k);
        const std::size_t run = k / complexes;
        T* const to = memory + lanes * (together * (run / together * m + c) + run % together);
        PAPILIO_UNROLL
        for (std::size_t i = 0; i < complexes; ++i)
          hn::Store(x[k + i], d, to + lanes * together * i);
      }
    }
    rows<Scaled>(tables, memory, out);
  }

 private:
  // Rows of the output are far apart, which hides them from the hardware's prefetchers.
  static HWY_INLINE void ask_for(const T* out) {
    PAPILIO_UNROLL
    for (std::size_t i = 0; i < R * lanes; i += 64 / sizeof(T)) __builtin_prefetch(out + i, 1, 3);
  }

  template <bool Scaled>
  static HWY_NOINLINE void rows(const codelet_tables<T>& tables, T* memory, T* out) {
    const turn<D> t(tables.sign);
    const auto scale = hn::Set(D(), tables.scale);
    interleaved_columns<T> columns{.in = memory,
                                   .out = out,
                                   .in_step = lanes * together,
                                   .out_step = 2 * R,
                                   .in_run = lanes,
                                   .out_run = lanes,
                                   .runs = together};
    for (std::size_t k = 0; k < R; k += together * complexes) {
      column_steps<D, Scaled, M...>::run(t, scale, tables.rows, columns, memory);
      memory += together * lanes * m;
      columns.in = memory;
      columns.out += together * lanes;
    }
  }
};

#if HWY_TARGET <= HWY_AVX3
/// n = 32 = 4 * 8 in four registers of eight complex numbers: after the columns, each half of a
/// register is transposed 4 x 4, which leaves y[k][q] and y[k][q + 4] in the halves of register q;
/// their sum and their difference times W_8^q are the inputs of the even and of the odd rows.
struct codelet32_lines {
  using D = hn::ScalableTag<float>;
  static constexpr std::size_t n = 32, memory_reals = 0;

  template <bool Scaled, class Load>
  static HWY_INLINE void run(const codelet_tables<float>& tables, const Load& load, float* out,
                             float*) {
    using V = hn::Vec<D>;
    const D d;
    const auto scale = hn::Set(d, tables.scale);
    const turn<D> t(tables.sign);
    constexpr std::size_t lanes = 16;
    const float* w = tables.twiddles;
    V x[4];
    PAPILIO_UNROLL
    for (std::size_t r = 0; r < 4; ++r) x[r] = load(r);
    line4(t, x[0], x[1], x[2], x[3]);
    PAPILIO_UNROLL
    for (std::size_t k = 1; k < 4; ++k, w += 2 * lanes)
      x[k] = t.times(x[k], hn::Load(d, w), hn::Load(d, w + lanes));
    transpose_halves(x);
    const V sign = hn::ConcatLowerLower(d, hn::Set(d, -1.0f), hn::Set(d, 1.0f));
    PAPILIO_UNROLL
    for (std::size_t q = 0; q < 4; ++q)
      x[q] = hn::MulAdd(x[q], sign, hn::ConcatLowerUpper(d, x[q], x[q]));
    PAPILIO_UNROLL
    for (std::size_t q = 1; q < 4; ++q, w += 2 * lanes)
      x[q] = t.times(x[q], hn::Load(d, w), hn::Load(d, w + lanes));
    line4(t, x[0], x[1], x[2], x[3]);
    PAPILIO_UNROLL
    for (std::size_t j = 0; j < 4; ++j)
      hn::StoreU(Scaled ? hn::Mul(x[j], scale) : x[j], d, out + lanes * j);
  }
};
#endif

template <class D, class Lines, bool Scaled, class T = hn::TFromD<D>>
HWY_INLINE void one_line(const codelet_tables<T>& tables, const T* in, T* out, T* memory) {
  Lines::template run<Scaled>(
      tables, [&](std::size_t at) HWY_ATTR { return hn::LoadU(D(), in + at * lanes_of<D>); }, out,
      memory);
}

template <class D, class Lines, bool Scaled, class T = hn::TFromD<D>>
HWY_NOINLINE void codelet(const codelet_tables<T>& tables, const T* in, T* out, T* memory) {
  one_line<D, Lines, Scaled>(tables, in, out, memory);
}

/// Transforms several lines. Short codelets are inlined, as a call would cost as much as a line.
template <class D, class Lines, bool Scaled, class T = hn::TFromD<D>>
HWY_NOINLINE void codelet_lines(const codelet_tables<T>& tables, const T* in,
                                std::ptrdiff_t in_step, T* out, std::ptrdiff_t out_step,
                                std::size_t count, T* memory) {
  for (; count > 0; --count, in += in_step, out += out_step) {
    if constexpr (Lines::n <= 64) {
      one_line<D, Lines, Scaled>(tables, in, out, memory);
    } else {
      codelet<D, Lines, Scaled>(tables, in, out, memory);
    }
  }
}

/// Runs the codelet on split operands, which are interleaved on the way.
template <class D, class Lines, bool Scaled, class T = hn::TFromD<D>>
HWY_NOINLINE void split_codelet(const codelet_tables<T>& tables, const T* in_re, const T* in_im,
                                T* out_re, T* out_im, T* memory) {
  const D d;
  constexpr std::size_t lanes = lanes_of<D>;
  constexpr bool is_small = Lines::memory_reals == 0;
  HWY_ALIGN T own[is_small ? 2 * Lines::n : 1];
  T* const line = is_small ? own : memory;
  for (std::size_t i = 0; i < Lines::n; i += lanes)
    store_interleaved<false>(d, load_split(d, in_re + i, in_im + i), line + 2 * i);
  codelet<D, Lines, Scaled>(tables, line, line, memory + 2 * Lines::n);
  for (std::size_t i = 0; i < Lines::n; i += lanes)
    store_split(d, load_interleaved<false>(d, line + 2 * i), out_re + i, out_im + i);
}

template <class T>
inline constexpr std::size_t widest_complexes = lanes_of<hn::ScalableTag<T>> / 2;

/// Calls visitor.template operator()<D, Lines, halves>() for these radices, in the widest registers
/// whose complex numbers divide both factors, or the first of more.
template <class T, std::size_t R1, std::size_t R2, std::size_t R3, std::size_t R4, class Visitor>
auto visit_radices(const Visitor& visitor) {
  constexpr std::size_t complexes = std::min({widest_complexes<T>, R1, R2 * R3 * R4});
  using D = hn::CappedTag<T, 2 * complexes>;
  // Codelets that need more registers go by way of memory.
  constexpr std::size_t most_registers = 32;
  if constexpr (R4 > 1) {
    return visitor.template operator()<D, cached_lines<D, R1, R2, R3, R4>, false>();
  } else if constexpr (R3 > 1) {
    return visitor.template operator()<D, cached_lines<D, R1, R2, R3>, false>();
#if HWY_TARGET <= HWY_AVX3
  } else if constexpr (R1 == 4 && R2 == 8 && widest_complexes<T> == 8) {
    return visitor.template operator()<codelet32_lines::D, codelet32_lines, true>();
#endif
  } else if constexpr (R1 * R2 / complexes > most_registers) {
    return visitor.template operator()<D, cached_lines<D, R1, R2>, false>();
  } else {
    return visitor.template operator()<D, register_lines<D, R1, R2>, false>();
  }
}

/// Calls the visitor for the codelet of n; returns null if there is none.
template <class T, std::size_t I = 0, class Visitor>
auto visit_codelet(std::size_t n, const Visitor& visitor)
    -> decltype(visit_radices<T, 4, 4, 1, 1>(visitor)) {
  if constexpr (I < std::size(codelet_radices)) {
    constexpr radices_of_codelet r = codelet_radices[I];
    if (n == r.product()) return visit_radices<T, r.first, r.second, r.third, r.fourth>(visitor);
    return visit_codelet<T, I + 1>(n, visitor);
  }
  return nullptr;
}

template <class T>
const codelet_code<T>* codelet_for(std::size_t n) {
  return visit_codelet<T>(n, []<class D, class Lines, bool Halves>() {
    static const codelet_code<T> code{
        lanes_of<D> / 2,
        Lines::memory_reals == 0 ? 0 : Lines::memory_reals + 2 * Lines::n,
        {codelet<D, Lines, false>, codelet<D, Lines, true>},
        {codelet_lines<D, Lines, false>, codelet_lines<D, Lines, true>},
        {split_codelet<D, Lines, false>, split_codelet<D, Lines, true>},
        Halves};
    return static_cast<const codelet_code<T>*>(&code);
  });
}

#else

template <class T>
const codelet_code<T>* codelet_for(std::size_t) {
  return nullptr;
}

#endif

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

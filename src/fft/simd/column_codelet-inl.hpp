// Short transforms of columns as they lie in memory (see column_codelet.hpp). Compiled once per
// target.
#if defined(PAPILIO_FFT_COLUMN_CODELET_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_COLUMN_CODELET_INL
#undef PAPILIO_FFT_COLUMN_CODELET_INL
#else
#define PAPILIO_FFT_COLUMN_CODELET_INL
#endif

#include <algorithm>
#include <iterator>

#include "fft/column_codelet.hpp"
#include "fft/simd/line-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

/// Columns of n = R S rows, S the product of Rest: R-point transforms of rows S apart, twiddles, and
/// then columns of S rows, of which the one of k becomes the rows k + R j.
template <class D, bool Scaled, std::size_t R, std::size_t... Rest>
struct column_steps {
  using T = hn::TFromD<D>;
  using V = hn::Vec<D>;
  static constexpr std::size_t lanes = lanes_of<D>;
  static constexpr std::size_t rest = (Rest * ... * std::size_t{1}), n = R * rest;
  /// Memory for one register of columns.
  static constexpr std::size_t memory_reals = rest == 1 ? 0 : n * lanes;

  /// `w` is on this step's twiddles, and those of the others follow. Between the steps the rows of
  /// all registers are in memory, one row after the other; they may come from there.
  static HWY_INLINE void run(const turn<D>& t, V scale, const T* w,
                             const interleaved_columns<T>& block, T* memory) {
    if constexpr (rest == 1) {
      const T* in = block.in;
      T* out = block.out;
      for (std::size_t i = 0; i < block.runs; ++i, in += block.in_run, out += block.out_run) {
        V x[R];
        load_rows(in, block.in_step, x);
        line<R>(t, x);
        T* to = out;
        PAPILIO_UNROLL
        for (std::size_t k = 0; k < R; ++k, to += block.out_step)
          hn::StoreU(Scaled ? hn::Mul(x[k], scale) : x[k], D(), to);
      }
    } else {
      const T* row = block.in;
      for (std::size_t c = 0; c < rest; ++c, w += 4 * (R - 1), row += block.in_step) {
        const T* in = row;
        for (std::size_t i = 0; i < block.runs; ++i, in += block.in_run) {
          V x[R];
          load_rows(in, static_cast<std::ptrdiff_t>(rest) * block.in_step, x);
          line<R>(t, x);
          T* const to = memory + lanes * (block.runs * c + i);
          hn::Store(x[0], D(), to);
          PAPILIO_UNROLL
          for (std::size_t k = 1; k < R; ++k) {
            const T* const pair = w + 4 * (k - 1);
            const V turned = t.times(x[k], repeated_pair(D(), pair), repeated_pair(D(), pair + 2));
            hn::Store(turned, D(), to + lanes * block.runs * rest * k);
          }
        }
      }
      interleaved_columns<T> next{.in = memory,
                                  .out = block.out,
                                  .in_step = static_cast<std::ptrdiff_t>(lanes * block.runs),
                                  .out_step = static_cast<std::ptrdiff_t>(R) * block.out_step,
                                  .in_run = lanes,
                                  .out_run = block.out_run,
                                  .runs = block.runs};
      const std::size_t group = lanes * block.runs * rest;
      for (std::size_t k = 0; k < R;
           ++k, memory += group, next.in = memory, next.out += block.out_step)
        column_steps<D, Scaled, Rest...>::run(t, scale, w, next, memory);
    }
  }

 private:
  static HWY_INLINE void load_rows(const T* in, std::ptrdiff_t step, V* x) {
    PAPILIO_UNROLL
    for (std::size_t r = 0; r < R; ++r, in += step) x[r] = hn::LoadU(D(), in);
  }
};

/// Rows that are far apart share a few places of the first cache, so that of each much is read, and
/// written, at once: as many registers of columns as half of that cache holds.
template <class D, bool Scaled, std::size_t... R>
HWY_NOINLINE void run_columns(const column_codelet_tables<hn::TFromD<D>>& tables,
                              const interleaved_columns<hn::TFromD<D>>& columns) {
  using T = hn::TFromD<D>;
  using steps = column_steps<D, Scaled, R...>;
  constexpr std::size_t register_bytes = lanes_of<D> * sizeof(T);
  constexpr std::size_t together =
      std::clamp<std::size_t>(16384 / (steps::n * register_bytes), 1, 512 / register_bytes);
  HWY_ALIGN T memory[std::max<std::size_t>(1, together * steps::memory_reals)];
  const turn<D> t(tables.sign);
  const auto scale = hn::Set(D(), tables.scale);
  interleaved_columns<T> block = columns;
  for (std::size_t run = 0; run < columns.runs; run += together) {
    block.runs = std::min(together, columns.runs - run);
    steps::run(t, scale, tables.twiddles, block, memory);
    block.in += static_cast<std::ptrdiff_t>(together) * columns.in_run;
    block.out += static_cast<std::ptrdiff_t>(together) * columns.out_run;
  }
}

template <class T, std::size_t... R>
const column_codelet_code<T>* column_codelet_of() {
  using D = hn::ScalableTag<T>;
  static constexpr column_codelet_code<T> code{
      lanes_of<D> / 2, {run_columns<D, false, R...>, run_columns<D, true, R...>}};
  return &code;
}

template <class T, std::size_t I = 0>
const column_codelet_code<T>* column_codelet_for(std::size_t n) {
  if constexpr (I < std::size(column_codelet_radices)) {
    constexpr radices_of_codelet r = column_codelet_radices[I];
    if (n != r.product()) return column_codelet_for<T, I + 1>(n);
    if constexpr (r.second == 1) {
      return column_codelet_of<T, r.first>();
    } else {
      return column_codelet_of<T, r.first, r.second>();
    }
  }
  return nullptr;
}

#else

template <class T>
const column_codelet_code<T>* column_codelet_for(std::size_t) {
  return nullptr;
}

#endif

}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// Short transforms of columns as they lie in memory (see column_codelet.hpp). Compiled once per
// target.
#if defined(PAPILIO_FFT_COLUMN_CODELET_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_FFT_COLUMN_CODELET_INL
#undef PAPILIO_FFT_COLUMN_CODELET_INL
#else
#define PAPILIO_FFT_COLUMN_CODELET_INL
#endif

#include <algorithm>

#include "fft/column_codelet.hpp"
#include "fft/simd/line-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

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

/// n = R1 R2 rows; R2 = 1: one butterfly. `Together` registers of columns are done at once, the
/// same rows of each in turn, and are in the first cache between the halves of the transform.
template <class D, std::size_t R1, std::size_t R2, std::size_t Together, bool Scaled,
          class T = hn::TFromD<D>>
HWY_INLINE void transform_columns(const column_codelet_tables<T>& tables,
                                  const interleaved_columns<T>& block) {
  using V = hn::Vec<D>;
  const D d;
  constexpr std::size_t lanes = lanes_of<D>, n = R1 * R2;
  const turn<D> t(tables.sign);
  const auto scale = hn::Set(d, tables.scale);
  HWY_ALIGN T between[R2 == 1 ? 1 : Together * n * lanes];
  const T* first_in = block.in;
  T* first_out = block.out;
  for (std::size_t run = 0; run < block.runs; run += Together) {
    const std::size_t count = std::min(Together, block.runs - run);
    const T* w = tables.twiddles;
    const T* row = first_in;
    for (std::size_t c = 0; c < R2; ++c, w += 4 * (R1 - 1), row += block.in_step) {
      const T* columns = row;
      for (std::size_t i = 0; i < count; ++i, columns += block.in_run) {
        const T* in = columns;
        V x[R1];
        PAPILIO_UNROLL
        for (std::size_t r = 0; r < R1; ++r, in += R2 * block.in_step) x[r] = hn::LoadU(d, in);
        line<R1>(t, x);
        if constexpr (R2 == 1) {
          T* out = first_out + static_cast<std::ptrdiff_t>(i) * block.out_run;
          PAPILIO_UNROLL
          for (std::size_t k = 0; k < R1; ++k, out += block.out_step)
            hn::StoreU(Scaled ? hn::Mul(x[k], scale) : x[k], d, out);
        } else {
          T* const to = between + lanes * (n * i + c);
          hn::Store(x[0], d, to);
          PAPILIO_UNROLL
          for (std::size_t k = 1; k < R1; ++k) {
            const T* const pair = w + 4 * (k - 1);
            const V turned = t.times(x[k], repeated_pair(d, pair), repeated_pair(d, pair + 2));
            hn::Store(turned, d, to + lanes * R2 * k);
          }
        }
      }
    }
    if constexpr (R2 > 1) {
      T* out_row = first_out;
      for (std::size_t k = 0; k < R1; ++k, out_row += block.out_step) {
        const T* from = between + lanes * R2 * k;
        T* columns_out = out_row;
        for (std::size_t i = 0; i < count; ++i, from += lanes * n, columns_out += block.out_run) {
          V x[R2];
          PAPILIO_UNROLL
          for (std::size_t c = 0; c < R2; ++c) x[c] = hn::Load(d, from + lanes * c);
          line<R2>(t, x);
          T* out = columns_out;
          PAPILIO_UNROLL
          for (std::size_t j = 0; j < R2; ++j, out += R1 * block.out_step)
            hn::StoreU(Scaled ? hn::Mul(x[j], scale) : x[j], d, out);
        }
      }
    }
    first_in += Together * block.in_run;
    first_out += Together * block.out_run;
  }
}

/// As many registers of columns as the first cache holds: rows a power of two apart share a few
/// places of it, so that of each much is read, and written, at once.
template <class D, std::size_t R1, std::size_t R2, bool Scaled, class T = hn::TFromD<D>>
HWY_NOINLINE void run_columns(const column_codelet_tables<T>& tables,
                              const interleaved_columns<T>& block) {
  constexpr std::size_t bytes = 16384, register_bytes = lanes_of<D> * sizeof(T);
  constexpr std::size_t together =
      std::clamp<std::size_t>(bytes / (R1 * R2 * register_bytes), 1, 512 / register_bytes);
  transform_columns<D, R1, R2, together, Scaled>(tables, block);
}

template <class T, std::size_t R1, std::size_t R2>
const column_codelet_code<T>* column_codelet_of() {
  using D = hn::ScalableTag<T>;
  static constexpr column_codelet_code<T> code{
      R1, R2, lanes_of<D> / 2, {run_columns<D, R1, R2, false>, run_columns<D, R1, R2, true>}};
  return &code;
}

template <class T>
const column_codelet_code<T>* column_codelet_for(std::size_t n) {
  switch (n) {
    case 4:
      return column_codelet_of<T, 4, 1>();
    case 8:
      return column_codelet_of<T, 8, 1>();
    case 16:
      return column_codelet_of<T, 4, 4>();
    case 32:
      return column_codelet_of<T, 8, 4>();
    case 64:
      return column_codelet_of<T, 8, 8>();
    case 128:
      return column_codelet_of<T, 16, 8>();
    case 256:
      return column_codelet_of<T, 16, 16>();
    default:
      return nullptr;
  }
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

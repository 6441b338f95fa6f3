// This file computes the systolic array's sums in blocks of rows by vectors of columns. Highway
// compiles it once per target.
#if defined(PAPILIO_ENGINE_SYSTOLIC_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PAPILIO_ENGINE_SYSTOLIC_INL
#undef PAPILIO_ENGINE_SYSTOLIC_INL
#else
#define PAPILIO_ENGINE_SYSTOLIC_INL
#endif

#include <cmath>

#include "engine/isa/systolic.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::engine_detail::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns a * b + c rounded once, also on targets without a fused instruction.
template <class D, class V>
HWY_INLINE V fused(D d, V a, V b, V c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  constexpr std::size_t lanes = hn::MaxLanes(D());
  HWY_ALIGN float x[lanes], y[lanes], z[lanes];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < lanes; ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, z);
#endif
}

template <bool Rounded, class D, class V>
HWY_INLINE V step(D d, V a, V b, V sum) {
  if constexpr (Rounded)
    return hn::Add(sum, hn::Mul(a, b));
  else
    return fused(d, a, b, sum);
}

template <bool Rounded, int Rows, int Vectors, class D>
HWY_INLINE void block(D d, const systolic_product& p, std::size_t i, std::size_t j) {
  constexpr std::size_t lanes = hn::MaxLanes(D());
  hn::Vec<D> sums[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) sums[r][v] = hn::Zero(d);
  const float* moving = p.moving + j;
  const float* stationary = p.stationary + i;
  for (std::size_t k = 0; k < p.depth; ++k, moving += p.moving_pitch, stationary += p.m) {
    hn::Vec<D> columns[Vectors];
    for (int v = 0; v < Vectors; ++v) columns[v] = hn::LoadU(d, moving + std::size_t(v) * lanes);
    for (int r = 0; r < Rows; ++r) {
      const auto row = hn::Set(d, stationary[r]);
      for (int v = 0; v < Vectors; ++v) sums[r][v] = step<Rounded>(d, row, columns[v], sums[r][v]);
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) {
      float* const to = p.out + (i + std::size_t(r)) * p.out_pitch + j + std::size_t(v) * lanes;
      hn::StoreU(p.accumulate ? hn::Add(hn::LoadU(d, to), sums[r][v]) : sums[r][v], d, to);
    }
}

template <bool Rounded, int Rows>
HWY_INLINE void rows(const systolic_product& p, std::size_t i) {
  const hn::ScalableTag<float> full;
  const hn::CappedTag<float, 1> one;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<float>());
  constexpr int vectors = lanes >= 16 ? 4 : 2;  // the sums of a block fit the vector registers
  std::size_t j = 0;
  for (; j + vectors * lanes <= p.n; j += vectors * lanes)
    block<Rounded, Rows, vectors>(full, p, i, j);
  for (; j + lanes <= p.n; j += lanes) block<Rounded, Rows, 1>(full, p, i, j);
  for (; j < p.n; ++j) block<Rounded, Rows, 1>(one, p, i, j);
}

template <bool Rounded>
HWY_INLINE void all(const systolic_product& p) {
  std::size_t i = 0;
  for (; i + 4 <= p.m; i += 4) rows<Rounded, 4>(p, i);
  for (; i < p.m; ++i) rows<Rounded, 1>(p, i);
}

void multiply_target(const systolic_product& p) {
  p.products_rounded ? all<true>(p) : all<false>(p);
}

}  // namespace papilio::engine_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target

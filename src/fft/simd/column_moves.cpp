#include "fft/column.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fft/simd/column_moves.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "fft/simd/column-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::fft_detail::HWY_NAMESPACE {
namespace {

const column_moves<float>* moves_float() { return column_moves_of<float>(); }
const column_moves<double>* moves_double() { return column_moves_of<double>(); }

}  // namespace
}  // namespace papilio::fft_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::fft_detail {
namespace {
HWY_EXPORT(moves_float);
HWY_EXPORT(moves_double);
}  // namespace

template <>
const column_moves<float>& find_column_moves<float>() {
  return *HWY_DYNAMIC_DISPATCH(moves_float)();
}
template <>
const column_moves<double>& find_column_moves<double>() {
  return *HWY_DYNAMIC_DISPATCH(moves_double)();
}

}  // namespace papilio::fft_detail
#endif

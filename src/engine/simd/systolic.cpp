#include "engine/isa/systolic.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/simd/systolic.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "engine/simd/systolic-inl.hpp"

#if HWY_ONCE
namespace papilio::engine_detail {

HWY_EXPORT(multiply_target);

void multiply(const systolic_product& p) { HWY_DYNAMIC_DISPATCH(multiply_target)(p); }

}  // namespace papilio::engine_detail
#endif

#include "chem/energy_pass.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "chem/simd/energy_pass.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep

#include "chem/simd/energy_pass-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace papilio::chem_detail::HWY_NAMESPACE {

template <class T>
constexpr energy_pass<T> passes = {sum_both_spins<T>, sum_squares<T>, are_finite<T>};

const energy_pass<float>* passes_float() { return &passes<float>; }
const energy_pass<double>* passes_double() { return &passes<double>; }

}  // namespace papilio::chem_detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::chem_detail {

HWY_EXPORT(passes_float);
HWY_EXPORT(passes_double);

template <>
const energy_pass<float>& find_energy_pass<float>() {
  return *HWY_DYNAMIC_DISPATCH(passes_float)();
}
template <>
const energy_pass<double>& find_energy_pass<double>() {
  return *HWY_DYNAMIC_DISPATCH(passes_double)();
}

}  // namespace papilio::chem_detail
#endif

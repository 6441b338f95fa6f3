#include "calibration/host_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "calibration/host_kernels.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace papilio::calibration::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 12 accumulators: more than latency times units on the cores of today, and with the two
// constants no more than 16 registers.
template <class T>
double multiply_add(std::size_t rounds, T* sink) {
  const hn::ScalableTag<T> d;
  const auto half = hn::Set(d, T(0.5)), one = hn::Set(d, T(1));
  auto a0 = hn::Set(d, sink[0]), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
  auto a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0, a11 = a0;
  for (std::size_t i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, half, one);
    a1 = hn::MulAdd(a1, half, one);
    a2 = hn::MulAdd(a2, half, one);
    a3 = hn::MulAdd(a3, half, one);
    a4 = hn::MulAdd(a4, half, one);
    a5 = hn::MulAdd(a5, half, one);
    a6 = hn::MulAdd(a6, half, one);
    a7 = hn::MulAdd(a7, half, one);
    a8 = hn::MulAdd(a8, half, one);
    a9 = hn::MulAdd(a9, half, one);
    a10 = hn::MulAdd(a10, half, one);
    a11 = hn::MulAdd(a11, half, one);
  }
  const auto low = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(a4, a5));
  const auto high = hn::Add(hn::Add(hn::Add(a6, a7), hn::Add(a8, a9)), hn::Add(a10, a11));
  sink[0] = hn::GetLane(hn::Add(low, high));
  return 2.0 * 12 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

double float_kernel(std::size_t rounds, float* sink) { return multiply_add(rounds, sink); }
double double_kernel(std::size_t rounds, double* sink) { return multiply_add(rounds, sink); }

void copy_kernel(const float* from, float* to, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    const auto a = hn::Load(d, from + i), b = hn::Load(d, from + i + lanes);
    const auto c = hn::Load(d, from + i + 2 * lanes), e = hn::Load(d, from + i + 3 * lanes);
    hn::Store(a, d, to + i);
    hn::Store(b, d, to + i + lanes);
    hn::Store(c, d, to + i + 2 * lanes);
    hn::Store(e, d, to + i + 3 * lanes);
  }
}

}  // namespace papilio::calibration::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace papilio::calibration {

HWY_EXPORT(float_kernel);
HWY_EXPORT(double_kernel);
HWY_EXPORT(copy_kernel);

double multiply_add_float(std::size_t rounds, float* sink) {
  return HWY_DYNAMIC_DISPATCH(float_kernel)(rounds, sink);
}
double multiply_add_double(std::size_t rounds, double* sink) {
  return HWY_DYNAMIC_DISPATCH(double_kernel)(rounds, sink);
}
void copy_floats(const float* from, float* to, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(copy_kernel)(from, to, count);
}

}  // namespace papilio::calibration
#endif

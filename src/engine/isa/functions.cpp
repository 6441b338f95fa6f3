#include "engine/isa/functions.hpp"

#include <cmath>
#include <limits>

#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

using engine::activation_function;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double within(double x, double magnitude, double lo, double hi, double value) {
  return magnitude >= lo && magnitude <= hi ? value : (x != x ? x : nan);
}
double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
constexpr double infinity = std::numeric_limits<double>::infinity();
// Returns x * f(x), where f falls to 0 so fast that the product does too as x goes to -infinity.
template <class Function>
double weighted(double x, Function f) {
  return x == -infinity ? -0.0 : x * f(x);
}
double softplus(double x) { return std::log1p(std::exp(-std::fabs(x))) + (x > 0 ? x : 0); }

}  // namespace

void apply_function(activation_function function, const engine::activation_spec& r,
                    std::size_t count, const float* in, float scale, float bias, float* out) {
  const auto each_float = [&](auto f) {
    for (std::size_t i = 0; i < count; ++i) out[i] = f(in[i] * scale + bias);
  };
  const auto each = [&](auto f) {
    for (std::size_t i = 0; i < count; ++i) out[i] = float(f(double(in[i] * scale + bias)));
  };
  switch (function) {
    case activation_function::copy:
      return each_float([](float x) { return x; });
    case activation_function::square:
      return each_float([](float x) { return x * x; });
    case activation_function::relu:
      return each_float([](float x) { return x > 0 || x != x ? x : 0.0f; });
    case activation_function::sign:
      return each_float([](float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; });
    case activation_function::abs:
      return each_float([](float x) { return std::fabs(x); });
    case activation_function::sqrt:
      return each([&](double x) {
        return x == 0 ? x : within(x, x, r.sqrt_min, r.sqrt_max, std::sqrt(x));
      });
    case activation_function::rsqrt:
      return each(
          [&](double x) { return within(x, x, r.rsqrt_min, r.rsqrt_max, 1 / std::sqrt(x)); });
    case activation_function::reciprocal:
      return each([&](double x) {
        return within(x, std::fabs(x), r.reciprocal_min, r.reciprocal_max, 1 / x);
      });
    case activation_function::exp:
      return each([](double x) { return std::exp(x); });
    case activation_function::log:
      return each([&](double x) { return within(x, x, r.log_min, r.log_max, std::log(x)); });
    case activation_function::sin:
      return each([&](double x) { return within(x, std::fabs(x), 0, r.sin_max, std::sin(x)); });
    case activation_function::arctan:
      return each([&](double x) { return within(x, std::fabs(x), 0, r.arctan_max, std::atan(x)); });
    case activation_function::tanh:
      return each([](double x) { return std::tanh(x); });
    case activation_function::sigmoid:
      return each(sigmoid);
    case activation_function::gelu:
      return each([](double x) {
        return weighted(x, [](double y) { return 0.5 * std::erfc(-y * 0.70710678118654752440); });
      });
    case activation_function::silu:
      return each([](double x) { return weighted(x, sigmoid); });
    case activation_function::softplus:
      return each(softplus);
    case activation_function::mish:
      return each(
          [](double x) { return weighted(x, [](double y) { return std::tanh(softplus(y)); }); });
    case activation_function::erf:
      return each([](double x) { return std::erf(x); });
  }
}

}  // namespace papilio::engine_detail

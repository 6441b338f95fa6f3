#include "kernels/products/products.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/error_model.hpp"

namespace papilio::kernels_detail {

using namespace engine;

std::int64_t matrix_product::products() const {
  return form == product_form::real ? 1 : form == product_form::four_products ? 4 : 3;
}

double matrix_product::tensor_cycles(std::int64_t real_products,
                                     const machine_spec& machine) const {
  const tensor_engine_spec& tensor = machine.tensor;
  const double passes =
      packed ? double(tensor.read_elements_per_cycle) / double(tensor.fp8_read_elements_per_cycle)
      : type == dtype::fp32                   ? tensor.fp32_passes
      : is_fp8(type) && tensor.fp8_double_row ? 0.5
                                              : 1;
  const auto halved = [](const std::optional<operand_triangle>& t) { return t && !t->is_mirrored; };
  const double terms =
      halved(left_triangle) || halved(right_triangle) ? (double(k) + 1) / 2 : double(k);
  return machine.tensor.least_cycles(
      double(real_products) * double(batches()) * double(m) * double(n) * terms, passes);
}

double matrix_product::bytes() const {
  const auto operand = [&](const std::optional<operand_triangle>& half, std::int64_t columns) {
    return double(k) * (half ? (double(k) + 1) / 2 : double(columns));
  };
  const double left = double(batch_a) * operand(left_triangle, m),
               right = part ? 0 : double(batch_b) * operand(right_triangle, n),  // A again
      elements = left + right + (biased ? double(n) : 0);
  const double results =
      double(batches()) * double(m) * double(n) * double(size_bytes(result)) * (part ? 0.5 : 1);
  const bool is_stored = epilogue.sums == kernels::product_sums::none;
  return double(planes()) * (elements * double(size_bytes(type)) + (is_stored ? results : 0) +
                             (epilogue.beta != 0 ? results : 0));
}

double matrix_product::expected_error(const machine_spec& machine) const {
  // The relative rms error of a rounding to nearest, for values whose logarithms are spread evenly:
  // 0.4247 of the unit roundoff.
  const auto rounding = [](dtype t) {
    switch (t) {
      case dtype::bf16:
        return 0.4247 * 0x1p-8;
      case dtype::fp16:
      case dtype::tf32:
        return 0.4247 * 0x1p-11;
      case dtype::fp8_e4m3:
      case dtype::fp8_e4m3fn:
      case dtype::fp8_e4m3fn_x4:
        return 0.4247 * 0x1p-4;
      case dtype::fp8_e5m2:
      case dtype::fp8_e5m2_x4:
        return 0.4247 * 0x1p-3;
      default:
        return 0.4247 * 0x1p-24;
    }
  };
  // The i-th of K partial sums has i / K of the result's mean square, so that K roundings add up to
  // K / 2 of one rounding's.
  const double in_array = double(std::min<std::int64_t>(k, machine.tensor.rows)) / 2,
               in_psum =
                   double(products() == 4 ? 2 : 1) * double(ceil_div(k, machine.tensor.rows)) / 2;
  double square = (in_array + in_psum + 0.5) * rounding(dtype::fp32) * rounding(dtype::fp32);
  if (packed) {  // first to 16 bits
    const dtype loaded = type == dtype::fp16 ? dtype::fp16 : dtype::bf16;
    square += 2 * (rounding(loaded) * rounding(loaded) + rounding(*packed) * rounding(*packed));
  } else if (type != dtype::fp32) {
    square += 2 * rounding(type) * rounding(type);
  }
  if (form == product_form::three_products) {
    // In units of the mean square of a part of C, p and q have 1/2 each and s has 2. The errors of
    // p and q in re and of s, p and q in im are twice those of both parts together; the sums
    // Ar + Ai and Br + Bi are rounded once more.
    square *= 2;
    square += 2 * rounding(type) * rounding(type);
  }
  if (result != dtype::fp32) square += rounding(result) * rounding(result);
  return square_root(square);
}

contraction_step matrix_product::step() const {
  contraction_step s{.axes = {},
                     .is_pair = true,
                     .planes = int(planes()),
                     .type = packed.value_or(type),
                     .plane = {m * k, k * n, m * n},
                     .stored = {type, type, result},
                     .three_products = form == product_form::three_products,
                     .epilogue = epilogue,
                     .part = part,
                     .triangles = {left_triangle, right_triangle}};
  s.epilogue.bias = biased;
  if (batches() > 1) {
    s.axes.push_back(
        {batches(), {m * k, right_repeated ? 0 : k * n, m * n}, {batch_a > 1, batch_b > 1, true}});
    for (const std::size_t i : {0, 1, 2})
      if (s.axes[0].has[i])
        s.plane[i] *= batches();
      else
        s.axes[0].strides[i] = 0;
  }
  s.axes.push_back({m, {left_transposed ? 1 : k, 0, n}, {true, false, true}});
  s.axes.push_back({n, {0, right_transposed ? k : 1, 1}, {false, true, true}});
  s.axes.push_back(
      {k, {left_transposed ? m : 1, right_transposed ? 1 : n, 0}, {true, true, false}});
  return s;
}

}  // namespace papilio::kernels_detail

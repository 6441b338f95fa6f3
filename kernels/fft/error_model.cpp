// Rounding errors of a pass, relative to its result in the Euclidean norm, for random input.
//   sums      fp32, one after the other: of K terms, K / 2 times the squared error of an addition,
//             about 0.18 u^2 on average over mantissas (u = 2^-24). A point's K is 2 points; where
//             planes are apart two sums of half as many are added.
//   operands  a factor of the matrix is rounded once: 0.18 u^2, as is an operand; types with a
//             larger unit w: 0.18 w^2 each
//   split     an operand of p parts has the unit w^p; the products that are left out are smaller
//             than the kept ones by w^p: p times 0.18 w^2p
#include "kernels/fft/error_model.hpp"

#include <algorithm>

#include "kernels/fft/pass.hpp"

namespace papilio::kernels_detail {
namespace {

constexpr double mean_square = 0.18;
constexpr double unit_fp32 = 0x1p-24, unit_bf16 = 0x1p-8, unit_fp16 = 0x1p-11;

double unit_of(engine::dtype type) {
  return type == engine::dtype::fp32   ? unit_fp32
         : type == engine::dtype::bf16 ? unit_bf16
                                       : unit_fp16;
}

}  // namespace

double square_root(double x) {
  if (x <= 0) return 0;
  double root = x > 1 ? x : 1;
  for (double next = (root + x / root) / 2; next < root; next = (root + x / root) / 2) root = next;
  return root;
}

double product_squared_error() { return 3 * mean_square * unit_fp32 * unit_fp32; }

double squared_error_of(const fft_stage& stage, const array_operands& operands) {
  constexpr double u = unit_fp32 * unit_fp32;
  double unit = 1;
  for (int i = 0; i < operands.parts; ++i) unit *= unit_of(operands.type);
  const double rounded = operands.parts > 1 ? operands.parts + 1 : 2;
  return mean_square * double(stage.points) * (stage.planes_apart ? 0.5 : 1.0) * u +
         mean_square * rounded * std::max(unit * unit, u);
}

double squared_error(const fft_pass& pass) {
  double sum = 0;
  for (const fft_stage& s : pass.stages) sum += squared_error_of(s, pass.operands);
  if (pass.twiddle_order > 0) sum += product_squared_error();
  return sum;
}

}  // namespace papilio::kernels_detail

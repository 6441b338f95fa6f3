// Rounding errors of a pass, relative to its result in the Euclidean norm, for random input.
//   sums      fp32, one after the other: of K terms, K / 2 times the squared error of an addition,
//             about 0.18 u^2 on average over mantissas (u = 2^-24). A point's K is 2 points; where
//             planes are apart two sums of half as many are added.
//   operands  a factor of the matrix is rounded once: 0.18 u^2, as is an operand
//   parts     of p numbers of unit w, operands leave 0.15^p w^2p of their power, the matrix what it
//             does: roots of unity of low orders have few bits. Products that are left out are of
//             part a of an operand and what p - a parts of the matrix leave
//   sums of parts  products of two bf16 have 16 bits, so that adding one to a sum in fp32 is exact
//             unless it is smaller by 2^8: of K terms, about 2 sqrt(k) / 2^8 of those behind the
//             k-th. That makes K^1.5 / 320 instead of K / 2; then the small products' sums are
//             added, one rounding for each large sum, and there is the matrix' own
#include "kernels/fft/error_model.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "kernels/fft/pass.hpp"
#include "papilio/base/roots_of_unity.hpp"
#include "papilio/engine/rounding.hpp"

namespace papilio::kernels_detail {
namespace {

constexpr double mean_square = 0.18;
// Of one rounding, as a part of the power of what it falls on: 2^-2 / 3 of the square of a unit in
// the last place, over the mean square of numbers whose mantissas are log-uniform.
constexpr double power_of_rounding = 0.15;
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

namespace {

double power(double x, int n) {
  double result = 1;
  for (; n > 0; --n) result *= x;
  return result;
}

// What is left of a stage's matrix, as a part of its power, when 1, 2 ... parts are taken off.
std::vector<double> left_of_matrix(const fft_pass& pass, const fft_stage& stage) {
  constexpr std::int64_t looked_at = 1 << 16;
  const int parts = pass.operands.parts;
  const double unit = unit_of(pass.operands.type);
  std::vector<double> left;
  for (int p = 1; p <= parts; ++p) left.push_back(power(power_of_rounding * unit * unit, p));
  if (stage.digits.size() != 1) return left;
  const fft_digit& d = pass.digits[std::size_t(stage.digits.front())];
  const std::int64_t order = d.before * d.radix;
  if (order > looked_at / d.radix) return left;
  const base_detail::roots_of_unity<double> roots{std::size_t(order)};
  std::ranges::fill(left, 0.0);
  for (std::int64_t j = 0; j < d.radix; ++j)
    for (std::int64_t k = 0; k < order; ++k) {
      const std::complex<double> w = roots(std::size_t(j * k % order));
      for (const double value : {w.real(), w.imag()}) {
        double rest = value;
        for (double& sum : left) {
          rest -= double(engine::round_to(pass.operands.type, float(rest)));
          sum += rest * rest;
        }
      }
    }
  for (double& sum : left) sum /= double(d.radix * order);
  return left;
}

double squared_error_of_parts(const fft_pass& pass, const fft_stage& s) {
  const double u = unit_fp32 * unit_fp32, unit = unit_of(pass.operands.type);
  const int parts = pass.operands.parts;
  const std::vector<double> matrix = left_of_matrix(pass, s);
  double sum = power(power_of_rounding * unit * unit, parts) + matrix.back();
  for (int p = 1; p < parts; ++p)
    sum += power(power_of_rounding * unit * unit, p) * matrix[std::size_t(parts - p - 1)];
  const double terms = double(s.points) * (s.planes_apart ? 1 : 2);
  sum += mean_square * terms * square_root(terms) / 320 * u;
  return sum + power_of_rounding * (s.planes_apart ? 2.5 : 2) * u;
}

}  // namespace

double squared_error(const fft_pass& pass) {
  const double u = unit_fp32 * unit_fp32;
  double sum = 0;
  for (const fft_stage& s : pass.stages)
    sum += pass.operands.type == engine::dtype::fp32
               ? mean_square * (double(s.points) * (s.planes_apart ? 0.5 : 1.0) + 2) * u
               : squared_error_of_parts(pass, s);
  if (pass.twiddle_order > 0) sum += 3 * mean_square * u;
  return sum;
}

}  // namespace papilio::kernels_detail

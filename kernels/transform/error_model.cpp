// Rounding errors of a sweep, relative to its result in the Euclidean norm, for random input.
//   sums      fp32, one after the other: of K terms, K / 2 times the squared error of an addition,
//             about 0.18 u^2 on average over mantissas (u = 2^-24). A point's K is 2 points; where
//             planes are apart two sums of half as many are added.
//   operands  a factor of the matrix is rounded once: 0.18 u^2, as is an operand
//   parts     of p numbers of unit w, operands leave 0.18 w^2 (w^2 / 7)^(p-1) of their power, the
//   matrix what it
//             does: roots of unity of low orders have few bits. Products that are left out are of
//             part a of an operand and what p - a parts of the matrix leave
//   sums of parts  products of two bf16 have 16 bits, so that adding one to a sum in fp32 is exact
//             unless it is smaller by 2^8: of K terms, about 2 sqrt(k) / 2^8 of those behind the
//             k-th. That makes K^1.5 / 320 instead of K / 2; then the small products' sums are
//             added, one rounding for each large sum, and there is the matrix' own
#include "kernels/transform/error_model.hpp"

#include <algorithm>
#include <complex>
#include <span>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "papilio/engine/dtype.hpp"

namespace papilio::kernels_detail {
namespace {

constexpr double mean_square = 0.18;
// Of a rounding of what another has left, which is evenly spread: a seventh of w^2 of its power.
constexpr double mean_square_of_rest = 1.0 / 7;
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

bool is_power_of_two(double x) {
  if (x < 0) x = -x;
  while (x >= 2) x /= 2;
  while (x > 0 && x < 1) x *= 2;
  return x == 1 || x == 0;
}

double rounding_squared_error() { return mean_square * unit_fp32 * unit_fp32; }
double product_squared_error() { return 3 * rounding_squared_error(); }

namespace {

// What is left of numbers, as a part of their power, when 1, 2 ... parts are taken off.
std::vector<double> left_of_numbers(const array_operands& operands) {
  const double square = unit_of(operands.type) * unit_of(operands.type);
  std::vector<double> left{mean_square * square};
  while (int(left.size()) < operands.parts)
    left.push_back(left.back() * mean_square_of_rest * square);
  return left;
}

// The rest of a matrix of roots of unity, as a part of its power, when 1, 2 ... parts are taken off;
// order 0 stands for any numbers.
std::vector<double> left_of_matrix(std::int64_t radix, std::int64_t order,
                                   const array_operands& operands) {
  constexpr std::int64_t looked_at = 1 << 16;
  std::vector<double> left = left_of_numbers(operands);
  if (order == 0 || order > looked_at / radix) return left;
  const base_detail::roots_of_unity<double> roots{std::size_t(order)};
  std::ranges::fill(left, 0.0);
  for (std::int64_t j = 0; j < radix; ++j)
    for (std::int64_t k = 0; k < order; ++k) {
      const std::complex<double> w = roots(std::size_t(j * k % order));
      for (double rest : {w.real(), w.imag()}) {
        for (double& sum : left) {
          rest -= double(engine::round_to(operands.type, float(rest)));
          sum += rest * rest;
        }
      }
    }
  for (double& sum : left) sum /= double(radix * order);
  return left;
}

}  // namespace

double squared_error_of_parts(double terms, double sums, std::int64_t radix, std::int64_t order,
                              const array_operands& operands) {
  constexpr double u = unit_fp32 * unit_fp32;
  const int parts = operands.parts;
  const std::vector<double> numbers = left_of_numbers(operands),
                            matrix = left_of_matrix(radix, order, operands);
  double sum = numbers.back() + matrix.back();
  for (int p = 1; p < parts; ++p)
    sum += numbers[std::size_t(p - 1)] * matrix[std::size_t(parts - p - 1)];
  sum += mean_square * terms * square_root(terms) / 320 * u;
  return sum + mean_square * (1.5 + sums / 2) * u;
}

namespace {}  // namespace

double squared_error_of_split_products(double terms, int parts, int rows) {
  const std::vector<double> left = left_of_numbers({.type = engine::dtype::bf16, .parts = parts});
  double sum = 2 * left.back();
  for (int p = 1; p < parts; ++p)
    sum += left[std::size_t(p - 1)] * left[std::size_t(parts - p - 1)];
  // Sums of the array are added up in PSUM, those of all products of parts.
  const double together = std::min(terms, double(rows)),
               added = parts * (parts + 1) / 2 * (terms / together);
  return sum + mean_square * (together * square_root(together) / 320 + added / 2 + 0.5) *
                   unit_fp32 * unit_fp32;
}
double stage_error(double points) { return mean_square * (points + 2) * unit_fp32 * unit_fp32; }

}  // namespace papilio::kernels_detail

// Expected rounding errors of a sweep for random input: squared, relative to the result in the
// Euclidean norm; u = 2^-24 is the unit roundoff of fp32.
//   rounding       an addition, a matrix element or an operand is rounded with a squared error of
//                  0.18 u^2 on average over mantissas
//   sums           a sum of K terms, one after the other in fp32, has K / 2 times the squared error
//                  of an addition. A complex point is 2 terms; where planes are apart, two sums of
//                  half as many terms are added
//   parts          a number held in p parts of unit roundoff w leaves 0.18 w^2 (w^2 / 7)^(p-1) of
//                  its power; the rest of a matrix is counted, since roots of unity of low orders
//                  have few bits. Products of part a of an operand with what p - a parts of the
//                  matrix leave are not computed, and add their power
//   sums of parts  a product of two bf16 has 16 bits, so that adding it to an fp32 sum is exact
//                  unless it is smaller by 2^8, as about 2 sqrt(k) / 2^8 of the terms behind the
//                  k-th are: K^1.5 / 320 replaces K / 2. Sums of the small products are then added,
//                  with one rounding for each large sum
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
// A rounding's rest is evenly spread: rounding it again leaves a seventh of w^2 of its power.
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

// The power of numbers that 1, 2 ... parts leave, relative to their own power.
std::vector<double> left_of_numbers(const array_operands& operands) {
  const double square = unit_of(operands.type) * unit_of(operands.type);
  std::vector<double> left{mean_square * square};
  while (int(left.size()) < operands.parts)
    left.push_back(left.back() * mean_square_of_rest * square);
  return left;
}

// The power of a matrix of roots of unity that 1, 2 ... parts leave, relative to its own; order 0
// stands for any numbers.
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

double squared_error_of_split_products(double terms, int parts, int rows) {
  const std::vector<double> left = left_of_numbers({.type = engine::dtype::bf16, .parts = parts});
  double sum = 2 * left.back();
  for (int p = 1; p < parts; ++p)
    sum += left[std::size_t(p - 1)] * left[std::size_t(parts - p - 1)];
  // PSUM adds up the array's sums of all products of parts.
  const double together = std::min(terms, double(rows)),
               added = parts * (parts + 1) / 2 * (terms / together);
  return sum + mean_square * (together * square_root(together) / 320 + added / 2 + 0.5) *
                   unit_fp32 * unit_fp32;
}
double stage_error(double points) { return mean_square * (points + 2) * unit_fp32 * unit_fp32; }

}  // namespace papilio::kernels_detail

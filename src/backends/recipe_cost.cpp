#include "backends/recipe_cost.hpp"

#include <algorithm>

namespace papilio::backends_detail {
namespace {

// Additions and multiplications of one butterfly without twiddles; an odd radix folds the inputs
// into h pairs and takes h real combinations of h terms for each of four parts.
double butterfly_flops(std::size_t radix) {
  switch (radix) {
    case 2:
      return 4;
    case 4:
      return 16;
    case 8:
      return 56;
    case 16:
      return 168;
    default: {
      const double h = static_cast<double>(radix - 1) / 2;
      return 8 * h * h + 10 * h;
    }
  }
}

recipe_cost radix_passes(const recipe& r) {
  recipe_cost total;
  const auto n = static_cast<double>(r.n);
  for (std::size_t radix : r.radices) {
    const auto points = static_cast<double>(radix);
    total.flops += n / points * (butterfly_flops(radix) + 6 * (points - 1));
    total.passes += 1;
    total.points_moved += n;
  }
  if (!r.radices.empty()) total.table_points = n;
  return total;
}

// Both halves in registers: the data is read and written once.
recipe_cost codelet(const recipe& r) {
  recipe_cost total = radix_passes(r);
  total.passes = 1;
  total.points_moved = static_cast<double>(r.n);
  return total;
}

// One butterfly of the whole length, n odd, its cosines and sines in a table.
recipe_cost direct(const recipe& r) {
  const std::size_t half = r.n / 2;
  return {.flops = butterfly_flops(r.n),
          .passes = 1,
          .points_moved = static_cast<double>(r.n),
          .table_points = static_cast<double>(half * half)};
}

// A cyclic convolution of length m = parts[0].n: there and back, a product between and, at length
// n, one before and one behind.
recipe_cost convolution(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const auto n = static_cast<double>(r.n), m = static_cast<double>(r.parts[0].n);
  return {.flops = 2 * part.flops + 6 * (m + 2 * n),
          .passes = 2 * part.passes + 3,
          .points_moved = 2 * part.points_moved + m + 2 * n,
          .table_points = 2 * part.table_points + m + n};
}

// A complex transform of half the length and an untangling pass, or, n odd, one of the length.
recipe_cost real(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const auto n = static_cast<double>(r.n), points = static_cast<double>(r.parts[0].n);
  return {.flops = part.flops + (r.n % 2 == 0 ? 4 * n : 0),
          .passes = part.passes + 1,
          .points_moved = part.points_moved + points,
          .table_points = 2 * part.table_points + n / 4};
}

// One transform between a pass before and one behind over n reals.
recipe_cost trigonometric(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const auto n = static_cast<double>(r.n);
  return {.flops = part.flops + 12 * n,
          .passes = part.passes + 2,
          .points_moved = part.points_moved + n,
          .table_points = 2 * part.table_points + n};
}

// A product of lengths: each part transforms all n points, with twiddles between two.
recipe_cost product(const recipe& r) {
  recipe_cost total;
  const auto n = static_cast<double>(r.n);
  const double joints = static_cast<double>(r.parts.size()) - 1;
  for (const recipe& part : r.parts) {
    const recipe_cost one = cost_of(part);
    const double repeats = n / static_cast<double>(part.n);
    total.flops += one.flops * repeats;
    total.passes += one.passes;
    total.points_moved += one.points_moved * repeats;
    total.table_points += one.table_points;
  }
  total.flops += 6 * n * joints;
  total.table_points += n * joints;
  return total;
}

}  // namespace

recipe_cost cost_of(const recipe& r) {
  switch (r.kind) {
    case recipe_kind::stockham:
      return radix_passes(r);
    case recipe_kind::codelet:
      return codelet(r);
    case recipe_kind::direct:
      return direct(r);
    case recipe_kind::four_step:
      return product(r);
    case recipe_kind::real:
      return real(r);
    case recipe_kind::dct1:
    case recipe_kind::dct2:
    case recipe_kind::dct3:
    case recipe_kind::dct4:
    case recipe_kind::dst1:
    case recipe_kind::dst2:
    case recipe_kind::dst3:
    case recipe_kind::dst4:
      return trigonometric(r);
    case recipe_kind::bluestein:
    case recipe_kind::rader:
      return convolution(r);
  }
  return {};
}

}  // namespace papilio::backends_detail

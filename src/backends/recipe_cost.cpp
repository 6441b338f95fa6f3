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
  const double n = static_cast<double>(r.n);
  for (std::size_t radix : r.radices) {
    const double points = static_cast<double>(radix);
    total += {n / points * (butterfly_flops(radix) + 6 * (points - 1)), 1, 0};
  }
  if (!r.radices.empty()) total.table_points = n;
  return total;
}

// A cyclic convolution of length m = parts[0].n: there and back, two or three products.
recipe_cost convolution(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const double n = static_cast<double>(r.n), m = static_cast<double>(r.parts[0].n);
  return {2 * part.flops + 6 * (m + 2 * n), (2 * part.passes + 1) * m / n + 2,
          2 * part.table_points + m + n};
}

// Half length and an untangling pass, or a complex transform of odd length.
recipe_cost real(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const double n = static_cast<double>(r.n);
  if (r.n % 2 != 0) return {part.flops, part.passes + 1, 2 * part.table_points};
  return {part.flops + 8 * n / 2, (part.passes + 1) / 2, 2 * part.table_points + n / 4};
}

}  // namespace

recipe_cost cost_of(const recipe& r) {
  recipe_cost total = radix_passes(r);
  if (r.parts.empty()) return total;
  if (r.kind == recipe_kind::real) return real(r);
  if (r.kind == recipe_kind::bluestein || r.kind == recipe_kind::rader) return convolution(r);
  // A product of lengths: each part transforms all n points, with a twiddle between two.
  for (const recipe& part : r.parts) {
    const double repeats = static_cast<double>(r.n) / static_cast<double>(part.n);
    const recipe_cost one = cost_of(part);
    total += {one.flops * repeats, one.passes, one.table_points};
  }
  const double n = static_cast<double>(r.n);
  const double joints = static_cast<double>(r.parts.size()) - 1;
  total += {6 * n * joints, joints, n * joints};
  return total;
}

}  // namespace papilio::backends_detail

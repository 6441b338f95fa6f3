#include "transform/recipe_cost.hpp"

#include <algorithm>

namespace papilio::transform_detail {
namespace {

double butterfly_flops(std::size_t radix);

// Counts a butterfly of coprime factors a and b: butterflies of both, without twiddles between
// them.
double coprime_flops(std::size_t a, std::size_t b) {
  return static_cast<double>(b) * butterfly_flops(a) + static_cast<double>(a) * butterfly_flops(b);
}

// Counts the additions and multiplications of one butterfly without twiddles; an odd radix folds
// the inputs into h pairs and takes h real combinations of h terms for each of four parts.
double butterfly_flops(std::size_t radix) {
  switch (radix) {
    case 2:
      return 4;
    case 4:
      return 16;
    case 8:
      return 56;
    case 6:
    case 10:
      return coprime_flops(2, radix / 2);
    case 12:
      return coprime_flops(3, 4);
    case 15:
      return coprime_flops(3, 5);
    case 16:
      return 168;
    default: {
      const double h = static_cast<double>(radix - 1) / 2;
      return 8 * h * h + 10 * h;
    }
  }
}

// Counts the butterflies of all radices, with twiddles before each but the first.
double butterflies(const recipe& r) {
  double flops = 0;
  const auto n = static_cast<double>(r.n);
  for (std::size_t i = 0; i < r.radices.size(); ++i) {
    const auto points = static_cast<double>(r.radices[i]);
    flops += n / points * (butterfly_flops(r.radices[i]) + (i > 0 ? 6 * (points - 1) : 0));
  }
  return flops;
}

recipe_cost radix_passes(const recipe& r) {
  const auto n = static_cast<double>(r.n), passes = static_cast<double>(r.radices.size());
  return {.flops = butterflies(r),
          .passes = passes,
          .points_moved = passes * n,
          .table_points = r.radices.empty() ? 0 : n};
}

// A codelet stays in registers or, with a third radix and in two steps, goes once through the first
// cache. Tables hold each part of a twiddle twice.
recipe_cost codelet(const recipe& r) {
  const auto n = static_cast<double>(r.n);
  const double steps = r.kind == recipe_kind::two_step || r.radices.size() > 2 ? 2 : 1;
  return {
      .flops = butterflies(r), .passes = steps, .points_moved = steps * n, .table_points = 2 * n};
}

// A direct DFT is one butterfly of all n points, with a root for each pair of an output and an
// input.
recipe_cost direct(const recipe& r) {
  const auto n = static_cast<double>(r.n), half = static_cast<double>(r.n / 2);
  return {
      .flops = butterfly_flops(r.n), .passes = 1, .points_moved = n, .table_points = half * half};
}

// A cyclic convolution of length m = parts[0].n takes two transforms with a product between and, at
// length n, a product before and one after.
recipe_cost convolution(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const auto n = static_cast<double>(r.n), m = static_cast<double>(r.parts[0].n);
  return {.flops = 2 * part.flops + 6 * (m + 2 * n),
          .passes = 2 * part.passes + 3,
          .points_moved = 2 * part.points_moved + m + 2 * n,
          .table_points = 2 * part.table_points + m + n};
}

// Whether a part's last pass untangles, in registers of 16: see build_real.
bool untangles(const recipe& part) {
  if (part.kind == recipe_kind::codelet) return true;
  if (part.kind != recipe_kind::stockham || part.radices.size() < 2) return false;
  const std::size_t first = part.radices.front(), last = part.radices.back();
  return first <= 16 && last <= 16 && part.n / first >= 16 && part.n / last > 16;
}

// A real transform of even n takes a complex one of half the length and its untangling; one of odd
// n takes a complex one of that length, of which half is kept.
recipe_cost real(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const auto n = static_cast<double>(r.n), points = static_cast<double>(r.parts[0].n);
  const double passes = r.n % 2 == 0 && untangles(r.parts[0]) ? 0 : 1;
  return {.flops = part.flops + (r.n % 2 == 0 ? 4 * n : 0),
          .passes = part.passes + passes,
          .points_moved = part.points_moved + passes * points,
          .table_points = 2 * part.table_points + n / 4};
}

// A cosine or sine transform takes one transform between two passes over n reals.
recipe_cost trigonometric(const recipe& r) {
  const recipe_cost part = cost_of(r.parts[0]);
  const auto n = static_cast<double>(r.n);
  return {.flops = part.flops + 12 * n,
          .passes = part.passes + 2,
          .points_moved = part.points_moved + n,
          .table_points = 2 * part.table_points + n};
}

// A four-step transform takes columns of both lengths over all n points, with twiddles between.
// Their passes stay in tiles: each step reads and writes the points once. Tables are those of the
// parts, and a twiddle for each register of 16 columns and each of its lanes.
recipe_cost four_step(const recipe& r) {
  const auto n = static_cast<double>(r.n);
  const auto rows = static_cast<double>(r.parts[0].n), columns = static_cast<double>(r.parts[1].n);
  const recipe_cost first = cost_of(r.parts[0]), second = cost_of(r.parts[1]);
  return {.flops = first.flops * columns + 6 * n + second.flops * rows,
          .passes = 2,
          .points_moved = 2 * n,
          .table_points = first.table_points + second.table_points + n / 16 + 16 * rows};
}

}  // namespace

recipe_cost cost_of(const recipe& r) {
  switch (r.kind) {
    case recipe_kind::stockham:
      return radix_passes(r);
    case recipe_kind::codelet:
    case recipe_kind::two_step:
      return codelet(r);
    case recipe_kind::direct:
      return direct(r);
    case recipe_kind::four_step:
      return four_step(r);
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

}  // namespace papilio::transform_detail

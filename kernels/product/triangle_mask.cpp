#include "kernels/product/triangle_mask.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::triangle;

namespace {

// The affine form sign (row + diagonal - column) - less, which is negative beside the triangle.
affine_pattern diagonal_pattern(const tile_view& block, std::int64_t sign, std::int64_t diagonal,
                                std::int64_t less) {
  return {.base = sign * diagonal - less,
          .partition_step = sign,
          .levels = {pattern_dim{}, pattern_dim{}, pattern_dim{},
                     pattern_dim{block.elements(), -sign}}};
}

}  // namespace

void keep_triangle(core& nc, const tile_view& out, const tile_view& in, triangle part,
                   std::int64_t diagonal, bool strict) {
  const std::int64_t sign = part == triangle::lower ? 1 : -1;
  nc.issue(affine_select{
      .out = out, .in = in, .pattern = diagonal_pattern(in, sign, diagonal, strict ? 1 : 0)});
}

void set_diagonal(core& nc, const tile_view& block, std::int64_t diagonal) {
  nc.issue(affine_select{.out = block,
                         .in = block,
                         .pattern = diagonal_pattern(block, 1, diagonal, 0),
                         .compare = alu_op::not_equal,
                         .otherwise = 1});
}

}  // namespace papilio::kernels_detail

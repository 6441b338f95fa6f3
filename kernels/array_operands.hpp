#pragma once

#include <cstdint>
#include <span>
#include <tuple>

#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/dtype.hpp"

// Operands of products in a type of fewer bits than fp32, or as sums of several such numbers.
namespace papilio::kernels_detail {

/// How operands of the array are held. parts > 1: as sums of so many numbers of the type.
struct array_operands {
  engine::dtype type = engine::dtype::fp32;
  int parts = 1;

  auto fields() const { return std::tie(type, parts); }
  bool is_fp32() const { return type == engine::dtype::fp32; }
  /// Products of parts that make up one of numbers.
  int products() const { return parts * (parts + 1) / 2; }
  std::int64_t bytes() const { return parts * std::int64_t(engine::size_bytes(type)); }
  /// Room in fp32 words for a tile of so many columns, alignment included where it is not fp32.
  std::int64_t words(std::int64_t columns) const {
    return is_fp32() ? columns : (columns * bytes() + 31) / 32 * 8;
  }
};

/// The parts of an operand: `width` columns each of a tile, every `stride`-th, `step` from part to
/// part. Of a negative stride: of a tile whose columns lie side by side.
struct operand_parts {
  engine::tile_view tile = {};
  std::int64_t first = 0, step = 0, width = 0, stride = 1;

  engine::tile_view operator()(int part) const {
    if (stride < 0) return tile.pattern(first + part * step, {{width, stride}});
    return tile.slice(1, first + part * step, width, stride);
  }
};

/// One of a tile's parts, which lie side by side.
inline engine::tile_view part_of(const engine::tile_view& tile, int part, int parts) {
  const std::int64_t each = tile.elements() / parts;
  return tile.columns(part * each, each);
}

/// Calls product(part of one operand, part of the other) for the products of two operands' parts
/// that count, those of small parts first.
template <class Product>
void for_part_products(int parts, const Product& product) {
  for (int order = parts - 1; order >= 0; --order)
    for (int part = 0; part <= order; ++part) product(part, order - part);
}

/// Copies numbers to as many places as operands have parts: each gets what those before it left
/// over, rounded. remainder() is a tile of fp32 for what is left, asked for if parts > 2.
void fill_parts(engine::core& nc, const engine::tile_view& from, int parts,
                function_ref<engine::tile_view(int)> place,
                function_ref<engine::tile_view()> remainder);

/// Rows of a table are so many numbers, and room for their further parts.
void split_rows(std::span<float> table, std::int64_t columns, const array_operands& operands);

/// The product of two operands in parts, or adds it to the sum.
void multiply_parts(engine::core& nc, const engine::tile_view& sum, int parts,
                    const operand_parts& stationary, const operand_parts& moving, bool accumulate);

}  // namespace papilio::kernels_detail

#include "chem/pair_blocks.hpp"

#include <algorithm>

namespace papilio::chem_detail {
namespace {

// Elements of a block of several pairs: half a megabyte of float, which an L2 cache holds.
constexpr std::size_t block_elements = std::size_t{1} << 17;
constexpr std::size_t longest_tile = 512;

std::size_t even_tile(std::size_t virtuals) {
  const std::size_t tiles = std::max<std::size_t>(1, (virtuals + longest_tile - 1) / longest_tile);
  return std::max<std::size_t>(1, (virtuals + tiles - 1) / tiles);
}

}  // namespace

pair_cut cut_pairs(std::size_t row_virtuals, std::size_t column_virtuals) {
  pair_cut cut;
  cut.tile_rows = even_tile(row_virtuals);
  cut.tile_columns = even_tile(column_virtuals);
  if (cut.tile_rows < row_virtuals || cut.tile_columns < column_virtuals) return cut;
  const std::size_t pairs = block_elements / (cut.tile_rows * cut.tile_columns);
  cut.most_rows = pairs >= 4 ? 2 : 1;
  cut.most_columns = pairs >= 8 ? 4 : pairs >= 2 ? 2 : 1;
  return cut;
}

std::vector<pair_block> blocks_of(pair_spins kind, const pair_cut& cut, std::size_t rows,
                                  std::size_t columns) {
  return kind == pair_spins::opposite_spin
             ? rectangular_blocks(cut, rows, columns)
             : symmetric_blocks(cut, rows, kind == pair_spins::same_spin);
}

std::vector<pair_block> symmetric_blocks(const pair_cut& cut, std::size_t occupied,
                                         bool is_strict) {
  std::vector<pair_block> blocks;
  for (std::size_t first = 0; first < occupied; first += cut.most_rows) {
    const std::size_t end = std::min(occupied, first + cut.most_rows);
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t j = is_strict ? i + 1 : i;
      if (j < end) blocks.push_back({.i = i, .rows = 1, .j = j, .columns = end - j});
    }
    for (std::size_t j = end; j < occupied; j += cut.most_columns)
      blocks.push_back({.i = first,
                        .rows = end - first,
                        .j = j,
                        .columns = std::min(cut.most_columns, occupied - j)});
  }
  return blocks;
}

std::vector<pair_block> rectangular_blocks(const pair_cut& cut, std::size_t rows,
                                           std::size_t columns) {
  std::vector<pair_block> blocks;
  for (std::size_t i = 0; i < rows; i += cut.most_rows)
    for (std::size_t j = 0; j < columns; j += cut.most_columns)
      blocks.push_back({.i = i,
                        .rows = std::min(cut.most_rows, rows - i),
                        .j = j,
                        .columns = std::min(cut.most_columns, columns - j)});
  return blocks;
}

}  // namespace papilio::chem_detail

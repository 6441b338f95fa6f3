// Loads and stores of lines whose own digits are on the array's rows and columns, as blocks that
// one DMA moves: see own_digits.hpp.
#include "kernels/ceil_div.hpp"
#include "kernels/transform/own_digits.hpp"

namespace papilio::kernels_detail {
namespace {
namespace own_ends {

// Stride of an axis in a line's numbers in HBM.
std::int64_t number_stride(const own_digits& what, const digit_axis& a, bool bins) {
  std::int64_t stride = a.unit;
  const int digits = int(what.radices.size());
  for (int d = bins ? 0 : a.digit + 1; d < (bins ? a.digit : digits); ++d) stride *= what.radix(d);
  return stride;
}

// Blocks of rows of `row` numbers, of which the last may be shorter.
std::vector<own_block> rows_of(std::int64_t numbers, std::int64_t row) {
  const std::int64_t rows = ceil_div(numbers, row), tail = numbers - (rows - 1) * row;
  const auto part = [row](std::int64_t count, std::int64_t first, std::int64_t width) {
    return own_block{.rows = count,
                     .column = first,
                     .columns = {{width, 1}},
                     .at = first,
                     .hbm = {{count, row}, {width, 1}}};
  };
  std::vector<own_block> blocks{part(rows, 0, tail)};
  if (tail < row && rows > 1) blocks.push_back(part(rows - 1, tail, row - tail));
  return blocks;
}

// Blocks of half a spectrum, whose bins are in rows on partitions, each with one more column for
// the first bin of the next row. If the last digit is even, the last row is on the first partition,
// and the bin after it is n / 2; if it is odd, the last row is short and on the last partition.
// Imaginary parts that are 0 are not loaded.
std::vector<own_block> half_of(const own_digits& what, bool is_load, int plane) {
  const std::int64_t row = what.radix(0), rows = (what.radix(1) + 1) / 2, width = row / 2 + 1;
  const bool is_even = what.radix(1) % 2 == 0;
  const auto part = [=](std::int64_t count, std::int64_t column, std::int64_t columns) {
    return own_block{.rows = count,
                     .column = column,
                     .columns = {{columns, 1}},
                     .at = (is_even ? (rows - 1) * row : 0) + column,
                     .hbm = {{count, is_even ? -row : row}, {columns, 1}}};
  };
  std::vector<own_block> blocks;
  if (is_even && !is_load) {
    blocks = {part(rows, 0, row), part(1, row, 1)};
  } else if (is_even) {
    blocks = {plane == 0 ? part(rows, 0, row + 1) : part(rows, 1, row)};
    if (plane == 1) blocks.push_back(part(rows - 1, 0, 1));
  } else {
    const std::int64_t last = width - (plane == 1 && row % 2 == 0 && is_load ? 1 : 0),
                       all = is_load ? row + 1 : row;
    blocks = {part(rows, 0, last), part(rows - 1, last, all - last)};
  }
  return blocks;
}

}  // namespace own_ends
}  // namespace

std::vector<own_block> blocks_of(const own_digits& what, bool is_load, int plane) {
  const own_end& end = is_load ? what.in : what.out;
  const digit_place& place = is_load ? what.entry : what.steps.back().to;
  if (end.half) return own_ends::half_of(what, is_load, plane);
  const digit_axes rows = without(place.partitions, plane_axis),
                   columns = without(without(place.columns, plane_axis), line_axis);
  const std::int64_t numbers = end.numbers - (plane == 1 && end.last_is_real ? 1 : 0);
  if (count_of(rows) * count_of(columns) != numbers)
    return own_ends::rows_of(numbers, count_of(columns));
  own_block all{.rows = count_of(rows), .columns = levels_of(columns, place.columns)};
  for (const digit_axes* axes : {&rows, &columns})
    for (const digit_axis& a : *axes)
      all.hbm.push_back({a.extent, own_ends::number_stride(what, a, end.bins)});
  return {all};
}

}  // namespace papilio::kernels_detail

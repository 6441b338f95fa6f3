// The index of the largest of many numbers.
//   identity   the first of equals: of a run the first place, of a partition the first run, of all
//              partitions the smallest number of a run
//   layout     the largest of each run and its place in a column of its block
//   bound      the vector engine, which reads each element twice, or DMA: about the same
#include "kernels/elementwise/largest_index.hpp"

#include <bit>

#include "kernels/transposer.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t eight = 8;       // of max8 and find_index8
constexpr float below_all = -1;         // magnitudes are not
constexpr double above_all = 0x1p+31;   // numbers of runs are not
constexpr double exact_most = 0x1p+24;  // whole numbers in fp32

}  // namespace

largest_index::largest_index(core& nc, std::int64_t n, std::int64_t width, std::int64_t blocks)
    : nc_(nc),
      n_(n),
      width_(width),
      blocks_(blocks),
      partitions_(nc.machine().sbuf.partitions),
      largest_(nc.sbuf(int(partitions_), blocks + eight - 1)),
      places_(nc.sbuf(int(partitions_), blocks + eight - 1, dtype::int32)) {
  nc_.issue(memset{.out = largest_, .value = below_all, .on = unit::gpsimd});
  nc_.issue(memset{.out = places_, .value = 0, .on = unit::gpsimd});
}

void largest_index::add(const tile_view& block) {
  tile_view x = block;
  tile padded;
  if (block.elements() < eight) {
    padded = nc_.sbuf(block.partitions(), eight);
    nc_.issue(memset{.out = padded, .value = below_all});
    nc_.issue(tensor_copy{.out = padded->columns(0, block.elements()), .in = block});
    x = padded.whole();
  }
  const auto columns = [&](const tile& t) {
    return t->partition_range(0, block.partitions()).columns(added_, eight);
  };
  nc_.issue(max8{.out = columns(largest_), .in = x});
  nc_.issue(find_index8{.out = columns(places_), .in = x, .values = columns(largest_)});
  ++added_;
}

// out[p] = the value that lies where keys[p] has key[p].
void largest_index::pick(const tile_view& keys, const tile_view& key, const tile_view& values,
                         const tile_view& out) {
  const tile chosen = nc_.sbuf(keys.partitions(), keys.elements());
  nc_.issue(scalar_tensor_tensor{.out = chosen,
                                 .in = keys,
                                 .right = values,
                                 .op0 = alu_op::equal,
                                 .operand0 = key,
                                 .op1 = alu_op::multiply});
  nc_.issue(tensor_reduce{.out = out, .in = chosen, .op = alu_op::add});
}

tile largest_index::as_row(const tile_view& column) {
  tile row = nc_.sbuf(1, partitions_);
  transpose_in_blocks(nc_, row, column);
  return row;
}

void largest_index::store(const hbm_view& out) {
  const int partitions = int(partitions_);
  const auto cell = [&] { return nc_.sbuf(partitions, 1); };
  const tile top = nc_.sbuf(partitions, eight), first = nc_.sbuf(partitions, eight, dtype::int32),
             column = cell(), number = cell(), place = cell(), partition = cell(),
             columns = nc_.sbuf(partitions, blocks_);
  nc_.issue(iota{.out = columns, .pattern = {.levels = {{{blocks_, 1}}}}});
  nc_.issue(iota{.out = partition, .pattern = {.partition_step = 1, .levels = {{{1, 1}}}}});
  nc_.issue(memset{.out = largest_->columns(blocks_, eight - 1), .value = below_all});
  nc_.issue(max8{.out = top, .in = largest_});
  nc_.issue(find_index8{.out = first, .in = largest_, .values = top});
  nc_.issue(tensor_copy{.out = column, .in = first->columns(0, 1)});
  pick(columns, column, places_->columns(0, blocks_), place);
  nc_.issue(scalar_tensor_tensor{.out = number,
                                 .in = column,
                                 .right = partition,
                                 .op0 = alu_op::multiply,
                                 .operand0 = partitions_,
                                 .op1 = alu_op::add});
  // A block of less than a run is behind the runs of the one before, on partition 0.
  if (const std::int64_t last = blocks_ - 1, runs = n_ / width_;
      n_ % width_ > 0 && runs != last * partitions_) {
    nc_.issue(tensor_scalar{.out = column,
                            .in = column,
                            .op0 = alu_op::equal,
                            .operand0 = last,
                            .op1 = alu_op::multiply,
                            .operand1 = runs - last * partitions_});
    nc_.issue(tensor_tensor{.out = number, .left = number, .right = column});
  }

  const tile values = as_row(top->columns(0, 1)), numbers = as_row(number), places = as_row(place);
  const tile best = nc_.sbuf(1, eight), is_best = nc_.sbuf(1, partitions_, dtype::int32),
             is_nan = nc_.sbuf(1, partitions_), best_number = nc_.sbuf(1, 1),
             best_place = nc_.sbuf(1, 1), index = nc_.sbuf(1, 1, dtype::int32);
  nc_.issue(max8{.out = best, .in = values});
  nc_.issue(tensor_scalar{
      .out = is_best, .in = values, .op0 = alu_op::equal, .operand0 = best->columns(0, 1)});
  // No number equals itself: where there is one, these are the largest.
  nc_.issue(tensor_tensor{.out = is_nan, .left = values, .right = values, .op = alu_op::not_equal});
  nc_.issue(
      tensor_tensor{.out = is_best, .left = is_best, .right = is_nan, .op = alu_op::logical_or});
  nc_.issue(select_reduce{.out = numbers,
                          .reduced = best_number,
                          .predicate = is_best,
                          .on_true = numbers,
                          .on_false = above_all,
                          .reduce_op = alu_op::minimum});
  pick(numbers, best_number, places, best_place);
  combine(best_number, best_place, index);
  nc_.issue(dma_copy{.out = out, .in = index.whole()});
}

// index = number width + place
void largest_index::combine(const tile& number, const tile& place, const tile& index) {
  if (double(n_) <= exact_most) {
    nc_.issue(scalar_tensor_tensor{.out = index,
                                   .in = number,
                                   .right = place,
                                   .op0 = alu_op::multiply,
                                   .operand0 = width_,
                                   .op1 = alu_op::add});
    return;
  }
  const tile low = nc_.sbuf(1, 1, dtype::int32);
  nc_.issue(tensor_copy{.out = index, .in = number});
  nc_.issue(tensor_copy{.out = low, .in = place});
  nc_.issue(tensor_scalar{.out = index,
                          .in = index,
                          .op0 = alu_op::shift_left,
                          .operand0 = std::countr_zero(std::uint64_t(width_))});
  nc_.issue(tensor_tensor{.out = index, .left = index, .right = low, .op = alu_op::bits_or});
}

}  // namespace papilio::kernels_detail

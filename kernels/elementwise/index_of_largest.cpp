// The index of the element of largest magnitude.
//   identity   the first of equals: of a run the first place, of a partition the first run, of all
//              partitions the smallest number of a run
//   layout     blocks of 128 runs, one a partition; the largest and its place of each run in a
//              column, columns of 32 blocks folded into one
//   bound      the vector engine, which reads each element twice, or DMA: about the same
#include "kernels/elementwise/elementwise_designs.hpp"

#include <algorithm>

#include "kernels/transposer.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr std::int64_t eight = 8;         // of max8 and find_index8
constexpr std::int64_t blocks_most = 32;  // columns before they are folded
constexpr float below_all = -1;           // magnitudes are not
constexpr double above_all = 0x1p+31;     // numbers of runs are not
constexpr double exact_most = 0x1p+24;    // whole numbers in fp32

class largest_run {
 public:
  largest_run(core& nc, std::int64_t n, std::int64_t width, const hbm_view& x)
      : nc_(nc),
        n_(n),
        width_(width),
        x_(x),
        lanes_(nc.machine().sbuf.partitions),
        elements_(nc.sbuf_pool(4, lanes_, std::max(width, eight))),
        largest_(nc.sbuf(lanes_, blocks_most * eight)),
        places_(nc.sbuf(lanes_, blocks_most * eight, dtype::int32)),
        numbers_(nc.sbuf(lanes_, blocks_most)),
        columns_(nc.sbuf(lanes_, blocks_most)),
        best_{nc.sbuf(lanes_, 1), nc.sbuf(lanes_, 1), nc.sbuf(lanes_, 1)} {
    nc_.issue(iota{.out = columns_, .pattern = {.levels = {{{blocks_most, 1}}}}});
  }

  void run(const hbm_view& out) {
    for (std::int64_t at = 0; at < n_;) {
      if (blocks_ == 0) begin(at);
      const std::int64_t runs = std::min<std::int64_t>(lanes_, (n_ - at) / width_);
      const std::int64_t lanes = std::max<std::int64_t>(runs, 1),
                         width = runs > 0 ? width_ : n_ - at;
      block(at, int(lanes), width);
      at += lanes * width;
      if (blocks_ == blocks_most || at == n_) fold();
    }
    finish(out);
  }

 private:
  // Of each partition: the largest, the number of its run, and its place there.
  struct found {
    tile value, number, place;
  };

  // Numbers of the runs to come. Lanes that get none stay below all.
  void begin(std::int64_t at) {
    nc_.issue(memset{.out = largest_, .value = below_all, .on = unit::gpsimd});
    nc_.issue(memset{.out = places_, .value = 0, .on = unit::gpsimd});
    nc_.issue(
        iota{.out = numbers_,
             .pattern = {
                 .base = at / width_, .partition_step = 1, .levels = {{{blocks_most, lanes_}}}}});
  }

  void block(std::int64_t at, int lanes, std::int64_t width) {
    const std::int64_t read = std::max(width, eight);
    const tile_view x = elements_.next().partition_range(0, lanes).columns(0, read),
                    values = x.columns(0, width);
    nc_.issue(dma_copy{.out = values, .in = x_.slice(0, at, lanes * width)});
    nc_.issue(activation{.out = values, .in = values, .function = activation_function::abs});
    if (read > width) nc_.issue(memset{.out = x.columns(width, read - width), .value = below_all});
    const auto column = [&](const tile& t) {
      return t->partition_range(0, lanes).columns(blocks_ * eight, eight);
    };
    nc_.issue(max8{.out = column(largest_), .in = x});
    nc_.issue(find_index8{.out = column(places_), .in = x, .values = column(largest_)});
    // A block of less than a run begins behind the runs of the one before.
    if (width < width_)
      nc_.issue(memset{.out = numbers_->partition_range(0, 1).columns(blocks_, 1),
                       .value = double(at / width_)});
    ++blocks_;
  }

  void fold() {
    const tile_view values = largest_->slice(1, 0, blocks_most, eight),
                    places = places_->slice(1, 0, blocks_most, eight);
    const tile top = nc_.sbuf(lanes_, eight), first = nc_.sbuf(lanes_, eight, dtype::int32),
               column = nc_.sbuf(lanes_, 1);
    nc_.issue(max8{.out = top, .in = values});
    nc_.issue(find_index8{.out = first, .in = values, .values = top});
    nc_.issue(tensor_copy{.out = column, .in = first->columns(0, 1)});
    if (!is_found_) {
      nc_.issue(tensor_copy{.out = best_.value, .in = top->columns(0, 1)});
      pick(columns_, column, numbers_, best_.number);
      pick(columns_, column, places, best_.place);
    } else {
      const found next{nc_.sbuf(lanes_, 1), nc_.sbuf(lanes_, 1), nc_.sbuf(lanes_, 1)};
      nc_.issue(tensor_copy{.out = next.value, .in = top->columns(0, 1)});
      pick(columns_, column, numbers_, next.number);
      pick(columns_, column, places, next.place);
      take_larger(next);
    }
    is_found_ = true;
    blocks_ = 0;
  }

  // out[p] = the value that lies where keys[p] has key[p].
  void pick(const tile_view& keys, const tile_view& key, const tile_view& values,
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

  // Larger, or the first that is no number.
  void take_larger(const found& next) {
    const tile is_larger = nc_.sbuf(lanes_, 1, dtype::int32), is_nan = nc_.sbuf(lanes_, 1),
               was_number = nc_.sbuf(lanes_, 1);
    const auto compare = [&](const tile_view& out, const tile_view& a, const tile_view& b,
                             alu_op op) {
      nc_.issue(tensor_tensor{.out = out, .left = a, .right = b, .op = op});
    };
    compare(is_larger, next.value, best_.value, alu_op::greater);
    compare(is_nan, next.value, next.value, alu_op::not_equal);
    compare(was_number, best_.value, best_.value, alu_op::equal);
    compare(is_nan, is_nan, was_number, alu_op::logical_and);
    compare(is_larger, is_larger, is_nan, alu_op::logical_or);
    for (const auto part : {&found::value, &found::number, &found::place})
      nc_.issue(
          tensor_copy_predicated{.out = best_.*part, .in = next.*part, .predicate = is_larger});
  }

  tile as_row(const tile_view& column) {
    tile row = nc_.sbuf(1, lanes_);
    transpose_in_blocks(nc_, row, column);
    return row;
  }

  void finish(const hbm_view& out) {
    const tile values = as_row(best_.value), numbers = as_row(best_.number),
               places = as_row(best_.place);
    const tile top = nc_.sbuf(1, eight), is_top = nc_.sbuf(1, lanes_, dtype::int32),
               is_nan = nc_.sbuf(1, lanes_), number = nc_.sbuf(1, 1), place = nc_.sbuf(1, 1);
    nc_.issue(max8{.out = top, .in = values});
    nc_.issue(tensor_scalar{
        .out = is_top, .in = values, .op0 = alu_op::equal, .operand0 = top->columns(0, 1)});
    // No number equals itself: where there is one, these are the largest.
    nc_.issue(
        tensor_tensor{.out = is_nan, .left = values, .right = values, .op = alu_op::not_equal});
    nc_.issue(
        tensor_tensor{.out = is_top, .left = is_top, .right = is_nan, .op = alu_op::logical_or});
    nc_.issue(select_reduce{.out = numbers,
                            .reduced = number,
                            .predicate = is_top,
                            .on_true = numbers,
                            .on_false = above_all,
                            .reduce_op = alu_op::minimum});
    pick(numbers, number, places, place);
    write(number, place, out);
  }

  void write(const tile& number, const tile& place, const hbm_view& out) {
    const tile index = nc_.sbuf(1, 1, dtype::int32);
    if (double(n_) <= exact_most) {
      nc_.issue(scalar_tensor_tensor{.out = index,
                                     .in = number,
                                     .right = place,
                                     .op0 = alu_op::multiply,
                                     .operand0 = width_,
                                     .op1 = alu_op::add});
    } else {
      const tile low = nc_.sbuf(1, 1, dtype::int32);
      nc_.issue(tensor_copy{.out = index, .in = number});
      nc_.issue(tensor_copy{.out = low, .in = place});
      nc_.issue(tensor_scalar{
          .out = index, .in = index, .op0 = alu_op::shift_left, .operand0 = largest_width_log2});
      nc_.issue(tensor_tensor{.out = index, .left = index, .right = low, .op = alu_op::bits_or});
    }
    nc_.issue(dma_copy{.out = out, .in = index.whole()});
  }

  core& nc_;
  std::int64_t n_, width_;
  const hbm_view& x_;
  int lanes_;
  tile_pool elements_;
  tile largest_, places_, numbers_, columns_;
  found best_;
  std::int64_t blocks_ = 0;  // since they were folded
  bool is_found_ = false;
};

}  // namespace

void run_index_of_largest(core& nc, std::int64_t n, std::int64_t width, const hbm_view& x,
                          const hbm_view& out) {
  largest_run(nc, n, width, x).run(out);
}

}  // namespace papilio::kernels_detail

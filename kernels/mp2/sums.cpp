#include <algorithm>

#include "kernels/mp2/pairs.hpp"

namespace papilio::kernels_detail {

using namespace engine;

mp2_sums::mp2_sums(core& nc, const mp2_design& d)
    : nc_(nc),
      columns_(std::min(sum_columns(nc.machine()), d.pairs * d.left.strips() * d.right.blocks())),
      first_(d.has_squares() ? square : difference),
      last_(d.is_symmetric() ? kinds : difference),
      count_(int(last_ - first_) / 2),
      weights_(nc.sbuf(int(d.partitions()), 2 * kinds)),
      results_(nc.sbuf(count_, 1)),
      totals_(nc.psum(count_, columns_)) {
  const float part = d.has_squares() ? 1 : 2;
  nc_.issue(memset{.out = weights_});
  for (std::size_t which = first_; which < last_; ++which) {
    const float weight = which % 2 == 0 ? -1 : -2;
    nc_.issue(memset{.out = weights_->columns(std::int64_t(2 * which + (which - first_) / 2), 1),
                     .value = which < difference ? weight : weight / part});
    rings_.push_back({.columns = nc.sbuf(int(d.partitions()), columns_)});
    nc_.issue(memset{.out = rings_.back().columns});  // strips may have fewer rows than lanes
  }
}

tile_view mp2_sums::next(kind which, int rows) {
  ring& r = rings_[which - first_];
  if (r.used == columns_) {
    add(which);
    nc_.issue(memset{.out = r.columns});
    r.used = 0;
  }
  return r.columns->columns(r.used++, 1).partition_range(0, rows);
}

void mp2_sums::add(std::size_t which) {
  nc_.issue(matmul{.out = totals_,
                   .stationary = weights_->columns(std::int64_t(2 * which), count_),
                   .moving = rings_[which - first_].columns,
                   .accumulate = is_begun_});
  is_begun_ = true;
}

tile_view mp2_sums::energies() {
  for (std::size_t which = first_; which < last_; ++which) add(which);
  nc_.issue(tensor_reduce{.out = results_, .in = totals_, .op = alu_op::add});
  return results_;
}

}  // namespace papilio::kernels_detail

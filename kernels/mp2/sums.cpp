#include "kernels/mp2/pairs.hpp"

#include "kernels/mp2/design.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

mp2_sums::mp2_sums(core& nc, std::int64_t lanes, bool squares, bool differences)
    : nc_(nc),
      squares_(squares),
      differences_(differences),
      totals_(nc.sbuf(int(lanes), kinds)),
      ones_(nc.sbuf(int(lanes), 1)),
      weights_(nc.sbuf(1, kinds)),
      weighted_(nc.sbuf(1, kinds)),
      results_(nc.sbuf(1, 2)),
      partials_(nc.sbuf_pool(2, int(lanes), 1)) {
  nc_.issue(memset{.out = totals_});
  nc_.issue(memset{.out = ones_, .value = 1});
  const float part = squares ? 1 : 2;
  const auto weigh = [&](kind which, float weight) {
    nc_.issue(memset{.out = weights_->columns(which, 1), .value = weight});
  };
  weigh(square, -1);
  weigh(square_twice, -2);
  weigh(difference, -1 / part);
  weigh(difference_twice, -2 / part);
  for (std::size_t which = 0; which < kinds; ++which)
    if (which < 2 ? squares : differences)
      rings_[which].columns = nc.sbuf_pool(1, int(lanes), mp2_ring);
}

void mp2_sums::open(ring& r) {
  r.open = r.columns->next();
  r.used = 0;
  r.is_begun = true;
  nc_.issue(memset{.out = r.open});  // a strip may have fewer rows than partitions
}

void mp2_sums::close(ring& r, std::size_t which) {
  const tile_view sum = partials_.next(), total = totals_->columns(std::int64_t(which), 1);
  nc_.issue(tensor_reduce{.out = sum, .in = r.open.columns(0, r.used), .op = alu_op::add});
  nc_.issue(tensor_tensor{.out = total, .left = total, .right = sum, .op = alu_op::add});
  r.is_begun = false;
}

tile_view mp2_sums::next(kind which, std::int64_t rows) {
  ring& r = rings_[std::size_t(which)];
  if (r.is_begun && r.used == mp2_ring) close(r, std::size_t(which));
  if (!r.is_begun) open(r);
  return r.open.columns(r.used++, 1).partition_range(0, int(rows));
}

tile_view mp2_sums::energies() {
  for (std::size_t which = 0; which < kinds; ++which)
    if (rings_[which].is_begun) close(rings_[which], which);
  const tile across = nc_.psum(1, kinds);
  nc_.issue(matmul{.out = across, .stationary = ones_, .moving = totals_});
  nc_.issue(
      tensor_tensor{.out = weighted_, .left = across, .right = weights_, .op = alu_op::multiply});
  nc_.issue(tensor_reduce{.out = results_, .in = weighted_->reshape({2, 2}), .op = alu_op::add});
  return results_->columns(squares_ ? 0 : 1, squares_ && differences_ ? 2 : 1);
}

}  // namespace papilio::kernels_detail

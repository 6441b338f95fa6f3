// Chains of two products through SBUF.
//   identity   H = A C for each slice, then out = H D; each slice's H is used once, and is dropped
//   layout     H is the second product's stationary operand, its summed axes on partitions; two
//              slices of it have room
//   order      the first product of a slice, then the second one of the slice before: no product
//              waits for copies out of PSUM, and operands of the next slice are loaded meanwhile
//   bound      the tensor engine, or DMA of A; H costs no transfer
#include "kernels/product/chain.hpp"

#include <algorithm>

#include "kernels/dry_run.hpp"
#include "kernels/product/choice.hpp"
#include "kernels/product/result_layout.hpp"
#include "kernels/product/rooms.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

std::int64_t bytes_of(const contraction_step& step, const product_step_design& design, bool stays) {
  product_pools pools = pools_of(step, design);
  if (stays) pools.result = {};
  return pools.bytes();
}

std::int64_t kept_bytes(const chip_layout& lies) {
  return pool_size{2, lies.parts * lies.words, lies.type}.bytes();
}

// Puts the loop over slices outermost, and lets a slice's blocks grow: first along summed axes, as
// far as there is room, then along all while they are good.
void cut(const contraction_step& step, product_step_design& d, int sliced,
         const machine_spec& machine, function_ref<bool()> has_room, function_ref<bool()> is_good) {
  const auto found = std::ranges::find(d.loops, sliced, &block_loop::axis);
  std::rotate(d.loops.begin(), found, found + 1);
  d.loops.front().is_fixed = true;
  for (block_loop& l : d.loops) {
    if (!step.axes[std::size_t(l.axis)].is_summed()) continue;
    l.block = l.units;
    if (!has_room()) l.block = 1;
  }
  grow(step, d.loops, machine, [&] { return has_room() && is_good(); });
}

}  // namespace

std::int64_t product_chain::room() const {
  return bytes_of(first, make, true) + bytes_of(second, read, false) +
         kept_bytes(*read.stationary.given);
}

std::optional<double> product_chain::seconds(const machine_spec& machine) const {
  constexpr double least = 3, effort_max = 3000;  // slices; instructions of a dry run, roughly
  const double effort = (effort_of(first, make) * blocks_of(make.loops) +
                         effort_of(second, read) * blocks_of(read.loops)) /
                        double(slices());
  const auto some = std::int64_t(std::min(double(slices()), std::max(least, effort_max / effort)));
  const auto run = dry_run(machine, [&](core& nc) {
    run_chain(nc, *this, scratch_for(nc, first), scratch_for(nc, second), some);
  });
  if (!run) return {};
  return run->value("total_time") * double(slices()) / double(some);
}

std::string product_chain::describe() const {
  return base_detail::message(make.describe(first), ", of which ", slices(),
                              " slices in turn stay in SBUF:\n", read.describe(second));
}

std::optional<product_chain> chain_of(const contraction_step& first, const contraction_step& second,
                                      const std::array<int, 2>& sliced,
                                      const chain_partitions& partitions,
                                      const machine_spec& machine) {
  const auto make = plain_product(first, partitions.rows, partitions.summed, machine);
  if (!make) return {};
  product_chain c{.first = first, .second = second, .axes = sliced, .make = *make};
  axis_ranges slice;
  for (const step_axis& a : first.axes) slice.push_back({0, a.extent});
  slice[std::size_t(sliced[0])].count = 1;
  chip_layout lies = result_layout(first, c.make, slice, slice).chip();
  lies.type = second.type;
  lies.parts = second.parts;
  const auto read = plain_product(second, partitions.last, lies, machine);
  if (!read) return {};
  c.read = *read;
  const std::int64_t all = machine.sbuf.bytes_per_partition, left = all - kept_bytes(lies);
  cut(
      second, c.read, sliced[1], machine,
      [&] { return bytes_of(second, c.read, false) <= left / 2; }, [] { return true; });
  // A slice has at least two blocks, so that one is loaded while the other is multiplied.
  cut(
      first, c.make, sliced[0], machine, [&] { return c.room() <= all; },
      [&] { return blocks_of(c.make.loops) >= 2 * double(c.slices()); });
  if (c.room() > all) return {};
  // Sums of several blocks are added up in the slice, which holds rounded parts of them.
  if (lies.type != dtype::fp32 && blocks_of_a_result(c.make) > 1) return {};
  return c;
}

}  // namespace papilio::kernels_detail

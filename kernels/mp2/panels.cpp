#include <algorithm>

#include "kernels/checks.hpp"
#include "kernels/contraction/step_designs.hpp"
#include "kernels/mp2/pairs.hpp"
#include "kernels/tiles.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::integral_layout;

namespace {

// The axes of mp2_operand's loops.
constexpr int orbital_axis = 0, virtual_axis = 1, auxiliary_axis = 2;

// B as [nocc, naux, nvir], or as [nocc, nvir, naux], whose panels are transposed when they are
// loaded.
mp2_operand operand_in(const mp2_design& d, const mp2_spin& of, bool is_transposed) {
  mp2_operand b;
  b.loops.type = d.operands.type;
  b.loops.axes = {{.extent = of.nocc, .strides = {of.nvir * d.naux}, .has = {true}},
                  {.extent = of.nvir, .strides = {is_transposed ? d.naux : 1}, .has = {true}},
                  {.extent = d.naux, .strides = {is_transposed ? 1 : of.nvir}, .has = {true}}};
  b.loops.plane[std::size_t(operand_role::left)] = of.nocc * of.nvir * d.naux;
  b.panel.columns = {orbital_axis, virtual_axis};
  b.panel.k.cut = auxiliary_axis;
  b.panel.k.chunk = d.array_rows;
  b.panel.summed = {auxiliary_axis};
  b.panel.is_transposed = is_transposed;
  if (is_transposed)
    b.panel.raw = partitions_of(b.loops, {virtual_axis, orbital_axis}, d.array_rows);
  return b;
}

mp2_operand given_operand(const mp2_design& d, const mp2_spin& of) {
  mp2_operand b = operand_in(d, of, d.layout == integral_layout::iap);
  b.panel.parts = d.operands.parts;
  return b;
}

}  // namespace

mp2_operand operand_of(const mp2_design& d, const mp2_spin& of) {
  if (d.home == mp2_home::whole) return given_operand(d, of);
  mp2_operand b = operand_in(d, of, false);
  b.loops.planes = b.panel.planes = d.operands.parts;
  return b;
}

void transpose_b(core& nc, const mp2_design& d, const mp2_spin& of, const hbm_view& b,
                 const hbm_view& out) {
  auto [step, panel] = given_operand(d, of);
  const mp2_operand to = operand_in(d, of, false);
  for (std::size_t a = 0; a < step.axes.size(); ++a) {
    step.axes[a].strides[std::size_t(operand_role::out)] = to.loops.axes[a].strides[0];
    step.axes[a].has[std::size_t(operand_role::out)] = true;
  }
  step.plane[std::size_t(operand_role::out)] = to.loops.plane[0];
  // Blocks of middle size let the loads and stores of others run while one is transposed.
  move_step_design moves{
      .panel = panel, .loops = loops_of(step, panel.columns, panel.raw), .depth = 4};
  for (const block_loop& l : loops_of(step, panel.summed, panel.k)) moves.loops.push_back(l);
  const auto flat = [](const hbm_view& v) { return v.reshape({v.elements()}); };
  const std::vector<move_step_design> fitting = grown(step, moves, nc.machine());
  require<resource_error>(!fitting.empty(), "mp2_energy: no block of B fits SBUF, which has ",
                          nc.machine().sbuf.bytes_per_partition, " bytes of a partition");
  run_moves(nc, step, fitting[fitting.size() / 2], {{flat(b), {}, flat(out)}});
}

mp2_panels::mp2_panels(core& nc, const mp2_design& d, const mp2_spin& of, const hbm_view& b)
    : nc_(nc), of_(of), operand_(operand_of(d, of)), flat_(b.reshape({b.elements()})) {
  if (d.home == mp2_home::whole) {
    kept_ = d.pools()[&of == &d.left ? mp2_design::of_i : mp2_design::of_j].make(nc, d.array_rows);
    tile_pool raw = nc.sbuf_pool(2, int(d.array_rows),
                                 operand_.size(of.together, of.nvir, d.naux).raw),
              banks = nc.psum_pool(2, int(d.array_rows), nc.machine().psum.bank_bytes / 4);
    for (std::int64_t i = 0; i < of.nocc; i += of.together)
      resident_.push_back(
          made({*kept_, raw, banks},
               {{i, std::min(of.together, of.nocc - i)}, {0, of.nvir}, {0, d.naux}}));
  } else if (!d.as_given()) {
    flat_ = nc.hbm({d.operands.parts * b.elements()}, d.operands.type);
    transpose_b(nc, d, of, b, flat_);
  }
}

// A panel takes from the pools while it is made, and not later.
std::shared_ptr<const product_panel> mp2_panels::made(const panel_pools& pools,
                                                      const axis_ranges& some) const {
  return std::make_shared<const product_panel>(nc_, operand_.loops, operand_.panel, some, flat_,
                                               pools, tile_view{});
}

mp2_panels::panel mp2_panels::load(tile_pool& pool, const axis_ranges& some) const {
  if (resident_.empty()) return {made({pool, pool, pool}, some)};
  const std::int64_t i = some[orbital_axis].first;
  return {resident_[std::size_t(i / of_.together)], i % of_.together * of_.nvir};
}

tile_view mp2_panels::panel::operand(std::size_t t, int part, std::int64_t c,
                                     std::int64_t count) const {
  return tiles->columns(t, part, {.at = {0, first + c, 0}, .cut_count = count, .partitions = count},
                        {0, 0, 0}, {.whole = {}, .cut = virtual_axis});
}

}  // namespace papilio::kernels_detail

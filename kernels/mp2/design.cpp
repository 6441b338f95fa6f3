#include "kernels/mp2/design.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/tiles.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

mp2_side side_of(std::int64_t nocc, std::int64_t nvir, std::int64_t columns, std::int64_t rows) {
  const auto even = [](std::int64_t extent, std::int64_t most) {
    return ceil_div(extent, ceil_div(extent, most));
  };
  mp2_side side{.nocc = nocc, .nvir = nvir, .block = even(nvir, columns)};
  side.strip = even(side.block, rows);
  return side;
}

// Bytes of a partition that the pools beside B^T's take; pairs.cpp and sums.cpp make the pools.
std::int64_t work_bytes(const mp2_design& d, const machine_spec& machine) {
  std::int64_t total = 0;
  const auto add = [&](std::int64_t depth, std::int64_t columns) {
    if (depth > 0) total += pool_shape{int(depth), columns}.bytes(machine);
  };
  const std::int64_t wide = d.columns();
  add((d.squares ? 2 : 0) + (d.differences ? 2 : 0), mp2_ring);
  add(d.differences ? 2 * d.strips_kept() : 0, wide);  // T
  add(d.differences ? d.roots_kept() : 0, wide);       // D^(-1/2)
  add((d.squares ? 2 : 0) + (d.differences ? 2 : 0), wide);
  add(1, wide);  // two bf16 tiles of squares take the room of one fp32 tile
  add(d.right.blocks() > 1 ? 4 : 2, wide);
  add(1, d.right.nvir);
  add(1, d.left.strips_all());
  add(2, d.orbitals * d.left.strips_all());
  add(1, d.left.nocc);
  add(1, d.right.nocc);
  add(16, 8);
  return total;
}

// Chooses the home of B^T that moves the fewest bytes of those that fit SBUF: all of it is loaded
// once; with panels, j passes once for each set of i; streamed tiles come again for each pair.
void choose_home(mp2_design& d, const machine_spec& machine) {
  const std::int64_t room = machine.sbuf.bytes_per_partition;
  d.home = mp2_home::whole;
  d.orbitals = d.left.nocc;
  const auto bytes = [&](std::int64_t elements) {
    return elements * std::int64_t(size_bytes(d.type));
  };
  std::int64_t all = 0, work = work_bytes(d, machine);
  for (const mp2_side* const of : {&d.left, &d.right}) {
    if (of == &d.right && d.symmetric) break;
    const std::int64_t together = of->together(product_columns(machine));
    const panel_size size = operand_of(d, *of).size(together, of->nvir, d.naux);
    all += ceil_div(of->nocc, together) * bytes(size.kept);
    work = std::max(work, 2 * 4 * size.raw);  // two raw tiles, before the other pools are made
  }
  if (all + work <= room) return;
  d.home = mp2_home::panels;
  const auto panels = [&] {
    const std::int64_t of_i = operand_of(d, d.left).size(1, d.left.nvir, d.naux).kept,
                       of_j = operand_of(d, d.right).size(d.group, d.right.nvir, d.naux).kept;
    return bytes(d.orbitals * of_i + 2 * of_j) + work_bytes(d, machine);
  };
  for (; d.group >= 1; d.group /= 2) {
    // Bisection finds the largest number of orbitals that fits.
    std::int64_t good = 0, bad = d.left.nocc + 1;
    while (bad - good > 1) {
      d.orbitals = good + (bad - good) / 2;
      (panels() <= room ? good : bad) = d.orbitals;
    }
    d.orbitals = good;
    if (good > 0) {
      d.orbitals = ceil_div(d.left.nocc, ceil_div(d.left.nocc, good));
      return;
    }
  }
  d.home = mp2_home::streamed;
  d.group = d.orbitals = 1;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> mp2_design::partners(std::int64_t i) const {
  const std::int64_t from = symmetric ? i : 0;
  const std::int64_t before = symmetric ? i * left.nocc - i * (i - 1) / 2 : i * right.nocc;
  const std::int64_t first = first_pair, last = first + pairs;
  const auto within = [&](std::int64_t pair) {
    return std::clamp(from + pair - before, from, right.nocc);
  };
  return {within(first), within(last)};
}

double mp2_design::tensor_cycles(const machine_spec& machine) const {
  const double passes =
      type == dtype::fp32 ? machine.tensor.fp32_passes : double(planes * (planes + 1) / 2);
  const double full = double(left.nvir) * double(right.nvir);
  double elements = double(pairs) * full;
  for (std::int64_t i = 0; symmetric && i < left.nocc; ++i) {
    const auto [first, last] =
        partners(i);  // T of i = j is symmetric; its energy has no other part
    if (first == i && last > i) elements -= (full - double(left.nvir)) / 2;
  }
  return passes * elements * double(naux) /
         (double(machine.tensor.rows) * double(machine.tensor.columns));
}

double mp2_design::expected_error() const {
  // A rounding has a relative rms error of 0.4247 u, as in matrix_product::expected_error; the
  // remainder that a second part holds is rounded once more. An energy is a sum of squares, whose
  // relative error is at most twice that of T.
  constexpr double unit = 0.4247 * 0x1p-24, narrow = 0.4247 * 0x1p-8;
  const double sums = 0.5 * double(std::min(naux, side)) + 0.5 * double(k_tiles) + 4;
  const double rounding = planes == 2 ? narrow * narrow : type == dtype::fp32 ? 0 : narrow;
  return 2 * square_root(sums * unit * unit + 3 * rounding * rounding);
}

std::string mp2_design::describe() const {
  using base_detail::message;
  std::string text = message(
      "T in strips of ", left.strip, " a by ", columns(), " columns of ", group, " j",
      right.blocks() > 1 ? message(", in blocks of ", right.block, " b") : std::string(), ", k in ",
      k_tiles, " tiles", planes > 1 ? " of two bf16 parts, three products" : "", "\n");
  switch (home) {
    case mp2_home::whole:
      return text + "B^T in SBUF, all of it\n";
    case mp2_home::panels:
      return text + message("B^T in HBM", as_given() ? ", as given" : "", "; panels of ", orbitals,
                            " i stay in SBUF while those of j pass\n");
    case mp2_home::streamed:
      return text + message("B^T in HBM", as_given() ? ", as given" : "",
                            "; tiles of a block of i and of j pass\n");
  }
  return text;
}

std::int64_t pairs_of(const pair_energy_problem& problem) {
  const auto i = std::int64_t(problem.nocc - problem.frozen);
  if (problem.spins != pair_spins::opposite_spin) return i * (i + 1) / 2;
  return i * std::int64_t(problem.nocc_other - problem.frozen);
}

mp2_design design_mp2(const pair_energy_problem& problem,
                      const kernels::mp2_energy_kernel_options& options,
                      const machine_spec& machine) {
  const bool opposite = problem.spins == pair_spins::opposite_spin;
  mp2_design d{.naux = std::int64_t(problem.naux),
               .frozen = std::int64_t(problem.frozen),
               .first_pair = options.first_pair,
               .pairs = options.pairs,
               .layout = options.layout};
  d.side = array_side(machine);
  const std::int64_t columns = product_columns(machine);
  const auto orbitals = [&](std::size_t nocc, std::size_t nvir) {
    return side_of(std::int64_t(nocc) - d.frozen, std::int64_t(nvir), columns, d.side);
  };
  d.left = orbitals(problem.nocc, problem.nvir);
  d.right = opposite ? orbitals(problem.nocc_other, problem.nvir_other) : d.left;
  d.symmetric = !opposite;
  d.squares = problem.spins != pair_spins::same_spin;
  d.differences = !opposite;
  if (d.pairs == 0) d.pairs = pairs_of(problem) - d.first_pair;
  const precision mode = options.precision.mode;
  d.type = mode == precision::native ? dtype::fp32 : dtype::bf16;
  d.planes = mode == precision::native || mode == precision::bf16 ? 1 : 2;
  d.k_tiles = ceil_div(d.naux, d.side);
  d.group = d.right.together(columns);
  choose_home(d, machine);
  return d;
}

}  // namespace papilio::kernels_detail

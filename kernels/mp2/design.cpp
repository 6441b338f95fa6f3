#include "kernels/mp2/design.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/tiles.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

mp2_spin spin_of(std::int64_t nocc, std::int64_t nvir, const machine_spec& machine) {
  const auto even = [](std::int64_t extent, std::int64_t most) {
    return ceil_div(extent, ceil_div(extent, most));
  };
  const std::int64_t columns = product_columns(machine), block = even(nvir, columns),
                     strip = even(block, array_rows(machine));
  return {.nocc = nocc,
          .nvir = nvir,
          .together = std::clamp<std::int64_t>(columns / nvir, 1, nocc),
          .strip = strip,
          .block = std::min(ceil_div(block, strip), columns / strip) * strip};
}

// Chooses the home of B^T that moves the fewest bytes of those that fit SBUF: all of it is loaded
// once; with panels, j passes once for each set of i; streamed tiles come again for each pair.
void choose_home(mp2_design& d, const machine_spec& machine) {
  d.orbitals = d.left.nocc;
  if (d.fits(machine)) return;
  d.home = mp2_home::panels;
  for (; d.group >= 1; d.group /= 2) {
    // Bisection finds the largest number of orbitals that fits.
    std::int64_t good = 0, bad = d.left.nocc + 1;
    while (bad - good > 1) {
      d.orbitals = good + (bad - good) / 2;
      (d.fits(machine) ? good : bad) = d.orbitals;
    }
    if (good > 0) {
      d.orbitals = ceil_div(d.left.nocc, ceil_div(d.left.nocc, good));
      return;
    }
  }
  d.home = mp2_home::streamed;
  d.group = d.orbitals = 1;
}

}  // namespace

std::array<pool_shape, mp2_design::biases + 1> mp2_design::pools() const {
  constexpr int ahead = 6;  // tiles of a block
  const auto panels = [&](const mp2_spin& of, std::int64_t depth, std::int64_t together) {
    const bool is_streamed = home == mp2_home::streamed;
    const panel_size size = operand_of(*this, of).size(
        is_streamed ? 1 : together, is_streamed ? of.block : of.nvir, panel_rows());
    return pool_shape{is_streamed ? ahead : int(depth), size.kept, operands.type};
  };
  const bool is_whole = home == mp2_home::whole, is_cut = right.blocks() > 1;
  const int squared = has_squares() ? 2 : 0, subtracted = is_symmetric() ? 2 : 0;
  // T stays of a block and of the next; where they are cut, with their mirror images.
  const std::int64_t wide = columns(), of_block = left.strips_of_block();
  std::array<pool_shape, biases + 1> all;
  const auto resident = [&](const mp2_spin& of) {
    return panels(of, ceil_div(of.nocc, of.together), of.together);
  };
  all[of_i] = is_whole ? resident(left) : panels(left, orbitals, 1);
  if (!is_whole || !is_symmetric())
    all[of_j] = is_whole ? resident(right) : panels(right, 2, group);
  all[strips] = {subtracted * int(is_cut ? 2 * of_block : of_block), wide};
  all[roots] = {is_symmetric() ? int(of_block) + 2 : 0, wide};
  all[products] = {squared, wide};
  all[differences] = {subtracted, wide};
  all[squares] = {2, wide, dtype::bf16};
  all[gaps] = {2, group * right.nvir};
  all[biases] = {2, orbitals * left.strips()};
  return all;
}

bool mp2_design::fits(const machine_spec& machine) const {
  constexpr std::int64_t small = 512;  // of tiles of a few columns
  const auto all = pools();
  const auto bytes = [&](std::size_t first, std::size_t last) {
    std::int64_t sum = 0;
    for (std::size_t p = first; p < last; ++p) sum += all[p].bytes(machine);
    return sum;
  };
  const std::int64_t others = 4 * sum_columns(machine) + left.strips() + left.nocc + right.nvir +
                              right.nocc;  // sums and energies
  std::int64_t work = bytes(strips, all.size()) + 4 * others + small;
  if (home ==
      mp2_home::whole)  // what is transposed, in two tiles, comes before there is anything else
    for (const mp2_spin* const of : {&left, &right})
      work = std::max(work, 2 * 4 * operand_of(*this, *of).size(of->together, of->nvir, naux).raw);
  return bytes(of_i, strips) + work <= machine.sbuf.bytes_per_partition;
}

std::pair<std::int64_t, std::int64_t> mp2_design::partners(std::int64_t i) const {
  const bool symmetric = is_symmetric();
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
      operands.is_fp32() ? machine.tensor.fp32_passes : double(operands.products());
  const double full = double(left.nvir) * double(right.nvir);
  double elements = double(pairs) * full;
  for (std::int64_t i = 0; is_symmetric() && i < left.nocc; ++i) {
    // T of i = j is symmetric; its energy has no other part.
    const auto [first, last] = partners(i);
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
  const double sums = 0.5 * double(std::min(naux, array_rows)) + 0.5 * double(k_tiles()) + 4;
  const double rounding = operands.parts == 2 ? narrow * narrow : operands.is_fp32() ? 0 : narrow;
  return 2 * square_root(sums * unit * unit + 3 * rounding * rounding);
}

std::string mp2_design::describe() const {
  using base_detail::message;
  std::string text = message(
      "T in strips of ", left.strip, " a by ", columns(), " columns of ", group, " j",
      right.blocks() > 1 ? message(", in blocks of ", right.block, " b") : std::string(), ", k in ",
      k_tiles(), " tiles", operands.parts > 1 ? " of two bf16 parts, three products" : "", "\n");
  if (home == mp2_home::whole) return text + "B^T in SBUF, all of it\n";
  return text + "B^T in HBM" + (as_given() ? ", as given" : "") +
         (home == mp2_home::streamed
              ? "; tiles of a block of i and of j pass\n"
              : message("; panels of ", orbitals, " i stay in SBUF while those of j pass\n"));
}

std::int64_t pairs_of(const pair_energy_problem& problem) {
  const auto i = std::int64_t(problem.nocc - problem.frozen);
  if (problem.spins != pair_spins::opposite_spin) return i * (i + 1) / 2;
  return i * std::int64_t(problem.nocc_other - problem.frozen);
}

mp2_design design_mp2(const pair_energy_problem& problem,
                      const kernels::mp2_energy_kernel_options& options,
                      const machine_spec& machine) {
  mp2_design d{.naux = std::int64_t(problem.naux),
               .frozen = std::int64_t(problem.frozen),
               .first_pair = options.first_pair,
               .pairs = options.pairs,
               .layout = options.layout,
               .spins = problem.spins};
  const auto orbitals = [&](std::size_t nocc, std::size_t nvir) {
    return spin_of(std::int64_t(nocc) - d.frozen, std::int64_t(nvir), machine);
  };
  d.left = orbitals(problem.nocc, problem.nvir);
  d.right = d.is_symmetric() ? d.left : orbitals(problem.nocc_other, problem.nvir_other);
  if (d.pairs == 0) d.pairs = pairs_of(problem) - d.first_pair;
  const precision mode = options.precision.mode;
  if (mode != precision::native)
    d.operands = {.type = dtype::bf16, .parts = mode == precision::bf16 ? 1 : 2};
  d.array_rows = array_rows(machine);
  d.group = d.right.together;
  choose_home(d, machine);
  return d;
}

}  // namespace papilio::kernels_detail

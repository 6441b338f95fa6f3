// The fused MP2 energy of trntensor and trnblas: two products a pair, nothing of T in HBM.
//   identity   E = sum T (2 T - T^t) / Delta, T = B_i B_j^t, T^t = B_j B_i^t
//   layout     T [128 a, 128 b] and T^t in a bank of PSUM each; B^t tiles [128 k, 128 a or b]
//   bound      vector engine: 18 cycles an element of T, and the transposing loads' blocks
#include "kernels/published/published.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels::published {
namespace {

using namespace engine;

struct orbitals {
  hbm_view b, energies;  // [n, nvir, naux], [n, 1]

  std::int64_t count() const { return b.extent(0); }
  std::int64_t nvir() const { return b.extent(1); }
  std::int64_t naux() const { return b.extent(2); }
  hbm_view tile(std::int64_t which, std::int64_t a, std::int64_t rows, std::int64_t k,
                std::int64_t depth) const {
    return b.slice(0, which, 1).reshape({nvir(), naux()}).slice(0, a, rows).slice(1, k, depth);
  }
};

// One tile of k of one tile of a and b of a pair.
struct step {
  std::int64_t i = 0, j = 0, a = 0, b = 0, rows = 0, columns = 0;
  bool first_k = false, last_k = false, first_of_pair = false, last_of_pair = false;
  tile_view i_a = {}, j_a = {}, i_b = {}, j_b = {};  // operands: B_i^t of rows a, ...
  tile_view energies = {};                           // e_i + e_j on all lanes
  tile_view t = {}, t_transposed = {};
};

class fused_energy {
 public:
  fused_energy(core& nc, const hbm_view& partials, const orbitals& left, const orbitals& right,
               const hbm_view& eps_vir, mp2_partials what)
      : nc_(nc),
        partials_(partials),
        left_(left),
        right_(right),
        what_(what),
        nvir_(left.nvir()),
        naux_(left.naux()),
        tile_rows_(kernels_detail::array_rows(nc.machine())),
        partitions_(int(std::min(nvir_, tile_rows_))),
        tiles_(kernels_detail::ceil_div(nvir_, tile_rows_)),
        depths_(kernels_detail::ceil_div(naux_, tile_rows_)),
        transposed_(nc, partitions_, std::min(naux_, tile_rows_), dtype::fp32, 4),
        kept_(nc.sbuf_pool(2, int(std::min(naux_, tile_rows_)), partitions_)),
        operands_(nc.sbuf_pool(tiles_ * depths_ > 1 ? 12 : 3, int(std::min(naux_, tile_rows_)),
                               partitions_)),
        banks_(nc.psum_pool(std::min(4, nc.machine().psum.banks), partitions_, partitions_)),
        work_(nc.sbuf_pool(8, partitions_, partitions_)),
        energy_i_(nc.sbuf_pool(2, partitions_, 1)),
        pair_energies_(nc.sbuf_pool(4, partitions_, 1)),
        narrow_(nc.sbuf_pool(8, partitions_, 1)),
        sums_(nc.sbuf_pool(3, partitions_, 1)),
        energies_b_(nc.sbuf(partitions_, nvir_)),
        energies_a_(nc.sbuf(partitions_, tiles_)) {
    nc_.issue(
        dma_copy{.out = energies_b_.whole(), .in = eps_vir.reshape({nvir_}).repeat(partitions_)});
    for (std::int64_t a = 0; a < nvir_; a += tile_rows_) {
      const std::int64_t rows = std::min(tile_rows_, nvir_ - a);
      nc_.issue(
          dma_copy{.out = energies_a_->columns(a / tile_rows_, 1).partition_range(0, int(rows)),
                   .in = eps_vir.slice(0, a, rows)});
    }
  }

  void run() {
    const std::int64_t of_pair = tiles_ * tiles_ * depths_;
    pipeline(
        left_.count() * right_.count() * of_pair, 1,
        [&](std::int64_t x) { return load(x / of_pair, x % of_pair); },
        [&](step one) {
          multiply(one);
          return one;
        },
        [&](const step& one) {
          if (one.last_k) energy(one);
        });
  }

 private:
  tile_view everywhere(tile_pool& pool, const hbm_view& energies, std::int64_t which) {
    const tile_view place = pool.next();
    nc_.issue(
        dma_copy{.out = place, .in = energies.slice(0, which, 1).reshape({1}).repeat(partitions_)});
    return place;
  }

  tile_view operand(tile_pool& pool, const orbitals& of, std::int64_t which, std::int64_t a,
                    std::int64_t rows, std::int64_t k) {
    const std::int64_t depth = std::min(tile_rows_, naux_ - k);
    const tile_view place = pool.next().partition_range(0, int(depth)).columns(0, rows);
    transposed_.load(place, of.tile(which, a, rows, k, depth));
    return place;
  }

  step load(std::int64_t pair, std::int64_t x) {
    const std::int64_t k = x % depths_ * tile_rows_, b = x / depths_ % tiles_,
                       a = x / depths_ / tiles_;
    step one{.i = pair / right_.count(),
             .j = pair % right_.count(),
             .a = a * tile_rows_,
             .b = b * tile_rows_,
             .rows = std::min(tile_rows_, nvir_ - a * tile_rows_),
             .columns = std::min(tile_rows_, nvir_ - b * tile_rows_),
             .first_k = k == 0,
             .last_k = k + tile_rows_ >= naux_,
             .first_of_pair = a == 0 && b == 0,
             .last_of_pair = a == tiles_ - 1 && b == tiles_ - 1};
    if (x == 0) {
      if (one.j == 0) of_i_ = everywhere(energy_i_, left_.energies, one.i);
      of_j_ = everywhere(narrow_, right_.energies, one.j);
    }
    if (tiles_ * depths_ == 1) {
      if (one.j == 0) kept_i_ = operand(kept_, left_, one.i, 0, one.rows, 0);
      one.i_a = one.i_b = kept_i_;
      one.j_a = one.j_b = operand(operands_, right_, one.j, 0, one.rows, 0);
    } else {
      one.i_a = operand(operands_, left_, one.i, one.a, one.rows, k);
      one.j_b = operand(operands_, right_, one.j, one.b, one.columns, k);
      one.j_a = operand(operands_, right_, one.j, one.a, one.rows, k);
      one.i_b = operand(operands_, left_, one.i, one.b, one.columns, k);
    }
    if (x == 0) {
      pair_energy_ = pair_energies_.next();
      nc_.issue(
          tensor_tensor{.out = pair_energy_, .left = of_i_, .right = of_j_, .op = alu_op::add});
    }
    one.energies = pair_energy_;
    return one;
  }

  void multiply(step& one) {
    if (one.first_k) {
      const auto bank = [&] {
        return banks_.next().partition_range(0, int(one.rows)).columns(0, one.columns);
      };
      t_ = bank(), t_transposed_ = bank();
    }
    one.t = t_, one.t_transposed = t_transposed_;
    nc_.issue(engine::matmul{
        .out = one.t, .stationary = one.i_a, .moving = one.j_b, .accumulate = !one.first_k});
    nc_.issue(engine::matmul{.out = one.t_transposed,
                             .stationary = one.j_a,
                             .moving = one.i_b,
                             .accumulate = !one.first_k});
  }

  tile_view combine(const tile_view& out, const tile_view& left, alu_op op,
                    const tile_view& right) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = op});
    return out;
  }

  // 1 / (e_i + e_j - e_a - e_b)
  tile_view inverse(const step& one) {
    const tile_view of_row = partitions_of(narrow_.next(), one), delta = place(one),
                    result = place(one);
    combine(of_row, partitions_of(one.energies, one), alu_op::subtract,
            partitions_of(energies_a_->columns(one.a / tile_rows_, 1), one));
    nc_.issue(tensor_scalar{.out = delta,
                            .in = partitions_of(energies_b_->columns(one.b, one.columns), one),
                            .op0 = alu_op::subtract,
                            .operand0 = of_row,
                            .reverse0 = true});
    nc_.issue(reciprocal{.out = result, .in = delta});
    return result;
  }

  void energy(const step& one) {
    const tile_view t = place(one), t_transposed = place(one), twice = place(one);
    nc_.issue(tensor_copy{.out = t, .in = one.t});
    nc_.issue(tensor_copy{.out = t_transposed, .in = one.t_transposed});
    nc_.issue(activation{.out = twice, .in = t, .function = activation_function::copy, .scale = 2});
    const tile_view reciprocals = inverse(one);
    combine(t_transposed, twice, alu_op::subtract, t_transposed);
    combine(t_transposed, t, alu_op::multiply, t_transposed);
    combine(t_transposed, t_transposed, alu_op::multiply, reciprocals);
    if (one.first_of_pair) {
      sum_ = sums_.next();
      nc_.issue(memset{.out = sum_});
    }
    const tile_view added = partitions_of(narrow_.next(), one);
    nc_.issue(tensor_reduce{.out = added, .in = t_transposed, .op = alu_op::add});
    combine(partitions_of(sum_, one), partitions_of(sum_, one), alu_op::add, added);
    if (one.last_of_pair) store(one);
  }

  void store(const step& one) {
    if (what_ == mp2_partials::of_partitions) {
      nc_.issue(dma_copy{.out = partials_.slice(1, one.i * right_.count() + one.j, 1), .in = sum_});
      return;
    }
    const tile_view total = narrow_.next().partition_range(0, 1);
    nc_.issue(partition_reduce{.out = total, .in = sum_, .op = alu_op::add});
    nc_.issue(dma_copy{.out = partials_.slice(0, one.i, 1).slice(1, one.j, 1), .in = total});
  }

  tile_view place(const step& one) {
    return work_.next().partition_range(0, int(one.rows)).columns(0, one.columns);
  }
  static tile_view partitions_of(const tile_view& v, const step& one) {
    return v.partition_range(0, int(one.rows));
  }

  core& nc_;
  hbm_view partials_;
  orbitals left_, right_;
  mp2_partials what_;
  std::int64_t nvir_, naux_, tile_rows_;
  int partitions_;
  std::int64_t tiles_, depths_;
  transposing_loader transposed_;
  tile_pool kept_, operands_, banks_, work_, energy_i_, pair_energies_, narrow_, sums_;
  tile energies_b_, energies_a_;
  tile_view of_i_, of_j_, pair_energy_, kept_i_, t_, t_transposed_, sum_;
};

}  // namespace

void fused_mp2(core& nc, const hbm_view& partials, const hbm_view& b_i, const hbm_view& b_j,
               const hbm_view& eps_i, const hbm_view& eps_j, const hbm_view& eps_vir,
               mp2_partials what) {
  const auto column_of = [](const hbm_view& v, std::int64_t rows) {
    return v.rank() == 2 && v.extent(0) == rows && v.extent(1) == 1;
  };
  bool fits = b_i.rank() == 3 && b_j.rank() == 3 && partials.rank() == 2 &&
              b_i.extent(1) == b_j.extent(1) && b_i.extent(2) == b_j.extent(2) &&
              column_of(eps_i, b_i.extent(0)) && column_of(eps_j, b_j.extent(0)) &&
              column_of(eps_vir, b_i.extent(1));
  if (fits) {
    const std::int64_t ni = b_i.extent(0), nj = b_j.extent(0);
    const std::int64_t partitions =
        std::min(b_i.extent(1), kernels_detail::array_rows(nc.machine()));
    fits = what == mp2_partials::of_pairs
               ? partials.extent(0) == ni && partials.extent(1) == nj
               : partials.extent(0) == partitions && partials.extent(1) == ni * nj;
  }
  kernels_detail::require<shape_error>(fits, "fused_mp2: b_i ", b_i, ", b_j ", b_j, ", eps_i ",
                                       eps_i, ", eps_j ", eps_j, ", eps_vir ", eps_vir,
                                       ", partials ", partials, " do not agree");
  fused_energy(nc, partials, {.b = b_i, .energies = eps_i}, {.b = b_j, .energies = eps_j}, eps_vir,
               what)
      .run();
}

sized_kernel fused_mp2_kernel(const pair_energy_problem& problem, const machine_spec& machine,
                              mp2_partials what) {
  const auto size = [](const char* argument, std::size_t value) {
    return kernels_detail::checked_size("fused_mp2_kernel", argument, value);
  };
  const std::int64_t nocc = size("nocc", problem.nocc), nvir = size("nvir", problem.nvir),
                     naux = size("naux", problem.naux);
  kernels_detail::require(
      problem.spins == pair_spins::closed_shell && problem.frozen == 0,
      "fused_mp2_kernel: the published kernel has all pairs of a closed shell, no others");
  const std::int64_t pairs = checked_multiply(nocc, nocc, "fused_mp2_kernel: pairs");
  const bool of_pairs = what == mp2_partials::of_pairs;
  const std::int64_t tile_rows = kernels_detail::array_rows(machine),
                     partitions = std::min(nvir, tile_rows);
  // One product for each pair i <= j, on a full array.
  const double bytes = 4.0 * (double(nocc) * double(nvir) * double(naux) + double(nocc + nvir) +
                              double(of_pairs ? pairs : pairs * partitions)),
               cycles = machine.tensor.least_cycles(0.5 * (double(pairs) + double(nocc)) *
                                                        double(nvir) * double(nvir) * double(naux),
                                                    machine.tensor.fp32_passes);
  const kernel_design design = kernels_detail::design_of(kernels_detail::published_fused_mp2{
      .nocc = nocc, .nvir = nvir, .naux = naux, .partials = what, .tile_rows = tile_rows});
  return {.program = {.name = "published/fused_mp2",
                      .parameters = design.key(),
                      .body =
                          [what, bytes, cycles](core& nc, const kernel_arguments& t) {
                            nc.state_floor(bytes, cycles);
                            fused_mp2(nc, t.out(0), t.in(0), t.in(0), t.in(1), t.in(1), t.in(2),
                                      what);
                          }},
          .inputs = {{{nocc, nvir, naux}, dtype::fp32},
                     {{nocc, 1}, dtype::fp32},
                     {{nvir, 1}, dtype::fp32}},
          .outputs = {of_pairs ? tensor_shape{{nocc, nocc}, dtype::fp32}
                               : tensor_shape{{partitions, pairs}, dtype::fp32}},
          .ranges = {{}, {-2, -0.5f}, {0.1f, 2}},
          .design = design};
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

std::string published_fused_mp2::describe() const {
  if (nvir <= tile_rows && naux <= tile_rows) return "one tile a pair: B_i loaded once for all j\n";
  return base_detail::message("tiles of ", tile_rows, " x ", tile_rows, " x ", tile_rows,
                              ", four of B loaded for each\n");
}

namespace {

struct fused_mp2_request : pair_energy_problem {
  kernels::published::mp2_partials partials = {};
};

}  // namespace

kernels::catalog_entry published_fused_mp2_entry() {
  using kernels::published::mp2_partials;
  using r = fused_mp2_request;
  return settings<r>{
      number_setting("nocc", &r::nocc, "5", "Occupied orbitals"),
      number_setting("nvir", &r::nvir, "19", "Virtual orbitals a, b"),
      number_setting("naux", &r::naux, "72", "Auxiliary functions"),
      choice_setting("partials", &r::partials,
                     "Sums that the device returns: by pair, or by lane as in trnblas",
                     {{"pairs", mp2_partials::of_pairs}, {"lanes", mp2_partials::of_partitions}})}
      .entry("published/fused_mp2", "trntensor's fused MP2 energy: two products a pair, T on chip",
             [](const r& of, const engine::machine_spec& machine) {
               return kernels::published::fused_mp2_kernel(of, machine, of.partials);
             });
}

}  // namespace papilio::kernels_detail

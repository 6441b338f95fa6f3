// The published fused energy kernel: T read back from HBM, the denominator rebuilt in every strip.
//   identity   E = sum T (2 T - T^t) / Delta over strips of a
//   layout     [strip of a, b]; T^t by a transposing load
//   bound      vector engine, 22 cycles an element and 14 block transposes a strip of 448
#include <algorithm>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/published.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels::published {
namespace {

using namespace engine;

// The three kinds of transfers go through queues of their own: the small loads of e_j wait long and
// would hold up what stands behind them.
constexpr int rows_queue = 0, transposed_queue = 1, energies_queue = 2;

class energy_kernel {
 public:
  energy_kernel(core& nc, const hbm_view& partials, const hbm_view& t, const hbm_view& eps_vir,
                const mp2_energy_options& options)
      : nc_(nc),
        partials_(partials),
        t_(t),
        options_(options),
        nvir_(eps_vir.extent(0)),
        strip_(mp2_energy_strip(nvir_, nc.machine())),
        strips_(nvir_ / strip_),
        partitions_(int(strip_)),
        transposed_(nc, nvir_, strip_, dtype::fp32, 2, transposed_queue),
        rows_(nc.sbuf_pool(3, partitions_, nvir_)),
        columns_(nc.sbuf_pool(2, partitions_, nvir_)),
        twice_(nc.sbuf_pool(2, partitions_, nvir_)),
        work_(nc.sbuf_pool(6, partitions_, nvir_)),
        sums_(nc.sbuf_pool(2, partitions_, strips_)),
        energy_sum_(nc.sbuf_pool(2, partitions_, 1)),
        energy_i_(nc.sbuf(partitions_, 1)),
        energy_j_(nc.sbuf(partitions_, 1)),
        energies_b_(nc.sbuf(partitions_, nvir_)),
        energies_a_(nc.sbuf(partitions_, strips_)) {
    nc_.issue(dma_copy{.out = energies_b_.whole(), .in = eps_vir.reshape({nvir_}).repeat(strip_)});
    nc_.issue(dma_copy{.out = energies_a_.whole(),
                       .in = eps_vir.reshape({strips_, strip_}).permute({1, 0})});
    if (options_.hoist_denominator) hoist();
  }

  void begin_i(const hbm_view& eps_i, std::int64_t i) {
    nc_.issue(dma_copy{.out = energy_i_.whole(),
                       .in = eps_i.slice(0, i, 1).reshape({1}).repeat(strip_),
                       .queue = energies_queue});
  }

  /// One pair; its partial sums go to a column of `out`.
  void pair(const hbm_view& eps_j, std::int64_t i, std::int64_t j, const tile_view& out) {
    nc_.issue(dma_copy{.out = energy_j_.whole(),
                       .in = eps_j.slice(0, j, 1).reshape({1}).repeat(strip_),
                       .queue = energies_queue});
    const tile_view energies = energy_sum_.next();
    nc_.issue(
        tensor_tensor{.out = energies, .left = energy_i_, .right = energy_j_, .op = alu_op::add});
    const tile_view sums = sums_.next();
    for (std::int64_t s = 0; s < strips_; ++s) strip(i, j, s, energies, sums.columns(s, 1));
    nc_.issue(tensor_reduce{.out = out, .in = sums, .op = alu_op::add});
  }

 private:
  void hoist() {
    for (std::int64_t s = 0; s < strips_; ++s) {
      hoisted_.push_back(nc_.sbuf(partitions_, nvir_));
      const tile_view a = spread(energies_a_->columns(s, 1));
      nc_.issue(tensor_tensor{
          .out = hoisted_.back(), .left = a, .right = energies_b_, .op = alu_op::add});
    }
  }

  tile_view spread(const tile_view& column) {
    const tile_view wide = work_.next();
    nc_.issue(tensor_copy{.out = wide, .in = column.spread(nvir_)});
    return wide;
  }
  tile_view combine(const tile_view& left, alu_op op, const tile_view& right) {
    const tile_view result = work_.next();
    nc_.issue(tensor_tensor{.out = result, .left = left, .right = right, .op = op});
    return result;
  }

  tile_view denominator(std::int64_t s, const tile_view& energies) {
    const tile_view ij = spread(energies);
    if (options_.hoist_denominator) return combine(ij, alu_op::subtract, hoisted_[std::size_t(s)]);
    const tile_view a = spread(energies_a_->columns(s, 1));
    const tile_view b = work_.next();
    nc_.issue(tensor_copy{.out = b, .in = energies_b_});
    return combine(combine(ij, alu_op::subtract, a), alu_op::subtract, b);
  }

  void strip(std::int64_t i, std::int64_t j, std::int64_t s, const tile_view& energies,
             const tile_view& out) {
    const hbm_view block = t_.slice(0, i * nvir_, nvir_).slice(1, j * nvir_, nvir_);
    const tile_view t = rows_.next(), t_transposed = columns_.next(), twice = twice_.next();
    nc_.issue(dma_copy{.out = t, .in = block.slice(0, s * strip_, strip_), .queue = rows_queue});
    transposed_.load(t_transposed, block.slice(1, s * strip_, strip_));
    nc_.issue(activation{.out = twice, .in = t, .function = activation_function::copy, .scale = 2});
    const tile_view delta = denominator(s, energies);
    const tile_view inverse = work_.next();
    nc_.issue(reciprocal{.out = inverse, .in = delta});
    const tile_view difference = combine(twice, alu_op::subtract, t_transposed);
    const tile_view product = combine(t, alu_op::multiply, difference);
    const tile_view term = combine(product, alu_op::multiply, inverse);
    nc_.issue(tensor_reduce{.out = out, .in = term, .op = alu_op::add});
  }

  core& nc_;
  hbm_view partials_, t_;
  mp2_energy_options options_;
  std::int64_t nvir_, strip_, strips_;
  int partitions_;
  transposing_loader transposed_;
  tile_pool rows_, columns_, twice_, work_, sums_, energy_sum_;
  tile energy_i_, energy_j_, energies_b_, energies_a_;
  std::vector<tile> hoisted_;
};

}  // namespace

std::int64_t mp2_energy_strip(std::int64_t nvir, const machine_spec& machine) {
  for (std::int64_t rows = std::min<std::int64_t>(nvir, machine.sbuf.partitions); rows > 1; --rows)
    if (nvir % rows == 0) return rows;
  return 1;
}

void mp2_energy(core& nc, const hbm_view& partials, const hbm_view& t, const hbm_view& eps_i,
                const hbm_view& eps_j, const hbm_view& eps_vir, const mp2_energy_options& options) {
  const auto column = [](const hbm_view& v) { return v.rank() == 2 && v.extent(1) == 1; };
  const bool ranks =
      column(eps_i) && column(eps_j) && column(eps_vir) && t.rank() == 2 && partials.rank() == 2;
  const std::int64_t ic = ranks ? eps_i.extent(0) : 0, nocc = ranks ? eps_j.extent(0) : 0,
                     nvir = ranks ? eps_vir.extent(0) : 0;
  const std::int64_t strip = ranks ? mp2_energy_strip(nvir, nc.machine()) : 0;
  kernels_detail::require<shape_error>(
      ranks && t.extent(0) == ic * nvir && t.extent(1) == nocc * nvir &&
          partials.extent(0) == strip && partials.extent(1) == ic * nocc,
      "mp2_energy: t ", t, ", eps_i ", eps_i, ", eps_j ", eps_j, ", eps_vir ", eps_vir,
      ", partials ", partials, " do not agree");
  kernels_detail::require(options.pairs_per_store >= 0,
                          "mp2_energy: pairs_per_store must be at least 0, got ",
                          options.pairs_per_store);

  energy_kernel kernel(nc, partials, t, eps_vir, options);
  const std::int64_t together =
      options.pairs_per_store == 0 ? nocc : std::min(options.pairs_per_store, nocc);
  tile_pool results = nc.sbuf_pool(2, int(strip), together);
  for (std::int64_t i = 0; i < ic; ++i) {
    kernel.begin_i(eps_i, i);
    for (std::int64_t first = 0; first < nocc; first += together) {
      const std::int64_t count = std::min(together, nocc - first);
      const tile_view result = results.next().columns(0, count);
      for (std::int64_t j = 0; j < count; ++j)
        kernel.pair(eps_j, i, first + j, result.columns(j, 1));
      nc.issue(dma_copy{.out = partials.slice(1, i * nocc + first, count), .in = result});
    }
  }
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

std::string published_mp2_energy::describe() const {
  return base_detail::message("strips of ", strip, " x ", nvir, " of T, e_a + e_b made ",
                              how.hoist_denominator ? "once" : "in each", "; sums of ",
                              how.pairs_per_store == 0 ? nocc : std::min(how.pairs_per_store, nocc),
                              " pairs stored together\n");
}

namespace {

struct published_mp2_request : kernels::published::mp2_energy_options {
  std::int64_t ic = 1, nocc = 1, nvir = 1;
};

kernels::sized_kernel published_mp2_kernel(const published_mp2_request& of,
                                           const engine::machine_spec& machine) {
  using namespace engine;
  const auto [ic, nocc, nvir] = std::tie(of.ic, of.nocc, of.nvir);
  const kernels::published::mp2_energy_options options = of;
  const auto product = [](std::int64_t a, std::int64_t b) {
    return checked_multiply(a, b, "published/mp2_energy: extent");
  };
  const std::int64_t strip = kernels::published::mp2_energy_strip(nvir, machine);
  const kernels::kernel_design design = design_of(
      published_mp2_energy{.ic = ic, .nocc = nocc, .nvir = nvir, .strip = strip, .how = options});
  return {.program = {.name = "published/mp2_energy",
                      .parameters = design.key(),
                      .body =
                          [options](core& nc, const kernel_arguments& t) {
                            kernels::published::mp2_energy(nc, t.out(0), t.in(0), t.in(1), t.in(2),
                                                           t.in(3), options);
                          }},
          .inputs = {{{product(ic, nvir), product(nocc, nvir)}, dtype::fp32},
                     {{ic, 1}, dtype::fp32},
                     {{nocc, 1}, dtype::fp32},
                     {{nvir, 1}, dtype::fp32}},
          .outputs = {{{strip, product(ic, nocc)}, dtype::fp32}},
          .ranges = {{}, {-2, -0.5f}, {-2, -0.5f}, {0.1f, 2}},
          .design = design};
}

}  // namespace

kernels::catalog_entry published_mp2_energy_entry() {
  using r = published_mp2_request;
  return settings<r>{
      number_setting("ic", &r::ic, "4", "Occupied orbitals i of the chunk"),
      number_setting("nocc", &r::nocc, "4", "Occupied orbitals j"),
      number_setting("nvir", &r::nvir, "64", "Virtual orbitals a, b"),
      yes_setting("hoist", &r::hoist_denominator, "Make e_a + e_b once, not in every strip"),
      number_setting("pairs_per_store", &r::pairs_per_store, "0",
                     "Pairs whose sums are stored together; 0: all of one i", 0)}
      .entry("published/mp2_energy",
             "trnblas' fused MP2 energy from T in HBM, as profiled on trainium1",
             published_mp2_kernel);
}

}  // namespace papilio::kernels_detail

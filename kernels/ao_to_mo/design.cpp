#include "kernels/ao_to_mo/design.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

constexpr std::int64_t strips_more = 8;  // looked at beyond twice the least number
constexpr std::int64_t fp32_bytes = 4;

// How full the array is with the half transformed integrals of so many P.
double fill_of(const ao_to_mo_design& d, std::int64_t functions) {
  const std::int64_t all = functions * d.block;
  return double(all) / double(ceil_div(all, d.operand_rows(functions, d.block)) * d.side);
}

std::int64_t together_of(const ao_to_mo_design& d, std::int64_t columns, double good_fill) {
  const std::int64_t most = d.flat() ? d.naux : std::min(d.naux, d.side);
  std::int64_t best = 1;
  for (std::int64_t q = 1; q <= most && (q == 1 || q * d.block <= columns); ++q) {
    if (fill_of(d, q) > fill_of(d, best)) best = q;
    if (fill_of(d, best) >= good_fill) break;
  }
  return best;
}

// Strips of m with which the integrals of a P take the least time: more of them are longer rows of
// DMA, on fewer rows of the array.
std::int64_t strips_of(const ao_to_mo_design& d, const machine_spec& machine) {
  const std::int64_t n = d.nbasis, least = ceil_div(n, d.side);
  const double passes =
      d.converts() ? double(d.parts * (d.parts + 1) / 2) : double(machine.tensor.fp32_passes);
  const auto rows = [&](std::int64_t partitions, std::int64_t strips) {
    const double row = double(strips * n * fp32_bytes) / machine.dma.bytes_per_ns;
    return strips == 0 ? 0 : double(partitions) * std::max(row, machine.dma.descriptor_ns);
  };
  const auto seconds = [&](std::int64_t strips) {
    // Those that some partitions have only come apart.
    const std::int64_t partitions = n / strips, more = n % strips;
    const double dma = more == 0 ? rows(partitions, strips)
                                 : rows(partitions + 1, more) + rows(partitions, strips - more),
                 cycles = passes * double(strips * d.tiles) *
                          double(std::max<std::int64_t>(d.side / 2, d.block));
    return std::max(dma / double(machine.dma.engines) * 1e-9, cycles / machine.tensor.clock_hz);
  };
  std::int64_t best = least;
  for (std::int64_t s = least; s <= std::min(n, 2 * least + strips_more); ++s)
    if (seconds(s) < seconds(best)) best = s;
  return best;
}

// Integrals of several small P, of one, or some of one.
void choose_loads(ao_to_mo_design& d, const machine_spec& machine) {
  const std::int64_t load_bytes =
      machine.sbuf.bytes_per_partition / machine.thresholds.integral_load_parts;
  const std::int64_t n = d.nbasis, all = d.strips * n * fp32_bytes;
  d.batch = 1;
  d.rows = d.strips;
  d.columns = n;
  if (all <= load_bytes) {
    for (std::int64_t p = 1; p <= d.together && p * all <= load_bytes; ++p)
      if (d.together % p == 0) d.batch = p;
    return;
  }
  d.columns = std::clamp<std::int64_t>(machine.dma.good_row_bytes / fp32_bytes, 1, n);
  d.rows = std::clamp<std::int64_t>(load_bytes / (d.columns * fp32_bytes), 1, d.strips);
}

bool fits(ao_to_mo_design& d, const machine_spec& machine) {
  struct choice {
    bool stays;
    int depth;
    std::int64_t columns;
  };
  const std::int64_t row = machine.thresholds.transformed_columns_max;
  for (const choice& c :
       {choice{true, 3, row}, choice{true, 2, row}, choice{false, 3, d.bank},
        choice{false, 2, d.bank}, choice{false, 2, d.bank / 2}, choice{false, 2, d.bank / 4}}) {
    d.stays = c.stays;
    d.depth = c.depth;
    d.segment = std::min(d.nvir, c.columns);
    if (d.bytes(machine) <= machine.sbuf.bytes_per_partition) return true;
  }
  return false;
}

}  // namespace

std::int64_t ao_to_mo_design::tile_rows(std::int64_t j) const {
  return std::min(side, nbasis - j * side);
}

std::int64_t ao_to_mo_design::operand_rows(std::int64_t functions, std::int64_t orbitals) const {
  const std::int64_t unit = flat() ? 1 : functions, units = functions * orbitals / unit;
  return ceil_div(units, ceil_div(units, side / unit)) * unit;
}

std::int64_t ao_to_mo_design::bytes(const machine_spec& machine) const {
  std::int64_t sum = 0;
  for (const pool_shape& pool : pools_of(*this).all()) sum += pool.bytes(machine);
  return sum;
}

double ao_to_mo_design::tensor_cycles(const machine_spec& machine) const {
  const std::int64_t products = parts * (parts + 1) / 2;
  const auto cycles = [&](std::int64_t m, std::int64_t n, std::int64_t k, dtype of) {
    return matrix_product{.m = m, .n = n, .k = k, .type = of}.tensor_cycles(
        of == dtype::fp32 ? 1 : products, machine);
  };
  return double(naux) * (cycles(nbasis, nocc, nbasis, type) + cycles(nocc, nvir, nbasis, type)) +
         (metric ? double(nocc) * cycles(naux, nvir, naux, dtype::fp32) : 0);
}

double ao_to_mo_design::expected_error(const machine_spec& machine) const {
  // rms of what two parts leave of a factor, and of the product of second parts, which is left out:
  // each a rounding of a rounding (matrix_product::expected_error).
  const double left = parts > 1 ? 0.4247 * 0.4247 * 0x1p-16 : 0;
  const auto squared = [&](std::int64_t k, dtype of) {
    const double e = matrix_product{.k = k, .type = of}.expected_error(machine);
    return e * e;
  };
  const dtype of = parts > 1 ? dtype::fp32 : type;
  double sum = 2 * (squared(nbasis, of) + 3 * left * left);
  if (metric) sum += squared(naux, dtype::fp32);
  return square_root(sum);
}

std::string ao_to_mo_design::describe() const {
  std::string text = base_detail::message(
      "integrals by ", batch, batch == 1 ? " auxiliary function, " : " auxiliary functions, ",
      std::min(rows * side, nbasis), " x ", columns, " of each at a time, ", depth,
      " loads on chip\n", "half transformed: ", block, " occupied orbitals of ", together,
      together == 1 ? " auxiliary function" : " auxiliary functions", " side by side",
      blocks() > 1 ? ", the integrals are read " : "",
      blocks() > 1 ? std::to_string(blocks()) : std::string(), blocks() > 1 ? " times" : "", "\n",
      "C_vir ", stays ? "stays on chip" : "passes", ", rows of ", segment, " results\n");
  const bool turned = layout == kernels::integral_layout::iap;
  if (metric)
    text +=
        base_detail::message("times the root of the metric",
                             turned ? ", then transposed in HBM" : "", ":\n", metric->describe());
  else if (turned)
    text += "transposed in HBM\n";
  return text;
}

ao_to_mo_design design_ao_to_mo(const integral_transform_problem& problem,
                                const kernels::ao_to_mo_kernel_options& options,
                                const machine_spec& machine) {
  ao_to_mo_design d{.nbasis = std::int64_t(problem.nbasis),
                    .nocc = std::int64_t(problem.nocc),
                    .nvir = std::int64_t(problem.nvir),
                    .naux = std::int64_t(problem.naux),
                    .layout = options.layout};
  d.side = machine.tensor.rows;
  d.bank = machine.psum.bank_bytes / fp32_bytes;
  if (options.precision.mode != precision::native) d.type = dtype::bf16;
  if (options.precision.mode == precision::split_bf16) d.parts = options.precision.parts;
  d.tiles = ceil_div(d.nbasis, d.side);
  const threshold_spec& limit = machine.thresholds;
  const std::int64_t most = limit.half_transformed_columns_max;
  for (std::int64_t blocks = ceil_div(d.nocc, d.bank); blocks <= d.nocc; ++blocks) {
    d.block = ceil_div(d.nocc, blocks);
    if (d.blocks() < blocks) continue;  // the same size again
    d.strips = strips_of(d, machine);
    for (const std::int64_t columns : {most, most / 4, std::int64_t{1}}) {
      d.together = together_of(d, columns, limit.half_transformed_fill_min);
      choose_loads(d, machine);
      if (fits(d, machine)) return d;
    }
  }
  throw resource_error(base_detail::message(
      "ao_to_mo_kernel: ", d.nbasis, " basis functions take ", d.bytes(machine),
      " bytes of a partition of SBUF, which has ", machine.sbuf.bytes_per_partition));
}

}  // namespace papilio::kernels_detail

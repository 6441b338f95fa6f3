// How a product is cut: what fits, and what is fastest by the model of the machine. Every candidate
// is run dry by products.cpp itself, so that what is priced is what will be issued.
#include <algorithm>
#include <optional>

#include "kernels/ceil_div.hpp"
#include "kernels/choice.hpp"
#include "kernels/design.hpp"
#include "kernels/dry_run.hpp"
#include "kernels/products/product_workspace.hpp"
#include "kernels/tiles.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::kernels_detail {
namespace {

using namespace engine;

std::int64_t size_of(dtype type) { return std::int64_t(size_bytes(type)); }

bool fits(const matrix_product& problem, const product_tiling& tiling,
          const machine_spec& machine) {
  return pools_of(problem, tiling, machine).bytes(machine) <= machine.sbuf.bytes_per_partition;
}

// One tile of rows, one bank of columns, and as much of k as then fits.
product_tiling smallest(const matrix_product& problem, const machine_spec& machine) {
  product_tiling t{.side = array_side(machine), .columns = product_columns(machine)};
  t.rows = t.side;
  t.groups = 1;
  t.width = t.columns;
  t.ahead = 4;
  const std::int64_t all = ceil_div(problem.k, t.side);
  // The first that does not fit, by halves: a deeper sum takes more.
  std::int64_t good = 0, bad = all + 1;
  while (bad - good > 1) {
    const std::int64_t half = good + (bad - good) / 2;
    t.depth = half * t.side;
    (fits(problem, t, machine) ? good : bad) = half;
  }
  // In parts alike.
  t.depth = ceil_div(all, ceil_div(all, std::max<std::int64_t>(good, 1))) * t.side;
  return t;
}

void add_new(std::vector<product_tiling>& all, const product_tiling& t,
             const matrix_product& problem, const machine_spec& machine) {
  const bool known = std::ranges::any_of(all, [&](const product_tiling& o) {
    return o.rows == t.rows && o.groups == t.groups && o.width == t.width && o.turned == t.turned;
  });
  if (!known && fits(problem, t, machine)) all.push_back(t);
}

std::vector<product_tiling> candidates(const matrix_product& problem, const machine_spec& machine) {
  const product_tiling least = smallest(problem, machine);
  const std::int64_t sums = pools_of(problem, least, machine).sums;
  const std::int64_t tiles = ceil_div(problem.m, least.side);
  const std::int64_t group = machine.thresholds.product_group_tiles_max,
                     most = std::min(sums, group);
  std::vector<product_tiling> all;
  // The widest only where B then stays for the whole run.
  const std::int64_t across = ceil_div(problem.n, least.columns);
  for (const std::int64_t rows : {most, ceil_div(sums, 2)})
    for (const std::int64_t groups : {1, 2, 4})
      for (const std::int64_t banks : {1, 2, across <= 4 ? 4 : 2})
        for (const std::int64_t ahead : {8, 4}) {
          product_tiling t = least;
          t.rows = std::min(rows, tiles) * t.side;
          t.groups = std::min(groups, ceil_div(problem.m, t.rows));
          t.width = std::min(banks, across) * t.columns;
          t.ahead = ahead;
          add_new(all, t, problem, machine);
        }
  // Columns of C on partitions, as many at once as there are sums.
  for (const std::int64_t blocks : {1, 2}) {
    if (problem.part) break;
    product_tiling t = least;
    t.turned = true;
    t.rows = std::min(group, tiles) * t.side;
    t.columns = std::min({sums, group, ceil_div(problem.n, t.side)}) * t.side;
    t.width = std::min(blocks, ceil_div(problem.n, t.columns)) * t.columns;
    t.ahead = 8;
    if (std::max(t.rows, t.columns) <= least.columns) add_new(all, t, problem, machine);
  }
  if (all.empty()) all.push_back(least);
  return all;
}

// A part with the problem's proportions that a dry run has done in milliseconds.
matrix_product sample_of(matrix_product p, const product_tiling& t) {
  constexpr double effort_max = 8000;
  const auto is_long = [&] { return effort_of(p, t) > effort_max; };
  // A symmetric matrix stays square.
  const auto square = [&] {
    if (p.has_symmetric_left()) p.m = p.k;
    if (p.has_symmetric_right()) p.n = p.k;
  };
  const auto shorten = [&](std::int64_t& extent, std::int64_t least) {
    while (is_long() && extent > least) {
      extent = std::max(least, (extent + 1) / 2);
      square();
    }
  };
  p.k = std::min(p.k, t.depth);
  square();
  for (std::int64_t batch = p.batches(); is_long() && batch > 4;) {
    batch = (batch + 1) / 2;
    p.batch_a = std::min(p.batch_a, batch);
    p.batch_b = std::min(p.batch_b, batch);
  }
  if (p.part) {
    // More rows than any panel has, so that the part moves its panel only if the whole does.
    shorten(p.k, 16 * t.side);
    while (is_long() && p.n > 32 * t.side) p.m = p.n = std::max(32 * t.side, (p.n + 1) / 2);
  } else {
    if (!p.has_symmetric_right()) shorten(p.n, 8 * t.columns);
    if (!p.has_symmetric_left()) shorten(p.m, 16 * t.side);
  }
  shorten(p.k, 16 * t.side);
  return p;
}

double work_of(const matrix_product& p) {
  return double(p.batches()) * double(p.m) * double(p.n) * double(p.k);
}

// Whether other tilings have nothing to gain: what bounds this one is busy all the time but for
// the first loads and the last stores, which the array waits for and DMA does not, with work that
// none has less of. The array's: unless B is transposed on it, which it is once a panel. DMA's: if
// all goes over HBM once.
bool is_settled(const matrix_product& sample, const profile& run) {
  constexpr double array_busy = 0.995, dma_busy = 0.998;
  const profile_verdict& v = run.verdict;
  if (v.bound_by == unit::tensor)
    return v.active_fraction >= array_busy && !sample.right_transposed;
  return v.bound_by == unit::dma && v.active_fraction * v.dma_engine_fraction >= dma_busy &&
         dma_busy * run.value("dma_transfer_total_bytes") <= sample.bytes();
}

product_choice fastest_tiling(const matrix_product& problem, const machine_spec& machine) {
  const std::vector<product_tiling> all = candidates(problem, machine);
  const matrix_product sample = sample_of(problem, all.front());
  const double scale = work_of(problem) / work_of(sample);
  const auto on_scratch = scratch_run(sample, machine);
  bool settled = false;  // by the tiling that was priced last
  const auto found = cheapest(
      all,
      [&](const product_tiling& t) -> std::optional<price> {
        const auto run = dry_run(machine, [&](core& nc) { on_scratch(nc, t); });
        if (!run) return std::nullopt;
        settled = is_settled(sample, *run);
        return price_of(*run, scale);
      },
      [&](const price&) { return settled; });
  const std::string part =
      scale == 1 ? std::string()
                 : base_detail::message(" of ", sample.m, " x ", sample.k, " x ", sample.n,
                                        sample.batches() > 1
                                            ? " in a batch of " + std::to_string(sample.batches())
                                            : std::string());
  return {found.best,
          found.compared.empty()
              ? std::string()
              : base_detail::message("the fastest in a dry run", part, ", ", found.at.bound),
          found.texts([](const product_tiling& t) { return t.describe(); })};
}

}  // namespace

std::int64_t matrix_product::products() const {
  return form == product_form::real ? 1 : form == product_form::four_products ? 4 : 3;
}

std::int64_t matrix_product::banks() const {
  return form == product_form::real ? 1 : form == product_form::four_products ? 2 : 3;
}

double matrix_product::tensor_cycles(std::int64_t real_products,
                                     const machine_spec& machine) const {
  const double passes = type == dtype::fp32 ? machine.tensor.fp32_passes
                        : size_of(type) == 1 && machine.tensor.fp8_double_row ? 0.5
                                                                              : 1;
  return machine.tensor.least_cycles(
      double(real_products) * double(batches()) * double(m) * double(n) * double(k), passes);
}

double matrix_product::bytes() const {
  const double right = part ? 0 : double(batch_b) * double(k) * double(n);  // of a triangle A again
  const double elements =
      double(batch_a) * double(m) * double(k) + right + (biased ? double(n) : 0);
  const double results =
      double(batches()) * double(m) * double(n) * double(size_of(result)) * (part ? 0.5 : 1);
  const bool is_stored = epilogue.sums == kernels::product_sums::none;
  return double(planes()) * (elements * double(size_of(type)) + (is_stored ? results : 0) +
                             (epilogue.beta != 0 ? results : 0));
}

double matrix_product::expected_error(const machine_spec& machine) const {
  // rms of a rounding to nearest over the spacing of the mantissa's last bit, for values spread
  // evenly over a binade's logarithm: 0.4247 of half the spacing.
  const auto rounding = [](dtype t) {
    switch (t) {
      case dtype::bf16:
        return 0.4247 * 0x1p-8;
      case dtype::fp16:
      case dtype::tf32:
        return 0.4247 * 0x1p-11;
      case dtype::fp8_e4m3:
        return 0.4247 * 0x1p-4;
      case dtype::fp8_e5m2:
        return 0.4247 * 0x1p-3;
      default:
        return 0.4247 * 0x1p-24;
    }
  };
  // The i-th of K partial sums has i / K of the result's square.
  const double in_array = double(std::min<std::int64_t>(k, machine.tensor.rows)) / 2,
               in_psum =
                   double(products() == 4 ? 2 : 1) * double(ceil_div(k, machine.tensor.rows)) / 2;
  double square = (in_array + in_psum + 0.5) * rounding(dtype::fp32) * rounding(dtype::fp32);
  if (type != dtype::fp32) square += 2 * rounding(type) * rounding(type);
  if (form == product_form::three_products) {
    // p and q have half of the square of a part of C each, s twice it: p + q of re and s + p + q of
    // im make twice the square of both parts; the sums of parts are rounded once more.
    square *= 2;
    square += 2 * rounding(type) * rounding(type);
  }
  if (result != dtype::fp32) square += rounding(result) * rounding(result);
  return square_root(square);
}

std::string product_tiling::describe() const {
  return base_detail::message(groups * rows, " rows of A in ", groups,
                              groups == 1 ? " group" : " groups", ", ", width,
                              " columns of B at a time", turned ? ", C turned" : "");
}

std::string product_tiling::describe(std::int64_t k) const {
  const std::int64_t parts = ceil_div(k, depth);
  return base_detail::message("tiles: ", describe(), ", k in ", parts,
                              parts == 1 ? " part" : " parts");
}

std::int64_t product_pools::bytes(const machine_spec& machine) const {
  std::int64_t total = 0;
  for (const pool_shape& p :
       {panels, left_slices, right_slices, moving, moving_sums, stationary_sums, results, addends,
        parts, turned, biases, row_sums, cells, totals, diagonals})
    total += p.bytes(machine);
  return total;
}

bool moves_its_panel(const matrix_product& p, const product_tiling& t) {
  // The columns of a tile of C are rows of one group.
  return p.part && p.m <= t.rows * t.groups && (p.m <= t.rows || t.rows % t.columns == 0);
}

bool one_block(const matrix_product& problem, const product_tiling& tiling) {
  return problem.batch_b == 1 && problem.n <= tiling.width;
}

product_pools pools_of(const matrix_product& p, const product_tiling& t,
                       const machine_spec& machine) {
  const std::int64_t k = std::min(p.k, t.depth), k_tiles = ceil_div(k, t.side);
  const std::int64_t planes = p.planes(), panel_rows = t.rows * t.groups;
  const std::int64_t panels = ceil_div(p.m, panel_rows) * p.batch_a;
  product_pools all;
  // Rows that keep DMA at its rate.
  all.slice = std::min(k_tiles, std::max<std::int64_t>(
                                    1, machine.dma.good_row_bytes / (t.side * size_of(p.type)))) *
              t.side;
  all.panels = {panels > 1 ? 2 : 1, k_tiles * planes * panel_rows, p.type};
  all.left_slices = {int(2 * (t.rows / t.side)), planes * all.slice, p.type};
  const bool has_moving = !moves_its_panel(p, t);
  if (p.has_symmetric_left() || p.has_symmetric_right()) all.diagonals = {4, t.side, p.type};
  if ((p.right_transposed || p.has_symmetric_right()) && has_moving)
    all.right_slices = {int(2 * ceil_div(t.width, t.side)), planes * all.slice, p.type};
  // A block that is passed over more than once stays.
  const bool stays = t.width > t.columns || t.groups > 1 || (one_block(p, t) && panels > 1);
  if (has_moving) all.moving = {int((stays ? k_tiles : 0) + t.ahead), planes * t.width, p.type};
  if (p.form != product_form::real) all.moving_sums = {3, t.columns, p.type};
  if (p.form == product_form::three_products) {
    all.stationary_sums = {3, t.rows, p.type};
    all.parts = {2, 2 * std::max(t.columns, t.turned ? t.rows : 0), dtype::fp32};
  }
  if (t.turned) all.turned = {int(2 * ceil_div(t.columns, t.side)), planes * t.rows, dtype::fp32};
  all.results = {4, planes * t.columns, p.result};
  if (p.biased || p.k > t.depth)
    all.addends = {2, planes * t.columns, p.biased ? dtype::fp32 : p.result};
  if (p.has_epilogue()) {
    all.parts = {3, t.columns, dtype::fp32};
    if (p.epilogue.beta != 0 || p.k > t.depth) all.addends = {3, t.columns, dtype::fp32};
    if (p.biased) all.biases = {2, t.columns, dtype::fp32};
    if (p.epilogue.sums != kernels::product_sums::none) {
      all.row_sums = {panels > 1 ? 2 : 1, panel_rows / t.side, dtype::fp32};
      all.cells = {6, 1, dtype::fp32};
      all.totals = {1, 1, dtype::fp32};
    }
  }
  all.transposing_banks = machine.psum.banks > 4 ? 2 : 1;
  all.sums = std::max<std::int64_t>(1, (machine.psum.banks - all.transposing_banks) / p.banks());
  return all;
}

double effort_of(const matrix_product& p, const product_tiling& t) {
  constexpr double products_of_store = 4;
  return double(p.batches()) * double(ceil_div(p.m, t.side)) * double(ceil_div(p.n, t.columns)) *
         (double(ceil_div(p.k, t.side)) * double(p.products()) + products_of_store);
}

product_choice choose_tiling(const matrix_product& problem, const machine_spec& machine) {
  key_writer key;
  add_value(key, problem);
  return *made_once(key.text(), machine, [&] { return fastest_tiling(problem, machine); });
}

}  // namespace papilio::kernels_detail

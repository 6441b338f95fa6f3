// Multiplies lines by a vector of complex numbers, elementwise.
//   identity   out[l, j] = in[l, j] factors[j]
//   layout     lines are on partitions, or several runs of each line where lines are few; the
//              vector is broadcast to them by DMA and kept while lines pass
//   products   (re + i im)(c + i s) with re and im in PSUM, where an operand costs the vector
//              engine nothing: re s and im s go to a second tile, re c and im c overwrite re and im
//   bound      DMA and the vector engine, which take about as long
#include "kernels/transform/line_product.hpp"

#include <algorithm>

#include "kernels/ceil_div.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/regions.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t product_chunk_banks = 2;  // PSUM banks of a plane's numbers at a time

constexpr int product_data_depth = 3, product_table_depth = 2, product_psum_depth = 2,
              product_aside_depth = 2;

class line_product_run {
 public:
  line_product_run(core& nc, const line_product& product, const hbm_view& in, const hbm_view& out,
                   const hbm_view& table)
      : nc_(nc),
        product_(product),
        in_(in),
        out_(out),
        table_(table.reshape({2 * product.count})),
        unit_(product_chunk_banks * nc.machine().psum.bank_bytes / 4),
        loads_(nc.sbuf_pool(product_data_depth, partitions(), 2 * unit_)),
        stores_(nc.sbuf_pool(product_data_depth, partitions(), 2 * unit_)),
        factors_(nc.sbuf_pool(product_table_depth, partitions(), 2 * unit_)),
        asides_(nc.sbuf_pool(product_aside_depth, partitions(), 2 * unit_)),
        parked_(nc.psum_pool(product_psum_depth, partitions(), 2 * unit_)) {}

  void issue() {
    std::vector<line_region> regions = regions_of(0, product_.count);
    tile_view data = load(regions[0]), factors = factors_of(regions[0]);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const line_region& r = regions[i];
      tile_view next, next_factors = factors;
      if (i + 1 < regions.size()) {
        next = load(regions[i + 1]);
        if (regions[i + 1].line == 0) next_factors = factors_of(regions[i + 1]);
      }
      const tile_view result = multiplied(r, data, factors);
      nc_.issue(dma_copy{.out = place(r), .in = result});
      data = next;
      factors = next_factors;
    }
    // Zeros fill a row of the result that is longer than the product.
    regions = regions_of(product_.count, product_.out_row - product_.count);
    if (regions.empty()) return;
    const tile zero = nc_.sbuf(partitions(), 2 * unit_);
    nc_.issue(memset{.out = zero, .on = unit::gpsimd});
    for (const line_region& r : regions)
      nc_.issue(
          dma_copy{.out = place(r),
                   .in = zero.whole().partition_range(0, r.partitions()).columns(0, 2 * r.length)});
  }

 private:
  int partitions() const { return nc_.machine().sbuf.partitions; }

  // Cuts columns [first, first + count) of all lines into regions that fill the partitions; regions
  // of the same columns follow each other.
  std::vector<line_region> regions_of(std::int64_t first, std::int64_t count) const {
    std::vector<line_region> regions;
    if (count < 1) return regions;
    const std::int64_t together = std::min<std::int64_t>(product_.lines, partitions()),
                       runs = partitions() / together, pieces = ceil_div(count, runs * unit_);
    for_regions(product_.lines, count,
                std::max(std::min(count, nc_.machine().thresholds.run_elements_min),
                         ceil_div(count, runs * pieces)),
                partitions(), [&](line_region r) {
                  r.first += first;
                  regions.push_back(r);
                });
    return regions;
  }

  static tile_view front(tile_pool& pool, const line_region& r) {
    return pool.next().partition_range(0, r.partitions()).columns(0, 2 * r.length);
  }

  static hbm_view place_in(const hbm_view& tensor, const line_region& r, std::int64_t row,
                           std::int64_t plane) {
    return tensor.pattern(r.line * row + r.first,
                          {{r.lines, row}, {r.chunks, r.length}, {2, plane}, {r.length, 1}});
  }
  hbm_view place(const line_region& r) const {
    return place_in(out_, r, product_.out_row, product_.lines * product_.out_row);
  }

  tile_view load(const line_region& r) {
    const tile_view tile = front(loads_, r);
    nc_.issue(
        dma_copy{.out = tile, .in = place_in(in_, r, product_.in_row, product_.input_plane())});
    return tile;
  }

  // Loads the factors [plane, element] of a region, the same for all lines.
  tile_view factors_of(const line_region& r) {
    const tile_view tile = front(factors_, r);
    nc_.issue(dma_copy{
        .out = tile,
        .in = table_.pattern(
            r.first, {{r.lines, 0}, {r.chunks, r.length}, {2, product_.count}, {r.length, 1}})});
    return tile;
  }

  tile_view multiplied(const line_region& r, const tile_view& data, const tile_view& factors) {
    const tile_view parked = front(parked_, r), aside = front(asides_, r),
                    result = front(stores_, r);
    const auto part = [&](const tile_view& tile, int plane) {
      return tile.columns(plane * r.length, r.length);
    };
    const auto factor = [&](int plane) {
      return part(factors.partition_range(0, r.partitions()), plane);
    };
    const auto op = [&](const tile_view& to, const tile_view& left, const tile_view& right,
                        alu_op what) {
      nc_.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = what});
    };
    copy_tile(nc_, parked, data, unit::scalar);
    for (const int plane : {0, 1})
      op(part(aside, plane), part(parked, plane), factor(1), alu_op::multiply);
    for (const int plane : {0, 1})
      op(part(parked, plane), part(parked, plane), factor(0), alu_op::multiply);
    op(part(result, 0), part(parked, 0), part(aside, 1), alu_op::subtract);
    op(part(result, 1), part(parked, 1), part(aside, 0), alu_op::add);
    return result;
  }

  core& nc_;
  const line_product& product_;
  hbm_view in_, out_, table_;
  std::int64_t unit_;
  tile_pool loads_, stores_, factors_, asides_, parked_;
};

}  // namespace

std::string line_product::name() const {
  using part = chirp_factors::part;
  return base_detail::message(factors.of == part::filter ? "filter of " : "chirp of ",
                              factors.of == part::filter ? factors.m : factors.n,
                              factors.of == part::results ? ", results" : "");
}

std::string line_product::describe() const {
  return base_detail::message(name(), ": ", lines, lines == 1 ? " line of " : " lines of ", in_row,
                              " -> ", out_row, " times ", count, " factors");
}

line_product line_product::without_batch() const {
  line_product one = *this;
  one.lines = 0;
  one.in_plane = 0;
  return one;
}

fft_step step_of(const line_product& product, const machine_spec& machine) {
  fft_step step{.design = design_of(product)};
  kernels::constant_table& table = step.tables.emplace_back();
  table.name = product.name();
  table.shape.extents.assign({2, product.count});
  table.fill = [factors = product.factors, scale = product.scale](std::span<float> planes) {
    const std::vector<std::complex<double>> values = factors.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      planes[i] = static_cast<float>(values[i].real() * scale);
      planes[values.size() + i] = static_cast<float>(values[i].imag() * scale);
    }
  };
  step.in_elements = product.input_plane() + product.lines * product.in_row;
  step.out_elements = 2 * product.lines * product.out_row;
  step.squared_error = product_squared_error();
  step.in_floor = false;
  step.lines = product.lines;
  step.lines_together = machine.sbuf.partitions;  // for which factors are loaded once
  step.run = [product](core& nc, const hbm_view& in, const hbm_view& out,
                       std::span<const hbm_view> tables) {
    line_product_run(nc, product, in, out, tables[0]).issue();
  };
  return step;
}

}  // namespace papilio::kernels_detail

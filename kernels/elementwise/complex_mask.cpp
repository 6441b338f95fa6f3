// Elementwise product of planar complex tensors.
//   identity   re = Mr Sr - Mi Si, im = Mr Si + Mi Sr
//   layout     [2, elements]: runs of `width` elements, one a partition, the planes side by side
//   bound      DMA: 24 bytes an element. Vector engine: 12 cycles an element of a lane with all
//              operands in SBUF, 6 with the mask and two of the products in PSUM
#include "papilio/kernels/elementwise.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/choice.hpp"
#include "kernels/design.hpp"
#include "kernels/elementwise/elementwise_designs.hpp"
#include "kernels/entries.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

constexpr const char* complex_mask_name = "complex_mask";

/// A block of the elements of a mask: `lanes` runs of `width` from `first` on.
struct mask_block {
  std::size_t of;
  std::int64_t first, lanes, width;
  tile_view mask, spectrum;  // [lanes, 2, width]
};

// Of each mask whole blocks, then whole runs, then what is left.
std::vector<mask_block> blocks_of(std::size_t masks, std::int64_t elements,
                                  const mask_layout& layout) {
  std::vector<mask_block> all;
  for (std::size_t mask = 0; mask < masks; ++mask)
    for (std::int64_t at = 0; at < elements;) {
      const std::int64_t runs = std::min(layout.lanes, (elements - at) / layout.width);
      const mask_block next = runs > 0 ? mask_block{mask, at, runs, layout.width, {}, {}}
                                       : mask_block{mask, at, 1, elements - at, {}, {}};
      all.push_back(next);
      at += next.lanes * next.width;
    }
  return all;
}

// Tiles of masks, and of spectra: more where they are small, and what is hidden is the start of
// transfers.
std::pair<int, int> depths_of(const mask_layout& layout, const machine_spec& machine) {
  return 2 * 4 * layout.width <= machine.dma.saturating_row_bytes ? std::pair{8, 6}
                                                                  : std::pair{4, 3};
}

class multiplier {
 public:
  multiplier(core& nc, const mask_layout& layout)
      : nc_(nc),
        parked_(layout.parked),
        lanes_(int(layout.lanes)),
        bank_(std::min<std::int64_t>(layout.width, nc.machine().psum.bank_bytes / 4)),
        products_(nc.sbuf_pool(parked_ ? 2 : 1, lanes_, parked_ ? 2 * bank_ : 4 * layout.width)) {
    if (!parked_) return;
    // A plane to a bank; half of the banks for the mask, half for the products.
    const int depth = std::max(1, nc.machine().psum.banks / 4);
    const std::int64_t columns = 2 * nc.machine().psum.bank_bytes / 4;
    masks_.push_back(nc.psum_pool(depth, lanes_, columns));
    others_.push_back(nc.psum_pool(depth, lanes_, columns));
  }

  // The product takes the mask's place.
  void operator()(const mask_block& b) {
    if (!parked_) return in_sbuf(b);
    for (std::int64_t c = 0; c < b.width; c += bank_)
      through_psum(b.mask.columns(c, std::min(bank_, b.width - c)),
                   b.spectrum.columns(c, std::min(bank_, b.width - c)));
  }

 private:
  void issue(const tile_view& out, const tile_view& left, const tile_view& right, alu_op op) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = op});
  }
  static tile_view plane(const tile_view& tile, std::int64_t i) { return tile.slice(1, i, 1); }

  void in_sbuf(const mask_block& b) {
    const tile_view both = products_.next().partition_range(0, int(b.lanes));
    const tile_view straight = both.columns(0, 2 * b.width).reshape({2, b.width}),
                    crossed = both.columns(2 * b.width, 2 * b.width).reshape({2, b.width});
    issue(straight, b.mask, b.spectrum, alu_op::multiply);
    issue(crossed, b.mask, b.spectrum.slice(1, 1, 2, -1), alu_op::multiply);
    issue(plane(b.mask, 0), plane(straight, 0), plane(straight, 1), alu_op::subtract);
    issue(plane(b.mask, 1), plane(crossed, 0), plane(crossed, 1), alu_op::add);
  }

  void through_psum(const tile_view& mask, const tile_view& spectrum) {
    const std::int64_t width = mask.elements() / 2, bank = nc_.machine().psum.bank_bytes / 4;
    const auto in_banks = [&](tile_pool& pool) {
      return pool.next().partition_range(0, mask.partitions()).reshape({2, bank}).columns(0, width);
    };
    const tile_view parked = in_banks(masks_.front()), other = in_banks(others_.front());
    const tile_view one = products_.next()
                              .partition_range(0, mask.partitions())
                              .reshape({2, bank_})
                              .columns(0, width);
    nc_.issue(activation{.out = parked, .in = mask});
    for (const std::int64_t p : {0, 1}) {
      issue(plane(one, p), plane(parked, 0), plane(spectrum, p), alu_op::multiply);
      issue(plane(other, p), plane(parked, 1), plane(spectrum, 1 - p), alu_op::multiply);
      issue(plane(mask, p), plane(one, p), plane(other, p),
            p == 0 ? alu_op::subtract : alu_op::add);
    }
  }

  core& nc_;
  bool parked_;
  int lanes_;
  std::int64_t bank_;
  tile_pool products_;
  std::vector<tile_pool> masks_, others_;  // one each where parked
};

struct mask_operands {
  hbm_view out, mask, spectrum;
};

void run(core& nc, const mask_layout& layout, const std::vector<mask_operands>& all) {
  const std::int64_t elements = all.front().mask.elements() / 2;
  const auto part = [&](const hbm_view& tensor, const mask_block& b) {
    return tensor.reshape({2, elements})
        .slice(1, b.first, b.lanes * b.width)
        .reshape({2, b.lanes, b.width})
        .permute({1, 0, 2});
  };
  const auto place = [&](tile_pool& pool, const mask_block& b) {
    return pool.next()
        .partition_range(0, int(b.lanes))
        .columns(0, 2 * b.width)
        .reshape({2, b.width});
  };
  const auto [masks_depth, spectra_depth] = depths_of(layout, nc.machine());
  tile_pool masks = nc.sbuf_pool(masks_depth, int(layout.lanes), 2 * layout.width),
            spectra = nc.sbuf_pool(spectra_depth, int(layout.lanes), 2 * layout.width);
  multiplier multiply(nc, layout);
  const std::vector<mask_block> blocks = blocks_of(all.size(), elements, layout);
  pipeline(
      std::int64_t(blocks.size()), 1,
      [&](std::int64_t i) {
        mask_block b = blocks[std::size_t(i)];
        b.mask = place(masks, b);
        b.spectrum = place(spectra, b);
        nc.issue(dma_copy{.out = b.mask, .in = part(all[b.of].mask, b)});
        nc.issue(dma_copy{.out = b.spectrum, .in = part(all[b.of].spectrum, b)});
        return b;
      },
      [&](const mask_block& b) {
        multiply(b);
        nc.issue(dma_copy{.out = part(all[b.of].out, b), .in = b.mask});
      });
}

// Masks, spectra and products; see run and multiplier.
bool fits(const mask_layout& layout, const machine_spec& machine) {
  const auto [masks, spectra] = depths_of(layout, machine);
  const std::int64_t tiles = masks + spectra + (layout.parked ? 0 : 2);
  const std::int64_t small = layout.parked ? 2 * machine.psum.bank_bytes * 2 : 0;
  return tiles * ceil_div(2 * layout.width * 4, machine.sbuf.alignment_bytes) *
                 machine.sbuf.alignment_bytes +
             small <=
         machine.sbuf.bytes_per_partition;
}

std::vector<mask_layout> layouts_for(std::int64_t elements, const machine_spec& machine) {
  const std::int64_t lanes = machine.sbuf.partitions,
                     longest = 2 * machine.dma.saturating_row_bytes / 4;
  std::vector<mask_layout> all;
  for (const std::int64_t divisor : {1, 2, 4, 8})
    for (const std::int64_t most : {longest, longest / 2, longest / 4})
      for (const bool parked : {false, true}) {
        mask_layout one{std::max<std::int64_t>(1, lanes / divisor), 0, parked};
        one.width = std::min(std::max<std::int64_t>(most, 1), ceil_div(elements, one.lanes));
        one.lanes = std::min(one.lanes, std::max<std::int64_t>(1, elements / one.width));
        if (one.lanes < lanes && one.width == most) continue;  // long enough on more of them
        const bool known = std::ranges::any_of(all, [&](const mask_layout& o) {
          return o.lanes == one.lanes && o.width == one.width && o.parked == parked;
        });
        if (!known && fits(one, machine)) all.push_back(one);
      }
  if (all.empty()) all.push_back({1, 1, false});
  return all;
}

// The layout in which the masks, or some of many, take the least time.
choice<mask_layout> fastest_layout(std::int64_t count, std::int64_t elements,
                                   const machine_spec& machine) {
  const std::vector<mask_layout> all = layouts_for(elements, machine);
  const threshold_spec& most = machine.thresholds;
  const std::int64_t some = std::min(count, most.compared_masks_max),
                     part = std::min(elements, most.compared_mask_blocks_max *
                                                   machine.sbuf.partitions * all.front().width);
  const double scale = double(count) / double(some) * (double(elements) / double(part));
  return cheapest(all, [&](const mask_layout& layout) -> std::optional<price> {
    core nc(machine, {.mode = run_mode::dry_run, .strict = false});
    std::vector<mask_operands> operands;
    for (std::int64_t i = 0; i < some; ++i)
      operands.push_back({nc.hbm({2, part}), nc.hbm({2, part}), nc.hbm({2, part})});
    run(nc, layout, operands);
    return price_of(nc.summary(), scale);
  });
}

// The mask of a kernel becomes a table.
void fix_mask(sized_kernel& kernel, const std::vector<std::complex<float>>& factors) {
  kernel.tables.push_back({"factors", kernel.inputs.back(), [factors](std::span<float> t) {
                             const std::size_t count = t.size() / 2;
                             for (std::size_t i = 0; i < count; ++i) {
                               t[i] = factors[i % factors.size()].real();
                               t[count + i] = factors[i % factors.size()].imag();
                             }
                           }});
  kernel.inputs.pop_back();
  kernel.ranges.pop_back();
  kernel.program.name += " by a table";
}

void require_divisor(const char* argument, std::size_t value, std::size_t count) {
  require(value >= 1 && count % value == 0, complex_mask_name, ": ", argument, " must divide ",
          count, ", got ", value);
}

}  // namespace

sized_kernel complex_mask_kernel(const product_problem& problem, const machine_spec& machine,
                                 const complex_mask_kernel_options& options) {
  const bool is_fixed = !problem.factors.empty();
  const std::int64_t elements = checked_size(complex_mask_name, "count", problem.count),
                     masks = checked_size(complex_mask_name, "masks", options.masks);
  require_single(complex_mask_name, problem.type);
  require_divisor("rows", options.rows, problem.count);
  if (is_fixed) require_divisor("the number of factors", problem.factors.size(), problem.count);
  require(!is_fixed || masks == 1, complex_mask_name,
          ": masks must be 1 where there are factors, got ", masks);
  const auto rows = std::int64_t(options.rows);
  const tensor_shape tensor{{2, rows, elements / rows}};
  tensor.bytes();
  sized_kernel sized{.program = {.name = complex_mask_name},
                     .inputs = std::vector<tensor_shape>(2 * options.masks, tensor),
                     .outputs = std::vector<tensor_shape>(options.masks, tensor),
                     .ranges = std::vector<input_range>(2 * options.masks)};
  const auto chosen = made_once(base_detail::message(masks, " ", elements), machine,
                                [&] { return fastest_layout(masks, elements, machine); });
  mask_design design{masks, elements, chosen->best, {}};
  // Before the factors: they are a table's values, and the program is the same for all.
  sized.program.parameters = design_of(design).key();
  design.factors = problem.factors;
  sized.design = design_of(design);
  sized.chosen_as = "the fastest in a dry run, " + chosen->at.bound;
  sized.compared = chosen->texts(&mask_layout::describe);
  // Of two products and their sum: 0.4247 2^-24 rms each.
  sized.expected_error = 0.4247 * 1.4142 * 0x1p-24;
  if (is_fixed) fix_mask(sized, problem.factors);
  // A table stands behind the spectrum.
  sized.program.body = [layout = design.layout, mask = std::size_t(is_fixed ? 1 : 0)](
                           core& nc, const kernel_arguments& t) {
    std::vector<mask_operands> all;
    for (std::size_t i = 0; i < t.outputs(); ++i)
      all.push_back({t.out(i), t.in(2 * i + mask), t.in(2 * i + 1 - mask)});
    run(nc, layout, all);
  };
  sized.machine = machine;
  return sized;
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::string mask_layout::describe() const {
  return base_detail::message(lanes, " runs of ", width, parked ? ", mask in PSUM" : "");
}

kernels::catalog_entry complex_mask_entry() {
  return {.name = "complex_mask",
          .summary = "mask * spectrum, element by element, of planar complex tensors",
          .parameters = {{.name = "rows", .preset = "1024", .help = "Rows of all three"},
                         {.name = "columns", .preset = "1024", .help = "Columns of all three"},
                         {.name = "count", .preset = "1", .help = "Masks, each with its spectrum"}},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            const std::size_t rows = kernels::size_of(values, "rows");
            return kernels::complex_mask_kernel(
                {.count = checked_multiply(rows, kernels::size_of(values, "columns"),
                                           "complex_mask: elements")},
                machine, {.rows = rows, .masks = kernels::size_of(values, "count")});
          }};
}

}  // namespace papilio::kernels_detail

// Boxes of an array at other places of another.
//   identity   out[to + i] = scale in[from + i]; zero where no box is
//   layout     axes contiguous in both arrays are one; rows of up to twice the DMA's
//              saturating length, one a partition; zeros from one tile that is never written again
//   bound      DMA: 8 bytes an element that moves, 4 a zero; 80 ns of an engine for each short run
#include "papilio/kernels/rearrange.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "kernels/arrangement/box_blocks.hpp"
#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/entries.hpp"
#include "kernels/parameters.hpp"
#include "kernels/transform/error_model.hpp"
#include "kernels/transform/fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;
using base_detail::message;
using extents_list = std::vector<std::size_t>;

constexpr const char* rearrange_name = "rearrange";
constexpr int rearrange_ring =
    4;  // tiles: one that fills, one that is scaled or stored, two under way

void check_extents(const char* what, const extents_list& extents) {
  constexpr std::size_t most = hbm_view::dims_max - 1;  // and the planes
  require<shape_error>(!extents.empty() && extents.size() <= most, rearrange_name, ": ", what,
                       " must have 1 to ", most, " entries, got ", extents.size());
  for (const std::size_t e : extents)
    require<shape_error>(e >= 1, rearrange_name, ": ", what, " must be at least 1, got ", e);
}

// Beside what every such problem must be.
void check_boxes(const std::vector<arrangement_problem::box>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const arrangement_problem::box& b = boxes[i];
    require<shape_error>(std::ranges::find(b.extents, std::size_t{0}) == b.extents.end(),
                         rearrange_name, ": box ", i, ": extents must be at least 1, got 0");
    for (std::size_t j = 0; j < i; ++j) {
      const arrangement_problem::box& other = boxes[j];
      bool apart = false;
      for (std::size_t a = 0; a < b.to.size() && !apart; ++a)
        apart = b.to[a] >= other.to[a] + other.extents[a] || other.to[a] >= b.to[a] + b.extents[a];
      require<shape_error>(apart, rearrange_name, ": boxes must be disjoint in the output: ", j,
                           " and ", i, " meet");
    }
  }
}

tensor_shape shape_of(const extents_list& extents, bool is_complex) {
  tensor_shape shape;
  if (is_complex) shape.extents.push_back(2);
  for (const std::size_t e : extents)
    shape.extents.push_back(checked_cast<std::int64_t>(e, rearrange_name));
  return shape;
}

void check(const arrangement_problem& what, const machine_spec& machine) {
  what.require_valid(rearrange_name);
  check_extents("in_extents", what.in_extents);
  check_extents("out_extents", what.out_extents);
  check_scale(rearrange_name, what.scale_re);
  check_scale(rearrange_name, what.scale_im);
  check_room(rearrange_name, shape_of(what.in_extents, what.complex_in).bytes(), machine);
  check_room(rearrange_name, shape_of(what.out_extents, what.complex_out).bytes(), machine);
  check_boxes(what.boxes);
}

std::int64_t product(const extents_list& extents) {
  std::int64_t all = 1;
  for (const std::size_t e : extents) all *= std::int64_t(e);
  return all;
}

// A box of one plane; `from` of zeros is nothing.
box_region region_of(const arrangement_problem& what, const arrangement_problem::box& b) {
  box_region region{.zeros = b.from.empty()};
  std::int64_t in = 1, out = 1;
  for (std::size_t a = b.to.size(); a-- > 0;) {
    if (!region.zeros) region.in += std::int64_t(b.from[a]) * in;
    region.out += std::int64_t(b.to[a]) * out;
    region.levels.insert(region.levels.begin(),
                         {std::int64_t(b.extents[a]), region.zeros ? out : in, out});
    in *= std::int64_t(what.in_extents[a]);
    out *= std::int64_t(what.out_extents[a]);
  }
  return region;
}

// Boxes and zeros of all planes.
std::vector<box_region> regions_of(const arrangement_problem& what) {
  const std::int64_t in = product(what.in_extents), out = product(what.out_extents);
  std::vector<box_region> all;
  const auto both_planes = [&](box_region region) {
    region.levels.insert(region.levels.begin(), {2, region.zeros ? out : in, out});
    all.push_back(region);
  };
  for (const arrangement_problem::box& b : rest_of(what.out_extents, what.boxes)) {
    const box_region region = region_of(what, b);
    what.complex_out&& what.complex_in ? both_planes(region) : all.push_back(region);
  }
  if (what.complex_out && !what.complex_in)
    all.push_back({.out = out, .levels = {{out, 1, 1}}, .zeros = true});
  for (const arrangement_problem::box& b : what.boxes) {
    box_region region = region_of(what, b);
    region.scale = double(float(what.scale_re));
    const bool planar = what.complex_in && what.complex_out;
    if (planar && what.scale_re == what.scale_im) {
      both_planes(region);
      continue;
    }
    all.push_back(region);
    if (!planar) continue;
    region.in += in;
    region.out += out;
    region.scale = double(float(what.scale_im));
    all.push_back(region);
  }
  for (box_region& region : all) region = merged(region);
  return all;
}

// So many rows that every partition has a few, but none so short that a descriptor costs more than
// its bytes.
rearrange_design design_for(const arrangement_problem& what, const machine_spec& machine) {
  const dma_spec& dma = machine.dma;
  const double full_rate_bytes = dma.descriptor_ns * dma.bytes_per_ns;
  const std::int64_t room = machine.sbuf.bytes_per_partition / 4 / (rearrange_ring + 2),
                     longest = std::min(room, 2 * dma.saturating_row_bytes / 4),
                     least = std::min(longest, std::int64_t(full_rate_bytes / 4));
  rearrange_design d{.regions = regions_of(what), .partitions = machine.sbuf.partitions};
  std::int64_t moved = 0;
  for (const box_region& region : d.regions)
    if (!region.zeros) moved += region.elements();
  const std::int64_t even = moved / (rearrange_ring * machine.sbuf.partitions);
  d.copied_width =
      std::clamp(even, std::max<std::int64_t>(1, least), std::max<std::int64_t>(1, longest));
  d.zeros_width = std::max<std::int64_t>(1, std::min(room, dma.saturating_row_bytes / 4));
  d.has_short_runs = 4 * double(d.shortest_run()) < full_rate_bytes;
  return d;
}

double bytes_of(const std::vector<box_region>& regions) {
  double bytes = 0;
  for (const box_region& region : regions)
    bytes += (region.zeros ? 4.0 : 8.0) * double(region.elements());
  return bytes;
}

// Tiles as large as the largest block of copies, and of zeros, needs; empty where there is none.
struct block_size {
  std::int64_t partitions = 0, elements = 0;
};
block_size largest(const std::vector<box_block>& blocks, bool zeros) {
  block_size size;
  for (const box_block& b : blocks)
    if (b.part.zeros == zeros) {
      size.partitions = std::max(size.partitions, b.partitions);
      size.elements = std::max(size.elements, b.elements);
    }
  return size;
}

void run(core& nc, const rearrange_design& design, const hbm_view& in, const hbm_view& out) {
  const std::vector<box_block> blocks = design.blocks();
  nc.state_floor(bytes_of(design.regions), 0);
  std::vector<tile> nothing;
  if (const block_size size = largest(blocks, true); size.partitions > 0) {
    nothing.push_back(nc.sbuf(int(size.partitions), size.elements));
    nc.issue(memset{.out = nothing.front()});
  }
  const auto front = [](const tile_view& tile, const box_block& b) {
    return tile.partition_range(0, int(b.partitions)).columns(0, b.elements);
  };
  std::size_t zeros = 0;
  for (; zeros < blocks.size() && blocks[zeros].part.zeros; ++zeros)
    nc.issue(
        dma_copy{.out = blocks[zeros].target(out), .in = front(nothing.front(), blocks[zeros])});
  if (zeros == blocks.size()) return;
  const block_size size = largest(blocks, false);
  tile_pool tiles = nc.sbuf_pool(rearrange_ring, int(size.partitions), size.elements);
  pipeline(
      std::int64_t(blocks.size() - zeros), 1,
      [&](std::int64_t i) {
        const box_block& b = blocks[zeros + std::size_t(i)];
        const tile_view rows = front(tiles.next(), b);
        nc.issue(dma_copy{.out = rows, .in = b.source(in)});
        return std::pair{&b, rows};
      },
      [&](const std::pair<const box_block*, tile_view>& loaded) {
        const auto& [b, rows] = loaded;
        if (b->part.scale != 1)
          nc.issue(tensor_scalar{
              .out = rows, .in = rows, .op0 = alu_op::multiply, .operand0 = b->part.scale});
        nc.issue(dma_copy{.out = b->target(out), .in = rows});
      });
}

// Squared and relative, of a product with a scale that is rounded to fp32.
double squared_error_of(double scale) {
  if (is_power_of_two(scale)) return 0;
  const double lost = (double(float(scale)) - scale) / scale;
  return rounding_squared_error() + lost * lost;
}

double expected_error(const arrangement_problem& what) {
  const double re = squared_error_of(what.scale_re), im = squared_error_of(what.scale_im);
  if (!what.complex_in || !what.complex_out) return square_root(re);
  const double a = what.scale_re * what.scale_re, b = what.scale_im * what.scale_im;
  return a + b > 0 ? square_root((a * re + b * im) / (a + b)) : 0;
}

}  // namespace

sized_kernel rearrange_kernel(const arrangement_problem& what, const machine_spec& machine) {
  check(what, machine);
  return designed({.program = {.name = rearrange_name},
                   .inputs = {shape_of(what.in_extents, what.complex_in)},
                   .outputs = {shape_of(what.out_extents, what.complex_out)},
                   .ranges = std::vector<input_range>(1),
                   .expected_error = expected_error(what)},
                  design_for(what, machine), machine,
                  [](core& nc, const rearrange_design& of, const kernel_arguments& t) {
                    const auto flat = [](const hbm_view& array) {
                      return array.reshape({array.elements()});
                    };
                    run(nc, of, flat(t.in(0)), flat(t.out(0)));
                  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

std::vector<box_block> rearrange_design::blocks() const {
  std::vector<box_block> all;
  for (const bool zeros : {true, false})
    for (const box_region& region : regions)
      if (region.zeros == zeros)
        std::ranges::move(box_blocks(region, partitions, zeros ? zeros_width : copied_width),
                          std::back_inserter(all));
  return all;
}

std::int64_t rearrange_design::shortest_run() const {
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (const box_region& region : regions) shortest = std::min(shortest, region.run());
  return shortest;
}

std::string rearrange_design::describe() const {
  std::int64_t moved = 0, zeros = 0, longest = 0;
  bool scaled = false;
  for (const box_region& region : regions) {
    (region.zeros ? zeros : moved) += region.elements();
    scaled = scaled || region.scale != 1;
  }
  const std::vector<box_block> all = blocks();
  for (const box_block& b : all) longest = std::max(longest, b.elements);
  return base_detail::message(
      moved, " elements moved", scaled ? ", scaled by the vector engine" : "", ", ", zeros,
      " zeros; ", regions.size(), " boxes in ", all.size(), " blocks of rows of up to ", longest,
      " elements; at least ", shortest_run(), " contiguous: bound by DMA",
      has_short_runs ? ", by its descriptors where runs are short\n" : "\n");
}

namespace {

struct rearrange_request {
  std::size_t rows = 1, columns = 1, out_rows = 1, out_columns = 1;
  std::pair<bool, bool> are_complex = {};
  double scale_im = 1;
  bool is_rolled = false;

  // The corner that both arrays have stays, or the whole array is rolled by half.
  arrangement_problem problem() const {
    arrangement_problem what{.in_extents = {rows, columns},
                             .out_extents = {out_rows, out_columns},
                             .complex_in = are_complex.first,
                             .complex_out = are_complex.second,
                             .boxes = {},
                             .scale_im = scale_im};
    if (!is_rolled) {
      what.boxes = {{.from = {0, 0},
                     .to = {0, 0},
                     .extents = {std::min(rows, out_rows), std::min(columns, out_columns)}}};
      return what;
    }
    require<shape_error>(what.in_extents == what.out_extents,
                         "rearrange: fftshift=yes needs out_rows = rows and out_columns = columns");
    what.boxes = kernels::rolled_boxes(
        what.in_extents, std::vector{std::int64_t(rows / 2), std::int64_t(columns / 2)});
    return what;
  }
};

}  // namespace

kernels::catalog_entry rearrange_entry() {
  using r = rearrange_request;
  return settings<r>{
      number_setting("rows", &r::rows, "1024", "Rows of the input"),
      number_setting("columns", &r::columns, "1024", "Columns of the input"),
      number_setting("out_rows", &r::out_rows, "1024",
                     "Rows of the output: cropped or zero padded"),
      number_setting("out_columns", &r::out_columns, "2048", "Columns of the output"),
      choice_setting("planes", &r::are_complex, "Planes of input and output: 1 is real, 2 complex",
                     {{"1to1", {false, false}},
                      {"1to2", {false, true}},
                      {"2to1", {true, false}},
                      {"2to2", {true, true}}},
                     "2to2"),
      choice_setting("conjugate", &r::scale_im, "Imaginary parts change their sign",
                     {{"no", 1}, {"yes", -1}}),
      yes_setting("fftshift", &r::is_rolled, "Rolled by half of rows and columns")}
      .entry("rearrange", "padding, cropping, fftshift, conjugation, complex from real",
             [](const r& request, const engine::machine_spec& machine) {
               return kernels::rearrange_kernel(request.problem(), machine);
             });
}

}  // namespace papilio::kernels_detail

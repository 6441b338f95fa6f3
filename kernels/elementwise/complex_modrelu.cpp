// ReLU of the magnitudes of complex numbers, their phases kept.
//   identity   a = max(|re|, |im|), (x, y) = z / a, s = x^2 + y^2 in [1, 2]:
//              |z| = a sqrt(s), out = (x, y) max(|z| + b, 0) / sqrt(s)
//   zero       1 / max(a, 2^-126) and 1 / sqrt(s + 2^-86) are finite, and x = y = 0 times them is 0
//   layout     [2, rows, features]: rows of a partition, or pieces of rows, the planes side by side
//   bound      the vector engine: 19 cycles an element of a lane, beside 4 of the scalar engine and
//              16 bytes of DMA
#include "papilio/kernels/elementwise.hpp"

#include <algorithm>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/designed_kernel.hpp"
#include "kernels/elementwise/elementwise_designs.hpp"
#include "kernels/entries.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using namespace kernels_detail;

// Blocks from load to store.
constexpr int feature_ring = 5;
constexpr std::int64_t tiles = 2 * feature_ring + 2 * 2 + 3 + 3 + 2 + 2 + 2;  // of a lane's numbers

std::vector<feature_part> modrelu_parts(std::int64_t rows, std::int64_t features,
                                        const machine_spec& m) {
  const std::int64_t step = m.sbuf.alignment_bytes,
                     room = m.sbuf.bytes_per_partition / (tiles + 1) / step * step / 4,
                     most = std::clamp<std::int64_t>(m.dma.saturating_row_bytes / 4, 1,
                                                     std::max<std::int64_t>(1, room));
  return feature_parts(rows, features, most, m);
}

class modrelu {
 public:
  /// What a block takes from one stage to the next, each [lanes, width] or [lanes; 2, width].
  struct work {
    feature_block of;
    tile_view z = {}, largest = {}, scale = {}, squares = {}, sum = {}, root = {};
  };

  modrelu(core& nc, std::int64_t lanes, std::int64_t width)
      : nc_(nc),
        numbers_(nc.sbuf_pool(feature_ring, int(lanes), 2 * width)),
        squares_(nc.sbuf_pool(2, int(lanes), 2 * width)),
        largest_(nc.sbuf_pool(3, int(lanes), width)),
        scales_(nc.sbuf_pool(3, int(lanes), width)),
        sums_(nc.sbuf_pool(2, int(lanes), width)),
        roots_(nc.sbuf_pool(2, int(lanes), width)),
        least_(nc.sbuf(int(lanes), 1)) {
    nc_.issue(memset{.out = least_, .value = 0x1p-86});
  }

  work place(const feature_block& of, std::int64_t lanes, std::int64_t width) {
    return {.of = of, .z = cut(numbers_, lanes, 2, width)};
  }

  // z becomes (x, y).
  void normalise(work& w) {
    const std::int64_t lanes = w.z.partitions(), width = w.z.elements() / 2;
    w.largest = cut(largest_, lanes, 1, width);
    w.scale = cut(scales_, lanes, 1, width);
    w.squares = cut(squares_, lanes, 2, width);
    combine(w.largest, plane(w.z, 0), plane(w.z, 1), alu_op::absolute_maximum);
    nc_.issue(tensor_scalar{.out = w.scale,
                            .in = w.largest,
                            .op0 = alu_op::maximum,
                            .operand0 = 0x1p-126,
                            .op1 = alu_op::power,
                            .operand1 = -1});
    scale(w.z, w.scale);
    nc_.issue(activation{.out = w.squares, .in = w.z, .function = activation_function::square});
  }

  // root = sqrt(s), scale = 1 / sqrt(s)
  void take_roots(work& w) {
    const std::int64_t lanes = w.z.partitions(), width = w.z.elements() / 2;
    w.sum = cut(sums_, lanes, 1, width);
    w.root = cut(roots_, lanes, 1, width);
    combine(w.sum, plane(w.squares, 0), plane(w.squares, 1), alu_op::add);
    const tile_view least = least_->partition_range(0, int(lanes));
    nc_.issue(activation{
        .out = w.root, .in = w.sum, .function = activation_function::sqrt, .bias = least});
    nc_.issue(activation{
        .out = w.scale, .in = w.sum, .function = activation_function::rsqrt, .bias = least});
  }

  // (x, y) becomes the result; bias [lanes; rows of a lane, features].
  void finish(const work& w, const tile_view& bias) {
    combine(w.root, w.root, w.largest, alu_op::multiply);
    const std::int64_t features = bias.dims().back().extent;
    const tile_view by_rows = w.root.reshape({w.root.elements() / features, features});
    combine(by_rows, by_rows, bias, alu_op::add);
    nc_.issue(scalar_tensor_tensor{.out = w.sum,
                                   .in = w.root,
                                   .right = w.scale,
                                   .op0 = alu_op::maximum,
                                   .operand0 = 0,
                                   .op1 = alu_op::multiply});
    scale(w.z, w.sum);
  }

 private:
  static tile_view plane(const tile_view& tile, std::int64_t i) {
    return tile.slice(1, i, 1).reshape({tile.elements() / 2});
  }
  static tile_view cut(tile_pool& pool, std::int64_t lanes, std::int64_t planes,
                       std::int64_t width) {
    const tile_view front = pool.next().partition_range(0, int(lanes)).columns(0, planes * width);
    return planes == 1 ? front : front.reshape({planes, width});
  }
  void combine(const tile_view& out, const tile_view& left, const tile_view& right, alu_op op) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = op});
  }

  void scale(const tile_view& z, const tile_view& by) {
    for (const std::int64_t p : {0, 1}) combine(plane(z, p), plane(z, p), by, alu_op::multiply);
  }

  core& nc_;
  tile_pool numbers_, squares_, largest_, scales_, sums_, roots_;
  tile least_;
};

void run(core& nc, const modrelu_design& design, const kernel_arguments& t) {
  const std::vector<feature_part>& parts = design.parts;
  const std::int64_t lanes = nc.machine().sbuf.partitions, f = design.features,
                     width = parts.front().each * parts.front().together;
  modrelu numbers(nc, lanes, width);
  tile_pool biases = nc.sbuf_pool(2, int(lanes), parts.front().each);
  for (const feature_part& part : parts) {
    const std::vector<feature_block> blocks = feature_blocks(design.rows, part, nc.machine());
    const std::int64_t most = blocks.front().rows;
    const tile_view bias =
        biases.next().partition_range(0, int(most * part.pieces)).columns(0, part.each);
    nc.issue(dma_copy{.out = bias,
                      .in = t.in(1).slice(0, part.first, part.pieces * part.each).repeat(most)});
    const auto view = [&](const hbm_view& tensor, const feature_block& b) {
      return tensor.reshape({2 * design.rows * f})
          .pattern(b.row * f + part.first, {{b.rows, b.together * f},
                                            {part.pieces, part.each},
                                            {2, design.rows * f},
                                            {b.together * part.each, 1}});
    };
    // The vector engine is at the next block's numbers while the scalar engine takes roots.
    pipeline(
        std::int64_t(blocks.size()), 1,
        [&](std::int64_t i) {
          const feature_block& of = blocks[std::size_t(i)];
          const modrelu::work w = numbers.place(of, of.rows * part.pieces, of.together * part.each);
          nc.issue(dma_copy{.out = w.z, .in = view(t.in(0), of)});
          return w;
        },
        [&](modrelu::work w) {
          numbers.normalise(w);
          return w;
        },
        [&](modrelu::work w) {
          numbers.take_roots(w);
          return w;
        },
        [&](const modrelu::work& w) {
          numbers.finish(w, bias.partition_range(0, w.z.partitions()).repeat(w.of.together));
          nc.issue(dma_copy{.out = view(t.out(0), w.of), .in = w.z});
        });
  }
}

}  // namespace

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

kernels::sized_kernel modrelu_kernel(std::int64_t rows, std::int64_t features,
                                     const engine::machine_spec& machine) {
  const engine::tensor_shape z{{2, rows, features}};
  kernels::sized_kernel sized{.program = {.name = "complex_modrelu"},
                              .inputs = {z, {{features}}},
                              .outputs = {z},
                              .ranges = std::vector<kernels::input_range>(2)};
  require_bytes(sized);
  // Six roundings on the way of magnitude and phase.
  sized.expected_error = square_root(6 * rounding_squared_error());
  return designed(std::move(sized),
                  modrelu_design{rows, features, kernels::modrelu_parts(rows, features, machine)},
                  machine,
                  [](engine::core& nc, const modrelu_design& d, const engine::kernel_arguments& t) {
                    kernels::run(nc, d, t);
                  });
}

std::string modrelu_design::describe() const {
  using base_detail::message;
  const feature_part& first = parts.front();
  return message("rows of ", first.each * first.together, " elements a lane, ",
                 first.together > 1 ? message(first.together, " of the tensor's each")
                                    : message(first.pieces, " to a row of the tensor"),
                 ": bound by the vector engine, 19 cycles an element\n");
}

kernels::catalog_entry complex_modrelu_entry() {
  return {.name = "complex_modrelu",
          .summary = "max(|z| + b, 0) z / |z| of planar complex numbers, a b for each feature",
          .parameters = {{.name = "rows", .preset = "1024", .help = "Rows of z"},
                         {.name = "features", .preset = "512", .help = "Numbers of a row"}},
          .size = [](const kernels::parameter_values& values, const engine::machine_spec& machine) {
            return kernels::layer_kernel({.function = layer_function::modrelu,
                                          .rows = kernels::size_of(values, "rows"),
                                          .features = kernels::size_of(values, "features")},
                                         machine);
          }};
}

}  // namespace papilio::kernels_detail

// Kernels of the vector and the scalar engine that others measured alone: NKIBench's silu and rotary
// embedding, and the vendor's fused Mamba.
//   layout     tiles of 128 partitions and 512 columns, in the order of the sources' loops
//   bound      the vector engine
#include <algorithm>
#include <vector>

#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/parameters.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published/entries.hpp"
#include "kernels/published/nki_kernels.hpp"
#include "kernels/tiles.hpp"

namespace papilio::kernels::published {

using namespace engine;
using kernels_detail::block_of;
using kernels_detail::loops_kernel;
using kernels_detail::require_multiple;

namespace {

constexpr std::int64_t part = 512;  // columns of a tile
constexpr int partitions = 128;

void run_silu(core& nc, const kernel_arguments& t) {
  const hbm_view &x = t.in(0), &out = t.out(0);
  constexpr std::int64_t wide = 2 * part;
  tile_pool in = nc.sbuf_pool(2, partitions, wide), results = nc.sbuf_pool(1, partitions, wide),
            powers = nc.sbuf_pool(2, partitions, part), sums = nc.sbuf_pool(2, partitions, part),
            inverses = nc.sbuf_pool(2, partitions, part);
  for (std::int64_t i = 0; i < x.extent(0); i += partitions)
    for (std::int64_t j = 0; j < x.extent(1); j += wide) {
      const tile_view block = in.next(), result = results.next();
      nc.issue(dma_copy{.out = block, .in = block_of(x, i, partitions, j, wide)});
      for (std::int64_t h = 0; h < wide; h += part) {
        const tile_view half = block.columns(h, part), power = powers.next(), sum = sums.next(),
                        inverse = inverses.next();
        nc.issue(activation{
            .out = power, .in = half, .function = activation_function::exp, .scale = -1});
        nc.issue(tensor_scalar{
            .out = sum, .in = power, .op0 = alu_op::add, .operand0 = 1, .on = unit::scalar});
        nc.issue(reciprocal{.out = inverse, .in = sum});
        nc.issue(tensor_tensor{.out = result.columns(h, part),
                               .left = half,
                               .right = inverse,
                               .op = alu_op::multiply});
      }
      nc.issue(dma_copy{.out = block_of(out, i, partitions, j, wide), .in = result});
    }
}

// Iterations share one buffer, so that loads wait for the sums of the iteration before.
void run_rope(core& nc, const kernel_arguments& t) {
  const hbm_view &x = t.in(0), &cosines = t.in(1), &sines = t.in(2), &out = t.out(0);
  constexpr int half = partitions / 2;
  tile_pool places = nc.sbuf_pool(1, partitions, 8 * part),
            results = nc.sbuf_pool(2, partitions, part);
  for (std::int64_t j = 0; j < x.extent(1); j += part) {
    const tile_view place = places.next(), result = results.next(), block = place.columns(0, part),
                    upper = block.partition_range(0, half);
    const auto of_half = [&](int i) {
      return place.columns(i * part, part).partition_range(0, half);
    };
    const tile_view c = of_half(1), s = of_half(2), lower = of_half(3);
    nc.issue(dma_copy{.out = block, .in = x.slice(1, j, part)});
    nc.issue(dma_copy{.out = c, .in = cosines.slice(1, j, part)});
    nc.issue(dma_copy{.out = s, .in = sines.slice(1, j, part)});
    nc.issue(activation{.out = lower, .in = block.partition_range(half, half)});
    const auto combined = [&](const tile_view& to, const tile_view& left, const tile_view& right,
                              alu_op op) {
      nc.issue(tensor_tensor{.out = to, .left = left, .right = right, .op = op});
      return to;
    };
    const tile_view uc = combined(of_half(4), upper, c, alu_op::multiply),
                    lc = combined(of_half(5), lower, c, alu_op::multiply),
                    us = combined(of_half(6), upper, s, alu_op::multiply),
                    ls = combined(of_half(7), lower, s, alu_op::multiply);
    combined(result.partition_range(0, half), uc, ls, alu_op::subtract);
    combined(result.partition_range(half, half), lc, us, alu_op::add);
    nc.issue(dma_copy{.out = out.slice(1, j, part), .in = result});
  }
}

/// One tile of channels after the other.
class mamba_layer {
 public:
  mamba_layer(core& nc, const kernel_arguments& t, int version)
      : nc_(nc),
        delta_(t.in(0)),
        u_(t.in(1)),
        a_(t.in(2)),
        b_(t.in(3)),
        c_(t.in(4)),
        out_(t.out(0)),
        version_(version),
        stretch_(std::min(part, delta_.extent(1))),
        stretches_(int(delta_.extent(1) / stretch_)),
        deltas_(nc.sbuf_pool(stretches_ + 4, partitions, stretch_)),
        us_(nc.sbuf_pool(stretches_ + 2, partitions, stretch_)),
        delta_us_(nc.sbuf_pool(stretches_ + 2, partitions, stretch_)),
        sums_(nc.sbuf_pool(stretches_ + 2, partitions, stretch_)),
        decays_(nc.sbuf_pool(2, partitions, stretch_)),
        inputs_(nc.sbuf_pool(1, partitions, stretch_)),
        scans_(nc.sbuf_pool(1, partitions, stretch_)),
        terms_(nc.sbuf_pool(1, partitions, stretch_)),
        rows_(nc.sbuf_pool(4, 1, stretch_)),
        columns_(nc.sbuf_pool(4, partitions, 1)),
        first_(nc.sbuf_pool(2, partitions, 1)),
        spread_(nc.psum_pool(4, partitions, stretch_)),
        ones_(nc.sbuf(1, partitions)) {
    nc_.issue(memset{.out = ones_, .value = 1});
  }

  void channels(std::int64_t from) {
    std::vector<tile_view> sums, deltas, delta_us;
    for (int q = 0; q < stretches_; ++q) {
      sums.push_back(sums_.next());
      nc_.issue(memset{.out = sums.back(), .on = unit::gpsimd});
    }
    for (std::int64_t s = 0; s < a_.extent(1); ++s) {
      const tile_view a = columns_.next();
      nc_.issue(dma_copy{.out = a, .in = block_of(a_, from, partitions, s, 1)});
      if (s == 0 || version_ == 1) {
        deltas.clear();
        delta_us.clear();
        for (int q = 0; q < stretches_; ++q) {
          deltas.push_back(
              loaded(deltas_, block_of(delta_, from, partitions, q * stretch_, stretch_)));
          const tile_view u = loaded(us_, block_of(u_, from, partitions, q * stretch_, stretch_));
          delta_us.push_back(delta_us_.next());
          multiply(delta_us.back(), deltas.back(), u);
        }
      }
      tile_view before = {};
      for (int q = 0; q < stretches_; ++q) {
        const std::int64_t at = q * stretch_;
        const auto now = std::size_t(q);
        const tile_view decay = decays_.next(), input = inputs_.next(), scan = scans_.next(),
                        term = terms_.next();
        nc_.issue(activation{.out = decay,
                             .in = deltas[now],
                             .function = activation_function::exp,
                             .scale_tile = a});
        multiply(input, delta_us[now], spread(block_of(b_, s, 1, at, stretch_)));
        tensor_tensor_scan step{.out = scan, .left = decay, .right = input};
        if (q > 0) step.initial = before;
        nc_.issue(step);
        if (version_ == 3) {
          before = first_.next();
          nc_.issue(tensor_copy{.out = before, .in = scan.columns(stretch_ - 1, 1)});
        }
        multiply(term, scan, spread(block_of(c_, s, 1, at, stretch_)));
        const tile_view& sum = sums[now];
        nc_.issue(tensor_tensor{.out = sum, .left = sum, .right = term, .op = alu_op::add});
      }
    }
    for (int q = 0; q < stretches_; ++q)
      nc_.issue(dma_copy{.out = block_of(out_, from, partitions, q * stretch_, stretch_),
                         .in = sums[std::size_t(q)]});
  }

 private:
  tile_view loaded(tile_pool& pool, const hbm_view& from) {
    const tile_view to = pool.next();
    nc_.issue(dma_copy{.out = to, .in = from});
    return to;
  }
  /// A row on all partitions, in PSUM.
  tile_view spread(const hbm_view& row) {
    const tile_view one = loaded(rows_, row), all = spread_.next();
    nc_.issue(engine::matmul{.out = all, .stationary = ones_, .moving = one, .onezero = true});
    return all;
  }
  void multiply(const tile_view& out, const tile_view& left, const tile_view& right) {
    nc_.issue(tensor_tensor{.out = out, .left = left, .right = right, .op = alu_op::multiply});
  }

  core& nc_;
  hbm_view delta_, u_, a_, b_, c_, out_;
  int version_;
  std::int64_t stretch_;
  int stretches_;
  tile_pool deltas_, us_, delta_us_, sums_, decays_, inputs_, scans_, terms_, rows_, columns_,
      first_, spread_;
  tile ones_;
};

}  // namespace

sized_kernel silu_kernel(std::int64_t rows, std::int64_t columns, const machine_spec&) {
  require_multiple("published/silu", "rows", rows, partitions);
  require_multiple("published/silu", "columns", columns, 2 * part);
  const tensor_shape x{{rows, columns}};
  return loops_kernel({.name = "published/silu", .words = "blocks of 128 x 1024, in halves\n"}, {x},
                      x, run_silu);
}

sized_kernel rope_kernel(std::int64_t columns, const machine_spec&) {
  require_multiple("published/rope", "columns", columns, part);
  const tensor_shape x{{partitions, columns}}, half{{partitions / 2, columns}};
  return loops_kernel({.name = "published/rope", .words = "512 columns at a time\n"},
                      {x, half, half}, x, run_rope);
}

sized_kernel mamba_kernel(const mamba_problem& problem, const machine_spec&) {
  const auto& [channels, length, states, version] = problem;
  const char* const name = "published/mamba";
  kernels_detail::require(version >= 1 && version <= 3, name, ": version must be 1, 2 or 3, got ",
                          version);
  require_multiple(name, "channels", channels, partitions);
  kernels_detail::require_size(name, "states", states);
  if (version == 3)
    require_multiple(name, "length", length, part);
  else
    kernels_detail::require(length >= 1 && length <= part, name, ": length must be 1 ... ", part,
                            " in version ", version, ", got ", length);
  const tensor_shape x{{channels, length}}, rows{{states, length}};
  sized_kernel made = loops_kernel(
      {.name = name, .form = version, .words = base_detail::message("version ", version, "\n")},
      {x, x, {{channels, states}}, rows, rows}, x,
      [version = version](core& nc, const kernel_arguments& t) {
        mamba_layer layer(nc, t, version);
        for (std::int64_t from = 0; from < t.in(0).extent(0); from += partitions)
          layer.channels(from);
      });
  made.ranges = {{0, 1}, {-1, 1}, {-1, 0}, {-1, 1}, {-1, 1}};
  return made;
}

}  // namespace papilio::kernels::published

namespace papilio::kernels_detail {

void require_multiple(const char* name, const char* of, std::int64_t value, std::int64_t tile) {
  require(value >= 1 && value % tile == 0, name, ": ", of, " must be a multiple of ", tile,
          ", got ", value);
}

kernels::sized_kernel loops_kernel(
    published_loops how, std::vector<engine::tensor_shape> in, engine::tensor_shape out,
    std::function<void(engine::core&, const engine::kernel_arguments&)> body) {
  const kernels::kernel_design design = design_of(how);
  kernels::sized_kernel made{
      .program = {.name = how.name, .parameters = design.key(), .body = std::move(body)},
      .inputs = std::move(in),
      .outputs = {std::move(out)},
      .design = design};
  made.ranges.resize(made.inputs.size());
  require_bytes(made);
  return made;
}

namespace {

struct matrix_request {
  std::int64_t rows = 1, columns = 1;
};

}  // namespace

kernels::catalog_entry published_silu_entry() {
  using r = matrix_request;
  return settings<r>{number_setting("rows", &r::rows, "4096", "Rows, a multiple of 128"),
                     number_setting("columns", &r::columns, "7168", "A multiple of 1024")}
      .entry("published/silu", "NKIBench's x / (1 + exp(-x))",
             [](const r& of, const engine::machine_spec& machine) {
               return kernels::published::silu_kernel(of.rows, of.columns, machine);
             });
}

kernels::catalog_entry published_rope_entry() {
  using r = matrix_request;
  return settings<r>{number_setting("columns", &r::columns, "262144", "A multiple of 512")}.entry(
      "published/rope", "NKIBench's rotary embedding of 128 rows",
      [](const r& of, const engine::machine_spec& machine) {
        return kernels::published::rope_kernel(of.columns, machine);
      });
}

kernels::catalog_entry published_mamba_entry() {
  using r = kernels::published::mamba_problem;
  return settings<r>{number_setting("channels", &r::channels, "256", "A multiple of 128"),
                     number_setting("length", &r::length, "512", "Steps of the sequence"),
                     number_setting("states", &r::states, "16", "States of a channel"),
                     choice_setting("version", &r::version, "Of the vendor's tutorial",
                                    {{"1", 1}, {"2", 2}, {"3", 3}})}
      .entry("published/mamba", "the vendor's fused layer of Mamba",
             kernels::published::mamba_kernel);
}

}  // namespace papilio::kernels_detail

// Sweeps that move elements: chunks on partitions, reordered by the vector engine where HBM would
// see single elements.
#include "kernels/real/real_sweeps.hpp"

#include <algorithm>

#include "kernels/real/regions.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t chunk = 2048;
constexpr int depth = 3;

fft_step pairs_step(std::int64_t points, bool split) {
  fft_step step{.text = base_detail::message(split ? "pairs to planes, " : "planes to pairs, ",
                                             points, " points"),
                .in_elements = 2 * points,
                .out_elements = 2 * points};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    const int side = int(nc.machine().sbuf.partitions);
    tile_pool loaded = nc.sbuf_pool(depth, side, 2 * chunk),
              stored = nc.sbuf_pool(depth, side, 2 * chunk);
    for_regions(1, points, chunk, side, [&](const line_region& r) {
      const std::int64_t n = r.length;
      const tile_view x = loaded.next().partition_range(0, r.partitions()).columns(0, 2 * n),
                      y = stored.next().partition_range(0, r.partitions()).columns(0, 2 * n);
      const std::vector<pattern_dim> planes{{r.chunks, n}, {2, points}, {n, 1}},
          pairs{{r.chunks, 2 * n}, {2 * n, 1}};
      nc.issue(dma_copy{
          .out = x, .in = split ? in.pattern(2 * r.first, pairs) : in.pattern(r.first, planes)});
      nc.issue(tensor_copy{
          .out = y, .in = split ? x.pattern(0, {{2, 1}, {n, 2}}) : x.pattern(0, {{n, 1}, {2, n}})});
      nc.issue(dma_copy{
          .out = split ? out.pattern(r.first, planes) : out.pattern(2 * r.first, pairs), .in = y});
    });
  };
  return step;
}

// The imaginary parts of bin 0, and of bin n/2 if there is one, of [outer, length].
void clear_ends(core& nc, const hbm_view& out, std::int64_t outer, std::int64_t n,
                std::int64_t length) {
  const std::int64_t side = nc.machine().sbuf.partitions;
  const tile zeros = nc.sbuf(int(side), 1);
  nc.issue(memset{.out = zeros.whole(), .value = 0});
  for (const std::int64_t k : {std::int64_t(0), n % 2 == 0 ? n / 2 : 0}) {
    for (std::int64_t l = 0; l < outer; l += side) {
      const std::int64_t lines = std::min(side, outer - l);
      nc.issue(dma_copy{.out = out.pattern((outer + l) * length + k, {{lines, length}, {1, 1}}),
                        .in = zeros->partition_range(0, int(lines))});
    }
    if (n % 2 != 0) break;
  }
}

// out[n - k] = conj in[k], 0 < k < n/2: chunks of lines, turned round on chip.
void reflect_lines(core& nc, const hbm_view& in, const hbm_view& out, std::int64_t outer,
                   std::int64_t n) {
  const int side = int(nc.machine().sbuf.partitions);
  const std::int64_t h = n / 2 + 1, bins = (n - 1) / 2;
  tile_pool lines = nc.sbuf_pool(depth, side, chunk), turned = nc.sbuf_pool(depth, side, chunk);
  for_regions(outer, bins, chunk, side, [&](const line_region& r) {
    const std::int64_t length = r.length;
    for (int plane = 0; plane < 2; ++plane) {
      const tile_view x = lines.next().partition_range(0, r.partitions()).columns(0, length),
                      y = turned.next().partition_range(0, r.partitions()).columns(0, length);
      nc.issue(dma_copy{.out = x,
                        .in = in.pattern((plane * outer + r.line) * h + 1 + r.first,
                                         {{r.lines, h}, {r.chunks, length}, {length, 1}})});
      nc.issue(tensor_scalar{.out = y.slice(1, length - 1, length, -1),
                             .in = x,
                             .op0 = alu_op::multiply,
                             .operand0 = plane == 0 ? 1.0 : -1.0});
      nc.issue(dma_copy{.out = out.pattern((plane * outer + r.line) * n + n - r.first - length,
                                           {{r.lines, n}, {r.chunks, -length}, {length, 1}}),
                        .in = y});
    }
  });
}

}  // namespace

fft_step split_pairs_step(std::int64_t points) { return pairs_step(points, true); }

fft_step join_pairs_step(std::int64_t points) { return pairs_step(points, false); }

fft_step widen_step(std::int64_t count) {
  fft_step step{.text = base_detail::message("imaginary parts of zero, ", count, " points"),
                .in_elements = count,
                .out_elements = 2 * count};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    const int side = int(nc.machine().sbuf.partitions);
    const tile zeros = nc.sbuf(side, std::min(count, chunk));
    nc.issue(memset{.out = zeros.whole(), .value = 0});
    nc.issue(dma_copy{.out = out.slice(0, 0, count), .in = in});
    for_regions(1, count, chunk, side, [&](const line_region& r) {
      nc.issue(dma_copy{.out = out.pattern(count + r.first, {{r.chunks, r.length}, {r.length, 1}}),
                        .in = zeros->partition_range(0, r.partitions()).columns(0, r.length)});
    });
  };
  return step;
}

fft_step crop_step(std::int64_t outer, std::int64_t n) {
  const std::int64_t h = n / 2 + 1;
  fft_step step{.text = base_detail::message("the first ", h, " bins of ", n),
                .in_elements = 2 * outer * n,
                .out_elements = 2 * outer * h};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    nc.issue(dma_copy{.out = out, .in = in.pattern(0, {{2 * outer, n}, {h, 1}})});
    clear_ends(nc, out, outer, n, h);
  };
  return step;
}

fft_step expand_step(std::int64_t outer, std::int64_t n) {
  const std::int64_t h = n / 2 + 1;
  fft_step step{.text = base_detail::message("all ", n, " bins from ", h),
                .in_elements = 2 * outer * h,
                .out_elements = 2 * outer * n};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    nc.issue(
        dma_copy{.out = out.pattern(0, {{outer, n}, {h, 1}}), .in = in.slice(0, 0, outer * h)});
    if (n > 2)
      nc.issue(dma_copy{.out = out.pattern(outer * n + 1, {{outer, n}, {(n - 1) / 2, 1}}),
                        .in = in.pattern(outer * h + 1, {{outer, h}, {(n - 1) / 2, 1}})});
    clear_ends(nc, out, outer, n, n);
    reflect_lines(nc, in, out, outer, n);
  };
  return step;
}

fft_step real_plane_step(std::int64_t count) {
  fft_step step{.text = base_detail::message("real parts of ", count, " points"),
                .in_elements = 2 * count,
                .out_elements = count};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    nc.issue(dma_copy{.out = out, .in = in.slice(0, 0, count)});
  };
  return step;
}

}  // namespace papilio::kernels_detail

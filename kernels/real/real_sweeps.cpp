// Sweeps that move elements: chunks on partitions, reordered by the vector engine where HBM would
// see single elements.
#include "kernels/real/real_sweeps.hpp"

#include <algorithm>

#include "kernels/real/regions.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

constexpr std::int64_t sweep_chunk = 2048;
constexpr int sweep_depth = 3;

enum class move_kind : std::uint8_t {
  split_pairs,
  join_pairs,
  pair_lines,
  drop_twin,
  real_planes,
  clear_ends,
  clear_written_ends
};

struct element_move {
  move_kind kind = move_kind::split_pairs;
  std::int64_t lines = 1, n = 1;

  auto fields() const { return std::tie(kind, lines, n); }
  std::string describe() const {
    using base_detail::message;
    switch (kind) {
      case move_kind::split_pairs:
        return message("pairs to planes, ", n, " points");
      case move_kind::join_pairs:
        return message("planes to pairs, ", n, " points");
      case move_kind::pair_lines:
        return message(lines, " lines to planes of ", (lines + 1) / 2, " complex ones");
      case move_kind::drop_twin:
        return message("the ", lines, " lines of ", (lines + 1) / 2, " complex ones");
      case move_kind::real_planes:
        return message("real parts of ", lines, " x ", n, " points");
      case move_kind::clear_ends:
      case move_kind::clear_written_ends:
        break;
    }
    return message(lines, " x ", n / 2 + 1, " bins, imaginary parts of real ones zero");
  }
  element_move without_batch() const {
    const bool whole = kind == move_kind::split_pairs || kind == move_kind::join_pairs;
    return {kind, 0, whole ? 0 : n};
  }
};

fft_step pairs_step(std::int64_t points, bool split) {
  const move_kind kind = split ? move_kind::split_pairs : move_kind::join_pairs;
  fft_step step{.design = design_of(element_move{kind, 1, points}),
                .in_elements = 2 * points,
                .out_elements = 2 * points};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    const int side = int(nc.machine().sbuf.partitions);
    tile_pool loaded = nc.sbuf_pool(sweep_depth, side, 2 * sweep_chunk),
              stored = nc.sbuf_pool(sweep_depth, side, 2 * sweep_chunk);
    for_regions(1, points, sweep_chunk, side, [&](const line_region& r) {
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

// The imaginary parts of bin 0, and of bin n/2 if there is one, of [lines, h].
void clear_ends(core& nc, const hbm_view& out, std::int64_t lines, std::int64_t n) {
  const std::int64_t h = n / 2 + 1,
                     side = std::min<std::int64_t>(nc.machine().sbuf.partitions, lines);
  const tile zeros = nc.sbuf(int(side), 1);
  nc.issue(memset{.out = zeros.whole(), .value = 0});
  for (std::int64_t k = 0; k < h; k += n % 2 == 0 ? std::max<std::int64_t>(h - 1, 1) : h)
    for (std::int64_t l = 0; l < lines; l += side) {
      const std::int64_t count = std::min(side, lines - l);
      nc.issue(dma_copy{.out = out.pattern((lines + l) * h + k, {{count, h}, {1, 1}}),
                        .in = zeros->partition_range(0, int(count))});
    }
}

}  // namespace

fft_step split_pairs_step(std::int64_t points) { return pairs_step(points, true); }

fft_step join_pairs_step(std::int64_t points) { return pairs_step(points, false); }

fft_step pair_lines_step(std::int64_t lines, std::int64_t n) {
  const std::int64_t pairs = (lines + 1) / 2;
  fft_step step{.design = design_of(element_move{move_kind::pair_lines, lines, n}),
                .in_elements = lines * n,
                .out_elements = 2 * pairs * n};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    for (int plane = 0; plane < 2; ++plane)
      nc.issue(dma_copy{.out = out.slice(0, plane * pairs * n, pairs * n),
                        .in = in.slice(0, plane * (lines - pairs) * n, pairs * n)});
  };
  return step;
}

fft_step drop_twin_step(std::int64_t lines, std::int64_t n) {
  const std::int64_t pairs = (lines + 1) / 2, second = lines - pairs;
  fft_step step{.design = design_of(element_move{move_kind::drop_twin, lines, n}),
                .in_elements = 2 * pairs * n,
                .out_elements = lines * n};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    nc.issue(dma_copy{.out = out.slice(0, 0, pairs * n), .in = in.slice(0, 0, pairs * n)});
    if (second > 0)
      nc.issue(dma_copy{.out = out.slice(0, pairs * n, second * n),
                        .in = in.slice(0, (pairs + 1) * n, second * n)});
  };
  return step;
}

fft_step real_planes_step(std::int64_t lines, std::int64_t n) {
  fft_step step{.design = design_of(element_move{move_kind::real_planes, lines, n}),
                .in_elements = 2 * lines * n,
                .out_elements = lines * n};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    nc.issue(dma_copy{.out = out, .in = in.slice(0, 0, lines * n)});
  };
  return step;
}

namespace {

fft_step clearing(std::int64_t lines, std::int64_t n, bool copied) {
  const std::int64_t h = n / 2 + 1;
  const move_kind kind = copied ? move_kind::clear_ends : move_kind::clear_written_ends;
  fft_step step{.design = design_of(element_move{kind, lines, n}),
                .in_elements = 2 * lines * h,
                .out_elements = 2 * lines * h,
                .joins_previous = !copied};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    if (copied) nc.issue(dma_copy{.out = out, .in = in});
    clear_ends(nc, out, lines, n);
  };
  return step;
}

}  // namespace

fft_step clear_ends_step(std::int64_t lines, std::int64_t n) { return clearing(lines, n, true); }

fft_step clear_written_ends_step(std::int64_t lines, std::int64_t n) {
  return clearing(lines, n, false);
}

}  // namespace papilio::kernels_detail

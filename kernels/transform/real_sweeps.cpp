// Sweeps that only move elements. Copies go from HBM to HBM; interleaved parts are loaded in chunks
// on partitions and reordered by the vector engine, since DMA of single elements is slow.
#include "kernels/transform/real_sweeps.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/transform/regions.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {

using namespace engine;

namespace {

using base_detail::message;

constexpr std::int64_t sweep_chunk = 2048;
constexpr int sweep_depth = 3;

struct pairs_move {
  bool split = true;
  std::int64_t points = 1;

  auto fields() const { return std::tie(split, points); }
  std::string describe() const {
    return message(split ? "pairs to planes, " : "planes to pairs, ", points, " points");
  }
  pairs_move without_batch() const { return {split, 0}; }
};

// A run of elements that is copied from HBM to HBM.
struct copied_run {
  std::int64_t to = 0, from = 0, count = 0;

  auto fields() const { return std::tie(to, from, count); }
};

struct copies {
  std::string what;
  std::int64_t lines = 1, n = 1;
  std::vector<copied_run> runs = {};

  auto fields() const { return std::tie(what, lines, n, runs); }
  std::string describe() const { return message(what, " of ", lines, " x ", n, " points"); }
  copies without_batch() const { return {what, 0, n}; }
};

fft_step step_of(const copies& c, std::int64_t in_elements) {
  fft_step step{.design = design_of(c), .in_elements = in_elements};
  for (const copied_run& r : c.runs)
    step.out_elements = std::max(step.out_elements, r.to + r.count);
  step.run = [runs = c.runs](core& nc, const hbm_view& in, const hbm_view& out,
                             std::span<const hbm_view>) {
    for (const copied_run& r : runs)
      if (r.count > 0)
        nc.issue(dma_copy{.out = out.slice(0, r.to, r.count), .in = in.slice(0, r.from, r.count)});
  };
  return step;
}

struct clearing {
  std::int64_t lines = 1, n = 1;
  bool written = false;

  auto fields() const { return std::tie(lines, n, written); }
  std::string describe() const {
    return message(lines, " x ", n / 2 + 1, " bins, imaginary parts of real ones zero");
  }
  clearing without_batch() const { return {0, n, written}; }
};

// Clears the imaginary parts of bin 0, and of bin n/2 if there is one, of [2, lines, h].
void clear_ends(core& nc, const hbm_view& out, std::int64_t lines, std::int64_t n) {
  const std::int64_t h = n / 2 + 1,
                     partitions = std::min<std::int64_t>(nc.machine().sbuf.partitions, lines);
  const tile zeros = nc.sbuf(int(partitions), 1);
  nc.issue(memset{.out = zeros.whole(), .value = 0});
  for (std::int64_t k = 0; k < h; k += n % 2 == 0 ? std::max<std::int64_t>(h - 1, 1) : h)
    for (std::int64_t l = 0; l < lines; l += partitions) {
      const std::int64_t count = std::min(partitions, lines - l);
      nc.issue(dma_copy{.out = out.pattern((lines + l) * h + k, {{count, h}, {1, 1}}),
                        .in = zeros->partition_range(0, int(count))});
    }
}

}  // namespace

fft_step pairs_step(std::int64_t points, bool split) {
  fft_step step{.design = design_of(pairs_move{split, points}),
                .in_elements = 2 * points,
                .out_elements = 2 * points};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    const int partitions = int(nc.machine().sbuf.partitions);
    tile_pool loaded = nc.sbuf_pool(sweep_depth, partitions, 2 * sweep_chunk),
              stored = nc.sbuf_pool(sweep_depth, partitions, 2 * sweep_chunk);
    for_regions(1, points, sweep_chunk, partitions, [&](const line_region& r) {
      const std::int64_t n = r.length;
      const tile_view x = loaded.next().partition_range(0, r.partitions()).columns(0, 2 * n),
                      y = stored.next().partition_range(0, r.partitions()).columns(0, 2 * n);
      const std::vector<pattern_dim> planes{{r.chunks, n}, {2, points}, {n, 1}},
          pairs{{r.chunks, 2 * n}, {2 * n, 1}};
      const auto place = [&](const hbm_view& of, bool in_planes) {
        return in_planes ? of.pattern(r.first, planes) : of.pattern(2 * r.first, pairs);
      };
      nc.issue(dma_copy{.out = x, .in = place(in, !split)});
      nc.issue(tensor_copy{
          .out = y, .in = split ? x.pattern(0, {{2, 1}, {n, 2}}) : x.pattern(0, {{n, 1}, {2, n}})});
      nc.issue(dma_copy{.out = place(out, split), .in = y});
    });
  };
  return step;
}

fft_step pair_lines_step(std::int64_t lines, std::int64_t n) {
  const std::int64_t plane = (lines + 1) / 2 * n;
  return step_of({"planes of pairs", lines, n, {{0, 0, plane}, {plane, lines * n - plane, plane}}},
                 lines * n);
}

fft_step drop_middle_copy_step(std::int64_t lines, std::int64_t n) {
  const std::int64_t plane = (lines + 1) / 2 * n;
  return step_of(
      {"lines of pairs", lines, n, {{0, 0, plane}, {plane, plane + n, lines * n - plane}}},
      2 * plane);
}

fft_step real_planes_step(std::int64_t lines, std::int64_t n) {
  return step_of({"real parts", lines, n, {{0, 0, lines * n}}}, 2 * lines * n);
}

fft_step clear_ends_step(std::int64_t lines, std::int64_t n, bool written) {
  const std::int64_t elements = 2 * lines * (n / 2 + 1);
  fft_step step{.design = design_of(clearing{lines, n, written}),
                .in_elements = elements,
                .out_elements = elements,
                .joins_previous = written};
  step.run = [=](core& nc, const hbm_view& in, const hbm_view& out, std::span<const hbm_view>) {
    if (!written) nc.issue(dma_copy{.out = out, .in = in});
    clear_ends(nc, out, lines, n);
  };
  return step;
}

}  // namespace papilio::kernels_detail

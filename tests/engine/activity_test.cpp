#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "papilio/engine/core.hpp"

namespace papilio::engine::test {
namespace {

using spans = std::vector<std::pair<double, double>>;

// Length of the union, in seconds, by sorting.
double united(spans all) {
  std::ranges::sort(all);
  double total = 0, end = 0;
  for (const auto& [from, to] : all) {
    if (to <= end) continue;
    total += to - std::max(from, end);
    end = to;
  }
  return total * 1e-9;
}

double summed(const spans& all) {
  double total = 0;
  for (const auto& [from, to] : all) total += to - from;
  return total * 1e-9;
}

// Instructions of every unit in an order that chance gives; transfers of many sizes on all queues.
void issue_at_random(core& nc, std::mt19937& random) {
  const hbm_view memory = nc.hbm({64, 128, 512}), rows = nc.hbm({128, 1}, dtype::int32);
  std::vector<tile> tiles, products;
  for (int i = 0; i < 6; ++i) tiles.push_back(nc.sbuf(128, 512));
  for (int i = 0; i < 4; ++i) products.push_back(nc.psum(128, 512));
  const tile indices = nc.sbuf(128, 1, dtype::int32);
  nc.issue(dma_copy{.out = indices.whole(), .in = rows});
  const auto some = [&](const std::vector<tile>& from) -> const tile_view& {
    return from[random() % from.size()].whole();
  };
  for (int i = 0; i < 4000; ++i) {
    const auto n = std::int64_t(1 + random() % 512);
    const tile_view a = some(tiles).columns(0, n), b = some(tiles).columns(0, n);
    const tile_view p = some(products).columns(0, n);
    const hbm_view part = memory.slice(0, random() % 64, 1).slice(2, 0, n);
    switch (random() % 9) {
      case 0:
        nc.issue(dma_copy{.out = a, .in = part, .queue = int(random() % 16)});
        break;
      case 1:
        nc.issue(dma_copy{.out = part, .in = a});
        break;
      case 2:
        nc.issue(
            dma_gather{.out = some(tiles), .in = memory.reshape({8192, 512}), .indices = indices});
        break;
      case 3:
        nc.issue(matmul{.out = p, .stationary = some(tiles).columns(0, 128), .moving = a});
        break;
      case 4:
        nc.issue(
            transpose{.out = some(products).columns(0, 128), .in = some(tiles).columns(0, 128)});
        break;
      case 5:
        nc.issue(tensor_tensor{.out = a, .left = b, .right = p});
        break;
      case 6:
        nc.issue(activation{.out = a, .in = p});
        break;
      case 7:
        nc.issue(tensor_copy{.out = a, .in = b, .on = unit::gpsimd});
        break;
      default:
        nc.issue(tensor_copy{.out = a, .in = p});
    }
  }
}

TEST(activity, is_what_the_trace_shows) {
  core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false, .trace = true});
  std::mt19937 random(20);
  issue_at_random(nc, random);
  const trace t = nc.timeline_trace();
  const profile p = nc.summary();
  std::vector<spans> of_unit(unit_count);
  spans all;
  double last = 0;
  for (const traced_slice& s : t.slices()) {
    const traced_instruction& i = t.instructions()[s.instruction];
    const bool writes_descriptors = i.on == unit::dma && s.lane == traced_slice::descriptors;
    of_unit[std::size_t(writes_descriptors ? unit::gpsimd : i.on)].push_back(
        {s.start_ns, s.end_ns});
    all.push_back({s.start_ns, s.end_ns});
    last = std::max(last, s.end_ns);
  }
  const auto near = [&](const char* field, double expected) {
    EXPECT_GT(expected, 0) << field;
    EXPECT_NEAR(p.value(field), expected, 1e-9 * expected) << field;
  };
  // A slice of a transfer is its time among those of other queues: the engine is busy in all of it,
  // and also after it with what it put off.
  const spans& transfers = of_unit[std::size_t(unit::dma)];
  const double active = p.value("dma_active_time"), moved = p.value("dma_packet_time");
  EXPECT_GE(active, united(transfers) * (1 - 1e-9));
  EXPECT_LE(moved, summed(transfers) * (1 + 1e-9));
  EXPECT_LE(moved, trainium1().dma.engines * active * (1 + 1e-9)) << "beyond the engines' rate";
  EXPECT_GE(p.value("total_time"), last * 1e-9 * (1 - 1e-9));
  EXPECT_GE(p.value("total_active_time"), united(all) * (1 - 1e-9));
  EXPECT_LE(p.value("total_active_time"), p.value("total_time"));
  EXPECT_LE(p.value("software_dynamic_dma_active_time"), active);
  const double packets = p.value("software_dynamic_dma_packet_count");
  EXPECT_GT(packets, 0);
  EXPECT_GE(p.value("software_dynamic_dma_active_time") * trainium1().dma.engines,
            packets * trainium1().dma.descriptor_ns * 1e-9)
      << "no buffer takes less than its descriptor";
  for (const unit on : {unit::tensor, unit::vector, unit::scalar, unit::gpsimd}) {
    const std::string name = std::string(to_string(on)) + "_engine_";
    near((name + "active_time").c_str(), united(of_unit[std::size_t(on)]));
    near((name + "instruction_time").c_str(), summed(of_unit[std::size_t(on)]));
    EXPECT_EQ(p.value(name + "instruction_count"), double(of_unit[std::size_t(on)].size()));
  }
}

// Three transfers of one queue, and one of another that is served in turn with them: all engines
// move data for the time of four, in whatever order. A row of 2048 bytes takes 2048 / 17 ns, an
// engine has eight of them.
TEST(activity, of_engines_that_are_shared_is_that_of_all_their_work) {
  core nc(trainium1(), {.mode = run_mode::dry_run, .strict = false});
  const hbm_view memory = nc.hbm({4, 128, 512});
  std::vector<tile> tiles;
  for (int i = 0; i < 4; ++i) {
    tiles.push_back(nc.sbuf(128, 512));
    nc.issue(
        dma_copy{.out = tiles.back().whole(), .in = memory.slice(0, i, 1), .queue = i < 3 ? 0 : 1});
  }
  const profile p = nc.summary();
  const double each = 8 * 2048 / 17.0 * 1e-9, tolerance = 1e-15;
  EXPECT_NEAR(p.value("dma_active_time"), 4 * each, tolerance);
  EXPECT_NEAR(p.value("total_active_time"), 4 * each, tolerance);
  EXPECT_NEAR(p.value("dma_packet_time"), 16 * 4 * each, 16 * tolerance);
  EXPECT_NEAR(p.value("total_time"), 1300e-9 + 4 * each, tolerance);
}

}  // namespace
}  // namespace papilio::engine::test

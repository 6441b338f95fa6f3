#include "papilio/engine/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"
#include "support/temporary_directory.hpp"

namespace papilio::engine::test {
namespace {

using nlohmann::json;

constexpr core_options traced{.mode = run_mode::dry_run, .strict = false, .trace = true};

// Times of JSON are microseconds with three decimals: whole nanoseconds.
std::int64_t ns(const json& us) { return std::llround(us.get<double>() * 1000); }

struct slice {
  std::int64_t start, end;
  json args;
  std::string name;
};

/// A parsed trace: slices by the name of their track.
struct parsed {
  explicit parsed(const trace& t) : whole(json::parse(t.to_chrome_json())) {
    for (const json& e : whole["traceEvents"])
      if (e["ph"] == "M" && e["name"] == "thread_name") names[e["tid"]] = e["args"]["name"];
    for (const json& e : whole["traceEvents"])
      if (e["ph"] == "X")
        tracks[names.at(e["tid"])].push_back(
            {ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["args"], e["name"]});
    for (auto& [name, slices] : tracks)
      std::ranges::stable_sort(slices, {}, [](const slice& s) { return s.start; });
  }
  std::vector<json> phase(const std::string& ph) const {
    std::vector<json> found;
    for (const json& e : whole["traceEvents"])
      if (e["ph"] == ph) found.push_back(e);
    return found;
  }

  json whole;
  std::map<int, std::string> names;
  std::map<std::string, std::vector<slice>> tracks;
};

// Every kind of track: products, all lanes, transfers on several queues at once.
trace everything() {
  core nc(trainium1(), traced);
  const hbm_view in = nc.hbm({4, 128, 512}), out = nc.hbm({4, 128, 512});
  tile_pool inputs = nc.sbuf_pool(2, 128, 512), products = nc.psum_pool(2, 128, 512);
  const tile weights = nc.sbuf(128, 128), result = nc.sbuf(128, 512);
  nc.issue(dma_copy{.out = weights.whole(), .in = in.slice(0, 0, 1).slice(2, 0, 128)});
  for (int i = 0; i < 4; ++i) {
    const tile_view x = inputs.next(), p = products.next();
    nc.issue(dma_copy{.out = x, .in = in.slice(0, i, 1)});
    nc.issue(matmul{.out = p, .stationary = weights, .moving = x});
    nc.issue(activation{.out = result, .in = p, .function = activation_function::exp});
    nc.issue(tensor_tensor{.out = result, .left = result, .right = p, .op = alu_op::multiply});
    nc.issue(tensor_copy{.out = x, .in = result, .on = unit::gpsimd});
    nc.issue(dma_copy{.out = out.slice(0, i, 1), .in = x});
  }
  return nc.timeline_trace();
}

TEST(trace, has_a_track_for_each_engine) {
  const parsed p(everything());
  EXPECT_EQ(p.whole["displayTimeUnit"], "ns");
  std::set<std::string> expected{"tensor", "tensor LoadStationary", "vector", "scalar", "gpsimd"};
  for (int e = 0; e < 16; ++e) expected.insert("dma " + std::to_string(e));
  std::set<std::string> found;
  for (const auto& [id, name] : p.names)
    if (name.find('(') == std::string::npos) found.insert(name);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(p.tracks.at("tensor").size(), 4u);
  EXPECT_EQ(p.tracks.at("tensor").front().name, "matmul");
  EXPECT_EQ(p.tracks.at("tensor LoadStationary").front().name, "load_stationary");
  EXPECT_EQ(p.tracks.at("vector").size(), 4u);
  const auto process = p.phase("M").front();
  EXPECT_EQ(process["name"], "process_name");
  EXPECT_EQ(process["args"]["name"], "core of trainium1: (none)");
}

TEST(trace, slices_of_a_track_follow_one_another) {
  const parsed p(everything());
  for (const auto& [name, slices] : p.tracks)
    for (std::size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].end, slices[i].start) << name << " " << i;
}

TEST(trace, slices_lie_inside_the_run) {
  core nc(trainium1(), traced);
  const tile x = nc.sbuf(128, 512);
  const hbm_view in = nc.hbm({128, 512});
  nc.issue(dma_copy{.out = x.whole(), .in = in});
  nc.issue(tensor_tensor{.out = x, .left = x, .right = x});
  const auto total = std::llround(nc.summary().value("total_time") * 1e9);
  const parsed p(nc.timeline_trace());
  std::int64_t last = 0;
  for (const auto& [name, slices] : p.tracks)
    for (const slice& s : slices) {
      EXPECT_GE(s.start, 0) << name;
      last = std::max(last, s.end);
    }
  EXPECT_EQ(last, total);
}

TEST(trace, arrows_pair_up_and_end_in_slices) {
  const trace t = everything();
  const parsed p(t);
  std::map<int, json> leaves, arrives;
  for (const json& e : p.phase("s")) EXPECT_TRUE(leaves.emplace(e["id"], e).second);
  for (const json& e : p.phase("f")) EXPECT_TRUE(arrives.emplace(e["id"], e).second);
  std::size_t waiting = 0;
  for (const traced_instruction& i : t.instructions())
    if (i.waited_for != traced_instruction::none) ++waiting;
  EXPECT_GT(waiting, 15u);
  ASSERT_EQ(leaves.size(), waiting);
  ASSERT_EQ(arrives.size(), waiting);
  const auto inside = [&](const json& e) -> const slice* {
    for (const slice& s : p.tracks.at(p.names.at(e["tid"])))
      if (s.start <= ns(e["ts"]) && ns(e["ts"]) < s.end) return &s;
    return nullptr;
  };
  for (const auto& [id, to] : arrives) {
    const slice *const source = inside(leaves.at(id)), *const target = inside(to);
    ASSERT_TRUE(source != nullptr && target != nullptr) << id;
    EXPECT_EQ(target->args["index"], id);
    EXPECT_EQ(target->args["waited_for"], source->args["index"]);
    EXPECT_LE(source->end, target->start);
  }
}

// While rows of 32 KiB pass, an engine serves another queue's short one after a single long one.
TEST(trace, gives_overlapping_transfers_tracks_of_their_own) {
  core nc(trainium1(), traced);
  const hbm_view in = nc.hbm({128, 8192}), few = nc.hbm({16, 1});
  const tile x = nc.sbuf(128, 8192), y = nc.sbuf(16, 1);
  nc.issue(dma_copy{.out = x.whole(), .in = in});
  nc.issue(dma_copy{.out = y.whole(), .in = few});
  const trace t = nc.timeline_trace();
  ASSERT_EQ(t.slices().size(), 32u);
  const parsed p(t);
  for (int e = 0; e < 16; ++e) {
    const std::string name = "dma " + std::to_string(e);
    ASSERT_EQ(p.tracks.at(name).size(), 1u);
    ASSERT_EQ(p.tracks.at(name + " (2)").size(), 1u);
    const slice &longer = p.tracks.at(name)[0], &shorter = p.tracks.at(name + " (2)")[0];
    EXPECT_LT(shorter.end, longer.end);
    EXPECT_GT(shorter.start, longer.start);
    EXPECT_EQ(shorter.args["index"], 1);
  }
}

TEST(trace, shows_who_writes_descriptors) {
  core nc(trainium1(), traced);
  const hbm_view in = nc.hbm({1000, 8}), rows = nc.hbm({128, 1}, dtype::int32);
  const tile x = nc.sbuf(128, 8), indices = nc.sbuf(128, 1, dtype::int32);
  nc.issue(dma_copy{.out = indices.whole(), .in = rows});
  nc.issue(dma_gather{.out = x, .in = in, .indices = indices});
  const trace t = nc.timeline_trace();
  EXPECT_EQ(t.instructions()[1].waited_for, 0u);
  const parsed p(t);
  ASSERT_EQ(p.tracks.at("gpsimd").size(), 1u);
  EXPECT_EQ(p.tracks.at("gpsimd")[0].name, "write_descriptors");
  EXPECT_EQ(p.tracks.at("gpsimd")[0].args["index"], 1);
}

TEST(trace, semaphores_are_moments) {
  core nc(trainium1(), traced);
  const tile x = nc.sbuf(128, 512);
  nc.order_by_hand();
  const semaphore done = nc.make_semaphore();
  nc.issue(activation{.out = x, .in = x});
  nc.issue(semaphore_signal{.which = done, .on = unit::scalar});
  nc.issue(semaphore_wait{.which = done, .on = unit::vector});
  nc.issue(tensor_copy{.out = x, .in = x});
  const parsed p(nc.timeline_trace());
  const auto moments = p.phase("i");
  ASSERT_EQ(moments.size(), 2u);
  EXPECT_EQ(moments[0]["name"], "semaphore_signal");
  EXPECT_EQ(moments[0]["s"], "t");
}

TEST(trace, lists_a_program) {
  core nc(trainium1(), traced);
  const hbm_view in = nc.hbm({128, 512}), out = nc.hbm({128, 512});
  const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512);
  nc.issue(dma_copy{.out = x.whole(), .in = in});
  nc.issue(tensor_tensor{.out = y, .left = x, .right = x, .op = alu_op::add});
  nc.issue(dma_copy{.out = out, .in = y.whole()});
  EXPECT_EQ(nc.timeline_trace().listing(),
            "  index     start us         us  unit       opcode               operands\n"
            "      0        1.300      0.964  dma q0     dma_copy             "
            "out sbuf tile 0 [0:128, 512@1] fp32, in scratch 0 [0 + 128@512 x 512@1] fp32\n"
            "      1        2.264      1.004  vector     tensor_tensor        "
            "out sbuf tile 1 [0:128, 512@1] fp32, left sbuf tile 0 [0:128, 512@1] fp32, "
            "right sbuf tile 0 [0:128, 512@1] fp32, op add; after 0\n"
            "      2        4.567      0.964  dma q8     dma_copy             "
            "out scratch 1 [0 + 128@512 x 512@1] fp32, in sbuf tile 1 [0:128, 512@1] fp32; "
            "after 1\n");
}

TEST(trace, saves_what_it_prints) {
  const papilio::test::temporary_directory folder;
  const std::string path = (folder.path() / "run.json").string();
  const trace t = everything();
  t.save(path);
  std::ifstream file(path, std::ios::binary);
  const std::string saved{std::istreambuf_iterator<char>(file), {}};
  std::ostringstream streamed;
  t.to_chrome_json(streamed);
  EXPECT_EQ(saved, t.to_chrome_json());
  EXPECT_EQ(saved, streamed.str());
  EXPECT_THROW(t.save((folder.path() / "none" / "run.json").string()), io_error);
}

TEST(trace, of_nothing_is_valid) {
  const trace t = core(trainium1(), traced).timeline_trace();
  EXPECT_EQ(json::parse(t.to_chrome_json())["traceEvents"].size(), 1u);
  EXPECT_EQ(t.listing().find('\n') + 1, t.listing().size());
}

TEST(trace, is_kept_only_where_asked_for) {
  EXPECT_THROW(static_cast<void>(core(trainium1(), {}).timeline_trace()), invalid_argument);
}

}  // namespace
}  // namespace papilio::engine::test

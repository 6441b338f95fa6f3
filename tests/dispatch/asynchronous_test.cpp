// Operations on device arrays that only begin: the bits of those that wait, and times by the
// recurrence of docs/cost_model.md, computed here by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "papilio/device.hpp"
#include "support/device_case.hpp"

namespace papilio::test {
namespace {

using C = std::complex<float>;
using engine::device;
using engine::device_group;

constexpr double tolerance = 1e-12;

engine::runtime_spec quick_runtime() {
  engine::runtime_spec r = engine::sdk_2_32_trn2();
  r.submit_us = 3;
  r.host_to_device_us = 5;
  r.blocking_fetch_us = 4;
  return r;
}

// Launches, copies and hops that cost little: small work is divided where its device time gains.
device_group quick_group(int cores) {
  engine::runtime_spec r = quick_runtime();
  r.launch_us = 1;
  r.host_to_device_us = r.blocking_fetch_us = 0;
  engine::machine_spec m = engine::trainium2();
  m.link.core_hop_ns = m.link.chip_hop_ns = 0;
  return {m, r, cores};
}

std::vector<array<C, 2>> made_blocks(int count) {
  std::vector<array<C, 2>> blocks;
  for (int i = 0; i < count; ++i) blocks.push_back(random_array<C, 2>({96, 128}, unsigned(i + 1)));
  return blocks;
}

/// Seconds of one call's steps, from its record.
struct steps {
  double submit = 0, upload = 0, run = 0, fetch = 0;

  double sum() const { return submit + upload + run + fetch; }
  double longest() const { return std::max({submit, upload, run, fetch}); }
};

steps steps_of(const run_record& r) {
  return {r.launch_seconds, r.upload_seconds, r.device_seconds + r.link_seconds, r.fetch_seconds};
}

TEST(asynchronous_operations, have_the_bits_of_those_that_wait) {
  const auto blocks = made_blocks(4);
  device waiting(engine::trainium2(), quick_runtime()), dev(engine::trainium2(), quick_runtime());
  dev.set_asynchronous(true);
  EXPECT_TRUE(dev.is_asynchronous());
  EXPECT_FALSE(waiting.is_asynchronous());
  std::vector<device_array<C, 2>> results;
  for (const auto& x : blocks) results.push_back(ifft(fft(to_device(dev, x)), {.axis = 0}));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto expected = to_host(ifft(fft(to_device(waiting, blocks[i])), {.axis = 0}));
    EXPECT_TRUE(std::ranges::equal(to_host(results[i]), expected)) << i;
  }
  EXPECT_EQ(dev.record().launches, waiting.record().launches);
  EXPECT_EQ(dev.record().upload.bytes, waiting.record().upload.bytes);
  dev.set_asynchronous(false);
  const double before = dev.record().asynchronous_seconds;
  to_host(fft(to_device(dev, blocks[0])));
  EXPECT_EQ(dev.record().asynchronous_seconds, before);
}

// Copies up, runs and copies back of many blocks: each step starts when its queue is free and the
// step before has ended; a copy takes the host no time, a run its submission.
TEST(asynchronous_operations, overlap_as_the_queues_allow) {
  constexpr int n = 7;
  const auto blocks = made_blocks(n);
  device dev(engine::trainium2(), quick_runtime());
  auto warm = to_host(fft(to_device(dev, blocks[0])));  // tables are copied once, and waited for
  dev.set_asynchronous(true);
  std::vector<array<C, 2>> results;
  for (int i = 0; i < n; ++i) results.emplace_back(extents_type<2>{96, 128});
  double host = 0, up = 0, core = 0, down = 0;
  std::vector<double> done;
  std::vector<pending_run> copies;
  for (std::size_t i = 0; i < std::size_t(n); ++i) {
    std::optional<device_array<C, 2>> there, spectra;
    const run_record uploaded = recorded([&] { there = to_device(dev, blocks[i]); });
    const run_record ran = recorded([&] { spectra = fft(*there); });
    copies.push_back(to_host_async(*spectra, results[i].view()));
    EXPECT_TRUE(uploaded.asynchronous && ran.asynchronous);
    EXPECT_EQ(uploaded.asynchronous_seconds, 0);
    EXPECT_NEAR(ran.launch_seconds, 3e-6, tolerance);
    EXPECT_NEAR(ran.asynchronous_seconds, 3e-6, tolerance);
    EXPECT_NE(ran.to_text().find("asynchronous: 0.000003000 s of the host's clock"),
              std::string::npos)
        << ran.to_text();
    up = std::max(up, host) + uploaded.upload_seconds;
    host += ran.launch_seconds;
    core = std::max({core, up, host}) + ran.device_seconds;
    down = std::max(down, core) + dev.runtime().fetch_us(1, 96 * 128 * 8) * 1e-6;
    done.push_back(down);
  }
  EXPECT_NEAR(dev.record().asynchronous_seconds, host, tolerance);
  EXPECT_FALSE(copies[2].is_done());
  const run_record third = copies[2].wait();
  EXPECT_NEAR(dev.record().asynchronous_seconds, done[2], tolerance);
  EXPECT_NEAR(third.asynchronous_seconds, done[2] - host, tolerance);
  EXPECT_EQ(third.operation, "to_host_async");
  EXPECT_EQ(last_run().fetch_bytes, 96 * 128 * 8);
  EXPECT_TRUE(copies[1].is_done());
  dev.synchronize();
  EXPECT_NEAR(dev.record().asynchronous_seconds, done.back(), tolerance);
  EXPECT_TRUE(std::ranges::equal(results[0], warm));
  copies[2].wait();
  EXPECT_NEAR(dev.record().asynchronous_seconds, done.back(), tolerance);
}

// Operations on arrays of the host wait for everything, and then take their own time.
TEST(asynchronous_operations, are_waited_for_by_those_on_arrays_of_the_host) {
  const auto blocks = made_blocks(2);
  device dev(engine::trainium2(), quick_runtime());
  to_host(fft(to_device(dev, blocks[0])));
  dev.set_asynchronous(true);
  dev.reset_record();
  const auto there = to_device(dev, blocks[1]);
  const run_record ran = recorded([&] { fft(there); });
  const double upload = there.size() > 0 ? dev.runtime().upload_us(1, 96 * 128 * 8) * 1e-6 : 0;
  const run_record on_host = recorded([&] { fft(blocks[0], {.on = {policy::device, &dev}}); });
  EXPECT_FALSE(on_host.asynchronous);
  EXPECT_NEAR(dev.record().asynchronous_seconds, std::max(upload, 3e-6) + ran.device_seconds,
              tolerance);
  EXPECT_NEAR(dev.record().total_seconds(), dev.record().asynchronous_seconds + on_host.seconds(),
              tolerance);
}

device_graph graph_of(accelerator& dev, const array<C, 2>& x, array<C, 2>& y) {
  return capture(dev, [&] { to_host(ifft(fft(to_device(dev, x)), {.axis = 0}), y.view()); });
}

TEST(asynchronous_operations, graphs_overlap) {
  constexpr int n = 5;
  const auto blocks = made_blocks(2);
  array<C, 2> y({96, 128}), z({96, 128});
  device dev(engine::trainium2(), quick_runtime());
  device_graph graph = graph_of(dev, blocks[0], y), other = graph_of(dev, blocks[1], z);
  const run_record waited = graph.submit();
  const array<C, 2> expected_y = y;
  other.submit();
  const array<C, 2> expected_z = z;
  std::ranges::fill(y, C(0));
  std::ranges::fill(z, C(0));
  dev.reset_record();
  std::vector<pending_run> all;
  for (int i = 0; i < n; ++i) all.push_back((i % 2 ? other : graph).submit_async());
  EXPECT_FALSE(all.back().is_done());
  const run_record last = all.back().wait();
  const steps each = steps_of(last);
  EXPECT_NEAR(each.submit, 3e-6, tolerance);
  EXPECT_EQ(each.run, waited.device_seconds);
  EXPECT_NEAR(dev.record().asynchronous_seconds, each.sum() + (n - 1) * each.longest(), tolerance);
  EXPECT_EQ(dev.record().total_seconds(), dev.record().asynchronous_seconds);
  EXPECT_EQ(last.operation, "graph of 2 operations");
  EXPECT_EQ(last.recipe, waited.recipe);
  EXPECT_TRUE(last.asynchronous);
  EXPECT_TRUE(std::ranges::equal(y, expected_y));
  EXPECT_TRUE(std::ranges::equal(z, expected_z));
}

// An operation captured alone is divided among the cores of a group, and begins there too.
TEST(asynchronous_operations, graphs_of_groups_are_divided) {
  constexpr int n = 4;
  const auto x = random_array<C, 2>({512, 256}, 7);
  array<C, 2> y(x.extents());
  device_group group = quick_group(4);
  device_graph graph = capture(group, [&] { to_host(fft(to_device(group, x)), y.view()); });
  const run_record waited = graph.submit();
  const array<C, 2> expected = y;
  ASSERT_TRUE(waited.recipe.starts_with("divided among ")) << waited.recipe;
  std::ranges::fill(y, C(0));
  std::vector<pending_run> all;
  for (int i = 0; i < n; ++i) all.push_back(graph.submit_async());
  const run_record last = all.back().wait();
  EXPECT_TRUE(std::ranges::equal(y, expected));
  EXPECT_EQ(last.recipe, waited.recipe);
  EXPECT_EQ(last.machine, group.name());
  const steps each = steps_of(last);
  EXPECT_EQ(each.run, waited.device_seconds + waited.link_seconds);
  EXPECT_NEAR(group.core(0).record().asynchronous_seconds, each.sum() + (n - 1) * each.longest(),
              tolerance);
  fft_problem p{.type = real_type::single_precision, .extents = {512, 256}, .axes = {1}};
  const device_estimate e = backend_of("test", group).estimate(p, {}, group);
  EXPECT_NEAR(e.asynchronous_seconds, each.longest(), tolerance);
  EXPECT_NEAR(kernels::asynchronous_seconds(e, false, &group).value(), each.longest(), tolerance);
  const device_estimate& alone = e.with_device_arrays();
  EXPECT_NEAR(kernels::asynchronous_seconds(e, true, &group).value(),
              std::max(3e-6, alone.device_seconds), tolerance);
}

// Links between two runs of a call keep the cores: one line by all cores.
TEST(asynchronous_operations, of_groups_have_the_estimated_pace) {
  const std::size_t points = 1 << 17;
  const auto x = random_array<C, 1>({points}, 3);
  array<C, 1> y({points});
  device_group group = quick_group(4);
  device_graph graph = capture(group, [&] { to_host(fft(to_device(group, x)), y.view()); });
  std::vector<pending_run> all;
  for (int i = 0; i < 3; ++i) all.push_back(graph.submit_async());
  const run_record first = all[0].wait();
  ASSERT_EQ(first.launches, 2u) << first.recipe;
  EXPECT_GT(first.link_seconds, 0);
  EXPECT_NEAR(first.launch_seconds, 6e-6, tolerance);
  const double after_first = group.core(0).record().asynchronous_seconds;
  all[2].wait();
  const fft_problem p{.type = real_type::single_precision, .extents = {points}, .axes = {0}};
  const device_estimate e = backend_of("test", group).estimate(p, {}, group);
  EXPECT_NEAR((group.core(0).record().asynchronous_seconds - after_first) / 2,
              e.asynchronous_seconds, tolerance);
  EXPECT_NEAR(e.asynchronous_seconds, steps_of(first).longest(), tolerance);
  EXPECT_NEAR(e.launch_seconds, 2e-6, tolerance);
}

TEST(asynchronous_operations, of_device_arrays_of_groups_begin_on_core_0) {
  const auto blocks = made_blocks(1);
  device_group group(engine::trainium2(), quick_runtime(), 2);
  const auto expected = to_host(fft(to_device(group, blocks[0])));
  group.set_asynchronous(true);
  device_array<C, 2> y;
  const run_record ran = recorded([&] { y = fft(to_device(group, blocks[0])); });
  EXPECT_TRUE(ran.asynchronous);
  EXPECT_EQ(ran.machine, group.name());
  EXPECT_TRUE(std::ranges::equal(to_host(y), expected));
  EXPECT_GT(group.core(0).record().asynchronous_seconds, ran.device_seconds);
  group.set_asynchronous(false);
  EXPECT_FALSE(recorded([&] { fft(y); }).asynchronous);
}

// A run that fails throws where its results are read, and so do runs on its results.
TEST(asynchronous_operations, fail_where_results_are_read) {
  const std::size_t points = 1 << 20;
  const auto x = random_array<C, 1>({points}, 5);
  device dev(engine::trainium2(), quick_runtime());
  const auto there = to_device(dev, x);
  fft(there);
  dev.set_asynchronous(true);
  const auto bytes = std::int64_t(points) * 8;
  // This leaves room for a result, and not for what a long line keeps between its passes.
  const engine::device_buffer rest = dev.allocate({{(dev.free_bytes() - bytes * 3 / 2) / 4}});
  device_array<C, 1> failed = fft(there);
  const device_array<C, 1> after = fft(failed, {.n = 1024});
  const std::string why = message_of<device_error>([&] { to_host(after); });
  EXPECT_NE(why.find("bytes"), std::string::npos) << why;
  EXPECT_EQ(message_of<device_error>([&] { to_host(failed); }), why);
  EXPECT_NO_THROW(dev.synchronize());
  failed = {};
  fft(there);
  EXPECT_NE(message_of<device_error>([&] { dev.synchronize(); }).find("bytes"), std::string::npos);
  EXPECT_NO_THROW(dev.synchronize());
  EXPECT_TRUE(std::ranges::equal(to_host(there), x));
}

// A group that has a failed call leaves its asynchronous mode all the same.
TEST(asynchronous_operations, of_a_group_end_though_one_has_failed) {
  const std::size_t points = 1 << 20;
  const auto x = random_array<C, 1>({points}, 6);
  device_group group(engine::trainium2(), quick_runtime(), 2);
  const auto there = to_device(group, x);
  fft(there);
  group.set_asynchronous(true);
  device& core = group.core(0);
  const auto bytes = std::int64_t(points) * 8;
  const engine::device_buffer rest = core.allocate({{(core.free_bytes() - bytes * 3 / 2) / 4}});
  fft(there);
  EXPECT_THROW(group.set_asynchronous(false), device_error);
  EXPECT_FALSE(group.is_asynchronous());
}

// Buffers that only calls under way use are there for the runs that come after them.
TEST(asynchronous_operations, need_no_more_memory_than_those_that_wait) {
  const std::size_t points = 1 << 20;
  const auto x = random_array<C, 1>({points}, 8);
  engine::machine_spec machine = engine::trainium2();
  machine.hbm.usable_bytes_per_core = std::int64_t(5.2 * 8 * double(points)) + 3'000'000;
  device dev(machine, quick_runtime());
  const auto expected = to_host(fft(to_device(dev, x)));
  dev.set_asynchronous(true);
  for (int i = 0; i < 3; ++i) fft(to_device(dev, x));
  EXPECT_TRUE(std::ranges::equal(to_host(fft(to_device(dev, x))), expected));
  EXPECT_NO_THROW(dev.synchronize());
}

class no_machine final : public accelerator {
 public:
  std::string name() const override { return "nothing"; }
};

TEST(asynchronous_operations, refusals) {
  no_machine nothing;
  EXPECT_EQ(message_of<device_error>([&] { nothing.set_asynchronous(true); }),
            "accelerator::set_asynchronous: nothing has no asynchronous calls");
  EXPECT_NO_THROW(nothing.set_asynchronous(false));
  EXPECT_NO_THROW(nothing.synchronize());
  device old;
  const std::string none =
      ": the runtime sdk_2_24 has no asynchronous calls: runtime_spec::inflight_max is 0 "
      "(sdk_2_32_trn2 has them)";
  EXPECT_EQ(message_of<device_error>([&] { old.set_asynchronous(true); }),
            "accelerator::set_asynchronous" + none);
  EXPECT_FALSE(old.is_asynchronous());
  const auto x = random_array<C, 2>({4, 8}, 1);
  array<C, 2> y(x.extents()), small({2, 8});
  const auto there = to_device(old, x);
  EXPECT_EQ(message_of<device_error>([&] { to_host_async(there, y.view()); }),
            "to_host_async" + none);
  EXPECT_EQ(message_of<shape_error>([&] { to_host_async(there, small.view()); }),
            "to_host_async: out must have the extents of the device array");
  device_graph graph = graph_of(old, x, y);
  EXPECT_EQ(message_of<device_error>([&] { graph.submit_async(); }),
            "device_graph::submit_async" + none);
  device_graph moved = std::move(graph);
  EXPECT_EQ(message_of<invalid_argument>([&] { graph.submit_async(); }),
            "device_graph::submit_async: the graph has no operations: it was moved from");
  pending_run empty;
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(message_of<invalid_argument>([&] { empty.wait(); }),
            "pending_run::wait: no run was begun");
  device dev(engine::trainium2(), quick_runtime());
  dev.set_asynchronous(true);
  const auto on_dev = to_device(dev, x);
  EXPECT_NE(message_of<invalid_argument>([&] {
              capture(dev, [&] { to_host_async(on_dev, y.view()); });
            }).find("to_host_async: inside capture()"),
            std::string::npos);
  EXPECT_THROW(fft(on_dev, {.axis = 5}), invalid_argument);
  pending_run left;
  {
    device gone(engine::trainium2(), quick_runtime());
    left = to_host_async(to_device(gone, x), y.view());
  }
  EXPECT_EQ(message_of<device_error>([&] { left.is_done(); }),
            "pending_run::is_done: the accelerator of the run is gone");
}

TEST(asynchronous_operations, of_threads_take_their_turns) {
  const auto blocks = made_blocks(3);
  device dev(engine::trainium2(), quick_runtime());
  std::vector<array<C, 2>> expected, results(blocks.size());
  for (const auto& x : blocks) expected.push_back(to_host(fft(to_device(dev, x))));
  dev.set_asynchronous(true);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    threads.emplace_back([&, i] {
      const auto y = fft(to_device(dev, blocks[i]));
      results[i] = array<C, 2>(y.extents());
      pending_run copy = to_host_async(y, results[i].view());
      copy.is_done();
      copy.wait();
    });
  for (std::thread& t : threads) t.join();
  dev.synchronize();
  for (std::size_t i = 0; i < blocks.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(results[i], expected[i])) << i;
}

}  // namespace
}  // namespace papilio::test

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/fma_kernel.hpp"
#include "papilio/engine/device_group.hpp"
#include "support/oracle.hpp"

// Asynchronous calls of groups: values of the synchronous phases, and times by the closed form of a
// pipeline of submission, copies up, cores with their links, and copies back.

namespace papilio::engine::group_calls_test {
namespace {

using papilio::test::random_real;
using test::fma_kernel;
using test::refusal;

constexpr double microsecond = 1e-6, tolerance = 1e-12;
constexpr int cores = 4;
constexpr std::size_t rows = 64, columns = 40;
const tensor_shape shape{{std::int64_t(rows), std::int64_t(columns)}};
const kernel fma = fma_kernel();

array<float, 2> made_matrix(unsigned seed) {
  array<float, 2> m({rows, columns});
  std::ranges::copy(random_real<float>(rows * columns, seed), m.begin());
  return m;
}

/// Two runs with a sum over the cores between them: y = all_reduce(x x + x) on each core, and then
/// out = y x + x.
struct summed_twice {
  device_group& group;
  std::vector<device_buffer> sums = group.allocate(shape);

  void operator()(const std::vector<launch_input>& x, const std::vector<launch_output>& out,
                  run_mode mode = run_mode::execute) const {
    std::vector<std::vector<launch_input>> first, second;
    std::vector<std::vector<launch_output>> middle, last;
    for (std::size_t c = 0; c < std::size_t(cores); ++c) {
      first.push_back({x[c], x[c], x[c]});
      middle.push_back({sums[c]});
      second.push_back({sums[c], x[c], x[c]});
      last.push_back({out[c]});
    }
    group.run(fma, first, middle, mode);
    group.all_reduce(sums, mode);
    group.run(fma, second, last, mode);
  }
  void dry() const {
    (*this)(std::vector<launch_input>(std::size_t(cores), shape),
            std::vector<launch_output>(std::size_t(cores), shape), run_mode::dry_run);
  }
};

struct arrays_of_cores {
  explicit arrays_of_cores(unsigned seed) {
    for (unsigned c = 0; c < unsigned(cores); ++c) all.push_back(made_matrix(seed + c));
  }
  std::vector<launch_input> inputs() const { return {all.begin(), all.end()}; }
  std::vector<launch_output> outputs() { return {all.begin(), all.end()}; }

  std::vector<array<float, 2>> all;
};

TEST(group_calls, have_the_bits_of_phases_that_wait) {
  for (const int threads : {1, 2}) {
    device_group one(trainium2(), sdk_2_32_trn2(), cores),
        other(trainium2(), sdk_2_32_trn2(), cores, {.threads = threads});
    const arrays_of_cores x(1), y(11);
    arrays_of_cores expected_x(21), expected_y(31), got_x(41), got_y(51);
    const summed_twice first{one}, second{other};
    first(x.inputs(), expected_x.outputs());
    first(y.inputs(), expected_y.outputs());
    other.call_async([&] { second(x.inputs(), got_x.outputs()); });
    pending_group_call last = other.call_async([&] { second(y.inputs(), got_y.outputs()); });
    const group_report phases = last.wait();
    for (std::size_t c = 0; c < std::size_t(cores); ++c) {
      EXPECT_TRUE(std::ranges::equal(expected_x.all[c], got_x.all[c]));
      EXPECT_TRUE(std::ranges::equal(expected_y.all[c], got_y.all[c]));
    }
    ASSERT_EQ(phases.phases.size(), 3u);
    EXPECT_EQ(phases.phases[1].name, "all_reduce");
    EXPECT_TRUE(other.report().phases.empty());
    EXPECT_EQ(other.core(1).record().launches, 4u);
    EXPECT_EQ(other.core(1).record().upload.bytes, one.core(1).record().upload.bytes);
    EXPECT_EQ(other.core(1).record().upload.seconds, 0);
    const group_phase& run = one.report().phases[0];
    EXPECT_EQ(phases.phases[0].device_seconds, run.device_seconds);
    EXPECT_EQ(phases.phases[0].upload.seconds, run.upload.seconds);
  }
}

// Alike and independent, n calls take the longest step n - 1 times and all steps once. The runs
// of a call and the links between them are one step: the cores wait for the links.
TEST(group_calls, that_are_alike_take_the_longest_step_each) {
  static constexpr double most = 5000;
  const std::vector<std::function<void(machine_spec&, runtime_spec&)>> slow_steps{
      [](machine_spec&, runtime_spec& r) { r.submit_us = most; },
      [](machine_spec&, runtime_spec& r) { r.host_to_device_us = most; },
      [](machine_spec& m, runtime_spec& r) {
        r.submit_us = 1;
        m.link.core_hop_ns = 1e6;
      },
      [](machine_spec&, runtime_spec& r) { r.blocking_fetch_us = 3 * most; }};
  for (std::size_t longest = 0; longest < slow_steps.size(); ++longest) {
    machine_spec machine = trainium2();
    runtime_spec runtime = sdk_2_32_trn2();
    slow_steps[longest](machine, runtime);
    device_group group(machine, runtime, cores), waiting(machine, runtime, cores);
    summed_twice{waiting}.dry();
    double upload = 0, run = 0, fetch = 0;
    for (const group_phase& p : waiting.report().phases) {
      upload += p.upload.seconds;
      run += p.device_seconds + p.link_seconds;
      fetch += p.fetch.seconds;
    }
    const double submit = 2 * runtime.submit_us * microsecond;  // two runs a call
    const std::vector<double> steps{submit, upload, run, fetch};
    ASSERT_EQ(*std::ranges::max_element(steps), steps[longest]);
    const summed_twice work{group};
    constexpr int n = 6;
    std::vector<pending_group_call> all;
    for (int i = 0; i < n; ++i) all.push_back(group.call_async([&] { work.dry(); }));
    EXPECT_FALSE(all.back().is_done());
    all.back().wait();
    EXPECT_TRUE(all.back().is_done());
    EXPECT_NEAR(all[0].times().done, submit + upload + run + fetch, tolerance);
    EXPECT_NEAR(all.back().times().done - all[0].times().done, (n - 1) * steps[longest], tolerance);
    EXPECT_NEAR(all[0].pace_seconds(), steps[longest], tolerance);
    EXPECT_NEAR(group.core(0).record().asynchronous_seconds, all.back().times().done, tolerance);
  }
}

// With d calls under way at most each takes the sum of all steps over d, or its longest step.
TEST(group_calls, have_the_pace_of_the_calls_that_may_be_under_way) {
  for (const int limit : {1, 2, 3, 64}) {
    runtime_spec runtime = sdk_2_32_trn2();
    runtime.inflight_max = limit;
    runtime.submit_us = 40;
    runtime.host_to_device_us = 10;
    device_group group(trainium2(), runtime, cores);
    const summed_twice work{group};
    std::vector<pending_group_call> all;
    for (int i = 0; i < 40; ++i) all.push_back(group.call_async([&] { work.dry(); }));
    const call_times& t = all[0].times();
    const double longest = std::max({t.submitted - t.called, t.upload_end - t.upload_start,
                                     t.run_end - t.run_start, t.done - t.fetch_start});
    const double pace = std::max(longest, t.done / limit);
    EXPECT_NEAR(all[0].pace_seconds(), pace, tolerance) << limit;
    EXPECT_NEAR((all[39].times().done - all[27].times().done) / 12, pace, tolerance) << limit;
  }
}

// A copy into buffers that the run before reads waits for it, in the calls and in their pace.
TEST(group_calls, copy_into_buffers_after_the_runs_that_read_them) {
  runtime_spec runtime = sdk_2_32_trn2();
  runtime.submit_us = 1;
  runtime.host_to_device_us = 50;
  device_group group(trainium2(), runtime, cores);
  const std::vector<device_buffer> in = group.allocate(shape), out = group.allocate(shape);
  const auto work = [&] {
    group.write(in, std::vector<launch_input>(std::size_t(cores), shape));
    std::vector<std::vector<launch_input>> read;
    std::vector<std::vector<launch_output>> written;
    for (std::size_t c = 0; c < std::size_t(cores); ++c) {
      read.push_back({in[c], in[c], in[c]});
      written.push_back({out[c]});
    }
    group.run(fma, read, written, run_mode::dry_run);
  };
  pending_group_call first = group.call_async(work), second = group.call_async(work);
  EXPECT_DOUBLE_EQ(second.times().upload_start, first.times().run_end);
  const double upload = first.times().upload_end - first.times().upload_start;
  const double run = first.times().run_end - first.times().run_start;
  EXPECT_NEAR(upload, cores * runtime.upload_us(1, double(shape.bytes())) * microsecond, tolerance);
  EXPECT_NEAR(first.pace_seconds(), upload + run, tolerance);
  array<float, 2> fetched({rows, columns});
  pending_group_call back =
      group.call_async([&] { group.download(2, out[2], launch_output(shape)); });
  EXPECT_DOUBLE_EQ(back.times().fetch_start, second.times().run_end);
}

// Each core has queues of its own: calls on two cores run side by side, and a call of the group
// waits for both.
TEST(group_calls, and_calls_of_single_cores_share_one_host) {
  device_group group(trainium2(), sdk_2_32_trn2(), cores);
  const tensor_shape large{{1280, 65536}};  // several ms of DMA
  const std::vector<device_buffer> x = group.upload(large), y = group.allocate(large);
  std::vector<pending_call> own;
  for (const std::size_t c : {1, 3})
    own.push_back(
        group.core(int(c)).launch_async(fma, {x[c], x[c], x[c]}, {y[c]}, run_mode::dry_run));
  EXPECT_DOUBLE_EQ(own[1].times().called, own[0].times().submitted);
  EXPECT_DOUBLE_EQ(own[1].times().run_start, own[1].times().submitted);
  const summed_twice work{group};
  const pending_group_call all = group.call_async([&] { work.dry(); });
  EXPECT_DOUBLE_EQ(all.times().run_start, own[1].times().run_end);
  group.synchronize();
  EXPECT_NEAR(group.core(0).record().asynchronous_seconds, all.times().done, tolerance);
}

// A phase that waits does so for all calls, and then takes its own time.
TEST(group_calls, mix_with_phases_that_wait) {
  device_group group(trainium2(), sdk_2_32_trn2(), cores);
  const summed_twice work{group};
  const pending_group_call call = group.call_async([&] { work.dry(); });
  EXPECT_LT(group.core(0).record().asynchronous_seconds, call.times().done);
  group.all_reduce(work.sums, run_mode::dry_run);
  EXPECT_NEAR(group.core(0).record().asynchronous_seconds, call.times().done, tolerance);
  ASSERT_EQ(group.report().phases.size(), 1u);
  work.dry();
  EXPECT_EQ(group.report().phases.size(), 4u);
  device_group half(group, 2);
  EXPECT_EQ(half.call_async([&] { half.upload(shape); }).wait().phases.size(), 0u);
}

// A call's copies on the cores take memory until it is done: the next waits for room.
TEST(group_calls, wait_for_memory) {
  machine_spec machine = trainium2();
  machine.hbm.usable_bytes_per_core = 6 * shape.bytes();
  device_group group(machine, sdk_2_32_trn2(), cores);
  const auto work = [&] {
    const std::vector<std::vector<launch_input>> in(std::size_t(cores), {shape, shape, shape});
    group.run(fma, in, {std::size_t(cores), {shape}}, run_mode::dry_run);
  };
  std::vector<pending_group_call> all;
  for (int i = 0; i < 3; ++i) all.push_back(group.call_async(work));
  EXPECT_NEAR(all[2].times().done, 3 * all[0].times().done, tolerance);
  group.synchronize();
  EXPECT_EQ(group.core(3).free_bytes(), machine.hbm.usable_bytes_per_core);
}

TEST(group_calls, fail_where_somebody_waits) {
  device_group group(trainium2(), sdk_2_32_trn2(), 2);
  const kernel broken{.name = "broken", .body = [](core& nc, const kernel_arguments&) {
                        const tile a = nc.sbuf(4, 4), b = nc.sbuf(4, 5);
                        nc.issue(tensor_copy{.out = a, .in = b});
                      }};
  const auto fails = [&] { group.run(broken, {{}, {}}, {{}, {}}); };
  pending_group_call failed = group.call_async(fails);
  pending_group_call good = group.call_async([&] {
    group.all_gather(group.allocate(shape), group.allocate({{2, 64, 40}}), run_mode::dry_run);
  });
  EXPECT_NE(refusal<kernel_error>([&] { failed.wait(); }).find("kernel broken"), std::string::npos);
  EXPECT_NE(refusal<device_error>([&] { good.wait(); }).find("nobody has written"),
            std::string::npos);
  EXPECT_NO_THROW(group.synchronize());
  group.call_async(fails);
  EXPECT_NE(refusal<kernel_error>([&] { group.synchronize(); }).find("kernel broken"),
            std::string::npos);
  EXPECT_NO_THROW(group.synchronize());
  EXPECT_TRUE(group.report().phases.empty());
}

// A call that is over keeps no buffer, though somebody has its handle.
TEST(group_calls, keep_no_buffers) {
  device_group group(trainium2(), sdk_2_32_trn2(), 2);
  const std::int64_t free = group.core(0).free_bytes();
  const pending_group_call call = group.call_async([&] {
    const std::vector<device_buffer> in = group.allocate(shape);
    group.write(in, std::vector<launch_input>(2, shape));
    group.all_gather(in, group.allocate({{2, 64, 40}}), run_mode::dry_run);
  });
  group.synchronize();
  EXPECT_FALSE(call.empty());
  EXPECT_EQ(group.core(0).free_bytes(), free);
  EXPECT_GT(call.pace_seconds(), 0);
}

TEST(group_calls, are_refused_at_once) {
  device_group old(trainium1(), sdk_2_24(), 2), group(trainium2(), sdk_2_32_trn2(), 2);
  EXPECT_EQ(refusal<device_error>([&] { old.call_async([] {}); }),
            "device_group::call_async: the runtime sdk_2_24 has no asynchronous calls: "
            "runtime_spec::inflight_max is 0 (sdk_2_32_trn2 has them)");
  pending_group_call within = group.call_async([&] { group.call_async([] {}); });
  EXPECT_EQ(refusal<invalid_argument>([&] { within.wait(); }),
            "device_group::call_async: inside another call of the group");
  pending_group_call none;
  EXPECT_EQ(refusal<invalid_argument>([&] { none.wait(); }),
            "pending_group_call::wait: no call was begun");
  EXPECT_EQ(refusal<device_error>([&] { old.set_asynchronous(true); }),
            "accelerator::set_asynchronous: the runtime sdk_2_24 has no asynchronous calls: "
            "runtime_spec::inflight_max is 0 (sdk_2_32_trn2 has them)");
}

}  // namespace
}  // namespace papilio::engine::group_calls_test

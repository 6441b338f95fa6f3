#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/fma_kernel.hpp"
#include "papilio/engine/device.hpp"
#include "support/oracle.hpp"

// Asynchronous calls: values of the synchronous ones, and times by the closed form of a pipeline.

namespace papilio::engine::test {
namespace {

using papilio::test::random_real;

constexpr double microsecond = 1e-6, tolerance = 1e-12;

array<float, 2> made_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  array<float, 2> m({rows, columns});
  std::ranges::copy(random_real<float>(rows * columns, seed), m.begin());
  return m;
}

const kernel fma = fma_kernel();

/// Issues what no machine takes: a copy between tiles of different shape.
const kernel broken{.name = "broken", .body = [](core& nc, const kernel_arguments&) {
                      const tile a = nc.sbuf(4, 4), b = nc.sbuf(4, 5);
                      nc.issue(tensor_copy{.out = a, .in = b});
                    }};

/// Steps of one call.
struct steps {
  double submit, upload, run, fetch;

  double sum() const { return submit + upload + run + fetch; }
  double longest() const { return std::max({submit, upload, run, fetch}); }
};

steps steps_of(const device& dev, const launch_result& r) {
  return {dev.runtime().submit_us * microsecond, r.upload.seconds, r.device_seconds,
          r.fetch.seconds};
}

class calls : public ::testing::Test {
 protected:
  static constexpr std::size_t rows = 130, columns = 70;
  array<float, 2> a = made_matrix(rows, columns, 1), b = made_matrix(rows, columns, 2),
                  c = made_matrix(rows, columns, 3);
  const tensor_shape shape{{std::int64_t(rows), std::int64_t(columns)}};

  static array<float, 2> empty() { return array<float, 2>({rows, columns}); }
};

TEST_F(calls, have_the_bits_of_synchronous_ones) {
  array<float, 2> x = empty(), y = empty(), z = empty(), first = empty(), second = empty(),
                  third = empty();
  device one(trainium2(), sdk_2_32_trn2()), other(trainium2(), sdk_2_32_trn2());
  one.launch(fma, {a, b, c}, {x});
  one.launch(fma, {x, b, c}, {y});
  one.launch(fma, {y, x, a}, {z});
  pending_call last;
  other.launch_async(fma, {a, b, c}, {first});
  other.launch_async(fma, {first, b, c}, {second});
  last = other.launch_async(fma, {second, first, a}, {third});
  const launch_result r = last.wait();
  EXPECT_TRUE(std::ranges::equal(x, first));
  EXPECT_TRUE(std::ranges::equal(y, second));
  EXPECT_TRUE(std::ranges::equal(z, third));
  EXPECT_EQ(r.kernel, "fma");
  EXPECT_EQ(r.upload.tensors, 3u);
  EXPECT_EQ(other.record().launches, 3u);
  EXPECT_EQ(other.record().upload.bytes, one.record().upload.bytes);
  EXPECT_EQ(other.record().hits, one.record().hits);
}

// Alike and independent, n calls take the longest step n - 1 times and all steps once, whichever
// step is the longest.
TEST_F(calls, that_are_alike_take_the_longest_step_each) {
  static constexpr double most = 5000;
  const std::vector<std::function<void(runtime_spec&)>> slow_steps{
      [](runtime_spec& r) { r.submit_us = most; },
      [](runtime_spec& r) { r.host_to_device_us = most; },
      [](runtime_spec& r) {
        r.submit_us = r.host_to_device_large_us_per_mb = r.device_to_host_us_per_mb = 0;
      },
      [](runtime_spec& r) { r.blocking_fetch_us = most; }};
  for (std::size_t longest = 0; longest < slow_steps.size(); ++longest) {
    runtime_spec runtime = sdk_2_32_trn2();
    slow_steps[longest](runtime);
    device dev(trainium2(), runtime);
    constexpr int n = 7;
    std::vector<pending_call> all;
    for (int i = 0; i < n; ++i)
      all.push_back(dev.launch_async(fma, {shape, shape, shape}, {shape}, run_mode::dry_run));
    const steps each = steps_of(dev, all.back().wait());
    EXPECT_NEAR(all.back().times().done, each.sum() + (n - 1) * each.longest(), tolerance)
        << longest;
    EXPECT_NEAR(dev.record().total_seconds(), all.back().times().done, tolerance);
    EXPECT_EQ(dev.record().asynchronous_seconds, dev.record().total_seconds());
    EXPECT_EQ(std::vector({each.submit, each.upload, each.run, each.fetch})[longest],
              each.longest());
  }
}

// The published case: 437 us between synchronous calls of a program of 5.18 ms, none between
// asynchronous ones.
TEST_F(calls, of_a_long_program_leave_no_gap) {
  machine_spec machine = trainium2();
  device dev(machine, sdk_2_32_trn2());
  const tensor_shape large{{1280, 65536}};  // several ms of DMA
  const device_buffer x = dev.upload(large), y = dev.allocate(large);
  std::vector<pending_call> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(dev.launch_async(fma, {x, x, x}, {y}, run_mode::dry_run));
  dev.synchronize();
  ASSERT_GT(all[0].wait().device_seconds, 437 * microsecond);
  for (int i = 1; i < 4; ++i)
    EXPECT_DOUBLE_EQ(all[std::size_t(i)].times().run_start,
                     all[std::size_t(i) - 1].times().run_end);
  dev.reset_record();
  for (int i = 0; i < 2; ++i) {
    dev.launch(fma, {x, x, x}, {y}, run_mode::dry_run);
    dev.synchronize();
  }
  EXPECT_NEAR(dev.record().total_seconds(), 2 * (437 * microsecond + all[0].wait().device_seconds),
              tolerance);
}

// With at most d calls under way, the host submits call i when call i - d is done.
TEST_F(calls, wait_for_the_oldest_beyond_the_limit) {
  for (const int limit : {1, 2, 3, 64}) {
    runtime_spec runtime = sdk_2_32_trn2();
    runtime.inflight_max = limit;
    runtime.submit_us = 3;
    device dev(trainium2(), runtime);
    constexpr int n = 9;
    std::vector<pending_call> all;
    for (int i = 0; i < n; ++i)
      all.push_back(dev.launch_async(fma, {shape, shape, shape}, {shape}, run_mode::dry_run));
    const steps each = steps_of(dev, all[0].wait());
    std::vector<double> done;
    double host = 0, up = 0, core = 0, down = 0;
    for (int i = 0; i < n; ++i) {
      if (i >= limit) host = std::max(host, done[std::size_t(i - limit)]);
      EXPECT_NEAR(all[std::size_t(i)].times().called, host, tolerance) << limit << ' ' << i;
      host += each.submit;
      up = std::max(up, host) + each.upload;
      core = std::max(core, up) + each.run;
      down = std::max(down, core) + each.fetch;
      done.push_back(down);
      EXPECT_NEAR(all[std::size_t(i)].times().done, down, tolerance) << limit << ' ' << i;
    }
    if (limit == 1) {
      EXPECT_NEAR(done.back(), n * each.sum(), tolerance);
    }
  }
}

// What a call reads from the host is copied up when the call that writes it has been copied back.
TEST_F(calls, that_depend_through_the_host_follow_one_another) {
  device dev(trainium2(), sdk_2_32_trn2());
  array<float, 2> x = empty(), y = empty(), z = empty();
  const pending_call first = dev.launch_async(fma, {a, b, c}, {x});
  const pending_call second = dev.launch_async(fma, {x, b, c}, {y});
  const pending_call apart = dev.launch_async(fma, {a, b, c}, {z});
  EXPECT_DOUBLE_EQ(second.times().upload_start,
                   std::max(second.times().submitted, first.times().done));
  EXPECT_GT(second.times().upload_start, 0);
  dev.synchronize();
  EXPECT_TRUE(std::ranges::equal(x, z));
}

// Buffers: a run waits for the copy that it reads, a copy into a buffer for the runs that read it,
// a run for the copy back of what it writes anew.
TEST_F(calls, that_share_buffers_wait_for_them) {
  runtime_spec runtime = sdk_2_32_trn2();
  runtime.submit_us = 0;
  runtime.host_to_device_us = 40;
  runtime.blocking_fetch_us = 50;
  device dev(trainium2(), runtime);
  const device_buffer x = dev.upload(b), other = dev.upload(c), y = dev.allocate(shape);
  array<float, 2> first = empty(), second = empty(), expected = empty();
  dev.launch(fma, {a, a, c}, {expected});

  const pending_call up = dev.write_async(x, a);
  const pending_call run = dev.launch_async(fma, {x, x, other}, {y});
  const pending_call down = dev.download_async(y, first);
  const pending_call up_again = dev.write_async(x, b);
  const pending_call elsewhere = dev.write_async(dev.allocate(shape), b);
  const pending_call run_again = dev.launch_async(fma, {x, x, other}, {y});
  const pending_call down_again = dev.download_async(y, second);
  EXPECT_DOUBLE_EQ(run.times().run_start, up.times().done);
  EXPECT_DOUBLE_EQ(down.times().fetch_start, run.times().run_end);
  EXPECT_DOUBLE_EQ(up_again.times().upload_start, run.times().run_end);
  EXPECT_DOUBLE_EQ(elsewhere.times().upload_start, up_again.times().upload_end);
  EXPECT_DOUBLE_EQ(run_again.times().run_start, std::max(up_again.times().done, down.times().done));
  EXPECT_DOUBLE_EQ(down_again.times().fetch_start, run_again.times().run_end);
  dev.synchronize();
  EXPECT_TRUE(std::ranges::equal(first, expected));
  dev.launch(fma, {b, b, c}, {expected});
  EXPECT_TRUE(std::ranges::equal(second, expected));
}

// A call's copies on the device take memory until it is done: the next waits for room.
TEST_F(calls, wait_for_memory) {
  machine_spec machine = trainium2();
  machine.hbm.usable_bytes_per_core = 5 * shape.bytes();  // of one call's four arrays
  device dev(machine, sdk_2_32_trn2());
  constexpr int n = 3;
  std::vector<pending_call> all;
  for (int i = 0; i < n; ++i)
    all.push_back(dev.launch_async(fma, {shape, shape, shape}, {shape}, run_mode::dry_run));
  const steps each = steps_of(dev, all[0].wait());
  EXPECT_NEAR(all.back().times().done, n * each.sum(), tolerance);
  dev.synchronize();
  EXPECT_EQ(dev.free_bytes(), machine.hbm.usable_bytes_per_core);
  const tensor_shape twice{{2 * std::int64_t(rows), std::int64_t(columns)}};
  pending_call large = dev.launch_async(fma, {twice, twice, twice}, {twice}, run_mode::dry_run);
  EXPECT_NE(refusal<device_error>([&] { large.wait(); }).find("bytes"), std::string::npos);
}

TEST_F(calls, fail_where_somebody_waits) {
  device dev(trainium2(), sdk_2_32_trn2());
  array<float, 2> x = empty(), y = empty();
  std::ranges::fill(x, 7.0f);
  pending_call failed = dev.launch_async(broken, {a}, {x});
  pending_call good = dev.launch_async(fma, {a, b, c}, {y});
  EXPECT_NE(refusal<kernel_error>([&] { failed.wait(); }).find("kernel broken"), std::string::npos);
  EXPECT_NE(refusal<kernel_error>([&] { failed.wait(); }).find("kernel broken"), std::string::npos);
  EXPECT_EQ(good.wait().kernel, "fma");
  EXPECT_TRUE(std::ranges::all_of(x, [](float v) { return v == 7; }));
  EXPECT_NO_THROW(dev.synchronize());
  EXPECT_EQ(dev.record().launches, 1u);
}

// What reads the result of a call that failed fails too; an error that nobody waits for is thrown
// by synchronize, once.
TEST_F(calls, that_nobody_waits_for_fail_when_the_device_is_waited_for) {
  device dev(trainium2(), sdk_2_32_trn2());
  const device_buffer y = dev.allocate(shape);
  array<float, 2> x = empty();
  dev.launch_async(broken, {a}, {y});
  pending_call reads = dev.download_async(y, x);
  EXPECT_NE(refusal<device_error>([&] { reads.wait(); }).find("nobody has written"),
            std::string::npos);
  EXPECT_NE(refusal<kernel_error>([&] { dev.synchronize(); }).find("kernel broken"),
            std::string::npos);
  EXPECT_NO_THROW(dev.synchronize());
}

TEST_F(calls, are_refused_at_once_without_a_run) {
  device dev(trainium2(), sdk_2_32_trn2()), old(trainium1(), sdk_2_24());
  EXPECT_EQ(refusal<invalid_argument>([&] { dev.launch_async({}, {a}, {}); }),
            "device::launch_async: the kernel has no name");
  EXPECT_EQ(refusal<device_error>([&] {
              old.launch_async(fma, {a, b, c}, {c});
            }),
            "device::launch_async(fma): the runtime sdk_2_24 has no asynchronous calls: "
            "runtime_spec::inflight_max is 0 (sdk_2_32_trn2 has them)");
  const device_buffer x = dev.allocate(shape);
  array<float, 2> small({2, 2});
  EXPECT_NE(refusal<shape_error>([&] { dev.write_async(x, small); }).find("device::write_async"),
            std::string::npos);
  pending_call none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(refusal<invalid_argument>([&] { none.wait(); }),
            "pending_call::wait: no call was begun");
}

TEST_F(calls, outlive_no_device) {
  pending_call call;
  {
    device dev(trainium2(), sdk_2_32_trn2());
    call = dev.launch_async(fma, {shape, shape, shape}, {shape}, run_mode::dry_run);
  }
  EXPECT_EQ(refusal<device_error>([&] { call.wait(); }),
            "pending_call::wait: the device of the call is gone");
}

// A synchronous call waits for all before it; what was launched before and not waited for keeps
// the core busy.
TEST_F(calls, mix_with_synchronous_ones) {
  device dev(trainium2(), sdk_2_32_trn2());
  const device_buffer x = dev.upload(a), y = dev.allocate(shape);
  array<float, 2> out = empty();
  dev.reset_record();
  const launch_result before = dev.launch(fma, {x, x, x}, {y});
  const double queued = dev.record().pending_seconds;
  EXPECT_EQ(queued, before.device_seconds);
  const pending_call call = dev.launch_async(fma, {x, x, x}, {y});
  EXPECT_EQ(dev.record().pending_seconds, 0);
  EXPECT_DOUBLE_EQ(call.times().run_start, std::max(queued, call.times().submitted));
  const launch_result after = dev.launch(fma, {a, b, c}, {out});
  EXPECT_NEAR(dev.record().total_seconds(),
              before.total_seconds() + call.times().done + after.total_seconds(), tolerance);
}

// A launch that was not waited for may use any buffer: copies of buffers follow it.
TEST_F(calls, of_copies_follow_launches_that_were_not_waited_for) {
  device dev(trainium2(), sdk_2_32_trn2());
  const device_buffer x = dev.upload(a), y = dev.allocate(shape);
  array<float, 2> out = empty(), other = empty();
  dev.reset_record();
  const launch_result before = dev.launch(fma, {x, x, x}, {y});
  const pending_call fetched = dev.download_async(y, out);
  EXPECT_DOUBLE_EQ(fetched.times().fetch_start, before.device_seconds);
  EXPECT_GE(dev.write_async(x, b).times().upload_start, before.device_seconds);
}

// Buffers wait for the memory of calls under way, and a call's own result has its run in it.
TEST_F(calls, make_room_for_buffers) {
  machine_spec machine = trainium2();
  machine.hbm.usable_bytes_per_core = 5 * shape.bytes();
  device dev(machine, sdk_2_32_trn2());
  pending_call call = dev.launch_async(fma, {shape, shape, shape}, {shape}, run_mode::dry_run);
  const tensor_shape twice{{2 * std::int64_t(rows), std::int64_t(columns)}};
  const device_buffer large = dev.allocate(twice);
  EXPECT_EQ(dev.free_bytes(), 3 * shape.bytes());
  const launch_result r = call.wait();
  EXPECT_EQ(r.wait_seconds, r.device_seconds);
}

TEST_F(calls, of_graphs_overlap) {
  device dev(trainium2(), sdk_2_32_trn2());
  array<float, 2> x = empty(), y = empty(), z = empty(), expected = empty();
  dev.launch(fma, {a, b, c}, {expected});
  graph first(dev), second(dev);
  first.launch(fma, {a, b, c}, {x});
  second.launch(fma, {a, b, c}, {y});
  second.launch(fma, {y, b, c}, {z});
  pending_call one = first.submit_async(), two = second.submit_async();
  EXPECT_DOUBLE_EQ(two.times().upload_start,
                   std::max(two.times().submitted, one.times().upload_end));
  EXPECT_EQ(one.wait().upload.tensors, 1u);
  EXPECT_EQ(two.wait().fetch.tensors, 1u);
  EXPECT_TRUE(std::ranges::equal(x, expected));
  EXPECT_TRUE(std::ranges::equal(y, expected));
  dev.launch(fma, {y, b, c}, {expected});
  EXPECT_TRUE(std::ranges::equal(z, expected));
}

}  // namespace
}  // namespace papilio::engine::test

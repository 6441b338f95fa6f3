#include "papilio/engine/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/fma_kernel.hpp"
#include "support/oracle.hpp"

namespace papilio::engine::test {
namespace {

using papilio::test::random_real;

constexpr double us = 1e-6;

array<float, 2> random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  array<float, 2> m({rows, columns});
  std::ranges::copy(random_real<float>(rows * columns, seed), m.begin());
  return m;
}

class graph_of_launches : public ::testing::Test {
 protected:
  static constexpr std::size_t rows = 5, columns = 7;  // 140 bytes: 192 when packed
  array<float, 2> a = random_matrix(rows, columns, 1), b = random_matrix(rows, columns, 2);
  array<float, 2> c = random_matrix(rows, columns, 3), d = random_matrix(rows, columns, 4);
  array<float, 2> x{{rows, columns}}, y{{rows, columns}};
  array<float, 2> expected_x{{rows, columns}}, expected_y{{rows, columns}};
  const kernel fma = fma_kernel();
  device dev;

  static void expect_equal(const array<float, 2>& got, const array<float, 2>& expected) {
    EXPECT_TRUE(std::ranges::equal(got, expected));
  }
};

TEST_F(graph_of_launches, packs_copies_and_submits_once) {
  dev.launch(fma, {a, b, c}, {expected_x});
  dev.launch(fma, {a, d, c}, {expected_y});
  dev.reset_record();

  graph g(dev);
  g.launch(fma, {a, b, c}, {x});
  g.launch(fma, {a, d, c}, {y});
  EXPECT_EQ(g.launches(), 2u);
  const graph_result r = g.submit();
  expect_equal(x, expected_x);
  expect_equal(y, expected_y);
  EXPECT_EQ(r.launches, 2u);
  EXPECT_EQ(r.separate_upload.tensors, 6u);
  EXPECT_EQ(r.separate_upload.bytes, 6u * 140);
  EXPECT_NEAR(r.separate_upload.seconds, (6 * 169 + 6 * 140e-6 * 109) * us, 1e-12);
  EXPECT_EQ(r.separate_fetch.tensors, 2u);
  EXPECT_NEAR(r.separate_fetch.seconds, (2 * 73 + 2 * 140e-6 * 160) * us, 1e-12);
  EXPECT_DOUBLE_EQ(r.separate_launch_seconds, 2 * 624 * us);
  EXPECT_EQ(r.run.upload.tensors, 1u);
  EXPECT_EQ(r.run.upload.bytes, 4u * 192) << "a, b, c, d once each";
  EXPECT_NEAR(r.run.upload.seconds, (169 + 4 * 192e-6 * 109) * us, 1e-12);
  EXPECT_EQ(r.run.fetch.tensors, 1u);
  EXPECT_EQ(r.run.fetch.bytes, 2u * 192);
  EXPECT_DOUBLE_EQ(r.run.launch_seconds, 624 * us);
  EXPECT_EQ(dev.record().launches, 1u);
  EXPECT_EQ(dev.record().upload.tensors, 1u);
  EXPECT_NE(r.to_text().find("upload          6            840"), std::string::npos) << r.to_text();
}

TEST_F(graph_of_launches, keeps_an_array_between_launches_on_the_device) {
  dev.launch(fma, {a, b, c}, {expected_x});
  dev.launch(fma, {expected_x, d, expected_x}, {expected_y});
  graph g(dev);
  g.launch(fma, {a, b, c}, {x});
  g.launch(fma, {x, d, x}, {y});
  const graph_result r = g.submit();
  expect_equal(x, expected_x);
  expect_equal(y, expected_y);
  EXPECT_EQ(r.separate_upload.tensors, 6u);
  EXPECT_EQ(r.run.upload.bytes, 4u * 192);
  EXPECT_EQ(r.run.fetch.bytes, 2u * 192);
}

TEST_F(graph_of_launches, reads_an_array_before_and_after_it_is_written) {
  array<float, 2> same = a, expected_same = a;
  dev.launch(fma, {expected_same, b, c}, {expected_x});
  dev.launch(fma, {expected_same, expected_same, c}, {expected_same});
  dev.launch(fma, {expected_same, b, c}, {expected_y});
  graph g(dev);
  g.launch(fma, {same, b, c}, {x});
  g.launch(fma, {same, same, c}, {same});
  g.launch(fma, {same, b, c}, {y});
  g.submit();
  expect_equal(x, expected_x);
  expect_equal(same, expected_same);
  expect_equal(y, expected_y);
}

TEST_F(graph_of_launches, passes_buffers_and_waits_for_them) {
  graph g(dev);
  const device_buffer between = g.buffer({{rows, columns}});
  g.launch(fma, {a, b, c}, {between});
  g.launch(fma, {between, d, between}, {y});
  const graph_result r = g.submit();
  dev.launch(fma, {a, b, c}, {expected_x});
  const launch_result alone = dev.launch(fma, {expected_x, d, expected_x}, {expected_y});
  expect_equal(y, expected_y);
  EXPECT_EQ(r.run.fetch.bytes, 192u);
  EXPECT_TRUE(between.is_written());
  // The second begins with what the first ends with.
  EXPECT_GT(r.run.device_seconds, 1.5 * alone.device_seconds);
}

TEST_F(graph_of_launches, overlaps_launches_that_share_nothing) {
  const launch_result alone = dev.launch(fma, {a, b, c}, {x});
  graph g(dev);
  g.launch(fma, {a, b, c}, {x});
  g.launch(fma, {a, d, c}, {y});
  const graph_result r = g.submit();
  EXPECT_GT(r.run.device_seconds, alone.device_seconds);
  EXPECT_LT(r.run.device_seconds, 2 * alone.device_seconds);
}

TEST_F(graph_of_launches, may_be_submitted_again) {
  device cold(trainium1(), sdk_2_24(), {.start = program_start::cold});
  graph g(cold);
  g.launch(fma, {a, b, c}, {x});
  const device_buffer state = cold.upload(d);
  g.launch(fma, {state, b, c}, {state});
  EXPECT_EQ(g.submit().run.program, program_state::compiled);
  a(0, 0) = 42;
  EXPECT_EQ(g.submit().run.program, program_state::hit);
  dev.launch(fma, {a, b, c}, {expected_x});
  expect_equal(x, expected_x);
  array<float, 2> expected_state = d;
  for (int i = 0; i < 2; ++i) dev.launch(fma, {expected_state, b, c}, {expected_state});
  expect_equal(cold.download<float, 2>(state), expected_state);
}

TEST_F(graph_of_launches, runs_dry) {
  graph g(dev);
  const tensor_shape s{{rows, columns}};
  const device_buffer between = g.buffer(s);
  g.launch(fma, {s, s, s}, {between});
  g.launch(fma, {between, s, s}, {s});
  const graph_result r = g.submit(run_mode::dry_run);
  EXPECT_EQ(r.run.upload.bytes, 5u * 192);
  EXPECT_EQ(refusal<invalid_argument>([&] { g.submit(); }),
            "graph::submit(fma and 1 more): launch 0 inputs[0]: is a shape without data, which "
            "only a dry run takes");
}

TEST_F(graph_of_launches, frees_the_chip_between_kernels) {
  const kernel large{.name = "large", .body = [](core& nc, const kernel_arguments& t) {
                       const tile whole = nc.sbuf(128, 196608 / 4);
                       const tile_view part = whole->partition_range(0, 5).columns(0, 7);
                       nc.issue(dma_copy{.out = part, .in = t.in(0)});
                       nc.issue(dma_copy{.out = t.out(0), .in = part});
                     }};
  graph g(dev);
  g.launch(large, {a}, {x});
  g.launch(large, {x}, {y});
  g.submit();
  expect_equal(y, a);
}

// Kernels that order their engines by hand wait for all before, and all after waits for them.
TEST_F(graph_of_launches, takes_kernels_that_order_by_hand) {
  const kernel by_hand{
      .name = "by_hand", .body = [](core& nc, const kernel_arguments& t) {
        nc.order_by_hand();
        const semaphore loaded = nc.make_semaphore();
        const tile s = nc.sbuf(5, 7);
        nc.issue(dma_copy{.out = s.whole(), .in = t.in(0), .queue = 0});
        nc.issue(semaphore_signal{.which = loaded, .on = unit::dma, .queue = 0});
        nc.issue(semaphore_wait{.which = loaded, .value = 1, .on = unit::dma, .queue = 9});
        nc.issue(dma_copy{.out = t.out(0), .in = s.whole(), .queue = 9});
      }};
  graph g(dev);
  const device_buffer first = g.buffer({{rows, columns}}), second = g.buffer({{rows, columns}});
  g.launch(fma, {a, b, c}, {first});
  g.launch(by_hand, {first}, {second});
  g.launch(fma, {second, b, c}, {y});
  g.submit();
  dev.launch(fma, {a, b, c}, {expected_x});
  dev.launch(fma, {expected_x, b, c}, {expected_y});
  expect_equal(y, expected_y);
}

TEST_F(graph_of_launches, refuses_what_separate_launches_would_not_mean) {
  graph g(dev);
  EXPECT_EQ(refusal<invalid_argument>([&] { g.submit(); }), "graph::submit: nothing was launched");
  g.launch(fma, {a, b, c}, {x});
  EXPECT_EQ(refusal<invalid_argument>([&] {
              const auto part = [](array<float, 2>& m) { return m.view().slice(0, 1, 3); };
              g.launch(fma, {part(x), part(b), part(c)}, {part(y)});
            }),
            "graph::launch(fma): inputs[0]: overlaps launch 0 outputs[0], which a launch before "
            "writes, and is not the same array");
  EXPECT_EQ(g.launches(), 1u) << "a refused launch leaves the graph as it was";
  device other;
  const device_buffer foreign = other.upload(a);
  EXPECT_THROW(g.launch(fma, {foreign, b, c}, {y}), device_error);
  g.submit();
  dev.launch(fma, {a, b, c}, {expected_x});
  expect_equal(x, expected_x);
  const device_buffer unwritten = g.buffer({{rows, columns}});
  g.launch(fma, {unwritten, b, c}, {y});
  EXPECT_EQ(refusal<device_error>([&] { g.submit(); }),
            "graph::submit(fma and 1 more): launch 1 inputs[0]: reads a buffer [5, 7] fp32 that "
            "nobody has written");
}

TEST_F(graph_of_launches, refuses_outputs_that_a_later_kernel_leaves_unwritten) {
  const kernel idle{.name = "idle", .body = [](core&, const kernel_arguments&) {}};
  graph g(dev);
  g.launch(fma, {a, b, c}, {x});
  g.launch(idle, {a}, {x});
  EXPECT_EQ(refusal<kernel_error>([&] { g.submit(); }),
            "kernel idle: launch 0 outputs[0]: is an output of 35 elements, of which 35 were never "
            "written");
}

}  // namespace
}  // namespace papilio::engine::test

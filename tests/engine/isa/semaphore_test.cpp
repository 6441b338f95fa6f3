#include "engine/support.hpp"

namespace papilio::engine::test {
namespace {

// Three tiles, and engines that are ordered by hand from here on.
struct semaphores : fixture {
  tile x = filled(128, 16), y = filled(128, 16), z = filled(128, 16);
  semaphore done = nc.make_semaphore(), next = nc.make_semaphore();
  semaphores() { nc.order_by_hand(); }
  std::string copy(const tile_view& out, const tile_view& in, unit on) {
    return refusal(nc, test::copy(out, in, on));
  }
};

const std::string accepted = "(accepted)";

TEST_F(semaphores, refuse_a_read_that_nothing_orders_after_the_write) {
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  const std::string text = copy(z, y, unit::scalar);
  EXPECT_EQ(text.substr(0, 31), "in: conflicts with instruction ");
  EXPECT_NE(text.find(" on vector, and no semaphore orders the two"), std::string::npos);
  EXPECT_EQ(copy(z, y, unit::vector), accepted);  // in the order of its own engine
}

TEST_F(semaphores, refuse_a_write_that_nothing_orders_after_a_read_or_a_write) {
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  EXPECT_NE(copy(x, z, unit::scalar), accepted);
  EXPECT_NE(copy(y, z, unit::gpsimd), accepted);
  EXPECT_EQ(copy(z, x, unit::scalar), accepted);  // both read x
}

TEST_F(semaphores, order_by_a_signal_and_a_wait) {
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  nc.issue(semaphore_signal{.which = done, .on = unit::vector});
  nc.issue(semaphore_wait{.which = done, .value = 1, .on = unit::scalar});
  EXPECT_EQ(copy(z, y, unit::scalar), accepted);
  EXPECT_NE(copy(y, x, unit::gpsimd), accepted);  // gpsimd did not wait
}

TEST_F(semaphores, order_through_an_engine_between) {
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  nc.issue(semaphore_signal{.which = done, .on = unit::vector});
  nc.issue(semaphore_wait{.which = done, .value = 1, .on = unit::scalar});
  nc.issue(semaphore_signal{.which = next, .on = unit::scalar});
  nc.issue(semaphore_wait{.which = next, .value = 1, .on = unit::gpsimd});
  EXPECT_EQ(copy(z, y, unit::gpsimd), accepted);
}

TEST_F(semaphores, order_only_what_came_before_the_signal) {
  nc.issue(semaphore_signal{.which = done, .on = unit::vector});
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  nc.issue(semaphore_wait{.which = done, .value = 1, .on = unit::scalar});
  EXPECT_NE(copy(z, y, unit::scalar), accepted);
}

TEST_F(semaphores, order_dma_queues) {
  const hbm_view tensor = nc.hbm({128, 16});
  nc.write_tensor(tensor, std::as_bytes(std::span<const float>(values_between(0, 1, 128 * 16))));
  nc.issue(dma_copy{.out = x.whole(), .in = tensor, .queue = 3});
  EXPECT_NE(copy(y, x, unit::vector), accepted);
  EXPECT_NE(refusal(nc, dma_copy{.out = x.whole(), .in = tensor, .queue = 4}), accepted);
  EXPECT_EQ(refusal(nc, dma_copy{.out = x.whole(), .in = tensor, .queue = 3}), accepted);
  nc.issue(semaphore_signal{.which = done, .on = unit::dma, .queue = 4});
  nc.issue(semaphore_wait{.which = done, .value = 1, .on = unit::vector});
  EXPECT_NE(copy(y, x, unit::vector), accepted);  // another queue's
  nc.issue(semaphore_signal{.which = done, .on = unit::dma, .queue = 3});
  nc.issue(semaphore_wait{.which = done, .value = 2, .on = unit::vector});
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  nc.issue(semaphore_signal{.which = next, .on = unit::vector});
  nc.issue(semaphore_wait{.which = next, .value = 1, .on = unit::dma, .queue = 5});
  EXPECT_NE(refusal(nc, dma_copy{.out = x.whole(), .in = y.whole(), .queue = 6}), accepted);
  EXPECT_EQ(refusal(nc, dma_copy{.out = x.whole(), .in = y.whole(), .queue = 5}), accepted);
}

TEST_F(semaphores, refuse_a_wait_that_could_not_end) {
  nc.issue(semaphore_signal{.which = done, .on = unit::vector});
  EXPECT_EQ(refusal(nc, semaphore_wait{.which = done, .value = 2, .on = unit::scalar}),
            "value: waits for 2 signals, of which 1 have been issued");
  EXPECT_EQ(refusal(nc, semaphore_wait{.which = done, .value = 0, .on = unit::scalar}),
            "value: must be at least 1, got 0");
}

TEST_F(semaphores, refuse_what_is_none) {
  EXPECT_EQ(refusal(nc, semaphore_signal{.which = {}, .on = unit::vector}),
            "which: is no semaphore: core::make_semaphore() gives one");
  EXPECT_EQ(refusal(nc, semaphore_signal{.which = {2}, .on = unit::vector}),
            "which: is no semaphore of this core");
  EXPECT_EQ(refusal(nc, semaphore_signal{.which = done, .on = unit::dma, .queue = 16}),
            "queue: must be in [0, 16), got 16");
  EXPECT_EQ(refusal(nc, semaphore_wait{.which = done, .on = unit::dma, .queue = -1}),
            "queue: must be in [0, 16), got -1");
}

TEST(semaphores_not_strict, let_races_pass) {
  core nc(trainium1(), {.strict = false});
  const tile x = nc.sbuf(128, 16), y = nc.sbuf(128, 16);
  nc.order_by_hand();
  EXPECT_EQ(refusal(nc, copy(y, x, unit::vector)), accepted);
  EXPECT_EQ(refusal(nc, copy(x, y, unit::scalar)), accepted);
}

// Which of two signals comes first is nothing that a wait for one of them can rely on.
TEST_F(semaphores, order_only_what_every_order_of_the_signals_does) {
  EXPECT_EQ(copy(y, x, unit::vector), accepted);
  EXPECT_EQ(copy(z, x, unit::gpsimd), accepted);
  nc.issue(semaphore_signal{.which = done, .on = unit::vector});
  nc.issue(semaphore_signal{.which = done, .on = unit::gpsimd});
  nc.issue(semaphore_wait{.which = done, .value = 1, .on = unit::scalar});
  const tile out = nc.sbuf(128, 16);
  EXPECT_NE(copy(out, y, unit::scalar), accepted);
  EXPECT_NE(copy(out, z, unit::scalar), accepted);
  nc.issue(semaphore_wait{.which = done, .value = 2, .on = unit::scalar});
  EXPECT_EQ(copy(out, y, unit::scalar), accepted);
  EXPECT_EQ(copy(out, z, unit::scalar), accepted);
}

// A stationary operand is loaded, and its read over, while the multiply before still reads.
TEST(semaphores_of_the_tensor_engine, order_the_later_of_two_reads) {
  core nc(trainium1(), {});
  const tile a = nc.sbuf(128, 128), x = nc.sbuf(128, 128);
  const tile p = nc.psum(128, 128), q = nc.psum(128, 128);
  nc.issue(memset{.out = a});
  nc.issue(memset{.out = x});
  nc.order_by_hand();
  const semaphore done = nc.make_semaphore();
  nc.issue(matmul{.out = p, .stationary = a, .moving = x});
  nc.issue(semaphore_signal{.which = done, .on = unit::tensor});
  nc.issue(matmul{.out = q, .stationary = x, .moving = a});
  nc.issue(semaphore_wait{.which = done, .value = 1, .on = unit::vector});
  EXPECT_NE(refusal(nc, memset{.out = x}), accepted);
}

TEST(semaphores_not_strict, memory_given_out_again_is_waited_for) {
  core nc(trainium1(), {.strict = false, .trace = true});
  const tile x = nc.sbuf(128, 512);
  tile_pool pool = nc.sbuf_pool(1, 128, 512);
  nc.order_by_hand();
  nc.issue(tensor_copy{.out = x, .in = pool.next(), .on = unit::vector});
  nc.issue(memset{.out = pool.next(), .on = unit::gpsimd});
  const trace t = nc.timeline_trace();
  EXPECT_EQ(t.instructions()[1].start_ns, t.instructions()[0].end_ns);
}

}  // namespace
}  // namespace papilio::engine::test

#include "papilio/engine/core.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine::test {
namespace {

TEST(core, adds_two_tensors) {
  core nc(trainium1(), {});
  const hbm_view a = nc.hbm({128, 64}), b = nc.hbm({128, 64}), sum = nc.hbm({128, 64});
  std::vector<float> values(128 * 64);
  std::iota(values.begin(), values.end(), 1.0f);
  nc.write_tensor(a, std::as_bytes(std::span(values)));
  nc.write_tensor(b, std::as_bytes(std::span(values)));
  const tile x = nc.sbuf(128, 64), y = nc.sbuf(128, 64);
  nc.issue(dma_copy{.out = x.whole(), .in = a});
  nc.issue(dma_copy{.out = y.whole(), .in = b});
  nc.issue(tensor_tensor{.out = x, .left = x, .right = y, .op = alu_op::add});
  nc.issue(dma_copy{.out = sum, .in = x.whole()});
  std::vector<float> result(values.size());
  nc.read_tensor(sum, std::as_writable_bytes(std::span(result)));
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(result[i], 2 * values[i]);
}

// Blocks [rows, 2 lines, columns] of [rows, lines, columns]: the lines of one lie between those of
// the next, and columns beside them too.
TEST(core, stores_of_blocks_that_interleave_do_not_wait_for_each_other) {
  const auto time_of = [](std::int64_t second_line, std::int64_t second_column) {
    core nc(trainium1(), {.mode = run_mode::dry_run});
    const hbm_view out = nc.hbm({64, 8, 1024});
    const tile x = nc.sbuf(64, 1024);
    nc.issue(memset{.out = x.whole()});
    nc.issue(dma_copy{.out = out.slice(1, 0, 2).slice(2, 0, 512), .in = x.whole()});
    nc.issue(dma_copy{.out = out.slice(1, second_line, 2).slice(2, second_column, 512),
                      .in = x.whole()});
    return nc.summary().value("total_time");
  };
  const double apart = time_of(2, 0), waiting = time_of(0, 0);
  EXPECT_GT(waiting - apart, 1.2e-6);  // the second waits for the end, and starts anew: 1300 ns
  EXPECT_EQ(time_of(6, 0), apart);
  EXPECT_EQ(time_of(0, 512), apart);
  EXPECT_EQ(time_of(4, 512), apart);
  EXPECT_EQ(time_of(1, 0), waiting);
  EXPECT_EQ(time_of(1, 256), waiting);
}

// Rows of 1024 of which columns from 768 on go on at the beginning of the next row.
TEST(core, stores_that_end_behind_a_row_do_not_wait_for_what_is_beside_them) {
  const auto time_of = [](std::int64_t first, std::int64_t columns) {
    core nc(trainium1(), {.mode = run_mode::dry_run});
    const hbm_view out = nc.hbm({16 * 1024});
    const tile x = nc.sbuf(64, 1024);
    nc.issue(memset{.out = x.whole()});
    nc.issue(dma_copy{.out = out.pattern(768, {{8, 1024}, {512, 1}}),
                      .in = x->partition_range(0, 8).columns(0, 512)});
    nc.issue(dma_copy{.out = out.pattern(first, {{8, 1024}, {columns, 1}}),
                      .in = x->partition_range(0, 8).columns(0, columns)});
    return nc.summary().value("total_time");
  };
  const double apart = time_of(256, 256), waiting = time_of(768, 256);
  EXPECT_GT(waiting - apart, 1.2e-6);
  EXPECT_EQ(time_of(1024 + 512, 256), apart);
  EXPECT_GT(time_of(1024 + 255, 256), waiting - 1e-9);
  EXPECT_GT(time_of(1024 + 511, 512), waiting - 1e-9);
}

// Hundreds of blocks of columns of some rows, which may go on in the next row: who writes elements
// that another has written waits for it. By the sets of elements.
TEST(core, blocks_of_columns_wait_for_each_other_where_they_overlap) {
  constexpr std::int64_t row = 97, rows = 40;
  core nc(trainium1(), {.mode = run_mode::dry_run, .trace = true});
  const hbm_view data = nc.hbm({(rows + 1) * row});
  const tile x = nc.sbuf(16, row);
  nc.issue(memset{.out = x.whole()});
  std::mt19937 random(7);
  const auto any = [&](std::int64_t most) { return std::int64_t(random() % std::uint32_t(most)); };
  struct block {
    std::int64_t first, count, length;
    bool has(std::int64_t at) const {
      const std::int64_t from = at - first;
      return from >= 0 && from / row < count && from % row < length;
    }
  };
  std::vector<block> blocks;
  for (int i = 0; i < 400; ++i) {
    const std::int64_t count = 2 + any(15), length = 1 + any(row / 3);
    blocks.push_back({any((rows - count) * row), count, length});
    nc.issue(dma_copy{.out = data.pattern(blocks.back().first, {{count, row}, {length, 1}}),
                      .in = x->partition_range(0, int(count)).columns(0, length)});
  }
  const trace events = nc.timeline_trace();
  const auto all = events.instructions();
  ASSERT_EQ(all.size(), blocks.size() + 1);
  int overlaps = 0;
  for (std::size_t j = 0; j < blocks.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      bool both = false;
      for (std::int64_t at = 0; at < (rows + 1) * row && !both; ++at)
        both = blocks[i].has(at) && blocks[j].has(at);
      if (!both) continue;
      ++overlaps;
      ASSERT_GE(all[j + 1].start_ns, all[i + 1].end_ns) << i << ' ' << j;
    }
  EXPECT_GT(overlaps, 1000);
}

// Thousands of columns that were written one by one, in no order, then half of them once more as
// one block: a load waits for whichever wrote its column last. Reckoned from the trace.
TEST(core, loads_wait_for_the_last_of_many_stores) {
  constexpr std::int64_t columns = 3001, stride = 1237, half = 1500;  // 3001 is prime
  core nc(trainium1(), {.mode = run_mode::dry_run, .trace = true});
  const hbm_view data = nc.hbm({4, columns});
  const tile x = nc.sbuf(4, half), y = nc.sbuf(4, columns);
  nc.issue(memset{.out = x.whole()});
  std::vector<std::size_t> writer(columns), reader(columns);
  std::size_t issued = 1;
  for (std::int64_t i = 0; i < columns; ++i) {
    const std::int64_t at = i * stride % columns;
    nc.issue(dma_copy{.out = data.slice(1, at, 1), .in = x->columns(0, 1)});
    writer[std::size_t(at)] = issued++;
  }
  nc.issue(dma_copy{.out = data.slice(1, 700, half), .in = x.whole()});
  for (std::size_t at = 700; at < 700 + half; ++at) writer[at] = issued;
  ++issued;
  for (std::int64_t at = 0; at < columns; ++at) {
    nc.issue(dma_copy{.out = y->columns(at, 1), .in = data.slice(1, at, 1)});
    reader[std::size_t(at)] = issued++;
  }
  const trace events = nc.timeline_trace();
  const auto all = events.instructions();
  ASSERT_EQ(all.size(), issued);
  for (std::size_t at = 0; at < writer.size(); ++at)
    ASSERT_GE(all[reader[at]].start_ns, all[writer[at]].end_ns) << at;
}

TEST(core, patterns_of_a_tile) {
  core nc(trainium1(), {});
  const hbm_view in = nc.hbm({2, 12}), out = nc.hbm({2, 6});
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  nc.write_tensor(in, std::as_bytes(std::span(values)));
  const tile x = nc.sbuf(2, 12), y = nc.sbuf(2, 6);
  nc.issue(dma_copy{.out = x.whole(), .in = in});
  nc.issue(tensor_copy{.out = y.whole(), .in = x->pattern(1, {{2, 4}, {3, 1}})});
  nc.issue(dma_copy{.out = out, .in = y.whole()});
  std::vector<float> result(12);
  nc.read_tensor(out, std::as_writable_bytes(std::span(result)));
  EXPECT_EQ(result, (std::vector<float>{1, 2, 3, 5, 6, 7, 13, 14, 15, 17, 18, 19}));
  EXPECT_THROW(nc.issue(tensor_copy{.out = y.whole(), .in = x->pattern(8, {{6, 1}})}),
               kernel_error);
  EXPECT_THROW(x->pattern(0, {{0, 1}}), shape_error);
}

TEST(core, states_a_floor) {
  core nc(trainium1(), {});
  nc.state_floor(272e3, 0);
  nc.state_floor(0, 2800);
  EXPECT_NEAR(nc.summary().verdict.hbm_floor_seconds, 1e-6, 1e-12);
  EXPECT_NEAR(nc.summary().verdict.tensor_floor_seconds, 1e-6, 1e-12);
  EXPECT_TRUE(nc.summary().verdict.floor_was_stated);
  EXPECT_THROW(nc.state_floor(-1, 0), invalid_argument);
}

TEST(core, refuses_to_read_what_nobody_wrote) {
  core nc(trainium1(), {});
  const tile x = nc.sbuf(128, 64);
  try {
    nc.issue(tensor_tensor{.out = x, .left = x, .right = x});
    FAIL();
  } catch (const kernel_error& e) {
    EXPECT_STREQ(e.what(),
                 "kernel (none): instruction 0 (tensor_tensor): left: reads what nobody wrote: "
                 "sbuf tile 0 [0:128, 64@1] fp32");
  }
}

TEST(core, multiplies) {
  core nc(trainium1(), {});
  const hbm_view a = nc.hbm({128, 128}), b = nc.hbm({128, 512}), c = nc.hbm({128, 512});
  std::vector<float> x(128 * 128, 1), y(128 * 512, 2), z(128 * 512);
  nc.write_tensor(a, std::as_bytes(std::span(x)));
  nc.write_tensor(b, std::as_bytes(std::span(y)));
  const tile s = nc.sbuf(128, 128), m = nc.sbuf(128, 512), o = nc.sbuf(128, 512);
  const tile p = nc.psum(128, 512);
  nc.issue(dma_copy{.out = s.whole(), .in = a});
  nc.issue(dma_copy{.out = m.whole(), .in = b});
  nc.issue(matmul{.out = p, .stationary = s, .moving = m});
  nc.issue(matmul{.out = p, .stationary = s, .moving = m, .accumulate = true});
  nc.issue(tensor_copy{.out = o, .in = p});
  nc.issue(dma_copy{.out = c, .in = o.whole()});
  nc.read_tensor(c, std::as_writable_bytes(std::span(z)));
  for (const float v : z) ASSERT_EQ(v, 512);
}

TEST(core, names_the_largest_tiles_where_memory_is_full) {
  core nc(trainium1(), {.mode = run_mode::dry_run});
  const tile_pool weights = nc.sbuf_pool(2, 128, 16384, dtype::bf16, "weights"),
                  sums = nc.sbuf_pool(3, 64, 8192);
  const tile whole = nc.sbuf(128, 7168, dtype::fp32, "columns"), last = nc.sbuf(1, 1024);
  const auto said = [](const auto& allocate) {
    try {
      allocate();
    } catch (const kernel_error& e) {
      return std::string(e.what());
    }
    return std::string("(accepted)");
  };
  EXPECT_EQ(said([&] { nc.sbuf(128, 1); }),
            "kernel (none): sbuf: a tile of 128 x 1 fp32 needs 4 bytes of each partition in one "
            "piece, free are 0 of 196608; largest: 3 x 32768 bytes (64 x 8192 fp32), weights 2 x "
            "32768 bytes (128 x 16384 bf16), columns 1 x 28672 bytes (128 x 7168 fp32), 1 x 4096 "
            "bytes (1 x 1024 fp32)");
  EXPECT_EQ(said([&] { nc.psum(128, 5000); }),
            "kernel (none): psum: a tile of 128 x 5000 fp32 needs 20000 bytes of each partition in "
            "one piece, free are 16384 of 16384");
  std::vector<tile> banks;
  for (const int columns : {9, 9, 5, 6, 7, 8, 4, 3}) banks.push_back(nc.psum(128, columns));
  EXPECT_EQ(said([&] { nc.psum(128, 1); }),
            "kernel (none): psum: a tile of 128 x 1 fp32 needs 4 bytes of each partition in one "
            "piece, free are 0 of 16384; largest: 2 x 36 bytes (128 x 9 fp32), 1 x 32 bytes (128 x "
            "8 fp32), 1 x 28 bytes (128 x 7 fp32), 1 x 24 bytes (128 x 6 fp32), 1 x 20 bytes (128 "
            "x 5 fp32), 2 more");
}

TEST(core, refuses_a_machine_before_anything_is_sized_by_it) {
  machine_spec m = trainium1();
  m.dma.queues_per_engine = -1;
  EXPECT_THROW(core(m, {}), invalid_argument);
  m = trainium1();
  m.vector.transpose_block = 256;
  EXPECT_THROW(core(m, {}), invalid_argument);
}

TEST(core, hands_out_only_tensors_that_are_complete) {
  core nc(trainium1(), {});
  const hbm_view tensor = nc.hbm({2});
  std::array<std::byte, 8> bytes{};
  EXPECT_THROW(nc.read_tensor(tensor, bytes), device_error);
  nc.write_tensor(tensor, bytes);
  EXPECT_NO_THROW(nc.read_tensor(tensor, bytes));
}

TEST(core, refuses_tensors_that_are_none) {
  core nc(trainium1(), {.mode = run_mode::dry_run});
  EXPECT_THROW(nc.hbm({-5}), shape_error);
  EXPECT_THROW(nc.hbm({-2, -3}), shape_error);
  EXPECT_THROW(nc.hbm({4, 0}), shape_error);
  EXPECT_THROW(nc.hbm({1, 1, 1, 1, 1, 1, 1}), shape_error);
  EXPECT_THROW(nc.hbm({std::int64_t{1} << 62, 4}), resource_error);
  EXPECT_THROW(nc.hbm({std::int64_t{1} << 40}), kernel_error);
  EXPECT_NO_THROW(nc.hbm({1000}));
}

}  // namespace
}  // namespace papilio::engine::test

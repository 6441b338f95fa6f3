#include "engine/support.hpp"

// What the machine asks of every operand, whatever the instruction.
namespace papilio::engine::test {
namespace {

struct operand_rules : fixture {
  /// Of writing these elements.
  std::string written(const tile_view& view) { return refusal(nc, memset{.out = view}); }
};

TEST_F(operand_rules, partitions_start_where_their_number_allows) {
  const tile t = nc.sbuf(128, 4);
  for (const int first : {0, 32, 64, 96})
    for (const int count : {1, 31, 32})
      EXPECT_EQ(written(t->partition_range(first, count)), "(accepted)");
  for (const int first : {0, 64})
    for (const int count : {33, 64})
      EXPECT_EQ(written(t->partition_range(first, count)), "(accepted)");
  EXPECT_EQ(written(t->partition_range(0, 65)), "(accepted)");
  EXPECT_EQ(written(t->partition_range(16, 16)),
            "out: an access of 16 partitions must start at a multiple of 32, starts at 16");
  EXPECT_EQ(written(t->partition_range(32, 33)),
            "out: an access of 33 partitions must start at a multiple of 64, starts at 32");
  EXPECT_EQ(written(t->partition_range(32, 65)),
            "out: an access of 65 partitions must start at a multiple of 128, starts at 32");
}

TEST_F(operand_rules, patterns_have_up_to_four_levels) {
  const tile t = nc.sbuf(32, 1024), out = nc.sbuf(32, 64);
  load(nc, t, std::vector<float>(32 * 1024, 1));
  const tile_view four = t->reshape({4, 4, 4, 16}).slice(4, 0, 1).slice(3, 0, 2);
  EXPECT_EQ(refusal(nc, tensor_copy{.out = out->columns(0, 32), .in = four}), "(accepted)");
  const tile_view five = t->reshape({4, 4, 4, 4, 4})
                             .slice(1, 0, 2)
                             .slice(2, 0, 2)
                             .slice(3, 0, 2)
                             .slice(4, 0, 2)
                             .slice(5, 0, 2);
  EXPECT_EQ(refusal(nc, tensor_copy{.out = out->columns(0, 32), .in = five}),
            "in: levels of the pattern must be at most 4, got 5");
}

TEST_F(operand_rules, extents_and_strides_have_limits) {
  const tile t = nc.sbuf(32, 140000, dtype::uint8);
  EXPECT_EQ(written(t->columns(0, 65535)), "(accepted)");
  EXPECT_EQ(written(t->columns(0, 65536)),
            "out: extent of a level must be at most 65535, got 65536");
  EXPECT_EQ(written(t->slice(1, 0, 2, 32767)), "(accepted)");
  EXPECT_EQ(written(t->slice(1, 0, 2, 32768)),
            "out: stride must be in [-32768, 32767] elements, got 32768");
  EXPECT_EQ(written(t->slice(1, 65536, 3, -32768)), "(accepted)");
  EXPECT_EQ(written(t->slice(1, 70000, 2, -32769)),
            "out: stride must be in [-32768, 32767] elements, got -32769");
}

TEST_F(operand_rules, free_sizes_have_limits) {
  const tile t = nc.sbuf(32, 70000, dtype::uint8), p = nc.psum(32, 5000, dtype::uint8);
  const tile_view most = t->columns(0, 65536).reshape({4, 16384});
  EXPECT_EQ(written(most), "(accepted)");
  EXPECT_EQ(written(t->columns(0, 65540).reshape({4, 16385})),
            "out: elements a partition must be at most 65536, got 65540");
  EXPECT_EQ(written(p->columns(0, 4096)), "(accepted)");
  EXPECT_EQ(written(p->columns(0, 4097)),
            "out: elements a partition must be at most 4096, got 4097");
}

TEST_F(operand_rules, tiles_must_be_alive) {
  tile_view gone;
  {
    const tile t = nc.sbuf(32, 4);
    gone = t;
  }
  EXPECT_NE(written(gone).find("is out of scope"), std::string::npos) << written(gone);
  tile_pool pool = nc.sbuf_pool(2, 32, 4);
  const tile_view first = pool.next();
  EXPECT_EQ(written(first), "(accepted)");
  EXPECT_EQ(written(pool.next()), "(accepted)");
  pool.next();
  EXPECT_NE(written(first).find("its place in a pool was given on"), std::string::npos);
  EXPECT_EQ(written({}), "out: is missing");
}

TEST_F(operand_rules, what_is_read_must_have_been_written) {
  const tile t = nc.sbuf(32, 8), out = nc.sbuf(32, 8);
  nc.issue(memset{.out = t->columns(0, 4)});
  const auto copy = [&](std::int64_t first, std::int64_t count) {
    return refusal(nc,
                   tensor_copy{.out = out->columns(first, count), .in = t->columns(first, count)});
  };
  EXPECT_EQ(copy(0, 4), "(accepted)");
  EXPECT_EQ(copy(3, 2), "in: reads what nobody wrote: sbuf tile 0 [0:32, 2@1] fp32");
}

// A program of one instruction lasts as long as cost_ns says, for each kind of unit.
TEST(instruction_time, is_the_timeline_of_one_instruction) {
  for (const machine_spec& m : {trainium1(), trainium2()}) {
    const auto expect_alone = [&](const auto& make) {
      core nc(m, {.mode = run_mode::dry_run, .strict = false});
      const tile a = nc.sbuf(128, 500), b = nc.sbuf(128, 500), c = nc.sbuf(128, 500);
      const tile p = nc.psum(128, 500);
      const hbm_view tensor = nc.hbm({128, 500});
      const instruction i = make(a.whole(), b.whole(), c.whole(), p.whole(), tensor);
      nc.issue(i);
      // The array throttles at first on trainium2: up to twice as long.
      const double seconds = nc.summary().value("total_time"), expected = cost_ns(i, m) * 1e-9;
      const bool throttled = std::holds_alternative<matmul>(i) && m.tensor.throttle_rate > 0;
      if (throttled)
        EXPECT_LE(expected, seconds * (1 + 1e-12)) << opcode(i);
      else
        EXPECT_NEAR(seconds, expected, 1e-12 * expected) << opcode(i) << " " << m.name;
    };
    using v = const tile_view&;
    expect_alone([](v a, v b, v, v, const hbm_view&) { return tensor_scalar{.out = a, .in = b}; });
    expect_alone([](v a, v b, v, v, const hbm_view&) {
      return tensor_copy{.out = a.slice(1, 0, 50, 10), .in = b.columns(0, 50)};
    });
    expect_alone([](v a, v b, v, v p, const hbm_view&) {
      return tensor_tensor{.out = a, .left = b, .right = p};
    });
    expect_alone([](v a, v b, v, v, const hbm_view&) {
      return tensor_tensor{.out = a, .left = b, .right = b, .on = unit::gpsimd};
    });
    expect_alone([](v a, v b, v, v, const hbm_view&) { return activation{.out = a, .in = b}; });
    expect_alone([](v a, v b, v, v p, const hbm_view&) {
      return matmul{.out = p, .stationary = a.columns(0, 128), .moving = b};
    });
    expect_alone([](v a, v, v, v, const hbm_view& t) { return dma_copy{.out = a, .in = t}; });
    expect_alone([](v a, v, v, v, const hbm_view& t) {
      return dma_copy{.out = t.slice(1, 3, 1), .in = a.columns(7, 1)};
    });
  }
}

TEST_F(operand_rules, views_of_any_numbers_stay_within_what_they_are_of) {
  constexpr std::int64_t huge = std::int64_t{1} << 62;
  const tile t = nc.sbuf(32, 64);
  const hbm_view tensor = nc.hbm({16, 64});
  EXPECT_THROW(t->slice(1, 0, huge + 1, 4), shape_error);
  EXPECT_THROW(t->slice(0, 0, huge + 1, 4), shape_error);
  EXPECT_THROW(tensor.slice(1, 0, huge + 1, 4), shape_error);
  EXPECT_THROW(tensor.slice(1, 63, 3, -huge), shape_error);
  EXPECT_THROW(tensor.pattern(0, {{huge + 1, 4}}), resource_error);
  EXPECT_THROW(tensor.pattern(huge, {{2, huge}}), resource_error);
  EXPECT_THROW(tensor.pattern(0, {{huge, 0}, {4, 0}}), resource_error);
  EXPECT_THROW(tensor.pattern(-1, {{2, 1}}), shape_error);
  EXPECT_THROW(tensor.pattern(0, {{0, 1}}), shape_error);
  EXPECT_THROW(hbm_view().pattern(0, {{1, 1}}), shape_error);
  EXPECT_THROW(tensor.repeat(-1), shape_error);
  EXPECT_THROW(t->repeat(0), shape_error);
  EXPECT_THROW(t->spread(huge), resource_error);
}

TEST_F(operand_rules, tensors_are_written_once_in_every_place) {
  const tile t = filled(1, 16);
  const hbm_view tensor = nc.hbm({64});
  const auto store = [&](const hbm_view& to) {
    return refusal(nc, dma_copy{.out = to, .in = t->columns(0, to.elements())});
  };
  EXPECT_EQ(store(tensor.pattern(0, {{4, 4}, {4, 1}})), "(accepted)");
  EXPECT_EQ(store(tensor.pattern(0, {{4, 1}, {4, 4}})), "(accepted)");
  EXPECT_EQ(store(tensor.pattern(63, {{4, -16}, {4, -2}})), "(accepted)");
  EXPECT_EQ(store(tensor.pattern(0, {{4, 3}, {4, 1}})),
            "out: levels of the pattern reach into one another, and a place would be written "
            "twice: scratch 1 [0 + 4@3 x 4@1] fp32");
  EXPECT_NE(store(tensor.pattern(8, {{4, 1}, {4, -1}})), "(accepted)");
}

TEST_F(operand_rules, views_belong_to_their_core) {
  core other(trainium1(), {});
  const tile mine = filled(32, 4), foreign = other.sbuf(32, 4);
  const hbm_view tensor = other.hbm({32, 4});
  EXPECT_EQ(written(foreign), "out: is of another core");
  EXPECT_EQ(refusal(nc, dma_copy{.out = tensor, .in = mine.whole()}), "out: is of another core");
}

}  // namespace
}  // namespace papilio::engine::test

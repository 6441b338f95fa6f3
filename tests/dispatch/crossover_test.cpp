// Where the verdict turns: against a scan of every size, and how operations grow.
#include "papilio/dispatch/comparison.hpp"

#include <gtest/gtest.h>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio {
namespace {

class crossovers : public testing::Test {
 protected:
  execution on_device() { return {.where = policy::automatic, .on = &device_, .threads = 1}; }
  // A host of so many operations each second.
  static std::function<double(const operation&)> host_of(double rate) {
    return [rate](const operation& what) { return nominal_flops(what) / rate; };
  }

  engine::device device_{engine::trainium1(), engine::sdk_2_24()};
};

TEST_F(crossovers, is_that_of_a_scan) {
  const gemm_problem square{.m = 8, .k = 8, .n = 8};
  const auto host = host_of(5e7);
  const crossover c = crossover_of(square, on_device(), host);
  EXPECT_EQ(c.refusal, "");
  EXPECT_EQ(c.parameter, "side of the matrices");
  EXPECT_EQ(c.size, 8u);
  for (std::size_t i = 0; i < situations.size(); ++i) {
    SCOPED_TRACE(to_string(situations[i]));
    EXPECT_EQ(c.turns[i].when, situations[i]);
    if (situations[i].is_cold) continue;
    std::size_t first = 0;
    for (std::size_t side = 1; side < 64 && first == 0; ++side) {
      const gemm_problem at{.m = side, .k = side, .n = side};
      if (seconds_in(explain(at, on_device()).device, situations[i]) < host(at)) first = side;
    }
    ASSERT_GT(first, 1u);
    ASSERT_TRUE(c.turns[i].device_wins.has_value());
    EXPECT_EQ(*c.turns[i].device_wins, first);
    EXPECT_EQ(c.turns[i].host_wins, first - 1);
  }
  EXPECT_LE(c.dry_runs, 40u);
}

TEST_F(crossovers, come_later_for_faster_hosts_and_with_copies) {
  const fft_problem lines{.type = real_type::single_precision, .extents = {128, 64}, .axes = {1}};
  std::size_t before[2] = {0, 0};
  for (const double rate : {2e8, 4e8, 8e8}) {
    const crossover c = crossover_of(lines, on_device(), host_of(rate));
    EXPECT_EQ(c.parameter, "lines of 64 points");
    ASSERT_TRUE(c.turns[0].device_wins && c.turns[1].device_wins);
    EXPECT_GE(*c.turns[0].device_wins, *c.turns[1].device_wins);
    for (const std::size_t i : {0, 1}) {
      EXPECT_GT(*c.turns[i].device_wins, before[i]);
      before[i] = *c.turns[i].device_wins;
      EXPECT_LE(*c.turns[i].device_wins - c.turns[i].host_wins, 1 + c.turns[i].host_wins / 100);
    }
  }
}

TEST_F(crossovers, never_and_always) {
  const product_problem numbers{1000};
  const crossover never = crossover_of(numbers, on_device(), [](const operation&) { return 0.0; });
  EXPECT_EQ(never.dry_runs, 0u);  // the bound tells
  for (const crossover::turn& t : never.turns) {
    EXPECT_FALSE(t.device_wins);
    // Three operands of 8 bytes a number fill the memory.
    EXPECT_GE(t.host_wins * 24 * 2, 1.59e10);
    EXPECT_LE(t.host_wins * 24, 1.59e10);
  }
  EXPECT_NE(never.to_text().find("never up to "), std::string::npos);
  const crossover always = crossover_of(numbers, on_device(), [](const operation&) { return 1e9; });
  for (const crossover::turn& t : always.turns) {
    EXPECT_EQ(t.device_wins, std::size_t{1});
    EXPECT_EQ(t.host_wins, 0u);
  }
}

// Of whatever constants: all sizes would be run, up to minutes each, to find that none is faster.
TEST_F(crossovers, machines_of_hostile_constants_are_run_once) {
  for (const bool slow_scalar : {true, false}) {
    engine::machine_spec machine = engine::trainium1();
    (slow_scalar ? machine.scalar.min_cycles : machine.dma.start_ns) = 1e12;
    engine::device slow{machine, engine::sdk_2_24()};
    const fft_problem lines{.kind = fft_kind::real,
                            .type = real_type::single_precision,
                            .extents = {1, 1009},
                            .axes = {1}};
    const crossover c =
        crossover_of(lines, {.where = policy::automatic, .on = &slow, .threads = 1}, host_of(1e8));
    EXPECT_EQ(c.refusal, "");
    EXPECT_LE(c.dry_runs, 2u);
    for (const crossover::turn& t : c.turns) EXPECT_FALSE(t.device_wins);
  }
}

TEST_F(crossovers, single_lines_and_grids_grow_by_powers_of_two) {
  const fft_problem grid{
      .type = real_type::single_precision, .extents = {3, 200, 100}, .axes = {1, 2}};
  const auto how = growth_of(grid);
  ASSERT_TRUE(how);
  EXPECT_TRUE(how->is_power_of_two);
  EXPECT_EQ(how->size, 200u);
  EXPECT_EQ(std::get<fft_problem>(how->at(64)).extents, (std::vector<std::size_t>{3, 64, 32}));
  const fft_problem line{.type = real_type::single_precision, .extents = {1000}};
  const crossover c = crossover_of(line, on_device(), host_of(1e8));
  for (const std::size_t i : {0, 1}) {
    ASSERT_TRUE(c.turns[i].device_wins);
    EXPECT_EQ(*c.turns[i].device_wins, 2 * c.turns[i].host_wins);
    EXPECT_EQ(*c.turns[i].device_wins & (*c.turns[i].device_wins - 1), 0u);
  }
}

TEST_F(crossovers, every_operation_grows_but_arrangements) {
  const stft_problem forward{.channels = 2, .samples = 16000, .n_fft = 512, .hop = 256};
  EXPECT_EQ(std::get<stft_problem>(growth_of(forward)->at(1024)).samples, 1024u);
  const istft_problem back{.segments = 63, .samples = 16000, .n_fft = 512, .hop = 256};
  const auto grown = std::get<istft_problem>(growth_of(back)->at(1024));
  EXPECT_EQ(grown.samples, 1024u);
  EXPECT_EQ(grown.segments, 5u);
  const gemm_problem flat{.m = 100, .k = 50, .n = 25};
  const auto larger = std::get<gemm_problem>(growth_of(flat)->at(200));
  EXPECT_EQ(larger.k, 100u);
  EXPECT_EQ(larger.n, 50u);
  EXPECT_EQ(std::get<gemm_problem>(growth_of(flat)->at(1)).n, 1u);
  const triangle_problem right{
      .function = triangle_function::trsm, .m = 10, .n = 40, .side = matrix_side::right};
  EXPECT_EQ(growth_of(right)->size, 40u);
  const auto system = std::get<triangle_problem>(growth_of(right)->at(80));
  EXPECT_EQ(system.m, 20u);
  EXPECT_EQ(system.n, 80u);
  EXPECT_FALSE(growth_of(arrangement_problem{}));
}

TEST_F(crossovers, none_where_a_side_cannot) {
  const gemm_problem wide{.m = 8, .k = 8, .n = 8, .type = real_type::double_precision};
  EXPECT_NE(crossover_of(wide, on_device()).refusal.find("the device cannot"), std::string::npos);
  execution rounded = on_device();
  rounded.precision.mode = precision::bf16;
  const fft_problem line{.type = real_type::single_precision, .extents = {64}};
  // The host is compared in native precision.
  EXPECT_EQ(crossover_of(line, rounded, host_transforms()).refusal, "");
  EXPECT_EQ(crossover_of(wide, on_device()).to_text().find("no crossover: the device cannot"), 0u);
}

}  // namespace
}  // namespace papilio

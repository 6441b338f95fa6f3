#include "engine/loops.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/observer.hpp"
#include "engine/support.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::engine::test {
namespace {

using engine_detail::looped_program;
using engine_detail::program_part;
using engine_detail::program_recorder;
using engine_detail::recorded_instruction;
using engine_detail::repetition;

const core_options dry{.mode = run_mode::dry_run, .strict = false};

// The kernel of document L1: tiles of 128 rows of 2048 numbers pass ACT and DVE.
constexpr std::int64_t columns = 2048, tiles = 64;
void scale_and_add(core& nc) {
  const hbm_view x = nc.hbm({128 * tiles, columns}), y = nc.hbm({128 * tiles, columns});
  tile_pool in = nc.sbuf_pool(4, 128, columns), out = nc.sbuf_pool(4, 128, columns);
  using numbered = std::pair<std::int64_t, tile_view>;
  pipeline(
      nc, tiles, 1,
      [&](std::int64_t i) {
        const numbered one{128 * i, in.next()};
        nc.issue(dma_copy{.out = one.second, .in = x.slice(0, one.first, 128)});
        return one;
      },
      [&](const numbered& loaded) {
        const numbered one{loaded.first, out.next()};
        nc.issue(activation{.out = one.second, .in = loaded.second});
        nc.issue(
            tensor_scalar{.out = one.second, .in = one.second, .op0 = alu_op::add, .operand0 = 2});
        return one;
      },
      [&](const numbered& one) {
        nc.issue(dma_copy{.out = y.slice(0, one.first, 128), .in = one.second});
      });
}

std::vector<recorded_instruction> recorded(core& nc, const std::function<void(core&)>& issue) {
  program_recorder recorder;
  engine_detail::observe(nc, [&](const instruction& i, int) { recorder.add(i); });
  issue(nc);
  return recorder.program();
}

// The published figures have three digits, and one constant is fitted to two of them.
void expect_published(double microseconds, double published, const char* what) {
  EXPECT_NEAR(microseconds / published, 1, 0.035) << what << ": " << microseconds << " us";
}

double microseconds_a_tile(const machine_spec& machine, std::int64_t tiles_an_iteration) {
  core nc(machine, dry);
  engine_detail::issue_as(nc, tiles_an_iteration, {});
  const auto program = recorded(nc, scale_and_add);
  const std::uint64_t body = 4 * std::uint64_t(tiles_an_iteration);
  core looped(machine, dry);
  const std::vector<program_part> parts{
      {.iterations = program.size() / body, .body = {{.instructions = body}}}};
  engine_detail::issue_as(looped, tiles_an_iteration, engine_detail::place_loops(program, parts));
  scale_and_add(looped);
  return looped.summary().value("total_time") * 1e6 / tiles;
}

TEST(loops, take_what_the_vendor_measured) {
  core unrolled(trainium1(), dry);
  scale_and_add(unrolled);
  expect_published(unrolled.summary().value("total_time") * 1e6 / tiles, 7.5, "unrolled");
  expect_published(microseconds_a_tile(trainium1(), 1), 17.9, "a tile an iteration");
  expect_published(microseconds_a_tile(trainium1(), 4), 10.2, "four tiles an iteration");
}

// Six panels of four transposes, each followed by five blocks of three products.
void nested(core& nc) {
  const hbm_view a = nc.hbm({6 * 128, 512}), b = nc.hbm({3 * 128, 5 * 512}),
                 c = nc.hbm({6 * 128, 5 * 512});
  tile_pool rows = nc.sbuf_pool(2, 128, 512), panels = nc.sbuf_pool(2, 128, 512),
            blocks = nc.sbuf_pool(4, 128, 3 * 512), results = nc.sbuf_pool(3, 128, 512),
            turned = nc.psum_pool(2, 128, 512), sums = nc.psum_pool(2, 128, 512);
  for (std::int64_t i = 0; i < 6; ++i) {
    const tile_view row = rows.next(), panel = panels.next(), bank = turned.next();
    nc.issue(dma_copy{.out = row, .in = a.slice(0, 128 * i, 128)});
    for (std::int64_t t = 0; t < 4; ++t)
      nc.issue(transpose{.out = bank.columns(128 * t, 128), .in = row.columns(128 * t, 128)});
    nc.issue(tensor_copy{.out = panel, .in = bank});
    for (std::int64_t j = 0; j < 5; ++j) {
      const tile_view block = blocks.next(), sum = sums.next(), result = results.next();
      nc.issue(dma_copy{.out = block,
                        .in = b.reshape({3, 128, 2560}).slice(2, 512 * j, 512).permute({1, 0, 2})});
      for (std::int64_t t = 0; t < 3; ++t)
        nc.issue(matmul{.out = sum,
                        .stationary = panel.columns(128 * t, 128),
                        .moving = block.columns(512 * t, 512),
                        .accumulate = t > 0});
      nc.issue(tensor_copy{.out = result, .in = sum});
      nc.issue(dma_copy{.out = c.slice(0, 128 * i, 128).slice(1, 512 * j, 512), .in = result});
    }
  }
}

// The loaded instruction that each instruction of the unrolled program is.
void expand(const std::vector<program_part>& parts, std::uint64_t& next,
            std::vector<std::uint64_t>& all) {
  for (const program_part& part : parts) {
    for (std::uint64_t k = 0; k < part.instructions; ++k) all.push_back(next++);
    const std::uint64_t first = next;
    for (std::uint64_t i = 0; i < part.iterations; ++i) {
      next = first;
      expand(part.body, next, all);
    }
  }
}

// That the loops issue the program, whatever they are.
void expect_same_program(const std::vector<recorded_instruction>& program,
                         const std::vector<program_part>& parts, const looped_program& loops) {
  std::vector<std::uint64_t> loaded;
  std::uint64_t count = 0;
  expand(parts, count, loaded);
  ASSERT_EQ(loaded.size(), program.size());
  EXPECT_EQ(loops.instructions, count);
  std::vector<const recorded_instruction*> first(count);
  std::uint64_t products = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    const recorded_instruction*& own = first[loaded[i]];
    if (own == nullptr) {
      own = &program[i];
      products += own->is_tile ? 1 : 0;
    }
    ASSERT_EQ(own->same, program[i].same) << "instruction " << i;
    EXPECT_TRUE(loops.moves[i] || own->places == program[i].places) << "instruction " << i;
  }
  EXPECT_EQ(loops.tiles, products);
}

TEST(loops, have_the_fewest_iterations_that_may_be_loaded) {
  core nc(trainium1(), dry);
  const auto program = recorded(nc, nested);
  const auto repeated = engine_detail::repetitions_of(program);
  const struct {
    std::uint64_t tiles_max, loops, iterations;
  } expected[] = {
      {7, 2, 6 + 6 * 5},  // a panel; a block
      {12, 2, 36},        // two blocks would leave one over behind the loop: 4 + 9
      {13, 2, 6 + 6 * 2}, {18, 2, 18}, {19, 1, 6},  // a panel with its blocks
      {38, 1, 3},         {57, 1, 2},  {114, 0, 0},
  };
  for (const auto& e : expected) {
    SCOPED_TRACE(e.tiles_max);
    const auto parts = engine_detail::fold_program(program, repeated, e.tiles_max);
    ASSERT_FALSE(parts.empty());
    const looped_program loops = engine_detail::place_loops(program, parts);
    EXPECT_EQ(loops.loops, e.loops);
    EXPECT_EQ(loops.iterations, e.iterations);
    EXPECT_LE(loops.tiles, e.tiles_max);
    expect_same_program(program, parts, loops);
  }
  EXPECT_TRUE(engine_detail::fold_program(program, repeated, 6).empty());
}

TEST(loops, need_a_register_for_each_way_in_which_a_place_moves) {
  core nc(trainium1(), dry);
  const auto program = recorded(nc, nested);
  const auto parts =
      engine_detail::fold_program(program, engine_detail::repetitions_of(program), 7);
  // Rows of A with the panel, blocks of B within it, tiles of C with both; and the counter.
  EXPECT_EQ(engine_detail::place_loops(program, parts).registers, 4);
}

kernel as_kernel(const char* name, void (*issue)(core&)) {
  return {.name = name, .body = [issue](core& nc, const kernel_arguments& t) {
            issue(nc);
            const tile one = nc.sbuf(1, 1);
            nc.issue(memset{.out = one.whole()});
            nc.issue(dma_copy{.out = t.out(0), .in = one.whole()});
          }};
}

launch_result launched(machine_spec machine, double within, int tiles_max) {
  machine.lowering.looped_tiles_max = tiles_max;
  device dev(machine, sdk_2_24(), {.strict = false, .loops_within = within});
  return dev.launch(as_kernel("nested", nested), {}, {tensor_shape{{1}}}, run_mode::dry_run);
}

TEST(loops, are_issued_where_the_time_allows) {
  const launch_result unrolled = launched(trainium1(), 0, 19);
  EXPECT_FALSE(unrolled.summary.verdict.form.as_loops);
  EXPECT_EQ(unrolled.summary.verdict.form.unrolled_seconds, 0);
  const launch_result loops = launched(trainium1(), 100, 19);
  const program_form& form = loops.summary.verdict.form;
  EXPECT_TRUE(form.as_loops);
  EXPECT_EQ(form.iterations, 6u);
  EXPECT_EQ(form.loaded_tiles, 19u);
  EXPECT_EQ(form.unrolled_seconds, unrolled.device_seconds);
  EXPECT_EQ(form.loops_seconds, loops.device_seconds);
  EXPECT_GT(form.loops_seconds, form.unrolled_seconds);
  EXPECT_EQ(loops.instructions, form.loaded_instructions);
  EXPECT_LT(loops.instructions, unrolled.instructions / 5);
  EXPECT_EQ(loops.summary.verdict.instructions, unrolled.instructions);
  const launch_result too_slow = launched(trainium1(), 1, 19);
  EXPECT_FALSE(too_slow.summary.verdict.form.as_loops);
  EXPECT_EQ(too_slow.summary.verdict.form.loops_seconds, loops.device_seconds);
  EXPECT_EQ(too_slow.device_seconds, unrolled.device_seconds);
  const launch_result none = launched(trainium1(), 100, 6);
  EXPECT_EQ(none.summary.verdict.form.loops, 0u);
  EXPECT_EQ(none.device_seconds, unrolled.device_seconds);
  EXPECT_NE(none.summary.verdict_text().find("it has no loops that are small enough"),
            std::string::npos);
  const launch_result small = launched(trainium1(), 100, 114);
  EXPECT_EQ(small.summary.verdict.form.unrolled_seconds, 0);
  EXPECT_EQ(small.device_seconds, unrolled.device_seconds);
}

// The kernel's body runs once for each dry run, and for the launch.
TEST(loops, are_looked_for_once_for_each_program) {
  machine_spec machine = trainium1();
  machine.lowering.looped_tiles_max = 19;
  device dev(machine, sdk_2_24(), {.strict = false, .loops_within = 100, .programs_max = 2});
  int runs = 0;
  kernel counted = as_kernel("nested", nested);
  counted.body = [&runs, body = counted.body](core& nc, const kernel_arguments& t) {
    ++runs;
    body(nc, t);
  };
  const auto runs_of = [&](const char* parameters) {
    counted.parameters = parameters;
    const int before = runs;
    const launch_result r = dev.launch(counted, {}, {tensor_shape{{1}}}, run_mode::dry_run);
    EXPECT_EQ(r.summary.verdict.form.iterations, 6u);
    return runs - before;
  };
  const int searched = runs_of("a");
  EXPECT_GT(searched, 2);
  EXPECT_EQ(runs_of("a"), 1);
  EXPECT_EQ(runs_of("b"), searched);
  EXPECT_EQ(runs_of("a"), 1);
  EXPECT_EQ(runs_of("c"), searched);
  EXPECT_EQ(runs_of("b"), searched);  // of two that are kept it was used longest ago

  // In place is another program: what waits for what differs.
  const device_buffer one = dev.allocate({{1}}), other = dev.allocate({{1}});
  const auto runs_between = [&](const device_buffer& from, const device_buffer& to) {
    const int before = runs;
    dev.launch(counted, {from}, {to}, run_mode::dry_run);
    return runs - before;
  };
  EXPECT_EQ(runs_between(one, other), searched);
  EXPECT_EQ(runs_between(other, one), 1);
  EXPECT_EQ(runs_between(one, one), searched);
}

TEST(loops, need_no_more_registers_than_a_sequencer_has) {
  machine_spec few = trainium1();
  few.sequencer.registers = 2;  // rows of A, tiles of C, and the counter
  EXPECT_EQ(launched(few, 100, 19).summary.verdict.form.loops, 0u);
  few.sequencer.registers = 3;
  EXPECT_GT(launched(few, 100, 19).summary.verdict.form.loops, 0u);
}

// Of 6 panels a row of A, and 5 blocks of B and of C each.
TEST(loops, have_descriptors_written_for_places_in_registers) {
  const profile gpsimd = launched(trainium1(), 100, 7).summary,
                hardware = launched(trainium2(), 100, 7).summary;
  const auto writes = [](const profile& p, unit on) {
    for (const profile_opcode& one : p.opcodes)
      if (one.on == on && one.opcode == "write_descriptors") return one.count;
    return std::uint64_t{0};
  };
  EXPECT_EQ(writes(gpsimd, unit::gpsimd), 66u);
  EXPECT_EQ(writes(gpsimd, unit::sync), 0u);
  EXPECT_EQ(writes(hardware, unit::sync), 66u);
  EXPECT_EQ(writes(hardware, unit::gpsimd), 0u);
  EXPECT_NEAR(hardware.value("sync_engine_active_time"), 66 * 600e-9, 1e-12);
  EXPECT_GT(gpsimd.value("software_dynamic_dma_packet_count"), 0);
  EXPECT_FALSE(gpsimd.has("hardware_dynamic_dma_packet_count"));
  EXPECT_GT(hardware.value("hardware_dynamic_dma_packet_count"), 0);
  EXPECT_EQ(hardware.value("software_dynamic_dma_packet_count"), 0);
}

TEST(loops, refuse_a_factor_below_one) {
  for (const double within : {-1.0, 0.5, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      device(trainium1(), sdk_2_24(), {.loops_within = within});
      ADD_FAILURE() << within;
    } catch (const invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()).find("device: loops_within must be 0 or at least 1, got "),
                0u)
          << e.what();
    }
  }
}

}  // namespace
}  // namespace papilio::engine::test

#include "papilio/engine/profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::engine::test {
namespace {

// Sums of a few doubles: far above their rounding, far below any cost.
constexpr double tolerance = 1e-12;

constexpr core_options dry{.mode = run_mode::dry_run, .strict = false};

void expect_near(double value, double expected, std::string_view name) {
  EXPECT_NEAR(value, expected, tolerance * std::max(1e-6, std::abs(expected))) << name;
}

// Trainium1, by hand: 128 rows of 2048 bytes are 8 an engine at 17 bytes a nanosecond, 1300 ns
// after they may start; an addition of 512 fp32 from SBUF takes 2 * 512 + 100 cycles of 1.12 GHz.
constexpr double transfer = 8 * 2048 / 17.0 * 1e-9;
constexpr double start = 1300e-9;
constexpr double addition = (2 * 512 + 100) / 1.12e9;

struct expected_field {
  const char* name;
  double value;
};

profile load_add_store() {
  core nc(trainium1(), dry);
  const hbm_view in = nc.hbm({128, 512}), out = nc.hbm({128, 512});
  const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512);
  nc.step("load");
  nc.issue(dma_copy{.out = x.whole(), .in = in});
  nc.step("add");
  nc.issue(tensor_tensor{.out = y, .left = x, .right = x, .op = alu_op::add});
  nc.step("store");
  nc.issue(dma_copy{.out = out, .in = y.whole()});
  return nc.summary();
}

// HBM's rate is a limit, of a core's share of the chip: no run reads and writes more.
TEST(profile, never_moves_more_than_hbm_gives) {
  for (const double bytes_per_s : {1e10, 1e11, 820e9}) {
    machine_spec slow = trainium1();
    slow.hbm.bandwidth_bytes_per_s = bytes_per_s;
    core nc(slow, dry);
    const hbm_view in = nc.hbm({128, 16384}), out = nc.hbm({128, 16384});
    const tile x = nc.sbuf(128, 16384);
    for (int i = 0; i < 10; ++i) {
      nc.issue(dma_copy{.out = x.whole(), .in = in});
      nc.issue(dma_copy{.out = out, .in = in});
    }
    const profile p = nc.summary();
    EXPECT_LE(p.value("mbu_estimated_percent"), 1) << bytes_per_s;
    EXPECT_GT(p.value("mbu_estimated_percent"), bytes_per_s > 5e11 ? 0.6 : 0.9) << bytes_per_s;
  }
}

TEST(profile, has_every_field_of_a_load_an_addition_and_a_store) {
  const double total = start + transfer + addition + start + transfer;
  const double bytes = 128 * 512 * 4;
  const std::vector<expected_field> expected{
      {"total_time", total},
      {"neuroncore_cycle_count", std::round(total * 1.4e9)},
      {"hardware_flops", 0},
      {"transpose_flops", 0},
      {"adjusted_hardware_flops", 0},
      {"adjusted_transpose_flops", 0},
      {"mm_arithmetic_intensity", 0},
      {"peak_flops_bandwidth_ratio", 2 * 128 * 128 * 2.8e9 / 410e9},
      {"dma_active_cycles", std::round(2 * transfer * 1.4e9)},
      {"dma_active_time", 2 * transfer},
      {"dma_active_time_percent", 2 * transfer / total},
      {"static_dma_active_time", 2 * transfer},
      {"dynamic_dma_active_time_percent", 0},
      {"static_dma_active_time_percent", 2 * transfer / total},
      {"dma_transfer_average_bytes", bytes},
      {"dma_packet_time", 16 * 2 * transfer},
      {"dma_transfer_time", 2 * transfer},
      {"dma_transfer_count", 2},
      {"dma_transfer_total_bytes", 2 * bytes},
      {"dma_queue_count", 2},
      {"inputs_and_weights_size_bytes", bytes},
      {"inputs_outputs_weights_size_bytes", 2 * bytes},
      {"static_dma_packet_count", 2 * 128},
      {"static_dma_size", 2 * bytes},
      {"dynamic_dma_packet_percent", 0},
      {"static_dma_packet_percent", 1},
      {"dynamic_dma_size_percent", 0},
      {"static_dma_size_percent", 1},
      {"mbu_estimated_percent", 2 * bytes / 410e9 / total},
      {"hbm_write_bytes", bytes},
      {"hbm_read_bytes", bytes},
      {"sbuf_write_bytes", 2 * bytes},
      {"sbuf_read_bytes", 3 * bytes},
      {"psum_write_bytes", 0},
      {"psum_read_bytes", 0},
      {"psum_read_sbuf_write_count", 0},
      {"psum_read_sbuf_write_bytes", 0},
      {"software_dynamic_dma_active_time", 0},
      {"software_dynamic_dma_active_time_percent", 0},
      {"software_dynamic_dma_packet_count", 0},
      {"software_dynamic_dma_size", 0},
      {"software_dynamic_dma_packet_percent", 0},
      {"software_dynamic_dma_size_percent", 0},
      {"tensor_engine_instruction_time", 0},
      {"tensor_engine_active_time", 0},
      {"tensor_engine_active_time_percent", 0},
      {"tensor_engine_instruction_count", 0},
      {"matmul_instruction_count", 0},
      {"mfu_estimated_percent", 0},
      {"mfu_max_achievable_estimated_percent", 0},
      {"mfu_inst_estimated_percent", 0},
      {"mfu_inst_max_achievable_estimated_percent", 0},
      {"hfu_estimated_percent", 0},
      {"vector_engine_instruction_time", addition},
      {"vector_engine_active_time", addition},
      {"vector_engine_active_time_percent", addition / total},
      {"vector_engine_instruction_count", 1},
      {"scalar_engine_instruction_time", 0},
      {"scalar_engine_active_time", 0},
      {"scalar_engine_active_time_percent", 0},
      {"scalar_engine_instruction_count", 0},
      {"activate_instruction_time", 0},
      {"activate_instruction_count", 0},
      {"sync_engine_instruction_time", 0},
      {"sync_engine_active_time", 0},
      {"sync_engine_active_time_percent", 0},
      {"sync_engine_instruction_count", 0},
      {"gpsimd_engine_instruction_time", 0},
      {"gpsimd_engine_active_time", 0},
      {"gpsimd_engine_active_time_percent", 0},
      {"gpsimd_engine_instruction_count", 0},
      {"cc_op_time", 0},
      {"cc_op_active_time", 0},
      {"cc_op_active_time_percent", 0},
      {"cc_op_count", 0},
      {"total_active_time", 2 * transfer + addition},
      {"total_active_time_percent", (2 * transfer + addition) / total},
  };
  const profile p = load_add_store();
  ASSERT_EQ(p.summary.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(p.summary[i].name, expected[i].name);
    expect_near(p.summary[i].value, expected[i].value, expected[i].name);
  }
  EXPECT_EQ(p.machine, "trainium1");
}

TEST(profile, lists_opcodes_and_steps) {
  const profile p = load_add_store();
  ASSERT_EQ(p.opcodes.size(), 2u);
  EXPECT_EQ(p.opcodes[0].opcode, "tensor_tensor");
  EXPECT_EQ(p.opcodes[0].on, unit::vector);
  EXPECT_EQ(p.opcodes[1].opcode, "dma_copy");
  EXPECT_EQ(p.opcodes[1].count, 2u);
  expect_near(p.opcodes[1].seconds, 2 * transfer, "dma_copy");
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.steps[1].name, "add");
  EXPECT_EQ(p.steps[1].instructions, 1u);
  expect_near(p.steps[1].seconds, addition, "add");
}

TEST(profile, joins_the_occurrences_of_a_step) {
  core nc(trainium1(), dry);
  const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512);
  for (int i = 0; i < 3; ++i) {
    nc.step("square");
    nc.issue(tensor_tensor{.out = y, .left = x, .right = x, .op = alu_op::multiply});
    nc.step("back");
    nc.issue(tensor_copy{.out = x, .in = y});
  }
  const profile p = nc.summary();
  ASSERT_EQ(p.steps.size(), 2u);
  EXPECT_EQ(p.steps[0].name, "square");
  EXPECT_EQ(p.steps[0].instructions, 3u);
  expect_near(p.steps[0].seconds, 3 * addition, "square");
  expect_near(p.steps[1].seconds, 3 * (512 + 100) / 1.12e9, "back");
}

// bf16: LoadStationary min(64, 128) cycles, the multiply 512; the second load is hidden behind the
// first multiply.
TEST(profile, sums_instructions_and_unites_activity) {
  core nc(trainium1(), dry);
  const tile s = nc.sbuf(128, 128, dtype::bf16), m = nc.sbuf(128, 512, dtype::bf16);
  const tile a = nc.psum(128, 512), b = nc.psum(128, 512);
  nc.issue(matmul{.out = a, .stationary = s, .moving = m});
  nc.issue(matmul{.out = b, .stationary = s, .moving = m});
  const profile p = nc.summary();
  const double cycle = 1 / 2.8e9;
  expect_near(p.value("tensor_engine_instruction_time"), 2 * (64 + 512) * cycle, "sum");
  expect_near(p.value("tensor_engine_active_time"), 2 * (64 + 512) * cycle, "union");
  EXPECT_EQ(p.value("tensor_engine_instruction_count"), 4);
  EXPECT_EQ(p.value("matmul_instruction_count"), 2);
  EXPECT_EQ(p.value("psum_write_bytes"), 2 * 128 * 512 * 4);
  EXPECT_EQ(p.value("sbuf_read_bytes"), 2 * (128 * 128 + 128 * 512) * 2);
  // Where loads run behind multiplies, one and the other overlap.
  core hidden(trainium2(), dry);
  const tile s2 = hidden.sbuf(128, 128, dtype::bf16), m2 = hidden.sbuf(128, 512, dtype::bf16),
             a2 = hidden.psum(128, 512);
  for (int i = 0; i < 2; ++i) hidden.issue(matmul{.out = a2, .stationary = s2, .moving = m2});
  const profile q = hidden.summary();
  EXPECT_GT(q.value("tensor_engine_instruction_time"), q.value("total_time"));
  EXPECT_FALSE(p.has("mm_arithmetic_intensity"));  // nothing moved
  EXPECT_FALSE(p.has("mfu_max_achievable_estimated_percent"));
}

double adjusted(const machine_spec& machine, dtype type, bool onezero = false) {
  core nc(machine, dry);
  const tile s = nc.sbuf(128, 64, type), m = nc.sbuf(128, 256, type), out = nc.psum(64, 256);
  nc.issue(matmul{.out = out, .stationary = s, .moving = m, .onezero = onezero});
  const profile p = nc.summary();
  EXPECT_EQ(p.value("hardware_flops"), 2.0 * 128 * 64 * 256);
  return p.value("adjusted_hardware_flops") / p.value("hardware_flops");
}

TEST(profile, weighs_flops_by_the_passes_of_their_type) {
  EXPECT_EQ(adjusted(trainium1(), dtype::fp32), 4);
  EXPECT_EQ(adjusted(trainium1(), dtype::fp32, true), 2);
  EXPECT_EQ(adjusted(trainium1(), dtype::bf16), 1);
  EXPECT_EQ(adjusted(trainium1(), dtype::fp8_e4m3), 1);
  EXPECT_EQ(adjusted(trainium2(), dtype::fp8_e4m3), 0.5);
}

TEST(profile, tells_transposes_from_products) {
  core nc(trainium1(), dry);
  const tile x = nc.sbuf(128, 64), out = nc.psum(64, 128), on_vector = nc.sbuf(64, 128);
  const hbm_view to = nc.hbm({64, 128});
  nc.issue(transpose{.out = out, .in = x});
  nc.issue(transpose{.out = on_vector->columns(0, 32).partition_range(0, 32),
                     .in = x->columns(0, 32).partition_range(0, 32),
                     .on = unit::vector});
  nc.issue(matmul{.out = out, .stationary = x, .moving = x->columns(0, 64).repeat(2)});
  nc.issue(tensor_copy{.out = on_vector, .in = out});
  nc.issue(dma_copy{.out = to, .in = on_vector.whole()});
  const profile p = nc.summary();
  const double transposed = 2.0 * 128 * 128 * 64, product = 2.0 * 128 * 64 * 128;
  EXPECT_EQ(p.value("transpose_flops"), transposed);
  EXPECT_EQ(p.value("adjusted_transpose_flops"), 2 * transposed);  // two passes
  EXPECT_EQ(p.value("hardware_flops"), transposed + product);
  EXPECT_EQ(p.value("adjusted_hardware_flops"), 2 * transposed + 4 * product);
  EXPECT_EQ(p.value("matmul_instruction_count"), 2);
  const double peak = 2 * 128 * 128 * 2.8e9, total = p.value("total_time");
  expect_near(p.value("mfu_estimated_percent"), 4 * product / peak / total, "mfu");
  expect_near(p.value("hfu_estimated_percent"), (2 * transposed + 4 * product) / peak / total,
              "hfu");
  const double bytes = 64 * 128 * 4;
  expect_near(p.value("mm_arithmetic_intensity"), product / bytes, "intensity");
  expect_near(p.value("mfu_max_achievable_estimated_percent"),
              std::min(1.0, 4 * product / bytes / (peak / 410e9)), "roofline");
  EXPECT_EQ(p.value("psum_read_sbuf_write_count"), 1);
  EXPECT_EQ(p.value("psum_read_sbuf_write_bytes"), bytes);
}

// Rows of 4 bytes take a descriptor's 80 ns on an engine each, all at once.
TEST(profile, unites_transfers_and_sums_engines) {
  core nc(trainium1(), dry);
  const hbm_view in = nc.hbm({2, 1});
  const tile x = nc.sbuf(1, 1), y = nc.sbuf(1, 1);
  nc.issue(dma_copy{.out = x.whole(), .in = in.slice(0, 0, 1)});
  nc.issue(dma_copy{.out = y.whole(), .in = in.slice(0, 1, 1)});
  const profile p = nc.summary();
  expect_near(p.value("dma_active_time"), 80e-9, "union");
  expect_near(p.value("dma_transfer_time"), 160e-9, "sum over transfers");
  expect_near(p.value("dma_packet_time"), 160e-9, "sum over engines");
  EXPECT_EQ(p.value("dma_transfer_average_bytes"), 4);
  EXPECT_NEAR(p.verdict.dma_engine_fraction, 2.0 / 16, tolerance);  // 2 engines of 16
}

// gpsimd writes a descriptor for each of 128 rows in 16 cycles, after its own 150; then each row
// takes an engine 80 ns.
TEST(profile, tells_gathers_from_other_transfers) {
  core nc(trainium1(), dry);
  const hbm_view in = nc.hbm({1000, 8}), rows = nc.hbm({128, 1}, dtype::int32);
  const tile x = nc.sbuf(128, 8), indices = nc.sbuf(128, 1, dtype::int32);
  nc.issue(dma_copy{.out = indices.whole(), .in = rows});
  nc.issue(dma_gather{.out = x, .in = in, .indices = indices});
  const profile p = nc.summary();
  const double few_bytes = 8 * 80e-9, writing = (128 * 16 + 150) / 1.4e9;
  expect_near(p.value("gpsimd_engine_active_time"), writing, "descriptors");
  EXPECT_EQ(p.value("gpsimd_engine_instruction_count"), 1);
  expect_near(p.value("static_dma_active_time"), few_bytes, "static");
  expect_near(p.value("software_dynamic_dma_active_time"), few_bytes, "dynamic");
  expect_near(p.value("dma_active_time"), 2 * few_bytes, "both");
  EXPECT_EQ(p.value("software_dynamic_dma_packet_percent"), 0.5);
  EXPECT_EQ(p.value("software_dynamic_dma_size"), 128 * 8 * 4);
  EXPECT_EQ(p.value("static_dma_size_percent"), 1.0 / 9);
  EXPECT_EQ(p.opcodes[0].opcode, "write_descriptors");
  EXPECT_EQ(p.opcodes[0].on, unit::gpsimd);
}

TEST(profile, counts_activations_of_the_scalar_engine) {
  core nc(trainium2(), dry);
  const tile x = nc.sbuf(128, 512);
  nc.issue(activation{.out = x, .in = x, .function = activation_function::exp});
  nc.issue(tensor_copy{.out = x, .in = x, .on = unit::scalar});
  const profile p = nc.summary();
  EXPECT_EQ(p.value("activate_instruction_count"), 1);
  EXPECT_EQ(p.value("scalar_engine_instruction_count"), 2);
  expect_near(p.value("activate_instruction_time"), (512 + 100) / 1.2e9, "activations");
}

TEST(profile, tells_intermediate_tensors_from_inputs_and_outputs) {
  core nc(trainium1(), dry);
  const hbm_view in = nc.hbm({128, 8}), between = nc.hbm({128, 8}), out = nc.hbm({128, 8}),
                 in_place = nc.hbm({128, 2});
  const tile x = nc.sbuf(128, 8);
  nc.issue(dma_copy{.out = x.whole(), .in = in});
  nc.issue(dma_copy{.out = between, .in = x.whole()});
  nc.issue(dma_copy{.out = x.whole(), .in = between});
  nc.issue(dma_copy{.out = out, .in = x.whole()});
  nc.issue(dma_copy{.out = x->columns(0, 2), .in = in_place});
  nc.issue(dma_copy{.out = in_place, .in = x->columns(0, 2)});
  const profile p = nc.summary();
  EXPECT_EQ(p.value("inputs_and_weights_size_bytes"), 128 * 10 * 4);
  EXPECT_EQ(p.value("inputs_outputs_weights_size_bytes"), 128 * 20 * 4);
}

TEST(profile, says_what_bounds_a_run) {
  const profile p = load_add_store();
  const profile_verdict& v = p.verdict;
  const double total = p.value("total_time");
  EXPECT_EQ(v.bound_by, unit::dma);
  expect_near(v.active_fraction, 2 * transfer / total, "active");
  expect_near(v.waited_seconds, total - 2 * transfer, "waited");
  EXPECT_EQ(v.waited_for, "the start of transfers");
  expect_near(v.waited_for_seconds, 2 * start, "waited for");
  expect_near(v.hbm_floor_seconds, 2 * 128 * 512 * 4 / 272.0 * 1e-9, "floor");
  EXPECT_EQ(v.tensor_floor_seconds, 0);
  EXPECT_EQ(v.floor_seconds, v.hbm_floor_seconds);
  expect_near(v.floor_fraction, v.floor_seconds / total, "floor");
  EXPECT_EQ(p.verdict_text(),
            "no unit is active half of the time, longest DMA: active 1.928 us of 5.531 us, "
            "34.85 %, in which its engines moved data 100.0 % of the time\n"
            "it waited 3.604 us, longest for the start of transfers: 2.600 us\n"
            "the floor is 1.928 us (inputs and outputs once through DMA), 34.85 % of the run\n"
            "the program is 3 instructions, 0 of them products\n");
}

TEST(profile, takes_the_products_on_a_full_array_as_a_floor) {
  core nc(trainium1(), dry);
  const tile s = nc.sbuf(128, 128), m = nc.sbuf(128, 512), out = nc.psum(128, 512);
  for (int i = 0; i < 8; ++i) nc.issue(matmul{.out = out, .stationary = s, .moving = m});
  const profile p = nc.summary();
  EXPECT_EQ(p.verdict.bound_by, unit::tensor);
  expect_near(p.verdict.tensor_floor_seconds, 8 * 4 * (512 + 64) / 2.8e9, "floor");
  EXPECT_EQ(p.verdict.floor_seconds, p.verdict.tensor_floor_seconds);
  EXPECT_EQ(p.verdict_text(),
            "bound by the tensor engine: active 6.583 us of 6.583 us, 100.0 %\n"
            "the floor is 6.583 us (the products on a full array), 100.0 % of the run\n"
            "the program is 8 instructions, 8 of them products\n");
  machine_spec small = trainium1();
  small.lowering.unrolled_tiles_max = 2;
  core beyond(small, dry);
  const tile s2 = beyond.sbuf(128, 128), m2 = beyond.sbuf(128, 512), out2 = beyond.psum(128, 512);
  for (int i = 0; i < 3; ++i) beyond.issue(matmul{.out = out2, .stationary = s2, .moving = m2});
  EXPECT_TRUE(beyond.summary().verdict_text().ends_with(
      "the program is 3 instructions, 3 of them products: more than the 2 of the largest that is "
      "known to have run\n"));
}

// One tile for all loads: a load waits until the addition before it has read the tile.
TEST(profile, names_the_wait_for_a_place_on_chip) {
  core nc(trainium1(), dry);
  const hbm_view in = nc.hbm({128, 8192});
  tile_pool pool = nc.sbuf_pool(1, 128, 8192);
  const tile sum = nc.sbuf(128, 1);
  for (int i = 0; i < 4; ++i) {
    const tile_view x = pool.next();
    nc.issue(dma_copy{.out = x, .in = in});
    nc.issue(tensor_tensor{.out = x, .left = x, .right = x});
  }
  const profile p = nc.summary();
  const double vector = (2 * 8192 + 100) / 1.12e9;
  const double load = 8 * 8192 * 4 / 17.0 * 1e-9;
  EXPECT_EQ(p.verdict.bound_by, load > vector ? unit::dma : unit::vector);
  EXPECT_EQ(p.verdict.waited_for, "room on chip");
  expect_near(p.verdict.waited_for_seconds, 3 * vector, "room");
}

// On trainium1 vector and scalar engine take turns at PSUM; what one waits for is the other.
TEST(profile, names_the_wait_for_a_shared_port) {
  core nc(trainium1(), dry);
  const tile p = nc.psum(128, 512), q = nc.psum(128, 512);
  const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512);
  nc.issue(activation{.out = x, .in = p});
  for (int i = 0; i < 2; ++i) nc.issue(tensor_copy{.out = y, .in = q});
  const profile s = nc.summary();
  EXPECT_EQ(s.verdict.bound_by, unit::vector);
  EXPECT_EQ(s.verdict.waited_for, "scalar");
  expect_near(s.verdict.waited_for_seconds, (512 + 100) / 1.4e9, "port");
}

TEST(profile, names_the_wait_for_a_semaphore) {
  core nc(trainium1(), dry);
  const tile x = nc.sbuf(128, 512), y = nc.sbuf(128, 512);
  nc.order_by_hand();
  const semaphore done = nc.make_semaphore();
  nc.issue(activation{.out = x, .in = x});
  nc.issue(semaphore_signal{.which = done, .on = unit::scalar});
  nc.issue(semaphore_wait{.which = done, .on = unit::vector});
  nc.issue(tensor_tensor{.out = y, .left = x, .right = x});
  const profile p = nc.summary();
  EXPECT_EQ(p.verdict.bound_by, unit::vector);
  EXPECT_EQ(p.verdict.waited_for, "scalar");
  expect_near(p.verdict.waited_seconds, (512 + 100) / 1.4e9, "semaphore");
  expect_near(p.value("vector_engine_active_time"), addition, "waiting is no activity");
}

TEST(profile, counts_no_transfer_for_a_semaphore_of_a_queue) {
  core nc(trainium1(), dry);
  nc.order_by_hand();
  const semaphore done = nc.make_semaphore();
  nc.issue(semaphore_signal{.which = done, .on = unit::dma, .queue = 3});
  const profile p = nc.summary();
  EXPECT_EQ(p.value("dma_transfer_count"), 0);
  EXPECT_EQ(p.value("dma_queue_count"), 0);
  EXPECT_FALSE(p.has("dma_transfer_average_bytes"));
}

TEST(profile, of_nothing_is_zero) {
  const profile p = core(trainium1(), dry).summary();
  for (const profile_field& f : p.summary) {
    const bool of_the_machine = f.name == "peak_flops_bandwidth_ratio";
    EXPECT_EQ(f.value > 0, of_the_machine) << f.name;
  }
  EXPECT_EQ(p.verdict_text(), "nothing ran\n");
  EXPECT_EQ(p.verdict.floor_fraction, 0);
}

TEST(profile, refuses_unknown_fields_with_the_nearest) {
  const profile p = load_add_store();
  try {
    static_cast<void>(p.value("vector_active_time"));
    FAIL();
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("profile::value: no field vector_active_time, the nearest "
                                         "are vector_engine_active_time"),
              std::string::npos)
        << e.what();
  }
}

TEST(profile, json_is_the_summary) {
  const profile p = load_add_store();
  const auto json = nlohmann::ordered_json::parse(p.to_json());
  ASSERT_EQ(json.size(), p.summary.size());
  std::size_t i = 0;
  for (const auto& [name, value] : json.items()) {
    EXPECT_EQ(name, p.summary[i].name);
    EXPECT_EQ(value.get<double>(), p.summary[i].value) << name;
    ++i;
  }
  EXPECT_TRUE(json["hbm_read_bytes"].is_number_integer());
}

TEST(profile, text_has_the_verdict_and_a_line_for_each_field_that_is_not_zero) {
  const profile p = load_add_store();
  const std::string text = p.to_text(), all = p.numbers_text(true);
  EXPECT_EQ(text,
            "kernel   (none)\nmachine  trainium1\n\n" + p.verdict_text() + "\n" + p.numbers_text());
  EXPECT_TRUE(all.starts_with("total_time                                 5.531 us\n")) << all;
  for (const profile_field& f : p.summary) {
    const std::string line = "\n" + std::string(f.name) + "  ";
    EXPECT_NE(("\n" + all).find(line), std::string::npos) << f.name;
    EXPECT_EQ(text.find(line) != std::string::npos, f.value != 0) << f.name;
  }
  EXPECT_NE(text.find("hbm_read_bytes                             262144 B (262.1 kB)\n"),
            std::string::npos);
  EXPECT_NE(text.find("vector_engine_active_time_percent          18.14 %\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace papilio::engine::test

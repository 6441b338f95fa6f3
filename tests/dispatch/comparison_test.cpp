// Both sides of an operation: the parts against what the specs say, and verdicts.
#include "papilio/dispatch/comparison.hpp"

#include <gtest/gtest.h>

#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "papilio/signal/host_signals.hpp"
#include "papilio/transform.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio {
namespace {

// Every term a different number.
engine::runtime_spec made_up_runtime() {
  engine::runtime_spec r;
  r.name = "made up";
  r.launch_us = 101;
  r.host_to_device_us = 11;
  r.host_to_device_us_per_mb = 130;
  r.host_to_device_large_us_per_mb = 700;
  r.host_to_device_large_bytes = 1e5;
  r.blocking_fetch_us = 17;
  r.device_to_host_us = 23;
  r.device_to_host_us_per_mb = 290;
  r.compile_seconds = 5;
  r.compile_us_per_instruction = 0;
  r.load_seconds = 0.5;
  r.first_call_us = 2e4;
  return r;
}

class comparisons : public testing::Test {
 protected:
  comparisons() { use_host(host_from_features()); }  // whatever was measured on this computer

  execution on_device(policy where = policy::automatic) {
    return {.where = where, .on = &device_, .threads = 1};
  }
  double device_seconds(const kernels::sized_kernel& kernel) const {
    engine::device other(device_.machine(), device_.runtime());
    const kernels::prepared_kernel ready(other, kernel, engine::run_mode::dry_run);
    return ready
        .launch({kernel.inputs.begin(), kernel.inputs.end()},
                {kernel.outputs.begin(), kernel.outputs.end()})
        .device_seconds;
  }

  engine::device device_{engine::trainium1(), made_up_runtime()};
};

TEST_F(comparisons, small_operands_go_up_in_one_copy) {
  const gemm_problem g{.m = 16, .k = 24, .n = 10};
  const device_estimate e = explain(g, on_device()).device;
  const double bytes = 4.0 * (16 * 24 + 24 * 10), out = 4.0 * 16 * 10;  // multiples of 64
  EXPECT_EQ(e.tensors_in, 2u);
  EXPECT_EQ(e.copies_in, 1u);
  EXPECT_NEAR(e.upload_seconds, (11 + bytes * 130e-6) * 1e-6, 1e-15);
  EXPECT_NEAR(e.fetch_seconds, (17 + 23 + out * 290e-6) * 1e-6, 1e-15);
  array<float, 2> a({16, 24}), b({24, 10});
  gemm(a, b, {.on = on_device(policy::device)});
  EXPECT_EQ(last_run().uploads, 1u);
  EXPECT_NEAR(last_run().seconds(), e.seconds(), 1e-15);
}

TEST_F(comparisons, parts_are_those_of_the_specs) {
  const gemm_problem g{.m = 128, .k = 256, .n = 64};
  const comparison c = explain(g, on_device());
  EXPECT_EQ(c.machine, "trainium1");
  EXPECT_EQ(c.runtime, "made up");
  ASSERT_TRUE(c.device_can()) << c.device_refusal;
  ASSERT_TRUE(c.host_can()) << c.host_refusal;
  // A is large for its copy, from 1e5 bytes on; B is not, and would be if it went with A.
  const double a = 4.0 * 128 * 256, b = 4.0 * 256 * 64, out = 4.0 * 128 * 64;
  EXPECT_EQ(c.device.tensors_in, 2u);
  EXPECT_EQ(c.device.tensors_out, 1u);
  EXPECT_EQ(c.device.copies_in, 2u);
  EXPECT_EQ(c.device.copies_out, 1u);
  EXPECT_EQ(c.device.bytes_in, a + b);
  EXPECT_EQ(c.device.bytes_out, out);
  EXPECT_DOUBLE_EQ(c.device.launch_seconds, 101e-6);
  EXPECT_NEAR(c.device.upload_seconds, (2 * 11 + (1e5 + b) * 130e-6 + (a - 1e5) * 700e-6) * 1e-6,
              1e-15);
  EXPECT_NEAR(c.device.fetch_seconds, (17 + 23 + out * 290e-6) * 1e-6, 1e-15);
  EXPECT_DOUBLE_EQ(c.device.device_seconds, device_seconds(kernels::gemm_kernel(
                                                {.m = 128, .k = 256, .n = 64}, device_.machine())));
  EXPECT_DOUBLE_EQ(c.device.cold_seconds, 5 + 0.5 + 2e-2);
  EXPECT_GT(c.device.floor_seconds, 0);
  EXPECT_LE(c.device.floor_seconds, c.device.device_seconds);
  EXPECT_DOUBLE_EQ(
      c.host.seconds,
      modelled_seconds(host_from_features(), real_type::single_precision,
                       gemm_work(128, 256, 64, 1, false, real_type::single_precision), 1));
  EXPECT_EQ(c.host.basis, "from CPU features");
  EXPECT_EQ(device_.record().launches, 0u);  // nothing ran
}

TEST_F(comparisons, tables_are_copied_once_a_program_is_cold) {
  const fft_problem p{.type = real_type::single_precision, .extents = {16, 256}, .axes = {1}};
  const comparison c = explain(p, on_device());
  const kernels::sized_kernel kernel = kernels::fft_kernel(p, device_.machine());
  double tables = 0;
  for (const kernels::constant_table& t : kernel.tables)
    tables += device_.runtime().upload_us(1, static_cast<double>(t.shape.bytes())) * 1e-6;
  EXPECT_GT(tables, 0);
  EXPECT_NEAR(c.device.cold_seconds, 5.52 + tables, 1e-12);
  EXPECT_EQ(c.device.table_bytes, static_cast<double>(kernel.table_bytes()));
  EXPECT_EQ(c.device.relative_error, kernel.expected_error);
}

TEST_F(comparisons, situations_add_up) {
  const comparison c = explain(gemm_problem{.m = 300, .k = 200, .n = 100}, on_device());
  const device_estimate& e = c.device;
  const double device_array = e.launch_seconds + e.device_seconds;
  const double warm = device_array + e.upload_seconds + e.fetch_seconds;
  EXPECT_DOUBLE_EQ(seconds_in(e, {false, false}), warm);
  EXPECT_DOUBLE_EQ(seconds_in(e, {false, true}), device_array);
  EXPECT_DOUBLE_EQ(seconds_in(e, {true, false}), warm + e.cold_seconds);
  EXPECT_DOUBLE_EQ(seconds_in(e, {true, true}), device_array + e.cold_seconds);
}

TEST_F(comparisons, verdicts_follow_the_numbers) {
  for (const std::size_t side : {64, 2048}) {
    comparison c = explain(gemm_problem{.m = side, .k = side, .n = side}, on_device());
    for (const situation s : situations)
      EXPECT_EQ(c.faster_in(s), seconds_in(c.device, s) < c.host.seconds ? "device" : "host");
    EXPECT_EQ(c.automatic, c.faster_in({}));
    EXPECT_EQ(c.runs, c.automatic);
    EXPECT_EQ(place("f", c.what, on_device(), host_roofline()) == nullptr, c.automatic == "host");
    c.host.seconds = seconds_in(c.device, {false, true}) * 1.0001;
    EXPECT_EQ(c.faster_in({false, true}), "device");
    EXPECT_EQ(c.faster_in({false, false}), "host");
    c.host_refusal = "no";
    EXPECT_EQ(c.faster_in({true, false}), "host");  // by the estimate that it has all the same
    c.host = {};
    EXPECT_EQ(c.faster_in({true, false}), "device");
    c.device_refusal = "no";
    EXPECT_EQ(c.faster_in({true, false}), "");
  }
}

TEST_F(comparisons, what_cannot_is_said) {
  const fft_problem wide{.extents = {4, 64}, .axes = {1}};
  comparison c = explain(wide, on_device(policy::device));
  EXPECT_NE(c.device_refusal.find("float"), std::string::npos) << c.device_refusal;
  EXPECT_EQ(c.runs, "");
  EXPECT_NE(c.why.find("the policy is device"), std::string::npos) << c.why;
  EXPECT_EQ(c.automatic, "host");
  EXPECT_NE(c.to_text().find("cannot be met"), std::string::npos);

  c = explain(wide, {.where = policy::host});
  EXPECT_EQ(c.device_refusal, "no accelerator is named");
  EXPECT_EQ(c.runs, "host");

  execution rounded = on_device();
  rounded.precision.mode = precision::bf16;
  c = explain(fft_problem{.type = real_type::single_precision, .extents = {4, 64}, .axes = {1}},
              rounded);
  EXPECT_FALSE(c.host_can());
  EXPECT_EQ(c.host_refusal.find("the host computes in native precision only"), 0u)
      << c.host_refusal;
  EXPECT_TRUE(c.device_can()) << c.device_refusal;
  EXPECT_EQ(c.automatic, "device");
  // What it takes in native precision is there to compare with.
  EXPECT_DOUBLE_EQ(c.host.seconds, explain(c.what, on_device(), host_signals()).host.seconds);
  EXPECT_EQ(c.faster_in({}), "host");
  EXPECT_NE(c.to_text().find("host, from CPU features, in native precision: the host computes"),
            std::string::npos)
      << c.to_text();

  execution exact = on_device();
  exact.precision = {.target_error = 1e-14};
  c = explain(gemm_problem{.m = 64, .k = 64, .n = 64}, exact);
  EXPECT_FALSE(c.host_can());
  EXPECT_FALSE(c.device_can());
  EXPECT_EQ(c.automatic, "");
}

TEST_F(comparisons, a_backend_asks_for_its_side_and_both_are_compared) {
  const fft_problem p{.type = real_type::single_precision, .extents = {4, 64}, .axes = {1}};
  execution on = on_device();
  on.backend = "device";
  comparison c = explain(p, on);
  EXPECT_EQ(c.runs, "device");
  EXPECT_TRUE(c.host_can());
  on.backend = "host";
  c = explain(p, on);
  EXPECT_EQ(c.runs, "host");
  EXPECT_TRUE(c.device_can());
  on.where = policy::device;
  EXPECT_EQ(explain(p, on).runs, "");
}

TEST_F(comparisons, cosine_lines_are_estimated) {
  const fft_problem p{.kind = fft_kind::cosine,
                      .type = real_type::single_precision,
                      .extents = {100, 64},
                      .axes = {1},
                      .trigonometric_type = 2};
  const comparison c = explain(p, on_device());
  EXPECT_TRUE(c.host_can()) << c.host_refusal;
  fft_problem line = p;
  line.extents = {64};
  line.axes = {0};
  EXPECT_DOUBLE_EQ(c.host.seconds, host_fft_estimate(host_from_features(), line, 100, 1).seconds);
  EXPECT_EQ(c.automatic, "host");
}

TEST_F(comparisons, bad_arguments) {
  const gemm_problem g;
  EXPECT_THROW(explain(g, {.threads = -1}), invalid_argument);
  EXPECT_THROW(explain(g, {.backend = "abacus"}), invalid_argument);
  EXPECT_THROW(explain(fft_problem{.extents = {}}), invalid_argument);
  EXPECT_THROW(crossover_of(g, {.threads = -1}), invalid_argument);
  EXPECT_THROW(crossover_of(g, {.backend = "abacus"}), invalid_argument);
}

TEST_F(comparisons, of_plans) {
  const fft_problem line{.type = real_type::single_precision, .extents = {256}};
  const comparison c = transform_plan(line, on_device(policy::device), 8).explain(8);
  EXPECT_EQ(c.runs, "device");
  fft_problem whole = line;
  whole.extents = {8, 256};
  whole.axes = {1};
  EXPECT_EQ(c.what, operation(whole));
  EXPECT_DOUBLE_EQ(c.device.seconds(), explain(whole, on_device()).device.seconds());
  EXPECT_EQ(transform_plan(line, {.where = policy::host}).explain().runs, "host");
}

// Sums of the estimates, as place() compares them: of equal steps one program, and one launch has
// all steps of a submission.
TEST_F(comparisons, of_several_operations_are_sums) {
  const gemm_problem large{.m = 256, .k = 128, .n = 64}, small{.m = 64, .k = 64, .n = 64};
  const operand_shapes copied{{{{300}, false}}, {{{5}, true}}};
  const submission all[] = {
      {.steps = {{.what = large}, {.what = small, .is_device_only = true}}, .arrays = copied},
      {.steps = {{.what = small}}, .arrays = {}, .times = 3}};
  const comparison c = explain("work", all, on_device(), host_roofline());
  const comparison l = explain(large, on_device()), s = explain(small, on_device());
  EXPECT_EQ(c.name, "work");
  EXPECT_EQ(c.operations, 5u);
  EXPECT_TRUE(c.is_sum);
  EXPECT_EQ(c.device.launches, 4u);
  EXPECT_DOUBLE_EQ(c.nominal_flops, l.nominal_flops + 3 * s.nominal_flops);
  EXPECT_DOUBLE_EQ(c.host.seconds, l.host.seconds + 3 * s.host.seconds);
  EXPECT_DOUBLE_EQ(c.device.device_seconds, l.device.device_seconds + 4 * s.device.device_seconds);
  EXPECT_DOUBLE_EQ(c.device.launch_seconds, 4 * l.device.launch_seconds);
  EXPECT_DOUBLE_EQ(c.device.cold_seconds, l.device.cold_seconds + s.device.cold_seconds);
  EXPECT_EQ(c.device.bytes_in, 1200);
  EXPECT_EQ(c.device.bytes_out, 40);
  const device_backend& backend = backend_of("test", device_);
  EXPECT_NEAR(c.device.upload_seconds + c.device.fetch_seconds,
              backend.copy_seconds(copied, device_), 1e-12);
  EXPECT_EQ(place("f", all, on_device(), host_roofline()) == nullptr, c.automatic == "host");
  // One that cannot be done leaves no sum.
  submission other = all[1];
  other.steps[0].what = gemm_problem{.type = real_type::double_precision};
  const comparison refused = explain("work", {&other, 1}, on_device(), host_roofline());
  EXPECT_FALSE(refused.device_can());
  EXPECT_NE(refused.device_refusal.find("gemm of 1x1 by 1x1 in double: it computes in float"),
            std::string::npos)
      << refused.device_refusal;
  EXPECT_TRUE(refused.host_can());
  // A precision that the host lacks leaves its sum to compare with.
  submission rough[] = {all[0], all[1]};
  for (submission& each : rough)
    for (pipeline_step& step : each.steps) step.precision.mode = precision::bf16;
  const comparison in_bf16 = explain("work", rough, on_device(), host_roofline());
  EXPECT_FALSE(in_bf16.host_can());
  EXPECT_DOUBLE_EQ(in_bf16.host.seconds, c.host.seconds);
}

TEST_F(comparisons, of_a_call_are_those_of_what_it_asks_for) {
  const gemm_problem g{.m = 64, .k = 64, .n = 64};
  bool is_past = false;
  const auto product = [&](const execution& on) {
    EXPECT_EQ(on.where, policy::automatic);
    place("product", g, on, host_roofline());
    is_past = true;
  };
  const auto c = explain_call(on_device(policy::device), product);
  ASSERT_TRUE(c);
  EXPECT_FALSE(is_past);
  EXPECT_EQ(c->what, operation(g));
  EXPECT_EQ(c->operations, 1u);
  EXPECT_FALSE(c->is_sum);
  EXPECT_EQ(c->runs, "device");
  EXPECT_DOUBLE_EQ(c->device.seconds(), explain(g, on_device()).device.seconds());
  const execution alone{};
  EXPECT_EQ(explain_call(alone, product)->device_refusal, "no accelerator is named");
  EXPECT_FALSE(explain_call(on_device(), [](const execution&) {}));
  EXPECT_THROW(explain_call(on_device(), [](const execution&) { throw shape_error("bad"); }),
               shape_error);
  // Nothing is left behind: the next place() is a place.
  EXPECT_EQ(place("product", g, on_device(policy::device), host_roofline()), &device_);
}

TEST_F(comparisons, text_says_what_is_modelled) {
  const std::string text = explain(gemm_problem{.m = 64, .k = 64, .n = 64}, on_device()).to_text();
  for (const char* line :
       {"gemm of 64x64 by 64x64 in float: 524 kflop by convention\n", "host, from CPU features\n",
        "device trainium1 with made up, modelled; ",
        "emulated: computing takes longer than the host's own code", "\n  upload    ",
        "\n  launch    101 us", "\n  device    ", "\n  fetch     ", "\n  cold      5.52 s",
        "warm, operands on the host", "cold, operands on the device", "policy automatic: host"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

// Large batches are not run dry as a whole: their times lie on the line through two smaller ones.
TEST_F(comparisons, estimates_of_parts_are_within_two_percent) {
  struct large {
    operation what;
    kernels::sized_kernel kernel;
    const char* basis;
  };
  const engine::machine_spec& machine = device_.machine();
  const std::vector<large> all{
      {fft_problem{.type = real_type::single_precision, .extents = {16000, 1024}, .axes = {1}},
       kernels::fft_kernel(
           {.type = real_type::single_precision, .extents = {16000, 1024}, .axes = {1}}, machine),
       "dry runs of 512 and 1024 lines"},
      {stft_problem{.samples = 300000000},
       kernels::stft_kernel({.channels = 1, .samples = 300000000, .n_fft = 2048, .hop = 512},
                            machine),
       "segments"},
      {fft_problem{.type = real_type::single_precision, .extents = {2000, 4099}, .axes = {1}},
       kernels::fft_kernel(
           {.type = real_type::single_precision, .extents = {2000, 4099}, .axes = {1}}, machine),
       "lines"},
      {fft_problem{.type = real_type::single_precision, .extents = {600, 65536}, .axes = {1}},
       kernels::fft_kernel(
           {.type = real_type::single_precision, .extents = {600, 65536}, .axes = {1}}, machine),
       "lines"},
      {fft_problem{.type = real_type::single_precision, .extents = {200, 256, 256}, .axes = {1, 2}},
       kernels::fft_kernel(
           {.type = real_type::single_precision, .extents = {200, 256, 256}, .axes = {1, 2}},
           machine),
       "arrays"},
      {gemm_problem{.m = 8192, .k = 8192, .n = 8192},
       kernels::gemm_kernel({.m = 8192, .k = 8192, .n = 8192}, machine), "rows"},
      {gemm_problem{.batch = 400, .m = 500, .k = 300, .n = 400},
       kernels::batched_gemm_kernel({.batch = 400, .m = 500, .k = 300, .n = 400}, machine),
       "products"}};
  for (const large& l : all) {
    SCOPED_TRACE(to_string(l.what));
    const comparison c = explain(l.what, on_device(), host_signals());
    ASSERT_TRUE(c.device_can()) << c.device_refusal;
    EXPECT_NE(c.device.recipe.find("times from dry runs of "), std::string::npos)
        << c.device.recipe;
    EXPECT_NE(c.device.recipe.find(l.basis), std::string::npos) << c.device.recipe;
    const double whole = device_seconds(l.kernel);
    EXPECT_NEAR(c.device.device_seconds, whole, 0.02 * whole);
  }
}

// Lines that share a load of chirps take more time each where they are few: no part tells of more.
TEST_F(comparisons, batches_whose_parts_would_mislead_are_run_dry_whole) {
  const fft_problem p{.type = real_type::single_precision, .extents = {448, 8193}, .axes = {1}};
  const comparison c = explain(p, on_device());
  EXPECT_EQ(c.device.recipe.find("times from dry runs of "), std::string::npos) << c.device.recipe;
  EXPECT_DOUBLE_EQ(c.device.device_seconds,
                   device_seconds(kernels::fft_kernel(p, device_.machine())));
}

}  // namespace
}  // namespace papilio

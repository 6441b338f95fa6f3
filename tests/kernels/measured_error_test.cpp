// The measured error against the kernel's model of it, whose figures precision_test.cpp checks
// against the host: within a third over 64 outputs or more, where a sample's norm is right to about
// a tenth (so 0.6 is two thirds less a tenth), and against what a mode cannot reach.
#include <gtest/gtest.h>

#include "kernels/runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

void expect_as_expected(const fft_row& shape, std::int64_t lines, std::int64_t outputs) {
  const measured_error m = measure_error(shape.problem(), trainium1(), shape.options());
  EXPECT_EQ(m.lines, lines);
  EXPECT_EQ(m.outputs, outputs);
  EXPECT_EQ(m.expected, fft_kernel(shape, trainium1()).expected_error);
  EXPECT_GT(m.achieved, m.expected * 0.6);
  EXPECT_LT(m.achieved, m.expected * 1.5);
}

TEST(measured_error, is_what_the_model_says) {
  for (const precision_options& mode :
       {precision_options{}, precision_options{.mode = precision::bf16},
        precision_options{.mode = precision::split_bf16, .parts = 2},
        precision_options{.mode = precision::split_bf16, .parts = 3},
        precision_options{.mode = precision::bf16_refined},
        precision_options{.mode = precision::compensated}})
    expect_as_expected({.extents = {200, 256}, .axes = {-1}, .precision = mode}, 128, 512);
}

TEST(measured_error, of_any_axes_and_directions) {
  expect_as_expected({.extents = {1, 65536}, .axes = {1}}, 1, 64);
  expect_as_expected({.extents = {96, 80}, .inverse = true, .scale = 1.0 / 7680}, 1, 512);
  expect_as_expected({.extents = {70, 96, 100}, .axes = {0}}, 384, 512);
  expect_as_expected({.extents = {12, 10, 30, 20}, .axes = {1, 3}}, 156, 512);
  expect_as_expected({.extents = {3, 149}, .axes = {1}, .scale = 3}, 3, 447);
}

// The mode is the whole shape's, for a target that it meets.
TEST(measured_error, of_a_target) {
  for (const double target : {1e-2, 1e-5, 1e-7}) {
    fft_row shape{.extents = {1024, 128}, .axes = {-1}, .precision = {.target_error = target}};
    const measured_error m = measure_error(shape.problem(), trainium1(), shape.options());
    EXPECT_EQ(m.mode.target_error, 0);
    EXPECT_LE(m.expected, target);
    EXPECT_LE(m.achieved, 1.5 * m.expected);
    shape.precision = m.mode;
    EXPECT_EQ(fft_kernel(shape, trainium1()).expected_error, m.expected);
  }
}

TEST(measured_error, repeats_itself_and_tells_machines_apart) {
  const fft_row shape{.extents = {4, 64}, .axes = {1}};
  machine_spec other = trainium1();
  other.tensor.products_rounded = true;
  const double first = measure_error(shape.problem(), trainium1(), shape.options()).achieved;
  EXPECT_EQ(measure_error(shape.problem(), trainium1(), shape.options()).achieved, first);
  EXPECT_NE(measure_error(shape.problem(), other, shape.options()).achieved, first);
}

// What becomes an operand next is rounded as it is loaded and summed: the error is the mode's.
TEST(measured_error, of_bf16_results_is_the_mode_s) {
  const precision_options mode{.mode = precision::bf16};
  const auto as_expected = [](const measured_error& m) {
    EXPECT_GT(m.achieved, m.expected / 1.5);
    EXPECT_LT(m.achieved, m.expected * 1.5);
    EXPECT_LT(m.expected, 5e-3);
  };
  for (const fft_row& shape :
       {fft_row{.extents = {130, 256}, .axes = {-1}},
        fft_row{.extents = {20, 4096}, .axes = {-1}, .inverse = true},
        fft_row{.extents = {130, 6000}, .axes = {-1}}, fft_row{.extents = {1, 65536}, .axes = {1}},
        fft_row{.extents = {100, 70}, .axes = {0}}, fft_row{.extents = {65, 1009}, .axes = {-1}}}) {
    fft_row row = shape;
    row.precision = mode;
    as_expected(measure_error(row.problem(), trainium3(), row.options()));
  }
  for (const auto& [n, hop] : {std::pair<std::size_t, std::size_t>{1024, 256}, {400, 160}}) {
    const stft_problem forward{.channels = 2, .samples = 60000, .n_fft = n, .hop = hop};
    as_expected(measure_error(forward, trainium3(), mode));
    as_expected(measure_error(
        istft_problem{.segments = forward.segments(), .samples = 60000, .n_fft = n, .hop = hop},
        trainium3(), mode));
  }
}

TEST(measured_error, refusals) {
  const fft_problem line = fft_row{.extents = {64}}.problem();
  EXPECT_THROW(measure_error({.extents = {}}, trainium1()), invalid_argument);
  EXPECT_THROW(measure_error(fft_row{}.problem(fft_kind::real), trainium1()), invalid_argument);
  EXPECT_THROW(measure_error(line, trainium1(), {.precision = {.target_error = -1}}),
               invalid_argument);
  EXPECT_THROW(measure_error(line, trainium1(), {.precision = {.target_error = 1e-12}}),
               invalid_argument);
}

// Of two stages, of one matrix, where hops leave samples out, and of few segments.
TEST(measured_error, of_short_time_transforms) {
  const auto as_expected = [](const measured_error& m, const precision_options& mode) {
    EXPECT_EQ(m.mode, mode);
    EXPECT_GT(m.achieved, m.expected / 1.5);
    EXPECT_LT(m.achieved, m.expected * 1.5);
  };
  for (const precision_options& mode :
       {precision_options{}, precision_options{.mode = precision::bf16},
        precision_options{.mode = precision::split_bf16, .parts = 2}})
    for (const auto& [n, hop] : {std::pair<std::size_t, std::size_t>{1024, 256}, {96, 40}}) {
      const stft_problem forward{.channels = 2, .samples = 100000, .n_fft = n, .hop = hop};
      as_expected(measure_error(forward, trainium1(), mode), mode);
      istft_problem back{.segments = forward.segments(), .samples = 100000, .n_fft = n, .hop = hop};
      as_expected(measure_error(back, trainium1(), mode), mode);
      back.adjoint = true;
      as_expected(measure_error(back, trainium1(), mode), mode);
    }
  const measured_error few =
      measure_error(stft_problem{.samples = 500, .n_fft = 64, .hop = 100, .centre = false},
                    trainium1(), {.target_error = 1e-2});
  EXPECT_EQ(few.lines, 5);
  as_expected(few, few.mode);
  EXPECT_THROW(
      measure_error(istft_problem{.segments = 9, .samples = 90, .first = 7, .n_fft = 64, .hop = 16},
                    trainium1()),
      invalid_argument);
}

TEST(measured_error, through_the_catalog) {
  const auto measured = [](const std::vector<std::string>& settings) {
    return measure_kernel(find_kernel("fft"), settings, trainium1());
  };
  EXPECT_FALSE(measured({"n=64"}));
  EXPECT_EQ(measured({"n=64", "precision=bf16"})->mode.mode, precision::bf16);
  EXPECT_FALSE(measure_kernel(find_kernel("gemm"), {}, trainium1()));
  const auto m = measured({"n=64", "batch=16", "target_error=1e-4"});
  ASSERT_TRUE(m);
  EXPECT_LE(m->achieved, 1e-4);
  EXPECT_GT(m->achieved, 0);
  for (const char* name : {"stft", "istft"}) {
    const auto here = [&](const std::vector<std::string>& settings) {
      return measure_kernel(find_kernel(name), settings, trainium1());
    };
    EXPECT_FALSE(here({"precision=bf16"}));
    const auto met = here({"samples=300000", "target_error=1e-2"});
    ASSERT_TRUE(met);
    EXPECT_EQ(met->mode.mode, precision::bf16);
    EXPECT_LE(met->achieved, 1e-2);
    EXPECT_GT(met->achieved, 1e-4);
  }
  const auto message_of = [&](const std::vector<std::string>& settings) {
    try {
      size_kernel(find_kernel("fft"), settings, trainium1());
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message_of({"target_error=-1"}), "fft: target_error must be at least 0, got -1");
  EXPECT_EQ(message_of({"target_error=nan"}), "fft: target_error must be at least 0, got nan");
  EXPECT_EQ(message_of({"target_error=tiny"}), "fft: target_error must be a number, got \"tiny\"");
  EXPECT_EQ(message_of({"target_error=1e-4", "precision=bf16"}),
            "fft: target_error chooses precision, refinements and parts: not with bf16");
}

}  // namespace
}  // namespace papilio::kernels::test

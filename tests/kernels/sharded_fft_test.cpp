// Transforms split over the cores of a group.
//
// By batch: bit by bit what one core computes. One line by all cores: against the definition of the
// DFT in long double; expected_error is a root mean square over inputs, about which single inputs
// of few points scatter: they are allowed four times as much.
#include <gtest/gtest.h>

#include <bit>
#include <numbers>

#include "kernels/runs.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::dft;
using papilio::test::exact;

using values = std::vector<float>;

launch_input in_of(const values& x, const tensor_shape& shape) {
  return {std::as_bytes(std::span(x)), shape};
}
launch_output out_of(values& y, const tensor_shape& shape) {
  return {std::as_writable_bytes(std::span(y)), shape};
}

values random_values(const tensor_shape& shape, unsigned seed = 5) {
  return papilio::test::random_real<float>(std::size_t(shape.elements()), seed);
}

std::vector<std::uint32_t> bits(const values& x) {
  std::vector<std::uint32_t> all;
  for (const float v : x) all.push_back(std::bit_cast<std::uint32_t>(v));
  return all;
}

values on_one_core(const fft_row& shape, const values& x) {
  device dev;
  const prepared_kernel fft(dev, fft_kernel(shape, dev.machine()));
  values y(x.size());
  fft.launch({in_of(x, fft.what().inputs[0])}, {out_of(y, fft.what().outputs[0])});
  return y;
}

values on_cores(const fft_row& shape, int cores, const values& x) {
  device_group group(trainium1(), sdk_2_24(), cores);
  const prepared_split fft(group,
                           split_fft(shape.problem(), cores, group.machine(), shape.options()));
  values y(x.size());
  fft.run({in_of(x, fft.what().inputs[0])}, {out_of(y, fft.what().outputs[0])});
  return y;
}

tensor_shape planes_of(const fft_row& shape) {
  tensor_shape planes{{2}};
  planes.extents.insert(planes.extents.end(), shape.extents.begin(), shape.extents.end());
  return planes;
}

TEST(split_fft, has_the_bits_of_one_core) {
  const fft_row shapes[] = {
      {.extents = {7, 60}, .axes = {-1}},
      {.extents = {131, 16}, .axes = {-1}, .inverse = true, .scale = 1.0 / 16},
      {.extents = {260, 8}, .axes = {-1}},
      {.extents = {5, 127}, .axes = {-1}},
      {.extents = {5, 2}, .axes = {-1}},
      {.extents = {40, 131}, .axes = {-1}},
      {.extents = {9, 1009}, .axes = {-1}},
      {.extents = {4, 1}, .axes = {-1}},
      {.extents = {3, 1024}, .axes = {-1}},
      {.extents = {3, 8192}, .axes = {-1}},
      {.extents = {20, 4410}, .axes = {-1}, .inverse = true},
      {.extents = {20, 2048}, .axes = {-1}},
      {.extents = {4, 2048}, .axes = {-1}},
      {.extents = {2, 3, 64}, .axes = {-1}},
      {.extents = {5, 64, 6}, .axes = {1}},
      {.extents = {4, 32, 200}, .axes = {1}},
      {.extents = {5, 32, 48}, .axes = {-2, -1}},
      {.extents = {3, 128, 96}, .axes = {-2, -1}, .inverse = true},
      {.extents = {4, 8, 12, 10}, .axes = {1, 2, 3}},
      {.extents = {3, 256}, .axes = {-1}, .precision = {.mode = precision::split_bf16}}};
  for (const fft_row& shape : shapes) {
    const values x = random_values(planes_of(shape));
    const auto expected = bits(on_one_core(shape, x));
    for (const int cores : {1, 2, 3, 5})
      EXPECT_EQ(bits(on_cores(shape, cores, x)), expected)
          << planes_of(shape).describe() << " on " << cores;
  }
}

TEST(split_fft, long_lines_have_the_bits_of_one_core) {
  const fft_row shape{.extents = {3, 65536}, .axes = {-1}};
  const values x = random_values(planes_of(shape));
  EXPECT_EQ(bits(on_cores(shape, 2, x)), bits(on_one_core(shape, x)));
}

struct batch_case {
  const char* name;
  std::int64_t batch, n;
  int cores;
};

class BatchSplit : public testing::TestWithParam<batch_case> {};

TEST_P(BatchSplit, is_the_fft_and_back) {
  const auto [name, batch, n, cores] = GetParam();
  fft_row shape{.extents = {batch, n}, .axes = {-1}};
  const values x = random_values(planes_of(shape)), y = on_cores(shape, cores, x);
  EXPECT_EQ(bits(y), bits(on_one_core(shape, x)));
  const auto plane = std::size_t(batch * n), length = std::size_t(n);
  const auto line = [&](const values& v, std::int64_t b) {
    std::vector<exact> z(length);
    for (std::size_t i = 0; i < length; ++i)
      z[i] = {v[std::size_t(b) * length + i], v[plane + std::size_t(b) * length + i]};
    return z;
  };
  const double tolerance = 4 * fft_kernel(shape, trainium1()).expected_error;
  for (std::int64_t b = 0; b < batch; ++b)
    EXPECT_LT(papilio::test::relative_error(line(y, b), dft(line(x, b), -1)), tolerance) << b;
  shape.inverse = true;
  shape.scale = 1 / double(n);
  const values back = on_cores(shape, cores, y);
  for (std::int64_t b = 0; b < batch; ++b)
    EXPECT_LT(papilio::test::relative_error(line(back, b), line(x, b)), 2 * tolerance) << b;
}

INSTANTIATE_TEST_SUITE_P(
    cases, BatchSplit,
    testing::Values(batch_case{"trnfft_210", 4, 64, 2}, batch_case{"trnfft_211", 8, 128, 4},
                    batch_case{"trnfft_212", 6, 256, 3}, batch_case{"trnfft_213", 3, 64, 2},
                    batch_case{"trnfft_214", 4, 64, 2}, batch_case{"trnfft_215", 4, 128, 2},
                    batch_case{"trnfft_216", 4, 256, 2}, batch_case{"trnfft_217", 2, 64, 8},
                    batch_case{"trnfft_218", 4, 64, 1}, batch_case{"trnfft_219_1", 1, 64, 2},
                    batch_case{"trnfft_219_8", 8, 256, 2}, batch_case{"trnfft_219_16", 16, 128, 2}),
    [](const auto& one) { return std::string(one.param.name); });

struct line_run {
  values y;
  double expected_error = 0;
  std::int64_t rows = 0;
  std::size_t phases = 0;
};

fft_problem line_of(std::size_t n, direction dir = direction::forward) {
  return {
      .dir = dir, .type = real_type::single_precision, .norm = normalization::none, .extents = {n}};
}

line_run line_on(const fft_problem& line, int cores, const values& x, double scale = 1) {
  device_group group(trainium1(), sdk_2_24(), cores);
  const large_fft fft(group, line, {.scale = scale});
  line_run run{values(x.size()), fft.expected_error(), fft.rows()};
  const tensor_shape planes{{2, std::int64_t(line.extents[0])}};
  run.phases = fft.transform(in_of(x, planes), out_of(run.y, planes)).phases.size();
  return run;
}

std::vector<exact> complex_of(const values& x) {
  std::vector<exact> z(x.size() / 2);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = {x[i], x[z.size() + i]};
  return z;
}

TEST(large_fft, is_the_dft_for_any_number_of_cores) {
  for (const std::int64_t n : {1, 2, 4, 6, 9, 30, 60, 120, 254, 256, 1000, 1210, 2187, 4096})
    for (const int cores : {1, 2, 3, 5, 8}) {
      const values x = random_values({{2, n}}, unsigned(n));
      const line_run run = line_on(line_of(std::size_t(n)), cores, x);
      EXPECT_LT(papilio::test::relative_error(complex_of(run.y), dft(complex_of(x), -1)),
                4 * run.expected_error + 1e-9)
          << n << " on " << cores;
      EXPECT_EQ(run.phases, run.rows > 1 ? 3u : 1u);
      // Not for one core, nor where there are no two factors.
      EXPECT_EQ(run.rows > 1, cores > 1 && n > 2) << n << " on " << cores;
    }
}

// Long lines, against the definition at some outputs: root mean square of the errors over that of
// all outputs, sqrt(n) times that of the inputs (standard deviation sqrt(2)).
double error_at_some(std::int64_t n, int cores, const line_run& run, const values& x) {
  const std::vector<exact> z = complex_of(x), y = complex_of(run.y);
  const std::int64_t count = 12;
  long double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t k = (i * (n / count) + i * i * cores) % n;
    const exact step =
        std::polar(1.0L, -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) /
                             static_cast<long double>(n));
    exact expected = 0, root = 1;  // after n products, exact to n units of long double
    for (std::int64_t j = 0; j < n; ++j, root *= step) expected += z[std::size_t(j)] * root;
    sum += std::norm(y[std::size_t(k)] - expected);
  }
  return static_cast<double>(std::sqrt(sum / count / (2.0L * static_cast<long double>(n))));
}

// 61 x 101 x 103: what follows the exchange is beyond one sweep.
TEST(large_fft, long_lines) {
  for (const auto& [n, cores] :
       {std::pair<std::int64_t, int>{1 << 16, 3}, {1 << 17, 4}, {61 * 101 * 103, 2}}) {
    const values x = random_values({{2, n}});
    const line_run run = line_on(line_of(std::size_t(n)), cores, x);
    EXPECT_GT(run.rows, 1);
    EXPECT_LT(error_at_some(n, cores, run, x), 2 * run.expected_error) << n << " on " << cores;
  }
}

TEST(large_fft, inverse_and_scale) {
  const std::int64_t n = 720;
  const values x = random_values({{2, n}});
  const line_run run = line_on(line_of(std::size_t(n), direction::inverse), 4, x, 0.25);
  std::vector<exact> expected = dft(complex_of(x), 1);
  for (exact& v : expected) v *= 0.25L;
  EXPECT_LT(papilio::test::relative_error(complex_of(run.y), expected), 4 * run.expected_error);
}

TEST(large_fft, results_may_stay_on_the_cores) {
  const std::int64_t n = 360;
  const int cores = 4;
  const values x = random_values({{2, n}});
  const values whole = line_on(line_of(std::size_t(n)), cores, x).y;
  device_group group(trainium1(), sdk_2_24(), cores);
  const large_fft fft(group, line_of(std::size_t(n)));
  const std::vector<device_buffer> parts = fft.transform_apart(in_of(x, {{2, n}}));
  values y(x.size(), -1);
  for (int c = 0; c < cores; ++c) {
    const index_range own = fft.own(c);
    ASSERT_EQ(parts[std::size_t(c)].empty(), own.count == 0);
    if (own.count == 0) continue;
    const array<float, 3> part = group.core(c).download<float, 3>(parts[std::size_t(c)]);
    for (std::int64_t plane = 0; plane < 2; ++plane)
      for (std::int64_t k2 = 0; k2 < fft.columns(); ++k2)
        for (std::int64_t i = 0; i < own.count; ++i)
          y[std::size_t(plane * n + own.first + i + fft.rows() * k2)] =
              part.data()[(plane * fft.columns() + k2) * own.count + i];
  }
  EXPECT_EQ(bits(y), bits(whole));
}

TEST(large_fft, a_prime_length_is_done_by_one_core) {
  device_group group(trainium1(), sdk_2_24(), 3);
  const large_fft fft(group, line_of(127));
  EXPECT_EQ(fft.rows(), 1);
  EXPECT_EQ(fft.own(0), (index_range{0, 1}));
  EXPECT_EQ(fft.own(2).count, 0);
  EXPECT_NE(fft.explanation().find("core 0 alone: 127 points are not split over 3 cores"),
            std::string::npos)
      << fft.explanation();
}

struct line_case {
  const char* name;
  std::int64_t n;
};

class StageParallel : public testing::TestWithParam<line_case> {};

TEST_P(StageParallel, is_the_fft_and_back) {
  const auto [name, n] = GetParam();
  const values x = random_values({{2, n}});
  const line_run there = line_on(line_of(std::size_t(n)), 2, x);
  const double tolerance = 4 * there.expected_error;
  EXPECT_LT(papilio::test::relative_error(complex_of(there.y), dft(complex_of(x), -1)), tolerance);
  const line_run back =
      line_on(line_of(std::size_t(n), direction::inverse), 2, there.y, 1 / double(n));
  EXPECT_LT(papilio::test::relative_error(complex_of(back.y), complex_of(x)), 2 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(cases, StageParallel,
                         testing::Values(line_case{"trnfft_220", 4}, line_case{"trnfft_221", 16},
                                         line_case{"trnfft_222", 64}, line_case{"trnfft_223", 256},
                                         line_case{"trnfft_224", 1024}, line_case{"trnfft_225", 64},
                                         line_case{"trnfft_226", 256},
                                         line_case{"trnfft_227", 1024}, line_case{"trnfft_228", 64},
                                         line_case{"trnfft_229_prime", 7}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(group_times, by_batch) {
  const fft_row shape{.extents = {4096, 1024}, .axes = {-1}};
  const auto times = [&](int cores) {
    return time_split_fft(shape.problem(), cores, trainium1(), sdk_2_24());
  };
  const group_times one = times(1);
  EXPECT_DOUBLE_EQ(one.efficiency(one), 1);
  double last = 1;
  for (const int cores : {2, 16, 64}) {
    const group_times t = times(cores);
    EXPECT_EQ(t.communication_share, 0);
    EXPECT_LT(t.device_seconds, one.device_seconds);
    EXPECT_LE(t.device_efficiency(one), last);
    last = t.device_efficiency(one);
  }
  EXPECT_GT(times(2).device_efficiency(one), 0.9);
}

TEST(group_times, of_a_large_line) {
  const auto times = [&](std::int64_t n, int cores) {
    return time_large_fft(line_of(std::size_t(n)), cores, trainium1(), sdk_2_24());
  };
  for (const std::int64_t n : {std::int64_t(1) << 20, std::int64_t(1) << 24}) {
    const group_times one = times(n, 1), two = times(n, 2);
    EXPECT_EQ(one.link_share, 0);
    EXPECT_GT(two.link_share, 0);
    EXPECT_NEAR(two.compute_share + two.communication_share, 1, 1e-12);
    EXPECT_GT(two.device_efficiency(one), 0.6);
    EXPECT_GT(times(n, 64).link_share, two.link_share);
  }
  // Lines of more than two sweeps.
  EXPECT_LT(times(std::int64_t(1) << 26, 16).device_seconds,
            8 * times(std::int64_t(1) << 24, 16).device_seconds);
}

// The same phases, executed or not.
TEST(group_times, a_dry_run_tells_what_a_run_takes) {
  const std::int64_t n = 1000;
  const int cores = 3;
  const tensor_shape planes{{2, n}};
  const values x = random_values(planes);
  values y(x.size());
  device_group group(trainium1(), sdk_2_24(), cores);
  const group_report executed =
      large_fft(group, line_of(std::size_t(n))).transform(in_of(x, planes), out_of(y, planes));
  const group_report dry = large_fft(group, line_of(std::size_t(n)), {}, run_mode::dry_run)
                               .transform(launch_input(planes), launch_output(planes));
  EXPECT_EQ(executed.to_json(), dry.to_json());
}

template <class Error, class Call>
void expect_refused(const Call& call, const std::vector<std::string>& words) {
  try {
    call();
    FAIL() << "not refused: " << words[0];
  } catch (const Error& e) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << word << " in: " << e.what();
  }
}

TEST(sharded_fft, bad_input) {
  const machine_spec machine = trainium1();
  const fft_row shape{.extents = {4, 8}, .axes = {-1}};
  expect_refused<invalid_argument>([&] { split_fft(shape.problem(), 0, machine, shape.options()); },
                                   {"split_fft", "cores", "1", "got 0"});
  expect_refused<invalid_argument>(
      [&] {
        split_fft(fft_row{.extents = {4, 8}}.problem(), 2, machine);
      },
      {"split_fft", "axis 0", "no batch"});
  expect_refused<invalid_argument>(
      [&] {
        split_fft(fft_row{.extents = {0, 8}, .axes = {1}}.problem(), 2, machine);
      },
      {"at least 1, got 0x8"});
  device_group group(machine, sdk_2_24(), 2);
  expect_refused<invalid_argument>(
      [&] { prepared_split(group, split_fft(shape.problem(), 3, machine, shape.options())); },
      {"is for 3 cores, the group has 2"});
  expect_refused<invalid_argument>(
      [&] { prepared_split(group, split_fft(shape.problem(), 2, trainium2(), shape.options())); },
      {"trainium2", "the group is of", "trainium1"});
  const prepared_split fft(group, split_fft(shape.problem(), 2, machine, shape.options()),
                           run_mode::dry_run);
  const tensor_shape good{{2, 4, 8}}, bad{{2, 4, 9}};
  expect_refused<shape_error>([&] { fft.run({launch_input(bad)}, {launch_output(good)}); },
                              {"input 0", "[2, 4, 8] fp32", "[2, 4, 9] fp32"});
  expect_refused<invalid_argument>([&] { fft.run({}, {launch_output(good)}); },
                                   {"takes 1 inputs, got 0"});
  const device_buffer buffer = group.core(0).allocate(good);
  expect_refused<invalid_argument>([&] { fft.run({buffer}, {launch_output(good)}); }, {"buffer"});

  expect_refused<invalid_argument>([&] { large_fft(group, line_of(0)); },
                                   {"large_fft", "extents must be at least 1, got 0"});
  expect_refused<invalid_argument>([&] { large_fft(group, shape.problem()); },
                                   {"large_fft", "one extent, got 2"});
  expect_refused<invalid_argument>(
      [&] { large_fft(group, line_of(16), {.precision = {.mode = precision::bf16}}); },
      {"large_fft", "native"});
  expect_refused<resource_error>([&] { large_fft(group, line_of(std::size_t(1) << 61)); },
                                 {"large_fft"});
  const large_fft line(group, line_of(16), {}, run_mode::dry_run);
  const tensor_shape planes{{2, 16}}, other{{2, 17}};
  expect_refused<shape_error>([&] { line.transform(launch_input(planes), launch_output(other)); },
                              {"out", "[2, 16] fp32", "[2, 17] fp32"});
  expect_refused<invalid_argument>([&] { line.own(2); }, {"core must be in [0, 2), got 2"});
  expect_refused<invalid_argument>([&] { time_large_fft(line_of(16), 0, machine, sdk_2_24()); },
                                   {"cores", "got 0"});
}

}  // namespace
}  // namespace papilio::kernels::test

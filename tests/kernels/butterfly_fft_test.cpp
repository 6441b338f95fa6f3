// Butterflies on the emulator against the definition of the DFT in long double.
//
// Error model: every rounding has a power of 0.18 u^2 of its result's, u = 2^-24 (uniform within a
// unit in the last place, of values whose mantissa is log-uniform), and passes keep relative errors
// in power, so that all roundings add up in quadrature: sized_kernel::expected_error. Single inputs
// of few points scatter about it: those below are allowed four times as much; means over a batch of
// long ones 1.2 times, and no less than 0.8 times, so that the model means something.
#include <gtest/gtest.h>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::exact;

array<float, 3> random_planes(std::int64_t batch, std::int64_t n, unsigned seed) {
  const auto values = papilio::test::random_real<float>(std::size_t(2 * batch * n), seed);
  array<float, 3> x({2, std::size_t(batch), std::size_t(n)});
  std::copy(values.begin(), values.end(), x.data());
  return x;
}

struct butterfly_row {
  std::int64_t batch = 1, n = 1;
  bool inverse = false;
  double scale = 1;
  bool compensated = false;
};

sized_kernel kernel_of(const butterfly_row& row, const machine_spec& machine) {
  const fft_row lines{.extents = {row.batch, row.n}, .axes = {-1}, .inverse = row.inverse};
  return butterfly_fft_kernel(
      lines.problem(), machine,
      {.scale = row.scale,
       .precision = {.mode = row.compensated ? precision::compensated : precision::native}});
}

array<float, 3> run(const butterfly_row& shape, const array<float, 3>& x,
                    const machine_spec& machine = trainium1(), int threads = 1) {
  device dev(machine, sdk_2_24(), {.threads = threads});
  array<float, 3> y(x.extents());
  prepared_kernel(dev, kernel_of(shape, machine)).launch({x}, {y});
  return y;
}

std::vector<exact> item(const array<float, 3>& x, std::size_t b) {
  const std::size_t n = x.extent(2), plane = x.extent(1) * n;
  std::vector<exact> z(n);
  for (std::size_t i = 0; i < n; ++i) z[i] = {x.data()[b * n + i], x.data()[plane + b * n + i]};
  return z;
}

std::vector<exact> expected(const butterfly_row& shape, const array<float, 3>& x, std::size_t b) {
  auto z = papilio::test::dft(item(x, b), shape.inverse ? 1 : -1);
  for (exact& v : z) v *= static_cast<long double>(shape.scale);
  return z;
}

// Root mean square of the relative errors of some items, the first and the last among them.
double error_of(const butterfly_row& shape, const machine_spec& machine = trainium1(),
                std::size_t looked_at = 4) {
  const auto x = random_planes(shape.batch, shape.n, 7), y = run(shape, x, machine);
  const auto batch = std::size_t(shape.batch);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < std::min(batch, looked_at); ++i) {
    const std::size_t b = looked_at >= batch ? i : i * (batch - 1) / (looked_at - 1);
    const double e = papilio::test::relative_error(item(y, b), expected(shape, x, b));
    sum += e * e;
    count += 1;
  }
  return std::sqrt(sum / count);
}

double model(const butterfly_row& shape) { return kernel_of(shape, trainium1()).expected_error; }

void expect_values(const butterfly_row& shape, const machine_spec& machine = trainium1()) {
  EXPECT_LE(error_of(shape, machine), 4 * model(shape))
      << "batch " << shape.batch << " n " << shape.n << (shape.inverse ? " inverse" : "")
      << (shape.compensated ? " compensated" : "");
}

bool supported(std::int64_t n) {
  for (std::int64_t p = 2; p <= 31; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

TEST(butterfly_fft, every_n_up_to_64) {
  for (std::int64_t n = 1; n <= 64; ++n) {
    if (!supported(n)) continue;
    for (const bool compensated : {false, true}) {
      expect_values({.batch = 3, .n = n, .compensated = compensated});
      expect_values({.batch = 2,
                     .n = n,
                     .inverse = true,
                     .scale = 1 / double(n),
                     .compensated = compensated});
    }
  }
}

TEST(butterfly_fft, longer_ones) {
  for (const std::int64_t n : {100, 243, 403, 625, 961, 1000, 1024, 2187})
    for (const bool compensated : {false, true})
      expect_values({.batch = 2, .n = n, .compensated = compensated});
  expect_values({.batch = 1, .n = 4096, .inverse = true, .scale = -0.37});
  expect_values({.batch = 1, .n = 4096, .compensated = true});
}

TEST(butterfly_fft, batches) {
  for (const std::int64_t batch : {1, 2, 127, 128, 129, 300})
    for (const std::int64_t n : {1, 7, 16, 60})
      for (const bool compensated : {false, true})
        expect_values({.batch = batch, .n = n, .compensated = compensated});
  expect_values({.batch = 257, .n = 1024});
  expect_values({.batch = 20000, .n = 8});
}

TEST(butterfly_fft, every_item_of_a_ragged_batch) {
  for (const std::int64_t batch : {129, 301}) {
    const butterfly_row shape{.batch = batch, .n = 20};
    EXPECT_LE(error_of(shape, trainium1(), std::size_t(batch)), 4 * model(shape)) << batch;
  }
}

TEST(butterfly_fft, there_and_back) {
  for (const std::int64_t n : {31, 60, 243, 1024})
    for (const bool compensated : {false, true}) {
      const butterfly_row there{.batch = 5, .n = n, .compensated = compensated};
      butterfly_row back = there;
      back.inverse = true;
      back.scale = 1 / double(n);
      const auto x = random_planes(5, n, 3), z = run(back, run(there, x));
      for (std::size_t b = 0; b < 5; ++b)
        EXPECT_LE(papilio::test::relative_error(item(z, b), item(x, b)),
                  3 * (model(there) + model(back)))
            << n;
    }
}

TEST(butterfly_fft, errors_are_those_of_the_model) {
  for (const std::int64_t n : {16, 27, 64, 100, 243, 256, 512, 625, 1000, 1024, 2187, 4096})
    for (const bool compensated : {false, true}) {
      const butterfly_row shape{.batch = n < 1000 ? 8 : 3, .n = n, .compensated = compensated};
      const double ratio = error_of(shape, trainium1(), 8) / model(shape);
      EXPECT_LE(ratio, 1.2) << n << ' ' << compensated;
      EXPECT_GE(ratio, 0.8) << n << ' ' << compensated;
    }
}

TEST(butterfly_fft, a_scale_is_rounded_and_so_is_its_product) {
  for (const bool compensated : {false, true}) {
    const butterfly_row shape{.batch = 8, .n = 256, .scale = 1 / 3.0, .compensated = compensated};
    const double ratio = error_of(shape, trainium1(), 8) / model(shape);
    EXPECT_LE(ratio, 1.2) << compensated;
    EXPECT_GE(ratio, 0.8) << compensated;
  }
  EXPECT_EQ(model({.n = 1}), 0);
  EXPECT_EQ(model({.n = 1, .scale = 0.25}), 0);
  EXPECT_EQ(model({.n = 256, .scale = 0x1p-8, .compensated = true}),
            model({.n = 16, .compensated = true}));
}

TEST(butterfly_fft, compensated_errors_do_not_grow) {
  for (const std::int64_t n : {256, 512, 1024, 4096}) {
    const double plain = error_of({.batch = 2, .n = n}),
                 compensated = error_of({.batch = 2, .n = n, .compensated = true});
    EXPECT_LE(compensated, 0.35 * plain) << n;
    EXPECT_LE(compensated, 0.45 * 0x1p-24) << n;
  }
}

TEST(butterfly_fft, tables_that_do_not_fit_pass_by) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 12 << 10;
  for (const std::int64_t n : {256, 360, 375}) expect_values({.batch = 3, .n = n}, small);
  expect_values({.batch = 5000, .n = 8}, small);  // not as many items as elsewhere
  small.sbuf.bytes_per_partition = 20 << 10;
  for (const std::int64_t n : {243, 256})
    expect_values({.batch = 3, .n = n, .compensated = true}, small);
  expect_values({.batch = 2, .n = 8192});
}

TEST(butterfly_fft, values_on_later_machines) {
  for (const machine_spec& machine : {trainium2(), trainium3()})
    expect_values({.batch = 130, .n = 60}, machine);
  expect_values({.batch = 3, .n = 512, .compensated = true}, trainium2());
}

TEST(butterfly_fft, the_same_bits_with_two_threads) {
  const butterfly_row shape{.batch = 130, .n = 120, .compensated = true};
  const auto x = random_planes(130, 120, 1);
  const auto one = run(shape, x, trainium1(), 1), two = run(shape, x, trainium1(), 2);
  EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), two.data()));
}

TEST(butterfly_fft, what_is_refused) {
  const auto refused = [](const butterfly_row& shape) -> std::string {
    try {
      kernel_of(shape, trainium1());
    } catch (const invalid_argument& e) {
      return std::string("argument ") + e.what();
    } catch (const resource_error& e) {
      return std::string("resource ") + e.what();
    }
    return "";
  };
  EXPECT_EQ(refused({.batch = 0, .n = 8}),
            "argument butterfly_fft: fft_problem: extents must be at least 1, got 0x8");
  EXPECT_EQ(refused({.batch = 1, .n = 0}),
            "argument butterfly_fft: fft_problem: extents must be at least 1, got 1x0");
  EXPECT_EQ(refused({.n = 37 * 4}),
            "argument butterfly_fft: n must have prime factors up to 31, got 148 with 37");
  EXPECT_EQ(refused({.n = 1369}),
            "argument butterfly_fft: n must have prime factors up to 31, got 1369 with 37");
  EXPECT_EQ(refused({.n = 65536}),
            "resource butterfly_fft: n = 65536 does not fit into 196608 bytes of a partition");
  EXPECT_NE(refused({.n = 8192, .compensated = true}).find("n = 8192, compensated, does not fit"),
            std::string::npos);
  EXPECT_EQ(refused({.n = std::int64_t(1) << 50}).find("resource butterfly_fft: n = "), 0U);
  EXPECT_EQ(refused({.batch = std::int64_t(1) << 61, .n = 8}).find("resource "), 0U);
  EXPECT_NE(refused({.n = (std::int64_t(1) << 59) - 55}).find("prime factors up to 31"),
            std::string::npos);
  for (const double scale : {std::numeric_limits<double>::infinity(), std::nan(""), 1e39})
    EXPECT_NE(refused({.n = 8, .scale = scale}).find("scale must be finite"), std::string::npos);
}

TEST(butterfly_fft, other_transforms_and_precisions_are_refused) {
  const fft_row square{.extents = {8, 8}}, lines{.extents = {8, 8}, .axes = {-1}};
  EXPECT_THROW(butterfly_fft_kernel(square.problem(), trainium1()), invalid_argument);
  EXPECT_THROW(butterfly_fft_kernel(lines.problem(fft_kind::real), trainium1()), invalid_argument);
  for (const precision_options& how :
       {precision_options{.mode = precision::bf16}, precision_options{.target_error = 1e-3}})
    EXPECT_THROW(butterfly_fft_kernel(lines.problem(), trainium1(), {.precision = how}),
                 invalid_argument);
}

TEST(butterfly_fft, says_what_fits) {
  for (const std::int64_t n : {1, 31, 1024, 4096, 8192})
    EXPECT_TRUE(butterfly_fft_fits(n, trainium1())) << n;
  EXPECT_TRUE(butterfly_fft_fits(4096, trainium1(), true));
  for (const std::int64_t n : {-1, 0, 37, 1369, 65536, 1 << 30})
    EXPECT_FALSE(butterfly_fft_fits(n, trainium1())) << n;
  EXPECT_FALSE(butterfly_fft_fits(8192, trainium1(), true));
}

// Device times: the vector engine bounds them, DMA hides behind it.
TEST(butterfly_fft, bound_by_the_vector_engine) {
  const profile one = dry_profile("butterfly_fft", {"batch=128", "n=1024"});
  EXPECT_EQ(one.verdict.bound_by, unit::vector);
  EXPECT_GE(one.verdict.floor_fraction, 0.14);
  const profile many = dry_profile("butterfly_fft", {"batch=4096", "n=1024"});
  EXPECT_EQ(many.verdict.bound_by, unit::vector);
  EXPECT_GE(many.verdict.floor_fraction, 0.17);
  const profile pairs = dry_profile("butterfly_fft", {"compensated=yes"});
  EXPECT_LE(pairs.verdict.floor_fraction, one.verdict.floor_fraction / 5);
}

TEST(butterfly_fft, long_instructions) {
  // Short transforms share instructions: 32 items on each partition cost little more than 1.
  const profile one = dry_profile("butterfly_fft", {"batch=128", "n=32"});
  const profile many = dry_profile("butterfly_fft", {"batch=4096", "n=32"});
  EXPECT_LE(many.value("total_time"), 5 * one.value("total_time"));
}

// The published cases of the butterfly and of its compensated variant; input N(0, 1).
struct pair_of_runs {
  array<float, 3> input, fast, compensated;
};

pair_of_runs both(std::int64_t n) {
  array<float, 3> x({2, 1, std::size_t(n)});
  const auto values = papilio::test::random_real<float>(std::size_t(n), 42);
  std::copy(values.begin(), values.end(), x.data());
  return {x, run({.n = n}, x), run({.n = n, .compensated = true}, x)};
}

double largest_error(const array<float, 3>& got, const std::vector<exact>& wanted) {
  long double error = 0, norm = 0;
  const auto values = item(got, 0);
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    error = std::max(error, std::abs(values[k] - wanted[k]));
    norm = std::max(norm, std::abs(wanted[k]));
  }
  return double(error / norm);
}

void expect_no_worse(std::int64_t n) {
  const pair_of_runs runs = both(n);
  const auto wanted = expected({.n = n}, runs.input, 0);
  EXPECT_LE(largest_error(runs.compensated, wanted), 1.5 * largest_error(runs.fast, wanted));
}

TEST(butterfly_fft_cases, trnfft_149_compensated_is_the_plain_one) {
  const pair_of_runs runs = both(1024);
  for (std::size_t i = 0; i < runs.fast.size(); ++i)
    ASSERT_NEAR(runs.compensated.data()[i], runs.fast.data()[i],
                1e-3 + 1e-3 * std::fabs(runs.fast.data()[i]));
}
TEST(butterfly_fft_cases, trnfft_154_compensated_256) { expect_no_worse(256); }
TEST(butterfly_fft_cases, trnfft_155_compensated_512) { expect_no_worse(512); }
TEST(butterfly_fft_cases, trnfft_156_compensated_1024) { expect_no_worse(1024); }
TEST(butterfly_fft_cases, trnfft_157_compensated_4096) { expect_no_worse(4096); }

}  // namespace
}  // namespace papilio::kernels::test

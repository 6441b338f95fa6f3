// The published systems' products against sums in double: their own cases, named by their ids, and
// sizes of every tail.
//
// Error model of the tails: a column of the array makes k terms with one rounding each, PSUM adds
// one more a tile of k: |error| <= gamma_q |A| |B|, q = k + ceil(k / 128), u = 2^-24. The published
// cases have their authors' tolerances: |error| <= 1e-3 + 1e-4 |C| for normal random input.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/design.hpp"
#include "kernels/published/designs.hpp"
#include "kernels/published_runs.hpp"
#include "support/case_list.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using published::product_scale;
using matrices = array<float, 3>;

matrices normal(std::int64_t batch, std::int64_t rows, std::int64_t columns, unsigned seed) {
  return test::normal<3>({std::size_t(batch), std::size_t(rows), std::size_t(columns)}, 1, seed);
}

view<const float, 3> transposed(const matrices& x) {
  return {x.data(),
          {x.extent(0), x.extent(2), x.extent(1)},
          {std::ptrdiff_t(x.extent(1) * x.extent(2)), 1, std::ptrdiff_t(x.extent(2))}};
}

struct sums {
  std::vector<double> values, magnitudes;
};

sums oracle(const view<const float, 3>& a, const view<const float, 3>& b) {
  const std::size_t m = a.extent(1), k = a.extent(2), n = b.extent(2), each = m * n;
  sums s{std::vector<double>(a.extent(0) * each), std::vector<double>(a.extent(0) * each)};
  for (std::size_t x = 0; x < a.extent(0); ++x)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t t = 0; t < k; ++t)
        for (std::size_t j = 0; j < n; ++j) {
          const double term = double(a(x, i, t)) * double(b(x, t, j));
          s.values[x * each + i * n + j] += term;
          s.magnitudes[x * each + i * n + j] += std::fabs(term);
        }
  return s;
}

void expect_published(const matrices& c, const sums& s) {
  for (std::size_t i = 0; i < c.size(); ++i)
    ASSERT_TRUE(tolerance{}.holds(c.data()[i], s.values[i]))
        << i << ": " << c.data()[i] << " " << s.values[i];
}

enum class kind { gemm, slices, matmul, bmm };

matrices product(kind of, const view<const float, 3>& a, const view<const float, 3>& b,
                 const matrices* before = nullptr, const product_scale& scale = {},
                 const machine_spec& machine = trainium1()) {
  device dev(machine);
  matrices c({a.extent(0), a.extent(1), b.extent(2)});
  if (before) c = *before;
  const view<float, 3> out = c.view();
  switch (of) {
    case kind::gemm:
      published::gemm(dev, a[0], b[0], out[0], scale);
      break;
    case kind::slices:
      published::batched_gemm_by_slices(dev, a, b, out, scale);
      break;
    case kind::matmul:
      published::matmul(dev, a[0], b[0], out[0]);
      break;
    case kind::bmm:
      published::bmm(dev, a, b, out);
      break;
  }
  return c;
}

struct published_case {
  const char* id;
  kind of;
  std::int64_t batch, m, k, n;
  bool transposed_a = false, transposed_b = false;
  product_scale scale = {};
};

void PrintTo(const published_case& c, std::ostream* out) { *out << c.id; }

class published_product : public testing::TestWithParam<published_case> {};

TEST_P(published_product, is_close) {
  const published_case& p = GetParam();
  const matrices a = p.transposed_a ? normal(p.batch, p.k, p.m, 1) : normal(p.batch, p.m, p.k, 1);
  const matrices b = p.transposed_b ? normal(p.batch, p.n, p.k, 2) : normal(p.batch, p.k, p.n, 2);
  const view<const float, 3> left = p.transposed_a ? transposed(a) : a.view(),
                             right = p.transposed_b ? transposed(b) : b.view();
  const matrices before = normal(p.batch, p.m, p.n, 3);
  sums s = oracle(left, right);
  for (std::size_t i = 0; i < s.values.size(); ++i)
    s.values[i] =
        double(p.scale.alpha) * s.values[i] + double(p.scale.beta) * double(before.data()[i]);
  expect_published(product(p.of, left, right, &before, p.scale), s);
}

constexpr product_scale halves{.alpha = 2, .beta = 0.5f};

INSTANTIATE_TEST_SUITE_P(
    cases, published_product,
    testing::Values(
        published_case{"trnblas-040", kind::gemm, 1, 128, 128, 128},
        published_case{"trnblas-041", kind::gemm, 1, 256, 256, 256},
        published_case{"trnblas-042", kind::gemm, 1, 512, 512, 512},
        published_case{"trnblas-043", kind::gemm, 1, 256, 128, 512},
        published_case{"trnblas-044", kind::gemm, 1, 1024, 256, 128},
        published_case{"trnblas-045", kind::gemm, 1, 200, 137, 400},
        published_case{"trnblas-046", kind::gemm, 1, 256, 200, 128},
        published_case{"trnblas-047", kind::gemm, 1, 137, 128, 256},
        published_case{"trnblas-048", kind::gemm, 1, 128, 128, 200},
        published_case{"trnblas-049", kind::gemm, 1, 300, 250, 175},
        published_case{"trnblas-052", kind::gemm, 1, 256, 128, 256},
        published_case{"trnblas-053", kind::gemm, 1, 256, 128, 256, true},
        published_case{"trnblas-054", kind::gemm, 1, 256, 128, 256, false, true},
        published_case{"trnblas-055", kind::gemm, 1, 128, 128, 128, false, false, halves},
        published_case{"trnblas-056", kind::slices, 4, 256, 128, 256},
        published_case{"trnblas-057", kind::slices, 16, 256, 128, 256},
        published_case{"trnblas-058", kind::slices, 32, 256, 128, 256},
        published_case{"trnblas-059", kind::slices, 8, 200, 137, 400},
        published_case{"trnblas-060", kind::slices, 4, 256, 128, 256, false, false, halves},
        published_case{"trnblas-137", kind::gemm, 1, 128, 128, 128},
        published_case{"trnblas-138", kind::gemm, 1, 256, 128, 256},
        published_case{"trntensor-078", kind::matmul, 1, 128, 128, 256},
        published_case{"trntensor-079", kind::matmul, 1, 100, 70, 200},
        published_case{"trntensor-080", kind::matmul, 1, 64, 128, 256, true},
        published_case{"trntensor-081", kind::matmul, 1, 64, 128, 256, true, true},
        published_case{"trntensor-082", kind::matmul, 1, 128, 128, 1024},
        published_case{"trntensor-083", kind::matmul, 1, 19, 72, 19, false, true},
        published_case{"trntensor-084", kind::bmm, 4, 128, 128, 256},
        published_case{"trntensor-085", kind::bmm, 3, 100, 70, 200},
        published_case{"trntensor-086", kind::bmm, 2, 128, 128, 1024},
        published_case{"trntensor-097", kind::matmul, 1, 128, 128, 256},
        published_case{"trntensor-098", kind::bmm, 2, 128, 128, 128}),
    name_of<published_case>);

// The list in the repository is what is registered in this program, and its count is right.
TEST(published_list, is_what_is_registered) { papilio::test::expect_registered(PAPILIO_CASE_LIST); }

TEST(published_gemm, trnblas_050_a_product_with_the_identity) {
  const matrices a = normal(1, 256, 256, 1);
  matrices one({1, 256, 128});
  for (std::size_t i = 0; i < 128; ++i) one(0, i, i) = 1;
  const matrices c = product(kind::gemm, a.view(), one.view());
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t j = 0; j < 128; ++j) ASSERT_EQ(c(0, i, j), a(0, i, j)) << i << " " << j;
}

TEST(published_gemm, trnblas_051_zeros_give_zeros) {
  const matrices zeros({1, 128, 128}), b = normal(1, 128, 128, 2);
  for (const float v : product(kind::gemm, zeros.view(), b.view())) ASSERT_EQ(v, 0);
}

TEST(published_gemm, trnblas_061_one_left_operand_and_four_right_ones) {
  device dev;
  const matrices a = normal(1, 256, 256, 1);
  for (unsigned seed = 2; seed < 6; ++seed) {
    const matrices b = normal(1, 256, 128, seed);
    matrices c({1, 256, 128});
    published::gemm(dev, a.view()[0], b.view()[0], c.view()[0]);
    expect_published(c, oracle(a.view(), b.view()));
  }
  EXPECT_EQ(dev.record().launches, 4u);
  EXPECT_EQ(dev.record().hits, 3u);
}

void expect_model(kind of, std::int64_t batch, std::int64_t m, std::int64_t k, std::int64_t n,
                  const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << int(of) << ": " << batch << " " << m << " " << k << " " << n);
  const matrices a = normal(batch, m, k, 1), b = normal(batch, k, n, 2);
  const sums s = oracle(a.view(), b.view());
  const double most = gamma(double(k + (k + 127) / 128));
  const matrices c = product(of, a.view(), b.view(), nullptr, {}, machine);
  for (std::size_t i = 0; i < c.size(); ++i)
    ASSERT_LE(std::fabs(double(c.data()[i]) - s.values[i]), most * s.magnitudes[i]) << i;
}

TEST(published_gemm, values_at_every_tail) {
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{1, 1, 1},
                                {7, 1, 700},
                                {129, 7, 513},
                                {1, 300, 511},
                                {127, 129, 512},
                                {131, 257, 1030}}) {
    expect_model(kind::gemm, 1, m, k, n);
    expect_model(kind::bmm, 2, m, k, n);
  }
  expect_model(kind::matmul, 1, 129, 131, 67, trainium2());
}

// The kernel itself needs no padding.
TEST(published_gemm, the_program_takes_any_sizes) {
  const auto a = values_between(-1, 1, 131, 70, 1), b = values_between(-1, 1, 70, 515, 2);
  array<float, 2> c({131, 515});
  device dev;
  dev.launch(
      {.name = "unpadded",
       .body = [](core& nc,
                  const kernel_arguments& t) { published::gemm(nc, t.out(0), t.in(0), t.in(1)); }},
      {a, b}, {c});
  for (std::size_t i = 0; i < 131; i += 13)
    for (std::size_t j = 0; j < 515; j += 7) {
      double value = 0, magnitude = 0;
      for (std::size_t t = 0; t < 70; ++t) {
        value += double(a(i, t)) * double(b(t, j));
        magnitude += std::fabs(double(a(i, t)) * double(b(t, j)));
      }
      ASSERT_NEAR(c(i, j), value, 72 * 0x1p-24 * magnitude);
    }
}

TEST(published_gemm, padding) {
  const machine_spec machine = trainium1();
  const auto problem = [](std::size_t m, std::size_t k, std::size_t n) {
    return gemm_problem{.m = m, .k = k, .n = n};
  };
  const auto padded = [&](std::size_t m, std::size_t k, std::size_t n) {
    return published::padded(problem(m, k, n), machine);
  };
  EXPECT_EQ(padded(1, 1, 1), problem(128, 128, 1));
  EXPECT_EQ(padded(128, 129, 511), problem(128, 256, 511));
  EXPECT_EQ(padded(200, 137, 512), problem(256, 256, 512));
  EXPECT_EQ(padded(200, 137, 513), problem(256, 256, 1024));
  const sized_kernel s = published::gemm_kernel(problem(200, 137, 400), machine);
  EXPECT_EQ(s.inputs, (std::vector<tensor_shape>{{{256, 256}}, {{256, 400}}}));
  EXPECT_EQ(s.outputs, (std::vector<tensor_shape>{{{256, 400}}}));
  const auto* design = kernels_detail::design_as<kernels_detail::published_product>(s.design);
  ASSERT_NE(design, nullptr);
  EXPECT_EQ(
      *design,
      (kernels_detail::published_product{
          .given = {200, 137, 400}, .padded = {256, 256, 400}, .tile_rows = 128, .columns = 512}));
}

// A is loaded for every 512 columns of C, B for every 128 rows, C stored once.
TEST(published_gemm, operands_are_read_again_for_every_tile) {
  const profile p = dry_profile("published/gemm", {"m=512", "k=256", "n=1024"});
  EXPECT_EQ(p.value("hbm_read_bytes"), 4.0 * (2 * 512 * 256 + 4 * 256 * 1024));
  EXPECT_EQ(p.value("hbm_write_bytes"), 4.0 * 512 * 1024);
  EXPECT_EQ(p.value("matmul_instruction_count"), 4.0 * 2 * 2);
}

TEST(published_gemm, the_rest_of_the_result_is_the_hosts) {
  const matrices a = normal(1, 5, 6, 1), b = normal(1, 6, 7, 2);
  matrices nothing({1, 5, 7});
  for (float& v : nothing) v = std::nanf("");
  for (const float v : product(kind::gemm, a.view(), b.view(), &nothing))
    ASSERT_FALSE(std::isnan(v));  // beta = 0 does not read c
}

template <class Error, class Call>
void expect_refused(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "accepted: " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(published_gemm, bad_input) {
  const machine_spec machine = trainium1();
  expect_refused<invalid_argument>([&] { published::gemm_kernel({.m = 0}, machine); },
                                   "m must be at least 1, got 0");
  expect_refused<invalid_argument>([&] { published::matmul_kernel({.k = 0}, machine); },
                                   "k must be at least 1, got 0");
  expect_refused<invalid_argument>([&] { published::bmm_kernel({.batch = 0}, machine); },
                                   "batch must be at least 1, got 0");
  expect_refused<resource_error>([&] { published::gemm_kernel({.m = INT64_MAX}, machine); },
                                 "overflows");
  device dev;
  const matrices a({2, 3, 4}), b({2, 5, 6});
  matrices c({2, 3, 6});
  expect_refused<shape_error>([&] { published::gemm(dev, a.view()[0], b.view()[0], c.view()[0]); },
                              "c of 3 x 6 is not a of 3 x 4 times b of 5 x 6");
  expect_refused<shape_error>([&] { published::bmm(dev, a.view(), b.view(), c.view()); },
                              "published::bmm: c of 3 x 6");
  expect_refused<shape_error>(
      [&] {
        published::batched_gemm_by_slices(dev, a.view(), matrices({3, 4, 6}).view(), c.view());
      },
      "not as many of each");
  EXPECT_EQ(dev.record().launches, 0u);
  core nc(machine, {});
  expect_refused<shape_error>(
      [&] {
        published::gemm(nc, nc.hbm({5, 7}), nc.hbm({5, 6}), nc.hbm({5, 7}));
      },
      "published::gemm: C ");
  expect_refused<shape_error>(
      [&] {
        published::bmm(nc, nc.hbm({2, 5, 7}), nc.hbm({2, 5, 6}), nc.hbm({3, 6, 7}));
      },
      "published::bmm: C ");
}

// Each slice pays for its own launch and copies: two in, one out.
TEST(published_batch, parts_of_the_time) {
  device dev(trainium1(), sdk_2_24());
  const device_record four =
      published::batched_gemm_by_slices(dev, {.batch = 4, .m = 256, .k = 128, .n = 256});
  const runtime_spec& runtime = dev.runtime();
  EXPECT_EQ(four.launches, 4u);
  EXPECT_EQ(four.hits, 3u);
  EXPECT_EQ(four.upload.tensors, 8u);
  EXPECT_EQ(four.fetch.tensors, 4u);
  EXPECT_NEAR(four.launch_seconds, 4e-6 * runtime.launch_us, 1e-12);
  EXPECT_NEAR(four.upload.seconds, 4e-6 * runtime.upload_us(2, 2 * 131072), 1e-12);
  EXPECT_NEAR(four.fetch.seconds, 4e-6 * runtime.fetch_us(1, 262144), 1e-12);
  EXPECT_GT(four.device_seconds, 0);
  EXPECT_EQ(four.total_seconds(), dev.record().total_seconds());
  // Measured: 1.23 ms a slice (trnblas, trn1), to which no constant was fitted: modelled 1.112.
  EXPECT_NEAR(four.total_seconds() / 4, 1.23e-3, 0.15 * 1.23e-3);
  EXPECT_EQ(published::batched_gemm_by_slices(dev, {.batch = 0}).launches, 0u);
}

TEST(published_batch, one_program_is_one_launch) {
  device dev;
  const matrices a = normal(3, 20, 30, 1), b = normal(3, 30, 40, 2);
  matrices c({3, 20, 40});
  const launch_result once = published::bmm(dev, a.view(), b.view(), c.view());
  EXPECT_EQ(dev.record().launches, 1u);
  matrices by_slices({3, 20, 40});
  const device_record loop =
      published::batched_gemm_by_slices(dev, a.view(), b.view(), by_slices.view());
  EXPECT_EQ(loop.launches, 3u);
  EXPECT_LT(once.total_seconds(), loop.total_seconds());
  for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c.data()[i], by_slices.data()[i]);
}

}  // namespace
}  // namespace papilio::kernels::test

// Complex products against sums in double; the error model is at worst_error.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/planar.hpp"
#include "kernels/product_designs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct sizes {
  std::int64_t m, k, n;
};

gemm_problem complex_problem(std::size_t m, std::size_t k, std::size_t n) {
  return {.m = m, .k = k, .n = n, .is_complex = true};
}

array<float, 3> run(const array<float, 3>& a, const array<float, 3>& b, int products,
                    const machine_spec& machine = trainium1(), const device_options& options = {}) {
  return run_once(complex_gemm_kernel(complex_problem(a.extent(1), a.extent(2), b.extent(2)),
                                      machine, {.products = products}),
                  {a, b}, machine, options);
}

void expect_product(const sizes& s, int products, const machine_spec& machine = trainium1(),
                    int extra = 1) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.k << " x " << s.n << ", " << products
                                  << " products on " << machine.name);
  const auto a = normal_planar(s.m, s.k, 1), b = normal_planar(s.k, s.n, 2);
  EXPECT_LE(
      worst_error(run(a, b, products, machine), exact_product(a, b, false), s.k, products, extra),
      1);
}

TEST(complex_gemm, values_at_awkward_sizes) {
  for (const int products : {4, 3})
    for (const sizes& s : {sizes{1, 1, 1},
                           {1, 7, 1},
                           {7, 1, 5},
                           {1, 300, 513},
                           {3, 129, 2},
                           {128, 128, 128},
                           {129, 127, 511},
                           {257, 128, 1},
                           {385, 130, 514},
                           {130, 513, 70},
                           {64, 1000, 3}})
      expect_product(s, products);
}

TEST(complex_gemm, values_on_later_machines) {
  for (const machine_spec& machine : {trainium2(), trainium3()})
    for (const int products : {4, 3}) expect_product({129, 200, 513}, products, machine);
}

TEST(complex_gemm, long_sums_are_made_in_parts) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 20480;
  for (const int products : {4, 3}) {
    const auto sized =
        complex_gemm_kernel(complex_problem(9, 3000, 600), small, {.products = products});
    EXPECT_GT(parts_of_sums(sized), 1) << sized.explain();
    expect_product({9, 3000, 600}, products, small, parts_of_sums(sized));
  }
}

/// trainium1 with loads behind multiplies and costly rows, so that dry runs find other designs.
machine_spec of_hidden_loads() {
  machine_spec machine = trainium1();
  machine.name = "hidden loads";
  machine.tensor.exposed_load_cycles = 0;
  machine.dma.descriptor_ns = 80;
  machine.vector.static_cycles = machine.scalar.static_cycles = 130;
  return machine;
}

TEST(complex_gemm, values_on_machines_of_other_designs) {
  const machine_spec hidden = of_hidden_loads();
  machine_spec small = hidden;
  small.name = "small";
  small.sbuf.bytes_per_partition = 65536;
  machine_spec medium = small;
  medium.name = "medium";
  medium.sbuf.bytes_per_partition = 81920;
  struct design_case {
    sizes shape;
    int products;
    machine_spec machine;
  };
  const design_case cases[] = {{{9, 3000, 600}, 4, hidden},   {{9, 3000, 600}, 3, hidden},
                               {{130, 1500, 130}, 4, small},  {{5, 4000, 700}, 4, medium},
                               {{700, 130, 600}, 4, hidden},  {{700, 130, 600}, 3, hidden},
                               {{600, 130, 1300}, 3, hidden}, {{1100, 300, 100}, 3, hidden}};
  for (const design_case& one : cases) {
    const sizes& s = one.shape;
    const auto sized =
        complex_gemm_kernel(complex_problem(std::size_t(s.m), std::size_t(s.k), std::size_t(s.n)),
                            one.machine, {.products = one.products});
    expect_product(s, one.products, one.machine, parts_of_sums(sized));
  }
}

TEST(complex_gemm, products_are_complex_not_conjugated) {
  array<float, 3> a({2, 1, 1}), b({2, 1, 1});
  a.data()[0] = 2, a.data()[1] = 3, b.data()[0] = 5, b.data()[1] = 7;  // (2 + 3i)(5 + 7i)
  for (const int products : {4, 3}) {
    const auto c = run(a, b, products);
    EXPECT_EQ(c.data()[0], -11);
    EXPECT_EQ(c.data()[1], 29);
  }
}

TEST(complex_gemm, three_products_lose_what_cancels_in_their_sums) {
  // re = 1 exactly in four products; in three, the sum of the parts of A hides the small one.
  array<float, 3> a({2, 1, 1}), b({2, 1, 1});
  a.data()[0] = 0x1p-30F, a.data()[1] = 1, b.data()[0] = 1, b.data()[1] = 0;
  EXPECT_EQ(run(a, b, 4).data()[0], 0x1p-30F);
  EXPECT_EQ(run(a, b, 4).data()[1], 1);
  EXPECT_EQ(run(a, b, 3).data()[1], 1);
  a.data()[0] = 0x1p-30F, a.data()[1] = 0x1p-30F, b.data()[0] = 1, b.data()[1] = 0x1p-30F;
  // im = 2^-60 + 2^-30: four products keep it to 24 bits, three lose the sum's tail only.
  EXPECT_NEAR(run(a, b, 3).data()[1], 0x1p-30, 0x1p-52);
}

// The model is of the mean: a norm over 20,000 elements is within a fifth of it.
TEST(complex_gemm, the_error_is_the_expected_one) {
  const auto a = normal_planar(150, 700, 5), b = normal_planar(700, 130, 6);
  const auto exact = exact_product(a, b, false);
  for (const dtype type : {dtype::fp32, dtype::bf16, dtype::fp16})
    for (const int products : {4, 3}) {
      const auto sized = complex_gemm_kernel(complex_problem(150, 700, 130), trainium1(),
                                             {.products = products, .type = type});
      const double error =
          relative_distance(run_once(sized, {launch_input(a, type), launch_input(b, type)}), exact);
      EXPECT_GT(error, 0.8 * sized.expected_error) << to_string(type) << products;
      EXPECT_LT(error, 1.2 * sized.expected_error) << to_string(type) << products;
    }
}

TEST(complex_gemm, rounded_products_change_the_bits_and_keep_the_bound) {
  machine_spec rounding = trainium1();
  rounding.name = "rounding";
  rounding.tensor.products_rounded = true;
  const auto a = normal_planar(130, 300, 7), b = normal_planar(300, 140, 8);
  const auto exact = exact_product(a, b, false);
  for (const int products : {4, 3}) {
    const auto fused = run(a, b, products), rounded = run(a, b, products, rounding);
    std::size_t different = 0;
    for (std::size_t i = 0; i < fused.size(); ++i)
      different += fused.data()[i] != rounded.data()[i];
    EXPECT_GT(different, fused.size() / 4);
    EXPECT_LE(worst_error(fused, exact, 300, products), 1);
    // A rounding more for each term.
    EXPECT_LE(worst_error(rounded, exact, 300, products, 301), 1);
    const double ratio = relative_distance(rounded, exact) / relative_distance(fused, exact);
    EXPECT_GT(ratio, 0.9);
    EXPECT_LT(ratio, 1.3);
  }
}

TEST(complex_gemm, the_same_bits_with_two_threads) {
  const auto a = normal_planar(200, 260, 1), b = normal_planar(260, 300, 2);
  for (const int products : {4, 3}) {
    const auto one = run(a, b, products), two = run(a, b, products, trainium1(), {.threads = 2});
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one.data()[i], two.data()[i]);
  }
}

TEST(complex_gemm, says_what_it_chose_and_why) {
  const auto sized = complex_gemm_kernel(complex_problem(1024, 1024, 1024), trainium1());
  for (const char* part :
       {"4 real products", "1024x1024 by 1024x1024", " at a time", ": the fastest in a dry run",
        "bound by tensor", " us, ", "\ncompared in dry runs:\n  "})
    EXPECT_NE(sized.explain().find(part), std::string::npos) << sized.explain();
}

template <class Error>
void expect_refused(const gemm_problem& problem, const std::string& part,
                    const complex_gemm_kernel_options& how = {}) {
  try {
    complex_gemm_kernel(problem, trainium1(), how);
    ADD_FAILURE() << "accepted: " << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(complex_gemm, refusals) {
  const gemm_problem one = complex_problem(1, 1, 1);
  expect_refused<invalid_argument>(complex_problem(0, 1, 1),
                                   "complex_gemm: m must be at least 1, got 0");
  expect_refused<invalid_argument>(complex_problem(1, 0, 1),
                                   "complex_gemm: k must be at least 1, got 0");
  expect_refused<invalid_argument>(complex_problem(1, 1, 0),
                                   "complex_gemm: n must be at least 1, got 0");
  expect_refused<invalid_argument>({}, "complex_gemm: the problem must be complex");
  expect_refused<invalid_argument>({.batch = 2, .is_complex = true},
                                   "complex_gemm: batch must be 1, got 2");
  expect_refused<invalid_argument>(one, "products must be 3 or 4, got 2", {.products = 2});
  expect_refused<invalid_argument>(one, "type must be a floating-point type, got int32",
                                   {.type = dtype::int32});
  expect_refused<invalid_argument>(one, "result must be a floating-point type, got uint8",
                                   {.result = dtype::uint8});
  expect_refused<resource_error>(complex_problem(std::size_t{1} << 40, std::size_t{1} << 40, 1),
                                 "overflow");
  device dev;
  const prepared_kernel four(dev, complex_gemm_kernel(complex_problem(4, 5, 6), dev.machine()));
  const auto a = normal_planar(4, 5, 1), b = normal_planar(6, 5, 2);
  array<float, 3> c({2, 4, 6});
  EXPECT_THROW(four.launch({a, b}, {c}), shape_error);
}

TEST(complex_gemm, comes_near_the_floor_where_the_array_bounds_it) {
  const profile four = dry_profile("complex_gemm", {"m=4096", "k=4096", "n=4096"});
  EXPECT_EQ(four.verdict.bound_by, unit::tensor);
  EXPECT_GE(four.verdict.floor_fraction, 0.9);
  EXPECT_LE(four.verdict.floor_fraction, 1);
  // Four products of 32 x 32 x 8 tiles of 128 x 128 x 512 in 4 passes of 512 cycles at 2.8 GHz.
  EXPECT_NEAR(four.verdict.tensor_floor_seconds, 4 * 32.0 * 32 * 8 * 4 * (512 + 64) / 2.8e9, 1e-6);
  EXPECT_TRUE(four.verdict.floor_was_stated);
  const profile three = dry_profile("complex_gemm", {"m=4096", "k=4096", "n=4096", "products=3"});
  EXPECT_EQ(three.verdict.tensor_floor_seconds, four.verdict.tensor_floor_seconds);
  EXPECT_GE(three.verdict.floor_fraction, 1.2);
  EXPECT_LE(three.verdict.floor_fraction, 4.0 / 3);
}

}  // namespace
}  // namespace papilio::kernels::test

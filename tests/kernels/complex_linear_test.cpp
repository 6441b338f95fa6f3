// Linear layers against sums in double; the error model is at worst_error, with one rounding more
// for the bias, which is no larger than the magnitudes are allowed to miss: it is added to them.
#include <gtest/gtest.h>

#include "kernels/planar.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

array<float, 2> bias_of(std::int64_t out) { return values_between(-2, 2, 2, out, 9); }

planar_product oracle(const array<float, 3>& x, const array<float, 3>& w,
                      const array<float, 2>* bias) {
  planar_product e = exact_product(x, w, true);
  if (bias == nullptr) return e;
  for (std::size_t i = 0; i < e.values.size(); ++i) {
    const std::size_t j = i % std::size_t(e.columns);
    const std::complex<double> b{bias->data()[j], bias->data()[std::size_t(e.columns) + j]};
    e.values[i] += b;
    e.magnitudes[i] += std::complex<double>{std::fabs(b.real()), std::fabs(b.imag())};
  }
  return e;
}

void expect_layer(const complex_linear_problem& s, const machine_spec& machine = trainium1(),
                  int extra = 2) {
  SCOPED_TRACE(testing::Message() << s.batch << ", " << s.in << " -> " << s.out << ", "
                                  << s.products << " products, bias " << s.bias);
  const auto x = normal_planar(s.batch, s.in, 1), w = normal_planar(s.out, s.in, 2);
  const auto bias = bias_of(s.out);
  std::vector<launch_input> inputs{x, w};
  if (s.bias) inputs.emplace_back(bias);
  const auto y = run_once(complex_linear_kernel(s, machine), inputs, machine);
  EXPECT_LE(worst_error(y, oracle(x, w, s.bias ? &bias : nullptr), s.in, s.products, extra), 1);
}

TEST(complex_linear, values_at_awkward_sizes) {
  for (const int products : {4, 3})
    for (const bool bias : {true, false})
      for (const auto& [batch, in, out] : {std::array<std::int64_t, 3>{1, 1, 1},
                                           {1, 300, 7},
                                           {5, 1, 513},
                                           {129, 131, 640},
                                           {300, 64, 130},
                                           {2, 513, 129}})
        expect_layer({.batch = batch, .in = in, .out = out, .bias = bias, .products = products});
}

TEST(complex_linear, the_bias_is_added_once_where_the_sum_is_cut) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 81920;
  const complex_linear_problem problem{.batch = 5, .in = 4000, .out = 20};
  EXPECT_EQ(complex_linear_kernel(problem, small).explanation.find("k in 1 part"),
            std::string::npos);
  expect_layer(problem, small, 9);
}

TEST(complex_linear, small_batches_turn_the_result) {
  for (const int products : {4, 3}) {
    const complex_linear_problem problem{.batch = 7, .in = 600, .out = 700, .products = products};
    const std::string all = complex_linear_kernel(problem, trainium1()).explanation;
    EXPECT_NE(all.substr(0, all.find('\n')).find("C turned"), std::string::npos) << all;
    expect_layer(problem);
  }
}

TEST(complex_linear, refusals) {
  const auto message_of = [](const complex_linear_problem& problem) {
    try {
      complex_linear_kernel(problem, trainium1());
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message_of({.batch = 0}), "complex_linear: batch must be at least 1, got 0");
  EXPECT_EQ(message_of({.in = 0}), "complex_linear: in must be at least 1, got 0");
  EXPECT_EQ(message_of({.out = -1}), "complex_linear: out must be at least 1, got -1");
  EXPECT_EQ(message_of({.products = 5}), "complex_linear: products must be 3 or 4, got 5");
  EXPECT_EQ(message_of({.type = dtype::uint8}),
            "complex_linear: type must be a floating-point type, got uint8");
}

TEST(complex_linear, comes_near_the_floor_where_the_array_bounds_it) {
  const profile p = dry_profile("complex_linear", {"batch=4096", "in=1024", "out=1024"});
  EXPECT_EQ(p.verdict.bound_by, unit::tensor);
  EXPECT_GE(p.verdict.floor_fraction, 0.85);
  EXPECT_LE(p.verdict.floor_fraction, 1);
}

}  // namespace
}  // namespace papilio::kernels::test

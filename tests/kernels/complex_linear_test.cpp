// Linear layers against sums in double; the error model is at worst_error, with one rounding more
// for the bias, which is no larger than the magnitudes are allowed to miss: it is added to them.
#include <gtest/gtest.h>

#include "kernels/planar.hpp"
#include "kernels/product_designs.hpp"

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

struct layer_row {
  std::int64_t batch = 1, in = 1, out = 1;
  bool bias = true;
  int products = 4;
};

sized_kernel layer_of(const layer_row& s, const machine_spec& machine) {
  return complex_gemm_kernel({.m = std::size_t(s.batch),
                              .k = std::size_t(s.in),
                              .n = std::size_t(s.out),
                              .is_complex = true},
                             machine,
                             {.products = s.products, .right_transposed = true, .bias = s.bias});
}

void expect_layer(const layer_row& s, const machine_spec& machine = trainium1(), int extra = 2) {
  SCOPED_TRACE(testing::Message() << s.batch << ", " << s.in << " -> " << s.out << ", "
                                  << s.products << " products, bias " << s.bias);
  const auto x = normal_planar(s.batch, s.in, 1), w = normal_planar(s.out, s.in, 2);
  const auto bias = bias_of(s.out);
  std::vector<launch_input> inputs{x, w};
  if (s.bias) inputs.emplace_back(bias);
  const auto y = run_once(layer_of(s, machine), inputs, machine);
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
  small.sbuf.bytes_per_partition = 8192;
  const layer_row problem{.batch = 5, .in = 4000, .out = 20};
  EXPECT_GT(parts_of_sums(layer_of(problem, small)), 1);
  expect_layer(problem, small, 32);
}

/// trainium1 with loads behind multiplies and costly rows, so that dry runs find other designs.
machine_spec linear_of_hidden_loads() {
  machine_spec machine = trainium1();
  machine.name = "hidden loads";
  machine.tensor.exposed_load_cycles = 0;
  machine.dma.descriptor_ns = 80;
  machine.vector.static_cycles = machine.scalar.static_cycles = 130;
  return machine;
}

TEST(complex_linear, small_batches_where_loads_are_hidden) {
  for (const int products : {4, 3}) {
    const layer_row problem{.batch = 7, .in = 600, .out = 700, .products = products};
    expect_layer(problem, linear_of_hidden_loads());
  }
}

TEST(complex_linear, how_operands_lie_is_in_the_programs_key) {
  const auto key = [](const complex_gemm_kernel_options& how) {
    return complex_gemm_kernel({.m = 4, .k = 4, .n = 4, .is_complex = true}, trainium1(), how)
        .program.parameters;
  };
  EXPECT_NE(key({}), key({.right_transposed = true}));
  EXPECT_NE(key({}), key({.bias = true}));
}

TEST(complex_linear, comes_near_the_floor_where_the_array_bounds_it) {
  const profile p = dry_profile("complex_linear", {"batch=4096", "in=1024", "out=1024"});
  EXPECT_EQ(p.verdict.bound_by, unit::tensor);
  EXPECT_GE(p.verdict.floor_fraction, 0.85);
  EXPECT_LE(p.verdict.floor_fraction, 1);
}

}  // namespace
}  // namespace papilio::kernels::test

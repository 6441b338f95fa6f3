// Masks against products in double. Error model: re and im have two products and a sum, one
// rounding each: |error| <= gamma_2 (|M| |S| of the parts), gamma_2 = 2 u / (1 - 2 u), u = 2^-24.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/planar.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

void expect_masked(const array<float, 3>& out, const array<float, 3>& mask,
                   const array<float, 3>& spectrum) {
  constexpr double gamma = 0x1p-23 / (1 - 0x1p-23);
  for (std::int64_t i = 0; i < std::int64_t(mask.extent(1)); ++i)
    for (std::int64_t j = 0; j < std::int64_t(mask.extent(2)); ++j) {
      const auto m = element(mask, i, j), s = element(spectrum, i, j), got = element(out, i, j);
      const double re = m.real() * s.real() - m.imag() * s.imag(),
                   im = m.real() * s.imag() + m.imag() * s.real();
      ASSERT_LE(std::fabs(got.real() - re),
                gamma * (std::fabs(m.real() * s.real()) + std::fabs(m.imag() * s.imag())))
          << i << ", " << j;
      ASSERT_LE(std::fabs(got.imag() - im),
                gamma * (std::fabs(m.real() * s.imag()) + std::fabs(m.imag() * s.real())))
          << i << ", " << j;
    }
}

sized_kernel mask_kernel(std::int64_t rows, std::int64_t columns, const machine_spec& machine,
                         std::size_t masks = 1) {
  return complex_mask_kernel({.count = std::size_t(rows * columns)}, machine,
                             {.rows = std::size_t(rows), .masks = masks});
}

void expect_mask(std::int64_t rows, std::int64_t columns,
                 const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << rows << " x " << columns << " on " << machine.name);
  const auto mask = normal_planar(rows, columns, 1), spectrum = normal_planar(rows, columns, 2);
  expect_masked(run_once(mask_kernel(rows, columns, machine), {mask, spectrum}, machine), mask,
                spectrum);
}

TEST(complex_mask, values_at_any_size) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                      {1, 2},
                                      {3, 1},
                                      {1, 127},
                                      {129, 1},
                                      {7, 131},
                                      {64, 32},
                                      {128, 4},
                                      {257, 511},
                                      {1, 65537},
                                      {300, 1000}})
    expect_mask(rows, columns);
  expect_mask(129, 67, trainium2());
}

TEST(complex_mask, values_in_small_memories) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 40000;
  expect_mask(200, 301, small);
}

TEST(complex_mask, many_masks_in_one_launch) {
  constexpr std::size_t count = 9;
  std::vector<array<float, 3>> masks, spectra, products;
  for (unsigned i = 0; i < count; ++i) {
    masks.push_back(normal_planar(13, 47, 2 * i));
    spectra.push_back(normal_planar(13, 47, 2 * i + 1));
    products.emplace_back(extents_type<3>{2, 13, 47});
  }
  std::vector<launch_input> inputs;
  std::vector<launch_output> outputs;
  for (std::size_t i = 0; i < count; ++i) {
    inputs.emplace_back(masks[i]);
    inputs.emplace_back(spectra[i]);
    outputs.emplace_back(products[i]);
  }
  device dev;
  graph all(dev);
  prepared_kernel(dev, mask_kernel(13, 47, dev.machine(), count)).capture(all, inputs, outputs);
  all.submit();
  for (std::size_t i = 0; i < count; ++i) expect_masked(products[i], masks[i], spectra[i]);
}

TEST(complex_mask, a_hundred_small_ones_cost_little_more_than_a_dispatch) {
  device dev(trainium1(), sdk_2_24());
  const prepared_kernel masks(dev, mask_kernel(64, 32, dev.machine(), 100), run_mode::dry_run);
  const tensor_shape shape{{2, 64, 32}};
  graph all(dev);
  masks.capture(all, std::vector<launch_input>(200, shape), std::vector<launch_output>(100, shape));
  const graph_result result = all.submit(run_mode::dry_run);
  EXPECT_LE(result.run.total_seconds(), 2.2e-3);
  EXPECT_LE(result.run.summary.value("total_time"), 150e-6);
}

// One launch for each: small kernels of a graph lie side by side on the chip, so that one begins
// while the one before is under way.
TEST(complex_mask, a_hundred_launches_of_a_graph_too) {
  device dev(trainium1(), sdk_2_24());
  const prepared_kernel mask(dev, mask_kernel(64, 32, dev.machine()), run_mode::dry_run);
  const tensor_shape shape{{2, 64, 32}};
  graph all(dev);
  for (int i = 0; i < 100; ++i) mask.capture(all, {shape, shape}, {shape});
  const graph_result result = all.submit(run_mode::dry_run);
  EXPECT_EQ(result.launches, 100u);
  EXPECT_LE(result.run.total_seconds(), 2.2e-3);
  EXPECT_LE(result.run.summary.value("total_time"), 250e-6);
}

TEST(complex_mask, refusals) {
  const auto message_of = [](const product_problem& problem,
                             const complex_mask_kernel_options& how = {}) {
    try {
      complex_mask_kernel(problem, trainium1(), how);
    } catch (const invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message_of({.count = 0}), "complex_mask: count must be at least 1, got 0");
  EXPECT_EQ(message_of({.count = 6}, {.rows = 0}), "complex_mask: rows must divide 6, got 0");
  EXPECT_EQ(message_of({.count = 6}, {.rows = 4}), "complex_mask: rows must divide 6, got 4");
  EXPECT_EQ(message_of({}, {.masks = 0}), "complex_mask: masks must be at least 1, got 0");
  EXPECT_EQ(message_of({.type = real_type::double_precision}),
            "complex_mask: the problem must be in float, got double");
  EXPECT_EQ(message_of({.count = 6, .factors = {1, 2, 3, 4}}),
            "complex_mask: the number of factors must divide 6, got 4");
  EXPECT_EQ(message_of({.count = 6, .factors = {1}}, {.masks = 2}),
            "complex_mask: masks must be 1 where there are factors, got 2");
  EXPECT_THROW(complex_mask_kernel({.count = std::size_t{1} << 62}, trainium1()), resource_error);
  device dev;
  const prepared_kernel one(dev, mask_kernel(4, 5, dev.machine()));
  const auto mask = normal_planar(4, 5, 1), other = normal_planar(5, 4, 2);
  array<float, 3> out({2, 4, 5});
  EXPECT_THROW(one.launch({mask, other}, {out}), shape_error);
  EXPECT_THROW(one.launch({mask}, {out}), invalid_argument);
}

TEST(complex_mask, is_bound_by_dma) {
  const profile p = dry_profile("complex_mask", {"rows=8192", "columns=8192"});
  EXPECT_EQ(p.verdict.bound_by, unit::dma);
  EXPECT_GE(p.verdict.floor_fraction, 0.9);
  EXPECT_LE(p.verdict.floor_fraction, 1);
  // 24 bytes an element at 272 bytes a ns.
  EXPECT_NEAR(p.verdict.floor_seconds, 24.0 * 8192 * 8192 / 272e9, 1e-6);
}

}  // namespace
}  // namespace papilio::kernels::test

#include <gtest/gtest.h>

#include <cmath>

#include "papilio/signal.hpp"
#include "reference_data.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

// The cases of make_bands_reference.py.
const delta_options delta_cases[] = {{9, 1, delta_edges::interpolate}, {5, 2, {}},
                                     {7, 3, delta_edges::mirror},      {9, 1, delta_edges::nearest},
                                     {9, 2, delta_edges::zero},        {9, 1, delta_edges::wrap}};

array<double, 2> delta_rows() {
  const auto data = test::reference("deltas_rows");
  array<double, 2> rows({data.extents[0], data.extents[1]});
  std::ranges::copy(data.values, rows.data());
  return rows;
}

std::vector<double> streamed(const delta_options& options, view<const double, 2> rows,
                             std::size_t block) {
  std::vector<double> all;
  delta_stream<double> stream(options, rows.extent(1));
  std::uint64_t next = 0;
  const auto sink = [&](std::uint64_t row, std::span<const double> values) {
    EXPECT_EQ(row, next++);
    all.insert(all.end(), values.begin(), values.end());
  };
  for (std::size_t first = 0; first < rows.extent(0); first += block)
    stream.push(rows.slice(0, first, std::min(block, rows.extent(0) - first)), sink);
  stream.finish(sink);
  stream.finish(sink);
  EXPECT_EQ(stream.received(), rows.extent(0));
  EXPECT_EQ(stream.rows(), rows.extent(0));
  return all;
}

// Weights of at most 1 and sums of at most 9 rows, of about 1.
TEST(deltas, equal_librosa) {
  const auto rows = delta_rows();
  const auto expected = test::reference("deltas");
  std::size_t at = 0;
  for (const delta_options& options : delta_cases) {
    const auto deltas = delta_plan<double>(options).execute(rows);
    for (const double got : deltas.flat())
      EXPECT_NEAR(got, expected.values[at++], 1e-13) << options.width << ' ' << options.order;
  }
  EXPECT_EQ(at, expected.values.size());
}

// Rounded to float once.
TEST(deltas, of_floats_are_those_of_doubles_rounded) {
  const auto rows = delta_rows();
  array<float, 2> narrow(rows.extents());
  std::ranges::copy(rows.flat(), narrow.data());
  array<double, 2> wide(rows.extents());
  std::ranges::copy(narrow.flat(), wide.data());
  for (const delta_options& options : delta_cases) {
    const auto got = delta_plan<float>(options).execute(narrow);
    const auto expected = delta_plan<double>(options).execute(wide);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got.flat()[i], static_cast<float>(expected.flat()[i]));
  }
}

TEST(deltas, streams_have_the_bits_of_the_whole) {
  const auto rows = delta_rows();
  for (const delta_options& options : delta_cases) {
    if (options.edges == delta_edges::wrap) continue;
    for (const std::size_t count : {20, 10, 9, 4, 2, 1, 0}) {
      if (options.edges == delta_edges::interpolate && count > 0 && count < options.width) continue;
      const auto part = rows.view().slice(0, 0, count);
      const auto whole = delta_plan<double>(options).execute(part);
      for (const std::size_t block : {1, 2, 7, 20}) {
        const auto got = streamed(options, part, block);
        ASSERT_EQ(got.size(), whole.size());
        for (std::size_t i = 0; i < got.size(); ++i)
          ASSERT_EQ(got[i], whole.flat()[i]) << count << ' ' << block << ' ' << i;
      }
    }
  }
}

TEST(deltas, threads_and_strides_change_no_bit) {
  const auto rows = delta_rows();
  array<double, 2> transposed({3, 20}), out({3, 20});
  for (std::size_t t = 0; t < 20; ++t)
    for (std::size_t i = 0; i < 3; ++i) transposed(i, t) = rows(t, i);
  for (const delta_options& options : delta_cases) {
    const delta_plan<double> plan(options);
    const auto expected = plan.execute(rows);
    const auto threaded = plan.execute(rows, 3);
    plan.execute(view<const double, 2>(transposed.data(), {20, 3}, {1, 20}),
                 view<double, 2>(out.data(), {20, 3}, {1, 20}));
    for (std::size_t t = 0; t < 20; ++t)
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(threaded(t, i), expected(t, i));
        EXPECT_EQ(out(i, t), expected(t, i));
      }
  }
}

// A polynomial of degree d has d! times its leading coefficient everywhere, also at the ends. Weights
// of a high degree on few rows are large: about 300 epsilons of values up to 40^d.
TEST(deltas, of_polynomials_are_constant) {
  for (const std::size_t order : {1, 2, 3, 8}) {
    array<double, 2> rows({40, 1});
    for (std::size_t t = 0; t < 40; ++t)
      rows(t, 0) = 3 + std::pow(static_cast<double>(t) / 40, static_cast<double>(order));
    const double expected =
        std::tgamma(static_cast<double>(order) + 1) * std::pow(40, -static_cast<double>(order));
    for (const std::size_t width : {11, 21}) {
      const auto got = delta_plan<double>({width, order}).execute(rows);
      for (const double v : got.flat()) EXPECT_NEAR(v, expected, 1e-11) << order << ' ' << width;
    }
  }
}

TEST(deltas, refuse) {
  EXPECT_THROW(delta_plan<float>({.width = 1}), invalid_argument);
  EXPECT_THROW(delta_plan<float>({.width = 8}), invalid_argument);
  EXPECT_THROW(delta_plan<float>({.order = 0}), invalid_argument);
  EXPECT_THROW(delta_plan<float>({.order = 9}), invalid_argument);
  EXPECT_THROW(delta_plan<float>({.width = 3, .order = 3}), invalid_argument);
  EXPECT_THROW(delta_plan<float>({.edges = static_cast<delta_edges>(5)}), invalid_argument);
  EXPECT_THROW(delta_stream<float>({.edges = delta_edges::wrap}, 1), invalid_argument);
  EXPECT_THROW(delta_stream<float>({}, 0), invalid_argument);
  array<float, 2> rows({8, 2}), out({8, 2}), small({7, 2});
  const delta_plan<float> nearest({.edges = delta_edges::nearest});
  EXPECT_THROW(nearest.execute(rows, small), shape_error);
  EXPECT_THROW(nearest.execute(rows, rows), invalid_argument);
  try {
    delta_plan<float>().execute(rows);
    ADD_FAILURE();
  } catch (const shape_error& e) {
    EXPECT_STREQ(
        e.what(),
        "delta_plan: rows must be at least the width 9 where ends are interpolated, got 8");
  }
  delta_stream<float> stream({}, 2);
  const auto sink = [](std::uint64_t, std::span<const float>) {};
  stream.push(rows, sink);
  EXPECT_THROW(stream.push(array<float, 2>({1, 3}), sink), shape_error);
  EXPECT_THROW(stream.finish(sink), shape_error);
  stream.reset();
  stream.finish(sink);
  EXPECT_THROW(stream.push(rows, sink), invalid_argument);
}

}  // namespace
}  // namespace papilio

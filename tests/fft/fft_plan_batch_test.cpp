#include <gtest/gtest.h>

#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio {
namespace {

using test::random_complex;
using cf = std::complex<float>;

std::vector<cf> row_of(const fft_plan<float>& plan, view<const cf, 1> row) {
  std::vector<cf> in(row.extent(0)), out(row.extent(0));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = row[i];
  plan.execute(in, out);
  return out;
}

void expect_rows(const fft_plan<float>& plan, view<const cf, 2> in, view<const cf, 2> out) {
  for (std::size_t b = 0; b < in.extent(0); ++b) {
    const auto expected = row_of(plan, in[b]);
    for (std::size_t k = 0; k < in.extent(1); ++k) ASSERT_EQ(out(b, k), expected[k]) << b;
  }
}

TEST(fft_plan_batch, rows_are_single_transforms_for_any_strides_and_threads) {
  const std::size_t n = 13, batch = 7;  // columns run the recipe of a line
  const fft_plan<float> plan(n);
  const auto data = random_complex<float>(4 * n * batch, 1);
  const auto signed_n = static_cast<std::ptrdiff_t>(n);
  const cf* const start = data.data();
  const view<const cf, 2> layouts[] = {
      {start, {batch, n}},                                     // rows
      {start, {batch, n}, {1, batch}},                         // columns
      {start + n - 1, {batch, n}, {signed_n, -1}},             // rows read backwards
      {start, {batch, n}, {0, 1}},                             // one row for all
      {start, {batch, n}, {3, 0}},                             // constant rows
      {start + (batch - 1) * n, {batch, n}, {-signed_n, 1}}};  // last row first
  for (const auto& in : layouts)
    for (const int threads : {1, 3, 0}) {
      array<cf, 2> out({batch, n});
      plan.execute_batch(in, out, threads);
      expect_rows(plan, in, out);
      array<cf, 2> turned({n, batch});
      plan.execute_batch(in, view<cf, 2>(turned.data(), {batch, n}, {1, batch}), threads);
      for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(turned(k, b), out(b, k));
    }
}

TEST(fft_plan_batch, in_place_and_overlapping_operands) {
  const std::size_t n = 16, batch = 5;
  const fft_plan<float> plan(n);
  const auto data = random_complex<float>((batch + 1) * n, 9);
  array<cf, 2> expected({batch, n});
  plan.execute_batch(view<const cf, 2>(data.data(), {batch, n}), expected);

  auto memory = data;
  plan.execute_batch(view<const cf, 2>(memory.data(), {batch, n}),
                     view<cf, 2>(memory.data(), {batch, n}));
  for (std::size_t i = 0; i < batch * n; ++i) ASSERT_EQ(memory[i], expected.flat()[i]);

  memory = data;  // one row further on
  plan.execute_batch(view<const cf, 2>(memory.data(), {batch, n}),
                     view<cf, 2>(memory.data() + n, {batch, n}), 2);
  for (std::size_t i = 0; i < batch * n; ++i) ASSERT_EQ(memory[n + i], expected.flat()[i]);
}

TEST(fft_plan_batch, refuses_wrong_shapes) {
  const fft_plan<float> plan(8);
  array<cf, 2> eight({3, 8}), nine({3, 9}), four_rows({4, 8});
  EXPECT_THROW(plan.execute_batch(nine, eight), shape_error);
  EXPECT_THROW(plan.execute_batch(eight, nine), shape_error);
  EXPECT_THROW(plan.execute_batch(eight, four_rows), shape_error);
  EXPECT_THROW(plan.execute_batch(eight, view<cf, 2>(four_rows.data(), {3, 8}, {0, 1})),
               shape_error);
  EXPECT_THROW(plan.execute_batch(eight, view<cf, 2>(four_rows.data(), {3, 8}, {4, 1})),
               shape_error);
  EXPECT_THROW(plan.execute_batch(eight, view<cf, 2>(four_rows.data(), {3, 8}), -1),
               invalid_argument);
  array<cf, 2> none({0, 8});
  EXPECT_NO_THROW(plan.execute_batch(none, none));
}

}  // namespace
}  // namespace papilio

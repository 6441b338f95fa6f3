// Operations on vectors against loops in double.
//
// Error model, u = 2^-24: axpy and scal round twice and once; a sum rounds each term, and once for
// each term of its run at most (2048), each block, each of 128 partitions and at the end.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using numbers = array<float, 1>;
using enum vector_operation;

bool is_sum(vector_operation o) { return o == dot || o == nrm2 || o == asum; }

numbers result_of(const vector_shape& s, const numbers& x, const numbers& y,
                  const machine_spec& machine = trainium1()) {
  device dev(machine);
  numbers out({is_sum(s.operation) ? 1 : std::size_t(s.n)});
  std::vector<launch_input> inputs{x};
  if (s.operation == axpy || s.operation == dot) inputs.emplace_back(y);
  prepared_kernel(dev, vector_kernel(s, machine)).launch(inputs, {out});
  return out;
}

void expect_elements(const vector_shape& s, const numbers& x, const numbers& y,
                     const numbers& got) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = double(s.alpha) * double(x(i)),
                 added = s.operation == axpy ? double(y(i)) : 0;
    ASSERT_LE(std::fabs(double(got(i)) - (scaled + added)),
              gamma(2) * (std::fabs(scaled) + std::fabs(added)))
        << i;
  }
}

void expect_right(const vector_shape& s, const machine_spec& machine = trainium1()) {
  SCOPED_TRACE(testing::Message() << to_string(s.operation) << " of " << s.n);
  const numbers x = normal<1>({std::size_t(s.n)}, 1, 1), y = normal<1>({std::size_t(s.n)}, 1, 2),
                got = result_of(s, x, y, machine);
  if (!is_sum(s.operation)) return expect_elements(s, x, y, got);
  double sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double term = s.operation == asum   ? std::fabs(double(x(i)))
                        : s.operation == nrm2 ? double(x(i)) * double(x(i))
                                              : double(x(i)) * double(y(i));
    sum += term;
    magnitude += std::fabs(term);
  }
  const double most = gamma(2048.0 + double(s.n) / (2048 * 128) + 2 + 128 + 4);
  if (s.operation == nrm2)
    EXPECT_LE(std::fabs(double(got(0)) - std::sqrt(sum)), most * std::sqrt(sum));
  else
    EXPECT_LE(std::fabs(double(got(0)) - sum), most * magnitude);
}

// One element, less than one and more than one a partition, several blocks and what is left.
TEST(vector_ops, values_of_every_length) {
  for (const std::int64_t n : {1, 5, 127, 128, 129, 1000, 262144, 262145, 600001})
    for (const vector_operation o : {axpy, scal, dot, nrm2, asum})
      expect_right({.operation = o, .n = n, .alpha = -1.5F});
}

TEST(vector_ops, values_on_trainium2) {
  for (const vector_operation o : {axpy, dot, nrm2})
    expect_right({.operation = o, .n = 4099, .alpha = 3}, trainium2());
}

// Of whole numbers every order of summing is exact.
TEST(vector_ops, whole_numbers_are_exact) {
  numbers x({5000}), y({5000});
  double sum = 0;
  for (std::size_t i = 0; i < 5000; ++i) {
    x(i) = float(i % 7) - 3;
    y(i) = float(i % 5) - 2;
    sum += double(x(i)) * double(y(i));
  }
  EXPECT_EQ(result_of({.operation = dot, .n = 5000}, x, y)(0), sum);
}

TEST(vector_ops, transfers_are_what_takes_time) {
  for (const char* const o : {"axpy", "scal", "dot", "nrm2", "asum"})
    EXPECT_GE(
        dry_profile("vector", {std::string("operation=") + o, "n=8388608"}).verdict.floor_fraction,
        0.7)
        << o;
}

TEST(vector_ops, refuses) {
  const machine_spec machine = trainium1();
  EXPECT_THROW(vector_kernel({.n = 0}, machine), invalid_argument);
  EXPECT_THROW(vector_kernel({.alpha = std::nanf("")}, machine), invalid_argument);
  EXPECT_THROW(vector_kernel({.n = std::int64_t{1} << 62}, machine), resource_error);
}

}  // namespace
}  // namespace papilio::kernels::test

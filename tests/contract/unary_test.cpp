#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "contract/naive_step.hpp"
#include "contract/pair_design.hpp"

namespace papilio::test {
namespace {

using namespace contract_detail;

template <class T>
void expect_unary(const layout& from, const layout& to, bool conjugate, T alpha, T beta,
                  std::mt19937& random) {
  const stored<T> in(from, random);
  stored<T> out(to, random);
  if (beta == T(0))
    for (T& x : out.memory) x = T(std::numeric_limits<real_part_of<T>>::quiet_NaN());
  const std::vector<T> before = out.memory;
  const unary_design design(from, to, conjugate);
  SCOPED_TRACE(text_of(from) + "-> " + text_of(to) + ": " + design.to_string());
  run<T>(design, in.data(), out.data(), alpha, beta, 1);

  const std::array<const layout*, 1> shapes{&from};
  const step_space space(shapes, to);
  const std::array<const stored<T>*, 1> operands{&in};
  const long double eps = std::numeric_limits<real_part_of<T>>::epsilon();
  const long double scale = std::abs(exact_value(alpha)), old_scale = std::abs(exact_value(beta));
  bool is_right = true;
  label_values at{};
  space.for_each(space.kept, at, [&] {
    const bounded_value sum = naive_sum<T>(space, operands, {conjugate}, at);
    const auto place = static_cast<std::size_t>(offset_of(to, at) + out.origin);
    const exact_number old = beta == T(0) ? 0 : exact_value(before[place]);
    const exact_number expected = exact_value(alpha) * sum.value + exact_value(beta) * old;
    // A copy is exact.
    const bool is_copy = sum.terms == 1 && alpha == T(1) && beta == T(0);
    const long double bound = eps * (static_cast<long double>(sum.terms) + 8) *
                              (scale * sum.magnitude + old_scale * std::abs(old));
    is_right =
        is_right && std::abs(exact_value(out.memory[place]) - expected) <= (is_copy ? 0 : bound);
  });
  EXPECT_TRUE(is_right);

  std::vector<T> by_three = before;
  run<T>(design, in.data(), by_three.data() + out.origin, alpha, beta, 3);
  EXPECT_EQ(std::memcmp(by_three.data(), out.memory.data(), by_three.size() * sizeof(T)), 0);
}

template <class T>
class Unary : public ::testing::Test {};
using elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Unary, elements);

TYPED_TEST(Unary, RandomLayoutsAsTheDefinition) {
  using T = TypeParam;
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < 500 && !::testing::Test::HasFailure(); ++i) {
    std::vector<int> in, out;
    std::map<int, std::size_t> extents;
    std::size_t space = 1;
    for (int label = 0; label < static_cast<int>(below(6)); ++label) {
      std::size_t extent = below(40) == 0 ? 0 : 1 + below(11);
      if (space * extent > 5000) extent = 2;
      space *= std::max<std::size_t>(extent, 1);
      extents[label] = extent;
      in.push_back(label);
      if (below(10) == 0 && space < 1000) in.push_back(label);
      if (below(3) > 0) out.push_back(label);
    }
    std::ranges::shuffle(in, random);
    std::ranges::shuffle(out, random);
    const T alpha = i % 2 == 0 ? T(1) : element_from<T>(random);
    const T beta = i % 3 == 0 ? T(1) : i % 3 == 1 ? T(0) : element_from<T>(random);
    expect_unary<T>(random_layout(in, extents, true, random),
                    random_layout(out, extents, false, random), below(2) == 0, alpha, beta, random);
  }
}

// Through all edges of tiles.
TYPED_TEST(Unary, PermutationsOfManySizesAreExact) {
  std::mt19937 random(6);
  const std::map<char, std::size_t> extents[] = {{{'a', 67}, {'b', 3}, {'c', 70}},
                                                 {{'a', 64}, {'b', 2}, {'c', 64}},
                                                 {{'a', 1}, {'b', 130}, {'c', 17}},
                                                 {{'a', 5}, {'b', 66}, {'c', 33}}};
  for (const auto& sizes : extents)
    for (const char* out : {"abc", "acb", "bac", "bca", "cab", "cba"})
      expect_unary<TypeParam>(row_major("abc", sizes), row_major(out, sizes), false, TypeParam(1),
                              TypeParam(0), random);
}

TYPED_TEST(Unary, LargeOnesDoNotDependOnThreads) {
  using T = TypeParam;
  std::mt19937 random(7);
  const std::map<char, std::size_t> sizes{{'a', 300}, {'b', 31}, {'c', 70}};
  for (const char* text : {"cba", "ca", "b", ""}) {
    const stored<T> in(row_major("abc", sizes), random);
    stored<T> one(row_major(text, sizes), random), three = one;
    const unary_design design(in.shape, one.shape, true);
    run<T>(design, in.data(), one.data(), T(2), T(1), 1);
    run<T>(design, in.data(), three.data(), T(2), T(1), 3);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.memory.size() * sizeof(T)), 0) << text;
  }
}

// A plain sum in float would be off by some 1e-3.
TEST(UnarySum, LongSumsStayAccurate) {
  std::vector<float> in(1 << 20, 0.1f);
  float out = 0;
  const unary_design along({{0}, {in.size()}, {1}}, {}, false);
  run<float>(along, in.data(), &out, 1, 0, 1);
  const double expected = 0.1f * static_cast<double>(in.size());
  EXPECT_NEAR(out, expected, 2e-5 * expected);
  std::vector<float> columns(4);
  const unary_design across({{0, 1}, {in.size() / 4, 4}, {4, 1}}, {{1}, {4}, {1}}, false);
  run<float>(across, in.data(), columns.data(), 1, 0, 1);
  for (float column : columns) EXPECT_NEAR(column, expected / 4, 2e-5 * expected / 4);
}

}  // namespace
}  // namespace papilio::test

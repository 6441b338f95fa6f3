#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "contract/naive_step.hpp"
#include "contract/pair_design.hpp"

namespace papilio::test {
namespace {

using namespace contract_detail;

struct random_step {
  layout left, right, out;
  bool conjugate_left = false, conjugate_right = false;
};

// Each label on the operands and in the result by chance, sizes such that the naive sum is quick.
random_step made_step(std::mt19937& random, std::size_t largest) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t count = 1 + below(6);
  std::vector<int> left, right, out;
  std::map<int, std::size_t> extents;
  std::size_t space = 1;
  for (int label = 0; label < static_cast<int>(count); ++label) {
    std::size_t extent = 1 + below(largest);
    if (below(40) == 0) extent = 0;
    if (below(10) == 0) extent = 1;
    if (space * extent > 6000) extent = 2;
    space *= std::max<std::size_t>(extent, 1);
    extents[label] = extent;
    const std::size_t where = below(8);  // both more often than one
    if (where != 0) left.push_back(label);
    if (where != 1) right.push_back(label);
    if (where == 0 && below(2) == 0) right.push_back(label);
    if (where == 1 && below(2) == 0) left.push_back(label);
    if (below(12) == 0 && space * extent < 6000) {
      left.push_back(label);
      space *= std::max<std::size_t>(extent, 1);
    }
    if (below(5) < 3) out.push_back(label);
  }
  for (auto* labels : {&left, &right, &out}) std::ranges::shuffle(*labels, random);
  return {random_layout(left, extents, true, random), random_layout(right, extents, true, random),
          random_layout(out, extents, false, random), below(2) == 0, below(2) == 0};
}

template <class T>
::testing::AssertionResult same_bits(const std::vector<T>& x, const std::vector<T>& y) {
  if (x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "bits differ";
}

// Error of a sum of n products, however it is ordered, with the factors alpha and beta: each
// product has at most 4 roundings (complex), each sum n - 1.
template <class T>
long double tolerance(const bounded_value& sum, T alpha, T beta, exact_number before) {
  const long double eps = std::numeric_limits<real_part_of<T>>::epsilon();
  const long double scaled = std::abs(exact_value(alpha)) * sum.magnitude;
  return eps * (static_cast<long double>(sum.terms) + 12) *
         (scaled + std::abs(exact_value(beta)) * std::abs(before));
}

template <class T>
void expect_step(const random_step& s, T alpha, T beta, int copies, std::mt19937& random) {
  const stored<T> left(s.left, random), right(s.right, random);
  stored<T> out(s.out, random);
  if (beta == T(0))
    for (T& x : out.memory) x = T(std::numeric_limits<real_part_of<T>>::quiet_NaN());
  const std::vector<T> before = out.memory;
  const pair_design design(s.left, s.right, s.out, s.conjugate_left, s.conjugate_right, copies);
  SCOPED_TRACE(text_of(s.left) + ", " + text_of(s.right) + "-> " + text_of(s.out) + ": " +
               design.to_string());
  std::vector<T> scratch(design.scratch_size(),
                         T(std::numeric_limits<real_part_of<T>>::quiet_NaN()));
  run<T>(design, left.data(), right.data(), out.data(), alpha, beta, scratch, 1);

  const std::array<const layout*, 2> shapes{&s.left, &s.right};
  const step_space space(shapes, s.out);
  const std::array<const stored<T>*, 2> operands{&left, &right};
  std::vector<bool> written(out.memory.size());
  label_values at{};
  bool is_right = true;
  long double worst = 0;
  space.for_each(space.kept, at, [&] {
    const bounded_value sum =
        naive_sum<T>(space, operands, {s.conjugate_left, s.conjugate_right}, at);
    const auto place = static_cast<std::size_t>(offset_of(s.out, at) + out.origin);
    written[place] = true;
    const exact_number old = beta == T(0) ? 0 : exact_value(before[place]);
    const exact_number expected = exact_value(alpha) * sum.value + exact_value(beta) * old;
    const long double error = std::abs(exact_value(out.memory[place]) - expected);
    if (!(error <= tolerance(sum, alpha, beta, old))) {
      is_right = false;
      worst = error;
    }
  });
  EXPECT_TRUE(is_right) << "error " << worst << ", alpha " << alpha << ", beta " << beta;
  bool wrote_between = false;
  for (std::size_t i = 0; i < written.size(); ++i)
    wrote_between =
        wrote_between || (!written[i] && std::memcmp(&out.memory[i], &before[i], sizeof(T)) != 0);
  EXPECT_FALSE(wrote_between);

  std::vector<T> by_three = before;
  run<T>(design, left.data(), right.data(), by_three.data() + out.origin, alpha, beta, scratch, 3);
  EXPECT_TRUE(same_bits(by_three, out.memory));
}

template <class T>
class PairStep : public ::testing::Test {};
using elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PairStep, elements);

template <class T>
void expect_random_steps(int count, int copies, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
    const random_step s = made_step(random, 9);
    const T alpha = i % 2 == 0 ? T(1) : i % 17 == 1 ? T(0) : element_from<T>(random);
    const T beta = i % 3 == 0 ? T(0) : i % 3 == 1 ? T(1) : element_from<T>(random);
    expect_step<T>(s, alpha, beta, copies, random);
  }
}

TYPED_TEST(PairStep, RandomStepsAsTheDefinition) {
  expect_random_steps<TypeParam>(600, any_copies, 1);
}

TYPED_TEST(PairStep, EveryChoiceOfCopiesAsTheDefinition) {
  for (int copies = 0; copies < 8; ++copies)
    expect_random_steps<TypeParam>(150, copies, 10 + static_cast<unsigned>(copies));
}

// Large enough for products of matrices and for every copy.
TYPED_TEST(PairStep, LargerStepsAsTheDefinition) {
  using T = TypeParam;
  std::mt19937 random(3);
  const std::map<char, std::size_t> sizes{{'a', 13}, {'b', 9}, {'c', 17}, {'d', 8},
                                          {'e', 6},  {'f', 5}, {'i', 3}};
  for (const char* text :
       {"ab,bc->ac", "abc,bda->dc", "abd,ebfd->aef", "iab,ibc->ica", "abe,bea->", "abe,abe->eb",
        "aab,bcc->ca", "abc,acd->db", "ac,bd->dacb", "abc,dcb->ad"}) {
    const std::string s = text;
    const std::size_t comma = s.find(','), arrow = s.find("->");
    const random_step step{row_major(s.substr(0, comma), sizes),
                           row_major(s.substr(comma + 1, arrow - comma - 1), sizes),
                           row_major(s.substr(arrow + 2), sizes), true, false};
    expect_step<T>(step, element_from<T>(random), T(0), any_copies, random);
    expect_step<T>(step, T(1), element_from<T>(random), any_copies, random);
  }
}

TYPED_TEST(PairStep, LargeOnesDoNotDependOnThreads) {
  using T = TypeParam;
  std::mt19937 random(4);
  std::map<char, std::size_t> sizes;
  for (char c = 'a'; c < 'g'; ++c) sizes[c] = 14;
  sizes['x'] = 500;
  sizes['y'] = 600;
  for (const char* text : {"abcd,ebfd->aecf", "abcd,dbea->ec", "xy,y->x", "xy,x->y", "xy,yx->",
                           "x,y->yx", "xy,yx->xy", "xya,xya->a"}) {
    const std::string s = text;
    const std::size_t comma = s.find(','), arrow = s.find("->");
    const stored<T> left(row_major(s.substr(0, comma), sizes), random);
    const stored<T> right(row_major(s.substr(comma + 1, arrow - comma - 1), sizes), random);
    stored<T> one(row_major(s.substr(arrow + 2), sizes), random), three = one;
    const pair_design design(left.shape, right.shape, one.shape, false, true);
    std::vector<T> scratch(design.scratch_size());
    run<T>(design, left.data(), right.data(), one.data(), T(1), T(1), scratch, 1);
    run<T>(design, left.data(), right.data(), three.data(), T(1), T(1), scratch, 3);
    EXPECT_TRUE(same_bits(one.memory, three.memory)) << text;
  }
}

}  // namespace
}  // namespace papilio::test

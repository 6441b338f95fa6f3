#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "contract/naive_step.hpp"
#include "papilio/contract/einsum.hpp"

// Random subscripts against the definition of the sum, which knows the labels but not the text.
namespace papilio::test {
namespace {

constexpr int letters = 6,
              ellipsis_axes = 2;  // labels 0-5 have letters, 6 and 7 are those of "..."
constexpr int broadcast = 15;     // label of axes of extent 1 where others are longer
constexpr char alphabet[] = "bXafcZ";

struct made_expression {
  std::string text;
  std::vector<std::vector<int>> axes;  // label by axis, of each operand
  std::vector<int> output;
  std::map<int, std::size_t> sizes;
};

class expression_maker {
 public:
  explicit expression_maker(std::mt19937& random) : random_(random) {}

  made_expression make() {
    std::map<int, std::size_t> wanted;
    for (int label = 0; label < letters + ellipsis_axes; ++label)
      wanted[label] = below(30) == 0 ? 0 : 1 + below(4);
    const std::size_t count = 1 + below(4);
    const bool has_ellipsis = below(3) == 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) e_.text += ',';
      add_operand(wanted, has_ellipsis && below(3) != 0);
    }
    resolve_broadcasts();
    add_output();
    return e_;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }
  std::string blank() { return below(12) == 0 ? " " : ""; }

  void add_axis(const std::map<int, std::size_t>& wanted, int label) {
    std::vector<int>& axes = e_.axes.back();
    std::vector<std::size_t>& extents = extents_.back();
    const auto before = std::ranges::find(axes, label);
    std::size_t extent = below(10) == 0 ? 1 : wanted.at(label);
    if (before != axes.end()) extent = extents[static_cast<std::size_t>(before - axes.begin())];
    axes.push_back(label);
    extents.push_back(extent);
    std::size_t& size = e_.sizes.emplace(label, 1).first->second;
    if (extent != 1) size = extent;
  }

  void add_operand(const std::map<int, std::size_t>& wanted, bool has_ellipsis) {
    e_.axes.emplace_back();
    extents_.emplace_back();
    const std::size_t rank = below(4);
    const std::size_t dots_at = has_ellipsis ? below(rank + 1) : rank + 1;
    for (std::size_t axis = 0; axis <= rank; ++axis) {
      if (axis == dots_at) {
        e_.text += "..." + blank();
        has_dots_ = true;
        // From the right: an operand may have the last axis only.
        for (std::size_t i = below(ellipsis_axes + 1); i < ellipsis_axes; ++i)
          add_axis(wanted, letters + static_cast<int>(i));
      }
      if (axis == rank) break;
      const int label = static_cast<int>(below(letters));
      e_.text += alphabet[label] + blank();
      add_axis(wanted, label);
    }
  }

  void resolve_broadcasts() {
    for (std::size_t o = 0; o < e_.axes.size(); ++o)
      for (std::size_t i = 0; i < e_.axes[o].size(); ++i)
        if (extents_[o][i] != e_.sizes.at(e_.axes[o][i])) {
          e_.axes[o][i] = broadcast;
          e_.sizes[broadcast] = 1;
        }
  }

  void add_output() {
    std::vector<int> there;
    for (const auto& [label, size] : e_.sizes)
      if (label < letters) there.push_back(label);
    std::ranges::shuffle(there, random_);
    std::erase_if(there, [&](int) { return below(2) == 0; });
    e_.text += "->";
    const std::size_t dots_at = has_dots_ ? below(there.size() + 1) : there.size() + 1;
    for (std::size_t i = 0; i <= there.size(); ++i) {
      if (i == dots_at) {
        e_.text += "...";
        for (int label = letters; label < letters + ellipsis_axes; ++label)
          if (e_.sizes.contains(label)) e_.output.push_back(label);
      }
      if (i == there.size()) break;
      e_.text += alphabet[there[i]] + blank();
      e_.output.push_back(there[i]);
    }
  }

  std::mt19937& random_;
  made_expression e_;
  std::vector<std::vector<std::size_t>> extents_;
  bool has_dots_ = false;
};

template <class T>
tensor_view<const T> view_of(const stored<T>& s) {
  return {s.data(), s.shape.extents, s.shape.strides};
}

// Each product of p factors has at most 4 p roundings (complex), a sum n - 1; intermediates are
// sums of products themselves.
template <class T>
long double tolerance(const bounded_value& sum, std::size_t operands) {
  const long double eps = std::numeric_limits<real_part_of<T>>::epsilon();
  return eps * sum.magnitude *
         (static_cast<long double>(sum.terms) + 4 * static_cast<long double>(operands) + 4);
}

template <class T>
class random_einsum : public ::testing::Test {};
using elements = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(random_einsum, elements);

template <class T>
void compare(const made_expression& e, std::mt19937& random) {
  std::vector<stored<T>> memory;
  std::vector<bool> conjugates;
  for (const std::vector<int>& axes : e.axes) {
    memory.emplace_back(random_layout(axes, e.sizes, true, random), random);
    conjugates.push_back(random() % 4 == 0);
  }
  std::vector<const stored<T>*> operands;
  std::vector<const layout*> inputs;
  std::vector<tensor_view<const T>> views;
  for (const stored<T>& m : memory) {
    operands.push_back(&m);
    inputs.push_back(&m.shape);
    views.push_back(view_of(m));
  }
  stored<T> out(random_layout(e.output, e.sizes, false, random), random);
  const einsum_options options{
      .conjugate = conjugates,
      .path = {.search = random() % 2 == 0 ? path_search::greedy : path_search::automatic,
               .seconds = 0.01}};
  const tensor_view<T> to(out.data(), out.shape.extents, out.shape.strides);
  contract_detail::einsum_into<T>(e.text, to, views, options);
  const tensor<T> alone = contract_detail::einsum<T>(e.text, views, options);
  ASSERT_TRUE(std::ranges::equal(alone.extents(), out.shape.extents)) << e.text;
  const step_space space(inputs, out.shape);
  label_values at{};
  std::size_t index = 0;
  space.for_each(e.output, at, [&] {
    const bounded_value expected = naive_sum<T>(space, operands, conjugates, at);
    const long double bound = tolerance<T>(expected, operands.size());
    const T got = out.data()[offset_of(out.shape, at)];
    ASSERT_LE(std::abs(exact_value(got) - expected.value), bound) << e.text << " at " << index;
    ASSERT_LE(std::abs(exact_value(alone.flat()[index]) - expected.value), bound) << e.text;
    ++index;
  });
}

// 4 types, 5000 expressions each.
TYPED_TEST(random_einsum, is_the_sum_of_products) {
  std::mt19937 random(20210 + static_cast<unsigned>(sizeof(TypeParam)));
  for (int trial = 0; trial < 5000; ++trial) {
    const made_expression e = expression_maker(random).make();
    compare<TypeParam>(e, random);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace papilio::test

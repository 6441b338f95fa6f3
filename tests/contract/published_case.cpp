#include "contract/published_case.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "support/oracle.hpp"

namespace papilio::test {
namespace {

// One loop of the definition.
struct letter_loop {
  std::size_t size = 1;
  std::vector<std::size_t> steps;  // of each operand
};

std::vector<std::string> terms_of(std::string inputs) {
  std::vector<std::string> terms;
  for (;;) {
    const std::size_t comma = inputs.find(',');
    terms.push_back(inputs.substr(0, comma));
    if (comma == std::string::npos) return terms;
    inputs.erase(0, comma + 1);
  }
}

letter_loop loop_of(char letter, const std::vector<std::string>& terms, const operands& o) {
  letter_loop loop;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::size_t step = 0, stride = 1;
    for (std::size_t axis = terms[i].size(); axis-- > 0;) {
      if (terms[i][axis] == letter) {
        step += stride;
        loop.size = o[i].extent(axis);
      }
      stride *= o[i].extent(axis);
    }
    loop.steps.push_back(step);
  }
  return loop;
}

// Calls body(offsets of the operands) for every value of the letters, the last the fastest.
template <class Body>
void for_each(std::span<const letter_loop> loops, std::vector<std::size_t>& at, const Body& body) {
  if (loops.empty()) return body(at);
  const letter_loop& loop = loops.front();
  for (std::size_t value = 0; value < loop.size; ++value) {
    for_each(loops.subspan(1), at, body);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += loop.steps[i];
  }
  for (std::size_t i = 0; i < at.size(); ++i) at[i] -= loop.size * loop.steps[i];
}

}  // namespace

operands normal(const shapes& extents, unsigned seed) {
  operands result;
  for (const std::vector<std::size_t>& e : extents) {
    tensor<float> t{std::span<const std::size_t>(e)};
    std::ranges::copy(random_real<float>(t.size(), seed++), t.data());
    result.push_back(std::move(t));
  }
  return result;
}

tensor<float> sums_of(const std::string& subscripts, const operands& o,
                      const einsum_options& options) {
  return with_operands(o,
                       [&](const auto&... each) { return einsum(subscripts, each..., options); });
}

naive_sums::naive_sums(const std::string& subscripts, const operands& o) {
  std::string text = subscripts;
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  const std::vector<std::string> terms = terms_of(text.substr(0, arrow));
  std::string summed;
  std::vector<letter_loop> kept_loops, summed_loops;
  for (char c : text.substr(arrow + 2)) kept_loops.push_back(loop_of(c, terms, o));
  for (char c : text.substr(0, arrow))
    if (c != ',' && text.find(c, arrow) == std::string::npos &&
        summed.find(c) == std::string::npos) {
      summed += c;
      summed_loops.push_back(loop_of(c, terms, o));
    }
  std::vector<std::size_t> at(o.size());
  std::size_t count = 0;
  for_each(kept_loops, at, [&](std::vector<std::size_t>& here) {
    double sum = 0, size = 0;
    count = 0;
    for_each(summed_loops, here, [&](const std::vector<std::size_t>& index) {
      double product = 1;
      for (std::size_t i = 0; i < o.size(); ++i) product *= o[i].data()[index[i]];
      sum += product;
      size += std::abs(product);
      ++count;
    });
    value.push_back(sum);
    magnitude.push_back(size);
  });
  roundings = static_cast<double>(count + 2 * o.size());
}

void expect_close(const tensor<float>& got, const naive_sums& sums, tolerance bound, double alpha,
                  double beta, const tensor<float>* before) {
  constexpr double unit = std::numeric_limits<float>::epsilon() / 2;
  ASSERT_EQ(got.size(), sums.value.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double start = before == nullptr ? 0 : beta * before->data()[i];
    const double expected = alpha * sums.value[i] + start;
    const double model =
        unit * (sums.roundings + 3) * (std::abs(alpha) * sums.magnitude[i] + std::abs(start));
    ASSERT_LE(std::abs(got.data()[i] - expected),
              std::min(bound.absolute + bound.relative * std::abs(expected), model))
        << i;
  }
}

void check(const std::string& subscripts, const operands& o, tolerance bound,
           const einsum_options& options) {
  expect_close(sums_of(subscripts, o, options), naive_sums(subscripts, o), bound,
               options.alpha.real());
}
void check_normal(const std::string& subscripts, const shapes& extents, tolerance bound,
                  const einsum_options& options) {
  check(subscripts, normal(extents), bound, options);
}

}  // namespace papilio::test

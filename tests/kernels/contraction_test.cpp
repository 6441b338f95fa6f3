// Contractions against the sum over all labels in double. Error model: every result is a sum of n
// products of at most p factors, made in some order by at most p steps, of which each rounds once a
// term and once a factor: within gamma_q of the sum of magnitudes, q = 2 (n + p) + 8, complex
// numbers with twice as many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cctype>
#include <random>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using number = std::complex<double>;

struct operand_term {
  std::vector<int> labels;
  bool conjugate = false;
};

struct random_case {
  contraction_shape shape;
  std::vector<operand_term> terms;
  std::vector<array<float, 1>> operands;
};

std::size_t count_of(const contraction_shape& s, const std::vector<int>& labels) {
  std::size_t count = 1;
  for (const int label : labels) count *= std::size_t(s.sizes[std::size_t(label)]);
  return count;
}

void fill(random_case& c, unsigned seed) {
  for (const operand_term& t : c.terms) {
    array<float, 1> values({count_of(c.shape, t.labels) * (c.shape.is_complex ? 2 : 1)});
    const auto numbers = papilio::test::random_real<float>(values.size(), seed++);
    std::copy(numbers.begin(), numbers.end(), values.data());
    c.operands.push_back(std::move(values));
  }
}

array<float, 1> run(const random_case& c, const machine_spec& machine) {
  const sized_kernel sized = contraction_kernel(c.shape, machine);
  array<float, 1> out({std::size_t(sized.outputs[0].elements())});
  device dev(machine, sdk_2_29());
  std::vector<launch_input> in;
  for (std::size_t i = 0; i < c.operands.size(); ++i)
    in.emplace_back(std::as_writable_bytes(
                        std::span(const_cast<float*>(c.operands[i].data()), c.operands[i].size())),
                    sized.inputs[i]);
  prepared_kernel(dev, sized)
      .launch(in, {launch_output(std::as_writable_bytes(std::span(out.data(), out.size())),
                                 sized.outputs[0])});
  return out;
}

// Of the labels' values, where an operand's element lies.
std::size_t place(const contraction_shape& s, const std::vector<int>& labels,
                  const std::vector<std::size_t>& at) {
  std::size_t offset = 0;
  for (const int label : labels)
    offset = offset * std::size_t(s.sizes[std::size_t(label)]) + at[std::size_t(label)];
  return offset;
}

struct bounded {
  std::vector<number> values;
  std::vector<double> magnitudes;
  double terms = 1;
};

bounded naive(const random_case& c, const std::vector<int>& out) {
  const contraction_shape& s = c.shape;
  bounded result;
  result.values.resize(count_of(s, out));
  result.magnitudes.resize(result.values.size());
  std::vector<std::size_t> at(s.sizes.size(), 0);
  std::size_t all = 1;
  std::vector<bool> used(s.sizes.size(), false);
  for (const auto& t : c.terms)
    for (const int label : t.labels) used[std::size_t(label)] = true;
  for (std::size_t l = 0; l < s.sizes.size(); ++l)
    if (used[l]) all *= std::size_t(s.sizes[l]);
  result.terms = double(all) / double(result.values.size());
  for (std::size_t i = 0; i < all; ++i) {
    std::size_t rest = i;
    for (std::size_t l = 0; l < s.sizes.size(); ++l) {
      if (!used[l]) continue;
      at[l] = rest % std::size_t(s.sizes[l]);
      rest /= std::size_t(s.sizes[l]);
    }
    number product = 1;
    for (std::size_t o = 0; o < c.terms.size(); ++o) {
      const std::size_t where = place(s, c.terms[o].labels, at);
      const float* const data = c.operands[o].data();
      const number x = s.is_complex ? number(data[where], data[c.operands[o].size() / 2 + where])
                                    : number(data[where]);
      product *= c.terms[o].conjugate ? std::conj(x) : x;
    }
    const std::size_t to = place(s, out, at);
    result.values[to] += product;
    result.magnitudes[to] += std::abs(product);
  }
  return result;
}

void expect_sums(const random_case& c, const machine_spec& machine) {
  const std::vector<int>& out = c.shape.steps.back().labels;
  const array<float, 1> got = run(c, machine);
  const bounded expected = naive(c, out);
  const double factors = c.shape.is_complex ? 4 : 2;
  const double q = (factors * (expected.terms + double(c.operands.size())) + 8) * 0x1p-24;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const number value = c.shape.is_complex
                             ? number(got.data()[i], got.data()[expected.values.size() + i])
                             : number(got.data()[i]);
    ASSERT_LE(std::abs(value - expected.values[i]), q * expected.magnitudes[i]) << i;
  }
}

std::string text_of(const random_case& c) {
  const contraction_shape& s = c.shape;
  std::string text = s.is_complex ? "complex" : "real";
  const auto add = [&](const std::vector<int>& labels) {
    for (const int label : labels)
      text += base_detail::message(" ", label, "=", s.sizes[std::size_t(label)]);
  };
  for (const auto& t : c.terms) {
    text += t.conjugate ? "; conj" : ";";
    add(t.labels);
  }
  text += " ->";
  add(s.steps.back().labels);
  return text;
}

class shape_maker {
 public:
  explicit shape_maker(unsigned seed) : random_(seed) {}

  random_case make(std::size_t labels, std::size_t largest, double most_terms) {
    for (;;) {
      random_case c;
      c.shape.is_complex = below(2) == 0;
      double terms = 1;
      for (std::size_t l = 0; l < labels; ++l) {
        const std::size_t size = below(8) == 0 ? 1 : 1 + below(below(3) == 0 ? largest : 5);
        c.shape.sizes.push_back(std::int64_t(size));
        terms *= double(size);
      }
      const std::size_t operands = 1 + below(3);
      for (std::size_t o = 0; o < operands; ++o) add_operand(c, labels);
      if (terms > most_terms || !add_steps(c)) continue;
      bool small = true;
      for (const auto& t : c.terms) small = small && count_of(c.shape, t.labels) < 200000;
      if (!small) continue;
      fill(c, unsigned(random_()));
      return c;
    }
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  void add_operand(random_case& c, std::size_t labels) {
    operand_term t;
    t.conjugate = below(3) == 0;
    for (std::size_t l = 0; l < labels; ++l)
      if (below(3) != 0) t.labels.push_back(int(l));
    if (!t.labels.empty() && below(6) == 0) t.labels.push_back(t.labels[below(t.labels.size())]);
    std::ranges::shuffle(t.labels, random_);
    c.shape.operands.push_back(std::int64_t(count_of(c.shape, t.labels)));
    c.terms.push_back(std::move(t));
  }

  // From the left; what is between keeps what is needed, in any order.
  bool add_steps(random_case& c) {
    contraction_shape& s = c.shape;
    const auto term = [&](std::size_t o) {
      return contraction_shape::term{o, c.terms[o].labels, c.terms[o].conjugate};
    };
    std::vector<int> out;
    for (std::size_t l = 0; l < s.sizes.size(); ++l) {
      const bool is_there = std::ranges::any_of(
          c.terms, [&](const auto& t) { return std::ranges::count(t.labels, int(l)) > 0; });
      if (is_there && below(2) == 0) out.push_back(int(l));
    }
    std::ranges::shuffle(out, random_);
    if (c.terms.size() == 1) s.steps.push_back({{term(0)}, out});
    contraction_shape::term value = term(0);
    for (std::size_t next = 1; next < c.terms.size(); ++next) {
      std::vector<int> kept;
      for (std::size_t l = 0; l < s.sizes.size(); ++l) {
        const auto has = [&](const std::vector<int>& list) {
          return std::ranges::count(list, int(l)) > 0;
        };
        bool needed = has(out);
        for (std::size_t o = next + 1; o < c.terms.size(); ++o)
          needed = needed || has(c.terms[o].labels);
        if (needed && (has(value.labels) || has(c.terms[next].labels))) kept.push_back(int(l));
      }
      std::ranges::shuffle(kept, random_);
      if (next + 1 == c.terms.size()) kept = out;
      s.steps.push_back({{value, term(next)}, kept});
      value = {c.terms.size() + s.steps.size() - 1, kept};
    }
    s.results = {s.operands.size() + s.steps.size() - 1};
    return count_of(s, out) < 200000;
  }

  std::mt19937 random_;
};

// Some labels are taken value by value.
void slice(random_case& c, std::mt19937& random) {
  contraction_shape& s = c.shape;
  for (std::size_t l = 0; l < s.sizes.size(); ++l)
    if (s.sizes[l] < 5 && random() % 2 == 0 &&
        std::ranges::any_of(c.terms, [&](const operand_term& t) {
          return std::ranges::count(t.labels, int(l)) > 0;
        }))
      s.sliced.push_back(int(l));
  const auto drop = [&](std::vector<int>& labels) {
    std::erase_if(labels, [&](int label) { return std::ranges::count(s.sliced, label) > 0; });
  };
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    if (i + 1 < s.steps.size()) drop(s.steps[i].labels);
    for (contraction_shape::term& t : s.steps[i].of)
      if (t.value >= s.operands.size()) drop(t.labels);
  }
}

// Whose vector engine is so slow that products go to the tensor engine wherever they can, and whose
// memory is so small that they are cut into blocks.
machine_spec product_machine(std::int64_t sbuf_bytes) {
  machine_spec machine = trainium1();
  machine.name = "slow vector";
  machine.sbuf.bytes_per_partition = sbuf_bytes;
  machine.vector.clock_hz /= 1000;
  return machine;
}

// What the explanations of the trials said: that each way was gone.
int told(const std::string& all, const std::string& words) {
  int count = 0;
  for (std::size_t at = all.find(words); at != std::string::npos; at = all.find(words, at + 1))
    ++count;
  return count;
}

std::string expect_random(unsigned seed, int trials, std::size_t labels, std::size_t largest,
                          double most_terms, const machine_spec& machine) {
  shape_maker maker(seed);
  std::string explanations;
  for (int trial = 0; trial < trials; ++trial) {
    const random_case c = maker.make(labels, largest, most_terms);
    SCOPED_TRACE(text_of(c));
    expect_sums(c, machine);
    explanations += contraction_kernel(c.shape, machine).explanation;
    if (testing::Test::HasFailure()) break;
  }
  return explanations;
}

TEST(contraction, small_sums_on_the_machine) {
  const std::string all = expect_random(1, 150, 4, 12, 3e4, trainium1());
  EXPECT_GT(told(all, "on the vector engine"), 50);
  EXPECT_GT(told(all, "stationary"), 10);
}

TEST(contraction, sums_of_many_axes) { expect_random(2, 60, 8, 3, 1e5, trainium1()); }

TEST(contraction, products_on_the_tensor_engine) {
  const std::string all = expect_random(3, 200, 4, 40, 2e5, product_machine(196608));
  EXPECT_GT(told(all, "stationary, transposed"), 10);
  EXPECT_GT(told(all, "the other transposed"), 10);
  EXPECT_GT(told(all, "left operand stationary"), 10);
  EXPECT_GT(told(all, "right operand stationary"), 10);
}

TEST(contraction, products_of_many_axes_on_the_tensor_engine) {
  EXPECT_GT(told(expect_random(4, 60, 7, 4, 1e5, product_machine(196608)), "stationary"), 30);
}

TEST(contraction, products_in_blocks_of_a_small_memory) {
  const std::string all = expect_random(5, 60, 4, 70, 1e6, product_machine(24576));
  EXPECT_GT(told(all, "stationary"), 20);
  EXPECT_LT(told(all, "in 1 blocks"), told(all, "step") - 10);
}

// "ij,jk->ik", steps from the left; one of the labels has many values.
random_case case_of(const std::string& subscripts, bool is_complex, std::mt19937& random) {
  constexpr std::int64_t largest = 300, usual = 7;
  std::string sizes, letters;
  for (const char c : subscripts)
    if (std::isalpha(static_cast<unsigned char>(c)) && letters.find(c) == std::string::npos)
      letters += c;
  const std::size_t large = random() % letters.size();
  for (std::size_t i = 0; i < letters.size(); ++i)
    sizes += base_detail::message(i == 0 ? "" : ",", letters[i], "=",
                                  1 + std::int64_t(random()) % (i == large ? largest : usual));
  random_case c{.shape = contraction_of(subscripts, sizes, is_complex), .terms = {}, .operands = {}};
  c.terms.resize(c.shape.operands.size());
  for (const contraction_shape::step& s : c.shape.steps)
    for (const contraction_shape::term& t : s.of)
      if (t.value < c.terms.size()) c.terms[t.value].labels = t.labels;
  fill(c, unsigned(random()));
  return c;
}

TEST(contraction, results_stay_for_the_next_product) {
  std::mt19937 random(8);
  int stayed = 0;
  for (const bool is_complex : {false, true})
    for (const char* const text :
         {"ij,jk,kl->il", "ij,jk,kl->li", "ji,jk,lk->il", "ij,jk,ki->", "ij,jk,kl,lm->im",
          "abc,cd,be->aed", "abc,cd,be,af->fed", "bij,bjk,bkl->bil", "abcd,de,ce,af->fb"})
      for (int trial = 0; trial < 6; ++trial) {
        const random_case c = case_of(text, is_complex, random);
        SCOPED_TRACE(text_of(c));
        expect_sums(c, trainium1());
        stayed += told(contraction_kernel(c.shape, trainium1()).explanation, "stays in SBUF");
        if (HasFailure()) return;
      }
  EXPECT_GT(stayed, 40);
}

// One operand: sums none, so that they are moved.
TEST(contraction, permutations) {
  shape_maker maker(7);
  std::string explanations;
  for (int trial = 0; trial < 80; ++trial) {
    random_case c = maker.make(4, 40, 1e5);
    c.terms.resize(1), c.operands.resize(1), c.shape.operands.resize(1);
    std::vector<int> out = c.terms[0].labels;
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    std::ranges::rotate(out, out.begin() + std::ptrdiff_t(out.size() / 2));
    c.shape.steps = {{{{0, c.terms[0].labels, c.terms[0].conjugate}}, out}};
    c.shape.results = {1};
    SCOPED_TRACE(text_of(c));
    expect_sums(c, trainium1());
    explanations += contraction_kernel(c.shape, trainium1()).explanation;
    if (HasFailure()) return;
  }
  EXPECT_GT(told(explanations, "through the tensor engine"), 5);
}

TEST(contraction, slices_one_after_the_other) {
  shape_maker maker(6);
  std::mt19937 random(6);
  for (int trial = 0; trial < 80; ++trial) {
    random_case c = maker.make(5, 6, 1e5);
    slice(c, random);
    SCOPED_TRACE(text_of(c));
    expect_sums(c, trainium1());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace papilio::kernels::test

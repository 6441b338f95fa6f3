#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <vector>

#include "kernels/contraction/program.hpp"
#include "kernels/design.hpp"
#include "kernels/runs.hpp"
#include "support/oracle.hpp"

// Contractions against the sum over all labels in double. Error model: every result is a sum of n
// products of at most p factors, made in some order by at most p steps, of which each rounds once a
// term and once a factor: within gamma_q of the sum of magnitudes, q = 2 (n + p) + 8, complex
// numbers with twice as many.
namespace papilio::kernels::test {

using namespace engine;
using number = std::complex<double>;

struct operand_term {
  std::vector<int> labels;
  bool conjugate = false;
};

struct random_case {
  contraction_problem problem;
  contraction_kernel_options how = {};
  std::vector<operand_term> terms;
  std::vector<array<float, 1>> operands;
};

inline std::size_t count_of(const contraction_problem& s, const std::vector<int>& labels) {
  std::size_t count = 1;
  for (const int label : labels) count *= std::size_t(s.sizes[std::size_t(label)]);
  return count;
}

inline void fill(random_case& c, unsigned seed) {
  for (const operand_term& t : c.terms) {
    array<float, 1> values({count_of(c.problem, t.labels) * (c.problem.is_complex ? 2 : 1)});
    const auto numbers = papilio::test::random_real<float>(values.size(), seed++);
    std::copy(numbers.begin(), numbers.end(), values.data());
    c.operands.push_back(std::move(values));
  }
}

inline array<float, 1> run(const random_case& c, const machine_spec& machine) {
  const sized_kernel sized = contraction_kernel(c.problem, machine, c.how);
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
inline std::size_t place(const contraction_problem& s, const std::vector<int>& labels,
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

inline bounded naive(const random_case& c, const std::vector<int>& out) {
  const contraction_problem& s = c.problem;
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

inline void expect_sums(const random_case& c, const machine_spec& machine) {
  const std::vector<int>& out = c.problem.steps.back().labels;
  const array<float, 1> got = run(c, machine);
  const bounded expected = naive(c, out);
  const double factors = c.problem.is_complex ? 4 : 2;
  const double q = (factors * (expected.terms + double(c.operands.size())) + 8) * 0x1p-24;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const number value = c.problem.is_complex
                             ? number(got.data()[i], got.data()[expected.values.size() + i])
                             : number(got.data()[i]);
    ASSERT_LE(std::abs(value - expected.values[i]), q * expected.magnitudes[i]) << i;
  }
}

inline std::string text_of(const random_case& c) {
  const contraction_problem& s = c.problem;
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
      c.problem.is_complex = below(2) == 0;
      double terms = 1;
      for (std::size_t l = 0; l < labels; ++l) {
        const std::size_t size = below(8) == 0 ? 1 : 1 + below(below(3) == 0 ? largest : 5);
        c.problem.sizes.push_back(size);
        terms *= double(size);
      }
      const std::size_t operands = 1 + below(3);
      for (std::size_t o = 0; o < operands; ++o) add_operand(c, labels);
      if (terms > most_terms || !add_steps(c)) continue;
      bool small = true;
      for (const auto& t : c.terms) small = small && count_of(c.problem, t.labels) < 200000;
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
    c.problem.operands.push_back({count_of(c.problem, t.labels)});
    c.terms.push_back(std::move(t));
  }

  // From the left; what is between keeps what is needed, in any order.
  bool add_steps(random_case& c) {
    contraction_problem& s = c.problem;
    const auto term = [&](std::size_t o) {
      return contraction_problem::term{o, c.terms[o].labels, c.terms[o].conjugate};
    };
    std::vector<int> out;
    for (std::size_t l = 0; l < s.sizes.size(); ++l) {
      const bool is_there = std::ranges::any_of(
          c.terms, [&](const auto& t) { return std::ranges::count(t.labels, int(l)) > 0; });
      if (is_there && below(2) == 0) out.push_back(int(l));
    }
    std::ranges::shuffle(out, random_);
    if (c.terms.size() == 1) s.steps.push_back({{term(0)}, out});
    contraction_problem::term value = term(0);
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

// Whose vector engine is so slow that products go to the tensor engine wherever they can, and whose
// memory is so small that they are cut into blocks.
inline machine_spec product_machine(std::int64_t sbuf_bytes) {
  machine_spec machine = trainium1();
  machine.name = "slow vector";
  machine.sbuf.bytes_per_partition = sbuf_bytes;
  machine.vector.clock_hz /= 1000;
  return machine;
}

// How many steps were done in which way: a trial is in vain where its way is never gone.
struct ways {
  int steps = 0;
  int split = 0;                              ///< in two parts
  int kept = 0;                               ///< whose results stay in SBUF
  int whole = 0;                              ///< parts in one block
  int on_lanes = 0, moved = 0, products = 0;  ///< parts
  int left_stationary = 0, stationary_transposed = 0, moving_transposed = 0;  ///< of products

  void add(const random_case& c, const machine_spec& machine) {
    const sized_kernel sized = contraction_kernel(c.problem, machine, c.how);
    const auto* program =
        kernels_detail::design_as<kernels_detail::contraction_program>(sized.design);
    ASSERT_NE(program, nullptr);
    for (const kernels_detail::program_step& s : program->steps) {
      ++steps;
      split += s.parts.size() > 1;
      kept += s.keeps();
      for (const kernels_detail::step_part& p : s.parts)
        std::visit([&](const auto& d) { add(d); }, p.design);
    }
  }

 private:
  void add(const kernels_detail::vector_step_design& d) {
    ++on_lanes;
    add(d.loops);
  }
  void add(const kernels_detail::move_step_design& d) {
    ++moved;
    add(d.loops);
  }
  void add(const kernels_detail::product_step_design& d) {
    ++products;
    add(d.loops);
    left_stationary += d.rows == kernels_detail::operand_role::left;
    stationary_transposed += d.stationary.is_transposed;
    moving_transposed += d.moving.is_transposed;
  }
  void add(const std::vector<kernels_detail::block_loop>& loops) {
    whole += std::ranges::all_of(
        loops, [](const kernels_detail::block_loop& l) { return l.blocks() == 1; });
  }
};

inline ways expect_random(unsigned seed, int trials, std::size_t labels, std::size_t largest,
                          double most_terms, const machine_spec& machine) {
  shape_maker maker(seed);
  ways all;
  for (int trial = 0; trial < trials; ++trial) {
    const random_case c = maker.make(labels, largest, most_terms);
    SCOPED_TRACE(text_of(c));
    expect_sums(c, machine);
    all.add(c, machine);
    if (testing::Test::HasFailure()) break;
  }
  return all;
}

// What the operands are named, by the steps that read them.
inline void take_terms(random_case& c) {
  c.terms.resize(c.problem.operands.size());
  for (const contraction_problem::step& s : c.problem.steps)
    for (const contraction_problem::term& t : s.of)
      if (t.value < c.terms.size()) c.terms[t.value].labels = t.labels;
}

}  // namespace papilio::kernels::test

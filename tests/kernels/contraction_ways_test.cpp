// Contractions of certain kinds: chains, long axes, permutations, slices, bf16.
#include <algorithm>
#include <cctype>

#include "kernels/contraction_runs.hpp"

namespace papilio::kernels::test {
namespace {

// Some labels are taken value by value.
void slice(random_case& c, std::mt19937& random) {
  contraction_problem& s = c.problem;
  std::vector<int> sliced;
  for (std::size_t l = 0; l < s.sizes.size(); ++l)
    if (s.sizes[l] < 5 && random() % 2 == 0 &&
        std::ranges::any_of(c.terms, [&](const operand_term& t) {
          return std::ranges::count(t.labels, int(l)) > 0;
        }))
      sliced.push_back(int(l));
  const auto drop = [&](std::vector<int>& labels) {
    std::erase_if(labels, [&](int label) { return std::ranges::count(sliced, label) > 0; });
  };
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    if (i + 1 < s.steps.size()) drop(s.steps[i].labels);
    for (contraction_problem::term& t : s.steps[i].of)
      if (t.value >= s.operands.size()) drop(t.labels);
  }
  if (!sliced.empty()) s.loops = {{sliced, 0, s.steps.size() - 1}};
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
  random_case c{
      .problem = contraction_of(subscripts, sizes, is_complex), .terms = {}, .operands = {}};
  take_terms(c);
  fill(c, unsigned(random()));
  return c;
}

TEST(contraction, results_stay_for_the_next_product) {
  std::mt19937 random(8);
  ways all;
  for (const bool is_complex : {false, true})
    for (const char* const text :
         {"ij,jk,kl->il", "ij,jk,kl->li", "ji,jk,lk->il", "ij,jk,ki->", "ij,jk,kl,lm->im",
          "abc,cd,be->aed", "abc,cd,be,af->fed", "bij,bjk,bkl->bil", "abcd,de,ce,af->fb"})
      for (int trial = 0; trial < 6; ++trial) {
        const random_case c = case_of(text, is_complex, random);
        SCOPED_TRACE(text_of(c));
        expect_sums(c, trainium1());
        all.add(c, trainium1());
        if (HasFailure()) return;
      }
  EXPECT_GT(all.kept, 40);
}

// Long axes, primes among them: cut over the lanes, with what is left over apart.
TEST(contraction, long_axes_over_the_lanes) {
  ways all;
  for (const bool is_complex : {false, true})
    for (const char* const text : {"i,i->", "i->i", "i,i->i", "ij->j", "ij->i", "ji,ki->jk",
                                   "ij,ik->jk", "ij,jk->ik", "ki,i->ik"})
      for (const char* const size : {"4099", "3000"}) {
        std::string sizes = std::string("i=") + size;
        for (const char* const other : {"j=3", "k=5"})
          if (std::string(text).find(other[0]) != std::string::npos)
            sizes += "," + std::string(other);
        random_case c{
            .problem = contraction_of(text, sizes, is_complex), .terms = {}, .operands = {}};
        take_terms(c);
        fill(c, 9);
        SCOPED_TRACE(text);
        expect_sums(c, trainium1());
        all.add(c, trainium1());
        if (HasFailure()) return;
      }
  EXPECT_GT(all.split, 4);
}

// The last block's rows are cut as those of the first, whose tiles are the largest.
TEST(contraction, shorter_last_blocks_fit_the_tiles) {
  EXPECT_GT(dry_profile(
                "contraction",
                {"subscripts=cebaf,efbda->bcda", "sizes=a=17,b=31,c=2,d=8,e=16,f=40", "dtype=bf16"},
                trainium2())
                .value("total_time"),
            0);
}

// Whole numbers up to 8, and sums of them up to 256, are bf16: only a fault would show.
TEST(contraction, products_in_bf16_of_what_bf16_holds) {
  for (const bool is_complex : {false, true})
    for (const char* const text : {"ij,jk->ik", "ji,kj->ki", "bij,bkj->bik", "ij,jk,kl->il"}) {
      std::string sizes;
      for (const char* const size : {"i=70", "j=3", "k=40", "b=3", "l=30"})
        if (std::string(text).find(size[0]) != std::string::npos)
          sizes += (sizes.empty() ? "" : ",") + std::string(size);
      random_case c{
          .problem = contraction_of(text, sizes, is_complex), .terms = {}, .operands = {}};
      c.how.type = dtype::bf16;
      take_terms(c);
      fill(c, 1);
      for (array<float, 1>& values : c.operands)
        for (float& x : values.flat()) x = float(int(x * 3) % 2);
      SCOPED_TRACE(text);
      expect_sums(c, product_machine(196608));
      ways all;
      all.add(c, product_machine(196608));
      EXPECT_GT(all.products, 0);
      if (HasFailure()) return;
    }
}

TEST(contraction, bf16_is_faster_and_less_exact_as_expected) {
  random_case c{.problem = contraction_of("ij,jk->ik", "256"), .terms = {}, .operands = {}};
  take_terms(c);
  fill(c, 3);
  const array<float, 1> native = run(c, trainium1());
  c.how.type = dtype::bf16;
  const array<float, 1> rounded = run(c, trainium1());
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < native.size(); ++i) {
    error += std::pow(double(rounded.data()[i]) - native.data()[i], 2);
    norm += std::pow(native.data()[i], 2);
  }
  const double expected = contraction_kernel(c.problem, trainium1(), c.how).expected_error;
  EXPECT_NEAR(std::sqrt(error / norm) / expected, 1, 0.1);
  const auto seconds = [](const char* type) {
    return dry_profile("contraction",
                       {"subscripts=ij,jk->ik", "sizes=2048", std::string("dtype=") + type})
        .value("total_time");
  };
  EXPECT_LT(seconds("bf16"), seconds("fp32") / 2);
}

// The measured error beside the stated one: operands as they lie and transposed, kept and brought in
// blocks, of real and complex numbers, over two steps. A draw of the numbers moves it by 10 %.
TEST(contraction, parts_of_operands_have_the_stated_error) {
  for (const int parts : {2, 3})
    for (const bool is_complex : {false, true})
      for (const char* const text : {"ij,jk->ik", "bij,bkj->bik", "ij,jk,kl->il"}) {
        std::string sizes;
        for (const std::string size : {"i=70", "j=200", "k=40", "b=3", "l=30"})
          if (std::string(text).find(size[0]) != std::string::npos)
            sizes += (sizes.empty() ? "" : ",") + size;
        random_case c{
            .problem = contraction_of(text, sizes, is_complex), .terms = {}, .operands = {}};
        c.how = {.type = dtype::bf16, .parts = parts};
        take_terms(c);
        fill(c, 5);
        SCOPED_TRACE(testing::Message() << text << ", " << parts << " parts");
        const machine_spec machine = product_machine(196608);
        const array<float, 1> got = run(c, machine);
        const bounded exact = naive(c, c.problem.steps.back().labels);
        double error = 0, norm = 0;
        for (std::size_t i = 0; i < exact.values.size(); ++i) {
          const number x(got.data()[i], is_complex ? got.data()[exact.values.size() + i] : 0);
          error += std::norm(x - exact.values[i]);
          norm += std::norm(exact.values[i]);
        }
        const double expected = contraction_kernel(c.problem, machine, c.how).expected_error;
        EXPECT_NEAR(std::sqrt(error / norm) / expected, 1, 0.3);
        ways all;
        all.add(c, machine);
        EXPECT_GT(all.products, 0);
      }
}

// One operand: sums none, so that they are moved.
TEST(contraction, permutations) {
  shape_maker maker(7);
  ways all;
  for (int trial = 0; trial < 80; ++trial) {
    random_case c = maker.make(4, 40, 1e5);
    c.terms.resize(1), c.operands.resize(1), c.problem.operands.resize(1);
    std::vector<int> out = c.terms[0].labels;
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    std::ranges::rotate(out, out.begin() + std::ptrdiff_t(out.size() / 2));
    c.problem.steps = {{{{0, c.terms[0].labels, c.terms[0].conjugate}}, out}};
    c.problem.results = {1};
    SCOPED_TRACE(text_of(c));
    expect_sums(c, trainium1());
    all.add(c, trainium1());
    if (HasFailure()) return;
  }
  EXPECT_GT(all.moved, 5);
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

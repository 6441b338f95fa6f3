// Loops over slices beside other steps, in one program: against plain sums in double.
#include <array>

#include "kernels/contraction_runs.hpp"

namespace papilio::kernels::test {
namespace {

// Labels i j k l m are 0 ... 4. Two loops, of other labels, with what is made before them, and a
// step that reads the results of both.
//   s[j,k]    = sum_m a[j,m] b[m,k]        before
//   r[i,k]    = sum_j c[i,j] s[j,k]        in slices of i, a result
//   t[j]      = sum_k s[j,k] d[k,l]        of one l ...
//   u[l,j]    = t[j] d[k,l] summed over k  ... in slices of k and l, a result
//   v[i,l]    = sum_jk r[i,k] u[l,j] s[j,k], as w[i,j] = sum_k r[i,k] s[j,k] and a product
struct looped {
  std::int64_t i = 3, j = 7, k = 5, l = 2, m = 4;

  using list = std::vector<std::size_t>;
  static list of(std::initializer_list<std::int64_t> n) { return {n.begin(), n.end()}; }

  contraction_problem problem() const {
    return {.sizes = of({i, j, k, l, m}),
            .operands = {of({j, m}), of({m, k}), of({i, j}), of({k, l})},
            .steps = {{{{0, {1, 4}}, {1, {4, 2}}}, {1, 2}},
                      {{{2, {0, 1}}, {4, {1, 2}}}, {0, 2}},
                      {{{4, {1, 2}}, {3, {2, 3}}}, {1}},
                      {{{6, {1}}, {3, {2, 3}}}, {3, 1}},
                      {{{5, {0, 2}}, {4, {1, 2}}}, {0, 1}},
                      {{{8, {0, 1}}, {7, {3, 1}}}, {0, 3}}},
            .results = {5, 7, 9},
            .loops = {{{0}, 1, 1}, {{3}, 2, 3}}};
  }
};

using matrix = std::vector<double>;
// rows x inner by inner x columns.
matrix product(const matrix& a, const matrix& b, std::int64_t rows, std::int64_t inner,
               std::int64_t columns) {
  matrix c(std::size_t(rows * columns));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t x = 0; x < columns; ++x)
      for (std::int64_t q = 0; q < inner; ++q)
        c[std::size_t(r * columns + x)] +=
            a[std::size_t(r * inner + q)] * b[std::size_t(q * columns + x)];
  return c;
}
matrix transposed(const matrix& a, std::int64_t rows, std::int64_t columns) {
  matrix t(a.size());
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      t[std::size_t(c * rows + r)] = a[std::size_t(r * columns + c)];
  return t;
}

struct ran {
  std::vector<std::vector<float>> operands, results;
};

ran run_all(const contraction_problem& problem) {
  const sized_kernel sized = contraction_kernel(problem, trainium1());
  device dev(trainium1(), sdk_2_29());
  ran all;
  std::vector<launch_input> in;
  std::vector<launch_output> out;
  for (std::size_t o = 0; o < problem.operands.size(); ++o)
    all.operands.push_back(
        papilio::test::random_real<float>(std::size_t(sized.inputs[o].elements()), unsigned(o)));
  for (const tensor_shape& s : sized.outputs) all.results.emplace_back(std::size_t(s.elements()));
  for (std::size_t o = 0; o < sized.inputs.size(); ++o)
    in.emplace_back(std::as_writable_bytes(std::span(all.operands[o])), sized.inputs[o]);
  for (std::size_t o = 0; o < sized.outputs.size(); ++o)
    out.emplace_back(std::as_writable_bytes(std::span(all.results[o])), sized.outputs[o]);
  prepared_kernel(dev, sized).launch(in, out);
  EXPECT_EQ(dev.record().launches, 1u);
  return all;
}

// `magnitudes`: the same sums of the operands' magnitudes.
void expect_near(const std::vector<float>& got, const matrix& wanted, const matrix& magnitudes,
                 double roundings) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_LE(std::abs(got[i] - wanted[i]), roundings * 0x1p-24 * magnitudes[i]) << i;
}

matrix as_matrix(const std::vector<float>& x) { return {x.begin(), x.end()}; }
matrix magnitude(matrix x) {
  for (double& value : x) value = std::abs(value);
  return x;
}

// r, u and v.
std::array<matrix, 3> results_of(const looped& n, const std::vector<matrix>& x) {
  const matrix s = product(x[0], x[1], n.j, n.m, n.k);
  const matrix r = product(x[2], s, n.i, n.j, n.k);
  const matrix t = product(s, x[3], n.j, n.k, n.l);  // [j, l]
  matrix u(std::size_t(n.l * n.j));
  for (std::int64_t l = 0; l < n.l; ++l)
    for (std::int64_t k = 0; k < n.k; ++k)
      for (std::int64_t j = 0; j < n.j; ++j)
        u[std::size_t(l * n.j + j)] += t[std::size_t(j * n.l + l)] * x[3][std::size_t(k * n.l + l)];
  const matrix w = product(r, transposed(s, n.j, n.k), n.i, n.k, n.j);
  return {r, u, product(w, transposed(u, n.l, n.j), n.i, n.j, n.l)};
}

TEST(contraction, loops_read_what_was_made_before_and_are_read_after) {
  for (const looped& n : {looped{}, looped{1, 1, 1, 1, 1}, looped{4, 130, 3, 5, 2}}) {
    const ran all = run_all(n.problem());
    std::vector<matrix> x, magnitudes;
    for (const auto& o : all.operands) {
      x.push_back(as_matrix(o));
      magnitudes.push_back(magnitude(x.back()));
    }
    const auto wanted = results_of(n, x), most = results_of(n, magnitudes);
    // One for each product and for each term of the sums that stand behind one another.
    const double roundings = 10 + double(2 * n.j + 4 * n.k + 3 * n.m);
    for (std::size_t r = 0; r < wanted.size(); ++r)
      expect_near(all.results[r], wanted[r], most[r], roundings);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(contraction, a_summed_label_of_a_loop_beside_another_step) {
  // "ij,jk->ik" in slices of j, and "ij->ji" before it.
  const contraction_problem problem{
      .sizes = {6, 9, 8},
      .operands = {{6, 9}, {9, 8}},
      .steps = {{{{0, {0, 1}}}, {1, 0}}, {{{0, {0, 1}}, {1, {1, 2}}}, {0, 2}}},
      .results = {2, 3},
      .loops = {{{1}, 1, 1}}};
  const ran all = run_all(problem);
  const matrix a = as_matrix(all.operands[0]), b = as_matrix(all.operands[1]);
  expect_near(all.results[0], transposed(a, 6, 9), magnitude(transposed(a, 6, 9)), 0);
  expect_near(all.results[1], product(a, b, 6, 9, 8), product(magnitude(a), magnitude(b), 6, 9, 8),
              10);
}

TEST(contraction, loops_that_cannot_be_are_refused) {
  const auto expect_refused = [](const auto& change, const std::string& part) {
    contraction_problem problem = looped{}.problem();
    change(problem);
    try {
      contraction_kernel(problem, trainium1());
      FAIL() << part;
    } catch (const invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect_refused([](contraction_problem& s) { s.loops[1].last = 6; },
                 "steps in [0, 6), got 2 to 6");
  expect_refused([](contraction_problem& s) { s.loops[1].first = 4; }, "got 4 to 3");
  expect_refused(
      [](contraction_problem& s) {
        s.loops[1] = {{3}, 1, 3};
      },
      "in slices there must be one result");
  expect_refused([](contraction_problem& s) { std::swap(s.loops[0], s.loops[1]); },
                 "loop 1 must begin after step 3, got 1");
  expect_refused([](contraction_problem& s) { s.loops[1] = {{3}, 2, 2}; }, "one result");
  expect_refused([](contraction_problem& s) { s.loops[0].labels = {0, 0}; }, "each once, got 0");
  expect_refused([](contraction_problem& s) { s.loops[0].labels = {5}; }, "must be in [0, 5)");
  expect_refused([](contraction_problem& s) { s.loops[0].labels = {2}; },
                 "is sliced, no intermediate may have it");
  // The first step of a loop is of one slice.
  expect_refused(
      [](contraction_problem& s) {
        s.steps[5] = {{{8, {0, 1}}, {6, {1}}}, {0}};
      },
      "value 6 is of one slice");
}

}  // namespace
}  // namespace papilio::kernels::test

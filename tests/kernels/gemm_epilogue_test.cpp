// gemm with epilogues against sums in double.
//
// Error model: the product's own (gemm_test.cpp), |alpha| gamma_q |A| |B| with q = k + ceil(k /
// 128)
// + parts, then one rounding each for alpha, beta C0, the two additions and the stored value:
//   e = gamma_(q + 5) (|alpha| |A| |B| + |beta C0| + |bias|)
// A function f adds what it makes of e, and one rounding of f. A sum of s values adds
// gamma_r sum |f|, r = s / 16 + 8 roundings for values of one instruction, one more for each
// instruction, row of tiles and lane: at most s / 16 + 8 + n / 512 + m / 128 + 40.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/product_designs.hpp"
#include "kernels/published_runs.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;

struct operands {
  array<float, 2> a, b, before, bias;
};

array<float, 2> values(std::int64_t rows, std::int64_t columns, unsigned seed) {
  return normal<2>({std::size_t(rows), std::size_t(columns)}, 0.3F, seed);
}

struct gemm_case {
  std::int64_t m = 1, k = 1, n = 1;
  gemm_kernel_options how = {};
};

sized_kernel kernel_of(const gemm_case& s, const machine_spec& machine) {
  return gemm_kernel({.m = std::size_t(s.m), .k = std::size_t(s.k), .n = std::size_t(s.n)}, machine,
                     s.how);
}

operands made(const gemm_case& s) {
  return {.a = s.how.left_transposed ? values(s.k, s.m, 1) : values(s.m, s.k, 1),
          .b = s.how.right_transposed ? values(s.n, s.k, 2) : values(s.k, s.n, 2),
          .before = values(s.m, s.n, 3),
          .bias = values(1, s.n, 4)};
}

array<float, 1> run(const gemm_case& s, const operands& o,
                    const machine_spec& machine = trainium1(), int threads = 1) {
  device dev(machine, sdk_2_24(), {.threads = threads});
  const sized_kernel sized = kernel_of(s, machine);
  std::vector<launch_input> in{launch_input(o.a, s.how.type), launch_input(o.b, s.how.type)};
  if (s.how.epilogue.beta != 0) in.emplace_back(o.before, s.how.result);
  if (s.how.epilogue.bias)
    in.emplace_back(view<const float, 1>(o.bias.data(), {o.bias.size()}), s.how.type);
  array<float, 1> out({std::size_t(sized.outputs[0].elements())});
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(out.data()), 4 * out.size());
  prepared_kernel(dev, sized).launch(in, {launch_output(bytes, sized.outputs[0])});
  return out;
}

double applied(activation_function f, double x) {
  switch (f) {
    case activation_function::relu:
      return std::max(x, 0.0);
    case activation_function::square:
      return x * x;
    case activation_function::exp:
      return std::exp(x);
    case activation_function::tanh:
      return std::tanh(x);
    case activation_function::sigmoid:
      return 1 / (1 + std::exp(-x));
    case activation_function::silu:
      return x / (1 + std::exp(-x));
    case activation_function::softplus:
      return std::log1p(std::exp(x));
    case activation_function::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    case activation_function::erf:
      return std::erf(x);
    case activation_function::abs:
      return std::fabs(x);
    default:
      return x;
  }
}

// Largest difference that an error of e makes.
double spread(activation_function f, double x, double e) {
  switch (f) {
    case activation_function::square:
      return 2 * std::fabs(x) * e + e * e;
    case activation_function::exp:
      return std::exp(x) * std::expm1(e);
    default:
      return 1.2 * e;  // no slope of the others is steeper
  }
}

struct expected_values {
  std::vector<double> values, errors;
};

// Of each element of function(...), row-major.
expected_values oracle(const gemm_case& s, const operands& o, int parts) {
  expected_values e;
  const product_epilogue& p = s.how.epilogue;
  const double q = double(s.k + (s.k + 127) / 128 + parts + 5);
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      double sum = 0, magnitude = 0;
      for (std::int64_t t = 0; t < s.k; ++t) {
        const double term = double(s.how.left_transposed ? o.a(t, i) : o.a(i, t)) *
                            double(s.how.right_transposed ? o.b(j, t) : o.b(t, j));
        sum += term;
        magnitude += std::fabs(term);
      }
      const double before = p.beta == 0 ? 0 : double(p.beta) * double(o.before(i, j)),
                   bias = p.bias ? double(o.bias(0, j)) : 0;
      const double x = double(p.alpha) * sum + before + bias;
      const double error =
          gamma(q) * (std::fabs(double(p.alpha)) * magnitude + std::fabs(before) + std::fabs(bias));
      e.values.push_back(applied(p.function, x));
      e.errors.push_back(spread(p.function, x, error) + 0x1p-23 * std::fabs(e.values.back()));
    }
  return e;
}

// Rows [first, first + rows) summed.
void expect_sum(float got, const expected_values& e, const gemm_case& s, std::int64_t first,
                std::int64_t rows) {
  double sum = 0, magnitude = 0, error = 0;
  for (std::int64_t i = first * s.n; i < (first + rows) * s.n; ++i) {
    sum += e.values[std::size_t(i)];
    magnitude += std::fabs(e.values[std::size_t(i)]);
    error += e.errors[std::size_t(i)];
  }
  const double roundings = double(s.n) / 16 + 8 + double(s.n) / 512 + double(rows) / 128 + 40;
  ASSERT_LE(std::fabs(double(got) - sum), error + gamma(roundings) * (magnitude + error))
      << "row " << first;
}

void expect_right(const gemm_case& s, const machine_spec& machine = trainium1(), int parts = 1) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.k << " x " << s.n
                                  << (s.how.left_transposed ? " A^T" : "")
                                  << (s.how.right_transposed ? " B^T" : "") << " alpha "
                                  << s.how.epilogue.alpha << " beta " << s.how.epilogue.beta
                                  << (s.how.epilogue.bias ? " bias " : " ")
                                  << to_string(s.how.epilogue.function) << " sums "
                                  << int(s.how.epilogue.sums));
  const operands o = made(s);
  const expected_values e = oracle(s, o, parts);
  const array<float, 1> got = run(s, o, machine);
  if (s.how.epilogue.sums == product_sums::whole) return expect_sum(got.data()[0], e, s, 0, s.m);
  if (s.how.epilogue.sums == product_sums::rows) {
    ASSERT_EQ(got.size(), std::size_t(s.m));
    for (std::int64_t i = 0; i < s.m; ++i) expect_sum(got.data()[i], e, s, i, 1);
    return;
  }
  ASSERT_EQ(got.size(), e.values.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_LE(std::fabs(double(got.data()[i]) - e.values[i]), e.errors[i]) << i;
}

constexpr product_sums every_sum[] = {product_sums::none, product_sums::rows, product_sums::whole};

TEST(gemm_epilogue, factors_and_additions) {
  for (const product_epilogue& e : {product_epilogue{.alpha = 2},
                                    {.beta = 1},
                                    {.alpha = -0.5F, .beta = 0.75F},
                                    {.bias = true},
                                    {.alpha = 3, .bias = true},
                                    {.alpha = 1.5F, .beta = -2, .bias = true},
                                    {.beta = 0.5F, .bias = true}})
    for (const auto& [m, k, n] : {std::tuple(1, 1, 1), {5, 130, 7}, {257, 127, 130}, {130, 5, 515}})
      expect_right({.m = m, .k = k, .n = n, .how = {.epilogue = e}});
}

TEST(gemm_epilogue, functions) {
  for (const activation_function f :
       {activation_function::relu, activation_function::square, activation_function::exp,
        activation_function::tanh, activation_function::sigmoid, activation_function::silu,
        activation_function::softplus, activation_function::gelu, activation_function::erf,
        activation_function::abs}) {
    expect_right(
        {.m = 130, .k = 40, .n = 257, .how = {.epilogue = {.alpha = 0.5F, .function = f}}});
    expect_right(
        {.m = 5,
         .k = 127,
         .n = 130,
         .how = {.epilogue = {.alpha = 0.5F, .beta = 0.25F, .bias = true, .function = f}}});
  }
}

TEST(gemm_epilogue, sums_by_rows_and_whole) {
  for (const product_sums sums : every_sum)
    for (const auto& [m, k, n] :
         {std::tuple(1, 1, 1), {5, 130, 7}, {257, 20, 130}, {1100, 3, 5}, {130, 17, 1030}}) {
      expect_right({.m = m,
                    .k = k,
                    .n = n,
                    .how = {.epilogue = {.function = activation_function::square, .sums = sums}}});
      expect_right({.m = m,
                    .k = k,
                    .n = n,
                    .how = {.epilogue = {.alpha = 2, .beta = 0.5F, .bias = true, .sums = sums}}});
    }
}

TEST(gemm_epilogue, operands_that_lie_transposed) {
  for (const bool left : {false, true})
    for (const bool right : {false, true})
      for (const auto& [m, k, n] : {std::tuple(1, 1, 1), {5, 130, 7}, {257, 127, 130}, {7, 5, 600}})
        expect_right(
            {.m = m, .k = k, .n = n, .how = {.left_transposed = left, .right_transposed = right}});
}

TEST(gemm_epilogue, a_sum_in_parts_takes_it_at_its_end) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 10240;
  for (const product_sums sums : every_sum) {
    const gemm_case s{.m = 70,
                      .k = 2500,
                      .n = 65,
                      .how = {.epilogue = {.alpha = 0.05F,
                                           .beta = 0.5F,
                                           .bias = true,
                                           .function = activation_function::relu,
                                           .sums = sums}}};
    const int parts = parts_of_sums(kernel_of(s, small));
    EXPECT_GT(parts, 1);
    expect_right(s, small, parts);
  }
}

// Where loads are behind multiplies, dry runs find other designs.
TEST(gemm_epilogue, values_where_loads_are_hidden) {
  machine_spec hidden = trainium1();
  hidden.tensor.exposed_load_cycles = 0;
  for (const product_sums sums : every_sum) {
    const gemm_case s{.m = 24,
                      .k = 1030,
                      .n = 1100,
                      .how = {.right_transposed = true,
                              .epilogue = {.alpha = 0.1F,
                                           .beta = 0.5F,
                                           .bias = true,
                                           .function = activation_function::square,
                                           .sums = sums}}};
    expect_right(s, hidden);
  }
}

// C0 and the result of bf16: the values are fp32 until they are stored, so that one rounding to 8
// bits, of at most 2^-8, comes on top. C0 has so few bits that bf16 holds it.
TEST(gemm_epilogue, narrow_results_are_rounded_once) {
  machine_spec small = trainium1();
  small.name = "small";
  small.sbuf.bytes_per_partition = 10240;
  for (const std::int64_t k : {30, 2500}) {  // the latter in parts
    const gemm_case s{.m = 70,
                      .k = k,
                      .n = 65,
                      .how = {.result = dtype::bf16, .epilogue = {.alpha = 0.25F, .beta = 0.5F}}};
    operands o = made(s);
    for (float& v : o.before) v = std::nearbyint(v * 64) / 64;
    const expected_values e = oracle(s, o, parts_of_sums(kernel_of(s, small)));
    array<float, 2> c({70, 65});
    device dev(small);
    prepared_kernel(dev, kernel_of(s, small))
        .launch({o.a, o.b, launch_input(o.before, dtype::bf16)}, {launch_output(c, dtype::bf16)});
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_LE(std::fabs(double(c.data()[i]) - e.values[i]),
                e.errors[i] + 0x1p-8 * (std::fabs(e.values[i]) + e.errors[i]))
          << k << ": " << i;
  }
}

TEST(gemm_epilogue, values_on_trainium2) {
  for (const product_sums sums : every_sum)
    expect_right({.m = 200,
                  .k = 130,
                  .n = 70,
                  .how = {.epilogue = {.alpha = 2,
                                       .beta = 0.5F,
                                       .function = activation_function::relu,
                                       .sums = sums}}},
                 trainium2());
}

TEST(gemm_epilogue, the_same_bits_with_two_threads) {
  const gemm_case s{.m = 300,
                    .k = 260,
                    .n = 700,
                    .how = {.epilogue = {.alpha = 2,
                                         .beta = 0.5F,
                                         .function = activation_function::exp,
                                         .sums = product_sums::rows}}};
  const operands o = made(s);
  const auto one = run(s, o, trainium1(), 1), two = run(s, o, trainium1(), 2);
  EXPECT_TRUE(std::ranges::equal(one, two));
}

// The scale and the function of the scalar engine take no more instructions than the copy did.
TEST(gemm_epilogue, a_function_is_part_of_the_copy_out_of_psum) {
  const auto count = [](std::vector<std::string> more) {
    std::vector<std::string> settings{"m=512", "k=512", "n=512"};
    settings.insert(settings.end(), more.begin(), more.end());
    const profile p = dry_profile("gemm", settings);
    return p.value("scalar_engine_instruction_count") + p.value("vector_engine_instruction_count");
  };
  EXPECT_EQ(count({}), count({"alpha=2", "function=relu"}));
}

// What is summed is not stored.
TEST(gemm_epilogue, sums_alone_go_to_memory) {
  const profile p = dry_profile("gemm", {"m=512", "k=512", "n=512", "sums=rows"});
  EXPECT_EQ(p.value("hbm_write_bytes"), 4.0 * 512);
}

TEST(gemm_epilogue, is_no_part_of_another_program) {
  const auto parameters = [](const product_epilogue& e) {
    return gemm_kernel({.m = 5, .k = 6, .n = 7}, trainium1(), {.epilogue = e}).program.parameters;
  };
  EXPECT_EQ(parameters({}), parameters({}));
  EXPECT_NE(parameters({.alpha = 2}), parameters({.alpha = 3}));
  EXPECT_NE(parameters({.function = activation_function::exp}), parameters({}));
  EXPECT_NE(parameters({.sums = product_sums::rows}), parameters({.sums = product_sums::whole}));
}

TEST(gemm_epilogue, every_function_has_a_name_in_the_catalog) {
  const auto& parameters = find_kernel("gemm").parameters;
  const auto function = std::ranges::find(parameters, "function", &kernel_parameter::name);
  ASSERT_NE(function, parameters.end());
  EXPECT_EQ(function->choices.size(), std::size_t(activation_function::abs) + 1);
  for (const std::string& name : function->choices) {
    const std::vector<std::string> settings{"m=5", "k=6", "n=7", "function=" + name};
    const sized_kernel sized = size_kernel(find_kernel("gemm"), settings, trainium1());
    EXPECT_EQ(to_string(product_of(sized).product.epilogue.function), name);
    EXPECT_EQ(sized.explain().find(name + "(A B)") != std::string::npos, name != "copy") << name;
  }
}

TEST(gemm_epilogue, factors_must_be_finite) {
  for (const float bad : {std::nanf(""), HUGE_VALF}) {
    EXPECT_THROW(gemm_kernel({}, trainium1(), {.epilogue = {.alpha = bad}}), invalid_argument);
    EXPECT_THROW(gemm_kernel({}, trainium1(), {.epilogue = {.beta = bad}}), invalid_argument);
  }
}

}  // namespace
}  // namespace papilio::kernels::test

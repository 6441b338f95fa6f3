// Einsum on the emulated accelerator: values against the definition of the sum, one dispatch,
// records, device arrays and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "contract/random_expression.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

// Errors of one step after the other: each product of p factors has at most 4 p roundings
// (complex), each of at most p sums n - 1, and one more for every tile and part of a sum.
template <class T>
long double tolerance(const bounded_value& sum, std::size_t operands) {
  const long double eps = std::numeric_limits<real_part_of<T>>::epsilon();
  return eps * sum.magnitude *
         (static_cast<long double>(operands) * (static_cast<long double>(sum.terms) + 4) + 8);
}

template <class T>
class device_einsum : public ::testing::Test {
 protected:
  engine::device device_{engine::trainium1(), engine::sdk_2_29()};
  execution there() { return {.where = policy::device, .on = &device_}; }

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
    bool is_empty = false;
    for (const stored<T>& m : memory) {
      operands.push_back(&m);
      inputs.push_back(&m.shape);
      views.push_back(view_of(m));
      is_empty = is_empty || views.back().empty();
    }
    const einsum_options options{.conjugate = conjugates, .on = there()};
    if (is_empty) {
      EXPECT_THROW(contract_detail::einsum<T>(e.text, views, options), device_error) << e.text;
      return;
    }
    stored<T> out(random_layout(e.output, e.sizes, false, random), random);
    const tensor_view<T> to(out.data(), out.shape.extents, out.shape.strides);
    contract_detail::einsum_into<T>(e.text, to, views, options);
    ASSERT_EQ(last_run().launches, 1u);
    const step_space space(inputs, out.shape);
    label_values at{};
    space.for_each(e.output, at, [&] {
      const bounded_value expected = naive_sum<T>(space, operands, conjugates, at);
      const T got = out.data()[offset_of(out.shape, at)];
      ASSERT_LE(std::abs(exact_value(got) - expected.value),
                tolerance<T>(expected, operands.size()))
          << e.text;
    });
  }
};
using numbers = ::testing::Types<float, std::complex<float>>;
TYPED_TEST_SUITE(device_einsum, numbers);

TYPED_TEST(device_einsum, is_the_sum_of_products) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    this->compare(expression_maker(random).make(), random);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(device_einsum, adds_to_what_is_there) {
  using T = TypeParam;
  const tensor<T> a = made<T>({6, 5}, 1), b = made<T>({5, 7}, 2);
  tensor<T> out = made<T>({6, 7}, 3);
  const tensor<T> before = out;
  const tensor<T> product = einsum("ij,jk->ik", a, b);
  einsum_into("ij,jk->ik", out, a, b,
              einsum_options{.alpha = 2.0, .beta = 0.5, .on = this->there()});
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_LE(std::abs(out.data()[i] - (T(2) * product.data()[i] + T(0.5F) * before.data()[i])),
              1e-5F);
}

TYPED_TEST(device_einsum, has_one_dispatch_whose_record_is_the_plan) {
  using T = TypeParam;
  const tensor<T> c = made<T>({8, 8}, 1), v = made<T>({8, 8, 8, 8}, 2);
  const einsum_options options{.on = this->there()};
  const contraction_plan plan = plan_contraction("ab,cd,bdef,ge,hf->acgh", c, c, v, c, c, options);
  const std::vector<contraction_step> steps = plan.steps();
  EXPECT_EQ(plan.backend(), "device");
  const auto before = this->device_.record();
  // Arrays of their own: one that is an operand twice goes up once.
  const std::vector<tensor<T>> copies(4, c);
  const std::vector<tensor_view<const T>> operands{copies[0].view(), copies[1].view(), v.view(),
                                                   copies[2].view(), copies[3].view()};
  const tensor<T> got = plan.execute<T>(operands);
  EXPECT_EQ(this->device_.record().launches, before.launches + 1);
  const run_record run = last_run();
  EXPECT_EQ(run.uploads, 1u);
  EXPECT_EQ(run.backend, "device");
  EXPECT_EQ(run.launches, 1u);
  EXPECT_EQ(run.fetches, 1u);
  ASSERT_EQ(run.steps.size(), steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    EXPECT_EQ(steps[i].backend, "device");
    EXPECT_EQ(steps[i].how, run.steps[i].recipe);
    EXPECT_FALSE(steps[i].how.empty());
    EXPECT_DOUBLE_EQ(steps[i].device_seconds, run.steps[i].device_seconds);
  }
  EXPECT_DOUBLE_EQ(plan.device_seconds(), run.seconds());
  const tensor<T> wanted = einsum("ab,cd,bdef,ge,hf->acgh", c, c, v, c, c);
  // Four sums of 8 terms each: roundings of 60 terms of the size of the result's, at most.
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += std::norm(got.data()[i] - wanted.data()[i]);
    norm += std::norm(wanted.data()[i]);
  }
  EXPECT_LE(std::sqrt(error / norm), 60 * 0x1p-24);
}

TYPED_TEST(device_einsum, slices_to_a_limit_in_one_dispatch) {
  using T = TypeParam;
  const tensor<T> a = made<T>({24, 4}, 1), b = made<T>({24, 6}, 2), c = made<T>({6, 5}, 3);
  for (const char* text : {"ki,kj,jl->il", "ki,kj,jl->lki"}) {
    const std::size_t limit = std::string(text) == "ki,kj,jl->il" ? 20 : 480;
    const einsum_options options{.path = {.largest_intermediate = limit}, .on = this->there()};
    const contraction_plan plan = plan_contraction(text, a, b, c, options);
    const tensor<T> got = einsum(text, a, b, c, options);
    EXPECT_EQ(last_run().launches, 1u);
    const tensor<T> wanted = einsum(text, a, b, c);
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_LE(std::abs(got.data()[i] - wanted.data()[i]), 1e-4F) << text;
  }
  const einsum_options options{.path = {.largest_intermediate = 20}, .on = this->there()};
  const contraction_plan plan = plan_contraction("ki,kj,jl->il", a, b, c, options);
  EXPECT_GT(plan.path().slices, 1);
  const std::vector<tensor_view<const T>> operands{a, b, c};
  EXPECT_THROW(plan.execute_slices<T>(0, 1, operands), invalid_argument);
}

TYPED_TEST(device_einsum, device_arrays_stay) {
  using T = TypeParam;
  const array<T, 2> a({9, 8}), b({8, 7});
  std::mt19937 random(4);
  for (const auto* x : {&a, &b})
    for (const T& v : x->flat()) const_cast<T&>(v) = element_from<T>(random);
  const device_array<T, 2> left = to_device(this->device_, a), right = to_device(this->device_, b);
  const auto before = this->device_.record();
  const device_array<T, 2> product = einsum<2>("ij,jk->ki", left, right);
  EXPECT_EQ(this->device_.record().upload.tensors, before.upload.tensors);
  EXPECT_EQ(this->device_.record().fetch.tensors, before.fetch.tensors);
  EXPECT_EQ(last_run().launches, 1u);
  const device_array<T, 1> sums = einsum<1>("ki->k", product);
  const array<T, 2> got = to_host(product);
  const tensor<T> wanted = einsum("ij,jk->ki", a, b), added = einsum("ki->k", wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_LE(std::abs(got.flat()[i] - wanted.data()[i]), 2e-5F);
  const array<T, 1> total = to_host(sums);
  for (std::size_t i = 0; i < added.size(); ++i)
    EXPECT_LE(std::abs(total.flat()[i] - added.data()[i]), 1e-4F);
}

TYPED_TEST(device_einsum, of_captured_device_arrays_is_one_dispatch) {
  using T = TypeParam;
  const array<T, 2> a({4, 4});
  for (const T& v : a.flat()) const_cast<T&>(v) = T(0.5F);
  array<T, 1> out({4});
  device_graph graph = capture(this->device_, [&] {
    const auto x = to_device(this->device_, a);
    to_host(einsum<1>("ij->i", einsum<2>("ij,jk->ik", x, x)), out.view());
  });
  EXPECT_EQ(graph.submit().launches, 1u);
  for (const T& v : out.flat()) EXPECT_EQ(v, T(4));
}

TYPED_TEST(device_einsum, several_contractions_are_one_dispatch) {
  using T = TypeParam;
  const tensor<T> a = made<T>({5, 6}, 1), b = made<T>({6, 7}, 2), c = made<T>({7, 4}, 3),
                  d = made<T>({7, 3}, 4);
  const std::vector<contraction<T>> several{{"ij,jk,kl->il", {a, b, c}},
                                            {"xy,yz,zw->xw", {a, b, d}},
                                            {"ij,jk->ik", {a, b}},
                                            {"pq,qr->pr", {a, b}}};
  const auto before = this->device_.record();
  contraction_sharing shared;
  const std::vector<tensor<T>> got = contract_many<T>(several, {.on = this->there()}, &shared);
  const auto after = this->device_.record();
  EXPECT_EQ(after.launches, before.launches + 1);
  EXPECT_EQ(after.upload.tensors, before.upload.tensors + 1);
  EXPECT_EQ(after.fetch.tensors, before.fetch.tensors + 1);
  EXPECT_EQ(shared.steps, 6u);
  EXPECT_LT(shared.distinct, 6u);
  ASSERT_EQ(got.size(), 4u);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const tensor<T> wanted =
        contract_detail::einsum<T>(several[i].subscripts, several[i].operands, einsum_options{});
    ASSERT_TRUE(std::ranges::equal(got[i].extents(), wanted.extents()));
    for (std::size_t k = 0; k < wanted.size(); ++k)
      EXPECT_LE(std::abs(got[i].data()[k] - wanted.data()[k]), 1e-4F) << i;
  }
}

class device_plans : public ::testing::Test {
 protected:
  engine::device device_{engine::trainium1(), engine::sdk_2_29()};
};

template <class Error, class Call>
void expect_error(const Call& call, const std::string& part) {
  try {
    call();
    FAIL() << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST_F(device_plans, automatic_compares_the_whole) {
  const tensor<float> small = made<float>({4, 4}, 1), large = made<float>({1024, 1024}, 2);
  einsum_options options;
  options.on = {.where = policy::automatic, .on = &device_, .threads = 1};
  for (const tensor<float>* t : {&small, &large}) {
    const contraction_plan plan = plan_contraction("ij,jk,kl->il", *t, *t, *t, options);
    double host = 0;
    for (const contraction_step& s : plan.steps()) host += s.host_seconds;
    EXPECT_EQ(plan.backend(), plan.device_seconds() < host ? "device" : "host");
    for (const contraction_step& s : plan.steps()) EXPECT_EQ(s.backend, plan.backend());
  }
  einsum("ij,jk,kl->il", small, small, small, options);
  EXPECT_EQ(last_run().backend, "host");
}

TEST_F(device_plans, bf16_where_it_is_asked_for_or_suffices) {
  const tensor<float> a = made<float>({64, 64}, 1);
  einsum_options options;
  options.on = {.where = policy::device, .on = &device_};
  const tensor<float> native = einsum("ij,jk->ik", a, a, options);
  const auto distance = [&] {
    const tensor<float> got = einsum("ij,jk->ik", a, a, options);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      error += std::pow(double(got.data()[i]) - native.data()[i], 2);
      norm += std::pow(native.data()[i], 2);
    }
    return std::sqrt(error / norm);
  };
  options.on.precision.mode = precision::bf16;
  const double rounded = distance();
  EXPECT_GT(rounded, 1e-4);
  EXPECT_LT(rounded, 1e-2);
  options.on.precision = {.target_error = 1e-2};
  EXPECT_EQ(distance(), rounded);
  options.on.precision = {.target_error = 1e-6};
  EXPECT_EQ(distance(), 0);
  options.on.precision = {.target_error = 1e-9};
  expect_error<device_error>([&] { distance(); }, "target_error must be at least");
}

TEST_F(device_plans, precision_of_the_host_stays_the_hosts) {
  const tensor<float> a = made<float>({20, 20}, 1);
  einsum_options options;
  options.on = {.where = policy::automatic, .on = &device_, .threads = 1};
  options.on.precision.mode = precision::compensated;
  einsum("ij,jk->ik", a, a, options);
  EXPECT_EQ(last_run().backend, "host");
}

TEST_F(device_plans, orders_by_modelled_seconds_are_never_slower) {
  const tensor<float> a = made<float>({60, 2}, 1), b = made<float>({2, 50}, 2),
                      c = made<float>({50, 40}, 3), d = made<float>({40, 3}, 4);
  einsum_options by_flops;
  by_flops.on = {.where = policy::device, .on = &device_};
  einsum_options by_seconds = by_flops;
  by_seconds.path.cost = path_cost::device_seconds;
  const auto plan_by = [&](const einsum_options& o) {
    return plan_contraction("ij,jk,kl,lm->im", a, b, c, d, o);
  };
  EXPECT_LE(plan_by(by_seconds).device_seconds(), plan_by(by_flops).device_seconds());
  by_seconds.on.on = nullptr;
  by_seconds.on.where = policy::host;
  expect_error<device_error>([&] { plan_by(by_seconds); }, "needs an accelerator");
}

TEST_F(device_plans, refusals_say_why) {
  const tensor<double> wide = made<double>({4, 4}, 1);
  const tensor<float> narrow = made<float>({4, 4}, 1);
  einsum_options options;
  options.on = {.where = policy::device, .on = &device_};
  expect_error<device_error>([&] { einsum("ij,jk->ik", wide, wide, options); }, "float");
  options.on.precision.mode = precision::compensated;
  expect_error<device_error>([&] { einsum("ij,jk->ik", narrow, narrow, options); },
                             "split_bf16 in 3 parts; not in compensated: ");
  options.on = {.where = policy::device};
  expect_error<device_error>([&] { einsum("ij,jk->ik", narrow, narrow, options); }, "accelerator");
}

// Zeros, or nothing, without an accelerator: the wish for one is checked all the same.
TEST_F(device_plans, nothing_to_sum_is_asked_for_where_it_is_to_run) {
  const execution nowhere{.where = policy::device}, there{.where = policy::device, .on = &device_};
  const tensor<float> none = made<float>({3, 0}, 1), other = made<float>({0, 2}, 2);
  expect_error<device_error>(
      [&] { einsum("ij,jk->ik", none, other, einsum_options{.on = nowhere}); }, "got none");
  const std::vector<contraction<float>> several{{"ij,jk->ik", {none, other}}};
  expect_error<device_error>([&] { contract_many<float>(several, {.on = nowhere}); }, "got none");
  expect_error<device_error>([&] { contract_many<float>(several, {.on = there}); }, "");
  const std::span<const contraction<float>> nothing;
  expect_error<device_error>([&] { contract_many<float>(nothing, {.on = nowhere}); }, "got none");
  EXPECT_TRUE(contract_many<float>(nothing, {.on = there}).empty());
  expect_error<device_error>([&] { contract_many<double>({}, {.on = there}); }, "float");
  expect_error<device_error>([&] { gemm(none.as<2>(), other.as<2>(), {.on = nowhere}); },
                             "got none");
  EXPECT_EQ(device_.record().launches, 0u);
}

TEST_F(device_plans, what_exceeds_its_memory_is_refused) {
  const std::size_t n = 1 << 17;
  const tensor<float> v = made<float>({n}, 1);
  const einsum_options options{.pairs = {{{0, 1}, {0, 2}, {0, 1}}},
                               .on = {.where = policy::device, .on = &device_}};
  // The outer product alone has 2^36 bytes.
  expect_error<device_error>([&] { einsum("i,j,i,j->", v, v, v, v, options); },
                             "bytes are beyond the core's 15900000000");
}

TEST_F(device_plans, device_arrays_of_two_devices_do_not_meet) {
  engine::device other;
  const array<float, 2> a({3, 3});
  const auto here = to_device(device_, a), there = to_device(other, a);
  expect_error<invalid_argument>([&] { einsum<2>("ij,jk->ik", here, there); }, "");
  expect_error<shape_error>([&] { einsum<1>("ij,jk->ik", here, here); }, "2 axes, asked for 1");
  einsum_options scaled;
  scaled.alpha = 2;
  expect_error<invalid_argument>([&] { einsum<2>("ij->ji", here, scaled); }, "alpha");
}

}  // namespace
}  // namespace papilio::test

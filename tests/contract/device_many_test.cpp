// Several contractions, in slices too, and plans on the emulated accelerator, of operands of the
// host and of device arrays: values against plain loops, and one dispatch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "contract/random_expression.hpp"
#include "papilio/contract.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

template <class T>
using wide = std::conditional_t<std::is_same_v<T, float>, double, std::complex<double>>;

// "ki,kj,jl->il" of a, b, c; `transposed`: "ki,kj,jl->li".
template <class T>
std::vector<wide<T>> chain_sums(const tensor<T>& a, const tensor<T>& b, const tensor<T>& c,
                                bool transposed) {
  const std::size_t K = a.extent(0), I = a.extent(1), J = b.extent(1), L = c.extent(1);
  std::vector<wide<T>> sums(I * L);
  for (std::size_t i = 0; i < I; ++i)
    for (std::size_t l = 0; l < L; ++l)
      for (std::size_t k = 0; k < K; ++k)
        for (std::size_t j = 0; j < J; ++j)
          sums[transposed ? l * I + i : i * L + l] += wide<T>(a.data()[k * I + i]) *
                                                      wide<T>(b.data()[k * J + j]) *
                                                      wide<T>(c.data()[j * L + l]);
  return sums;
}

// Elements are below 2: `terms` products of three numbers, each of some 12 roundings, and as many
// additions of what is below 8 terms.
template <class T>
void expect_values(const tensor<T>& got, const std::vector<wide<T>>& wanted, double terms) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_LE(std::abs(wide<T>(got.data()[i]) - wanted[i]), 8 * terms * (terms + 12) * 0x1p-24)
        << i;
}

template <class Error, class Call>
void expect_error(const Call& call, const std::string& part) {
  try {
    call();
    FAIL() << part;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

template <class T>
class device_many : public ::testing::Test {
 protected:
  engine::device device_{engine::trainium1(), engine::sdk_2_29()};
  tensor<T> a_ = made<T>({24, 4}, 1), b_ = made<T>({24, 6}, 2), c_ = made<T>({6, 5}, 3),
            d_ = made<T>({24, 4}, 4);
  contract_many_options there(std::size_t largest = 0) {
    return {.path = {.largest_intermediate = largest},
            .on = {.where = policy::device, .on = &device_}};
  }
  template <std::size_t Rank>
  device_array<T, Rank> up(const tensor<T>& x) {
    return to_device(device_, x.template as<Rank>());
  }
};
using numbers = ::testing::Types<float, std::complex<float>>;
TYPED_TEST_SUITE(device_many, numbers);

TYPED_TEST(device_many, in_slices_are_one_dispatch) {
  using T = TypeParam;
  const tensor<T>&a = this->a_, &b = this->b_, &c = this->c_, &d = this->d_;
  const std::vector<contraction<T>> several{{"ki,kj,jl->il", {a, b, c}},
                                            {"ki,ki->i", {a, d}},
                                            {"xy,xz,zw->wy", {d, b, c}},
                                            {"pq,pr,rs->qs", {a, b, c}},  // the first one
                                            {"ki,kj,jl->il", {d, b, c}}};
  constexpr std::size_t most = 20;  // elements of an intermediate: 24 of "ij" are too many
  ASSERT_GT(plan_contraction("ki,kj,jl->il", a, b, c,
                             einsum_options{.path = {.largest_intermediate = most}})
                .path()
                .slices,
            1);
  const auto before = this->device_.record();
  contraction_sharing shared;
  const auto got = contract_many<T>(several, this->there(most), &shared);
  EXPECT_EQ(this->device_.record().launches, before.launches + 1);
  EXPECT_EQ(this->device_.record().upload.tensors, before.upload.tensors + 1);
  EXPECT_EQ(this->device_.record().fetch.tensors, before.fetch.tensors + 1);
  EXPECT_EQ(last_run().launches, 1u);
  EXPECT_EQ(shared.steps, 9u);
  EXPECT_EQ(shared.distinct, 7u);  // loops are shared as wholes
  expect_values(got[0], chain_sums(a, b, c, false), 144);
  expect_values(got[2], chain_sums(d, b, c, true), 144);
  expect_values(got[3], chain_sums(a, b, c, false), 144);
  expect_values(got[4], chain_sums(d, b, c, false), 144);
  std::vector<wide<T>> products(4);
  for (std::size_t k = 0; k < 24; ++k)
    for (std::size_t i = 0; i < 4; ++i)
      products[i] += wide<T>(a.data()[k * 4 + i]) * wide<T>(d.data()[k * 4 + i]);
  expect_values(got[1], products, 24);
}

// Labels of the result in slices, and summed ones; the slices of one contraction are none of the
// other's.
TYPED_TEST(device_many, of_random_slices_are_the_hosts) {
  using T = TypeParam;
  std::mt19937 random(7);
  std::size_t sliced = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const auto extent = [&] { return std::size_t{2} + random() % 7; };
    const std::size_t i = extent(), j = extent(), k = extent(), m = extent(), l = m + 1 + extent();
    const unsigned seed = unsigned(random());
    const tensor<T> x = made<T>({i, j, k}, seed), y = made<T>({k, l, j}, seed + 1),
                    z = made<T>({l, m, i}, seed + 2);
    const std::vector<contraction<T>> several{{"abc,cdb,dea->ae", {x, y, z}, {true, false, true}},
                                              {"abc,cdb,dea->ea", {x, y, z}},
                                              {"abc,cdb->d", {x, y}},
                                              {"abc,cdb,dea->", {x, y, z}}};
    const std::size_t limit = std::max(m * i, l);
    const auto got = contract_many<T>(several, this->there(limit));
    EXPECT_EQ(last_run().launches, 1u);
    for (std::size_t e = 0; e < several.size(); ++e) {
      const contraction<T>& one = several[e];
      const tensor<T> wanted =
          contract_detail::einsum<T>(one.subscripts, one.operands, {.conjugate = one.conjugate});
      sliced += contract_detail::plan<T>("test", one.subscripts, one.operands,
                                         {.path = {.largest_intermediate = limit}})
                    .path()
                    .slices > 1;
      ASSERT_TRUE(std::ranges::equal(got[e].extents(), wanted.extents()));
      const std::vector<wide<T>> values(wanted.flat().begin(), wanted.flat().end());
      expect_values(got[e], values, double(i * j * k * l * m));
    }
  }
  EXPECT_GT(sliced, 5u);
}

// Small ones are the host's, in slices too: to the bit what it gives.
TYPED_TEST(device_many, in_slices_are_compared_as_a_whole) {
  using T = TypeParam;
  const std::vector<contraction<T>> several{{"ki,kj,jl->il", {this->a_, this->b_, this->c_}},
                                            {"ki,ki->i", {this->a_, this->d_}}};
  contract_many_options options = this->there(20);
  options.on.where = policy::automatic;
  const auto launches = this->device_.record().launches;
  const auto got = contract_many<T>(several, options);
  EXPECT_EQ(this->device_.record().launches, launches);
  options.on.where = policy::host;
  const auto wanted = contract_many<T>(several, options);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(got[i].flat(), wanted[i].flat()));
}

TYPED_TEST(device_many, of_device_arrays_stays_in_one_launch) {
  using T = TypeParam;
  const device_array<T, 2> a = this->template up<2>(this->a_), b = this->template up<2>(this->b_),
                           c = this->template up<2>(this->c_), d = this->template up<2>(this->d_);
  const std::vector<device_contraction<T>> several{{"ki,kj,jl->il", {a, b, c}},
                                                   {"ki,kj->ji", {a, b}},
                                                   {"xy,xz,zw->yw", {a, b, c}},
                                                   {"ki,kj,jl->li", {d, b, c}}};
  for (const std::size_t most : {std::size_t{0}, std::size_t{24}}) {
    const auto before = this->device_.record();
    contraction_sharing shared;
    const auto got = contract_many<T>(several, {.path = {.largest_intermediate = most}}, &shared);
    EXPECT_EQ(this->device_.record().launches, before.launches + 1);
    EXPECT_EQ(this->device_.record().upload.tensors, before.upload.tensors);
    EXPECT_EQ(this->device_.record().fetch.tensors, before.fetch.tensors);
    EXPECT_EQ(shared.steps, 7u);
    EXPECT_LT(shared.distinct, 7u);
    ASSERT_EQ(got.size(), 4u);
    EXPECT_EQ(got[0].rank(), 2u);
    EXPECT_EQ(got[0].extent(1), 5u);
    EXPECT_EQ(got[0].tensor("test"), got[2].tensor("test"));
    expect_values(to_host(got[0]), chain_sums(this->a_, this->b_, this->c_, false), 144);
    expect_values(to_host(got[3]), chain_sums(this->d_, this->b_, this->c_, true), 144);
    // What stayed is an operand of the next, with its rank in the type and without.
    const device_array<T, 2> first = got[0].template as<2>();
    const device_array<T, 1> sums = einsum<1>("il->l", first);
    const auto again = contract_many<T>(std::vector<device_contraction<T>>{{"il->l", {got[0]}}});
    const tensor<T> total = to_host(again[0]);
    EXPECT_TRUE(std::ranges::equal(total.flat(), to_host(sums).flat()));
  }
}

TYPED_TEST(device_many, of_captured_device_arrays_is_part_of_one_dispatch) {
  using T = TypeParam;
  tensor<T> out({4, 5});
  device_graph graph = capture(this->device_, [&] {
    const auto a = this->template up<2>(this->a_), b = this->template up<2>(this->b_),
               c = this->template up<2>(this->c_);
    const contraction_plan plan = plan_contraction("ij,jl->il", made<T>({4, 6}, 9), this->c_);
    const auto both = contract_many<T>(
        std::vector<device_contraction<T>>{{"ki,kj->ij", {a, b}}, {"jl->lj", {c}}});
    const auto back = einsum<2>("lj->jl", both[1].template as<2>());
    to_host(plan.template execute<2>(both[0].template as<2>(), back), out.template as<2>());
  });
  const auto before = this->device_.record();
  EXPECT_EQ(graph.submit().launches, 1u);
  EXPECT_EQ(this->device_.record().launches, before.launches + 1);
  expect_values(out, chain_sums(this->a_, this->b_, this->c_, false), 144);
}

TYPED_TEST(device_many, plans_execute_device_arrays) {
  using T = TypeParam;
  const device_array<T, 2> a = this->template up<2>(this->a_), b = this->template up<2>(this->b_),
                           c = this->template up<2>(this->c_);
  const std::vector<wide<T>> wanted = chain_sums(this->a_, this->b_, this->c_, false);
  einsum_options in_slices{.path = {.largest_intermediate = 20}};
  einsum_options there{.on = {.where = policy::device, .on = &this->device_}};
  for (const einsum_options& options : {einsum_options{}, in_slices, there}) {
    const contraction_plan plan =
        plan_contraction("ki,kj,jl->il", this->a_, this->b_, this->c_, options);
    const auto before = this->device_.record();
    const device_array<T, 2> got = plan.template execute<2>(a, b, c);
    EXPECT_EQ(this->device_.record().launches, before.launches + 1);
    EXPECT_EQ(this->device_.record().upload.tensors, before.upload.tensors);
    EXPECT_EQ(this->device_.record().fetch.tensors, before.fetch.tensors);
    expect_values(to_host(device_ndarray<T>(got)), wanted, 144);
  }
}

class refused_device_arrays : public ::testing::Test {
 protected:
  engine::device device_{engine::trainium1(), engine::sdk_2_29()};
  tensor<float> square_ = made<float>({3, 3}, 1), long_ = made<float>({3, 4}, 2);
  device_array<float, 2> here_ = to_device(device_, square_.as<2>()),
                         wide_ = to_device(device_, long_.as<2>());
  using list = std::vector<device_contraction<float>>;
};

TEST_F(refused_device_arrays, of_two_accelerators) {
  engine::device other;
  const auto there = to_device(other, square_.as<2>());
  const auto launches = device_.record().launches;
  expect_error<invalid_argument>(
      [&] {
        contract_many<float>(list{{"ij->ji", {here_}}, {"ij,jk->ik", {here_, there}}});
      },
      "contraction 1");
  expect_error<invalid_argument>(
      [&] {
        contract_many<float>(list{{"ij->ji", {here_}}}, {.on = {.on = &other}});
      },
      "names another");
  const contraction_plan plan = plan_contraction("ij,jk->ik", square_, square_);
  expect_error<invalid_argument>([&] { plan.execute<2>(here_, there); }, "");
  const contraction_plan others =
      plan_contraction("ij->ji", square_, einsum_options{.on = {.on = &other}});
  expect_error<invalid_argument>([&] { others.execute<2>(here_); }, "names another");
  EXPECT_EQ(device_.record().launches, launches);
}

TEST_F(refused_device_arrays, of_an_accelerator_that_is_gone) {
  auto other = std::make_unique<engine::device>();
  const device_array<float, 2> lost = to_device(*other, square_.as<2>());
  const device_ndarray<float> also_lost = lost;
  const contraction_plan plan = plan_contraction("ij->ji", square_);
  const contraction_plan gone = plan_contraction(
      "ij->ji", square_, einsum_options{.on = {.where = policy::device, .on = other.get()}});
  other.reset();
  expect_error<device_error>(
      [&] {
        contract_many<float>(list{{"ij->ji", {also_lost}}});
      },
      "contraction 0");
  expect_error<device_error>([&] { device_ndarray<float>{lost}; }, "gone");
  expect_error<device_error>([&] { also_lost.as<2>(); }, "gone");
  expect_error<device_error>([&] { to_host(also_lost); }, "gone");
  expect_error<device_error>([&] { plan.execute<2>(lost); }, "gone");
  const std::vector<tensor_view<const float>> operands{square_.view()};
  expect_error<device_error>([&] { gone.execute<float>(operands); }, "gone");
}

TEST_F(refused_device_arrays, empty_ones) {
  const device_ndarray<float> nothing = device_array<float, 2>();
  EXPECT_TRUE(nothing.is_empty());
  EXPECT_EQ(nothing.rank(), 0u);
  expect_error<device_error>([&] { nothing.as<2>(); }, "empty");
  expect_error<device_error>([&] { contract_many<float>(list{{"ij->ji", {nothing}}}); }, "empty");
  expect_error<invalid_argument>([&] { contract_many<float>(list{{"ij->ji", {}}}); }, "operand");
  EXPECT_TRUE(contract_many<float>(list{}).empty());
}

TEST_F(refused_device_arrays, shapes_types_and_options) {
  expect_error<shape_error>(
      [&] {
        contract_many<float>(list{{"ij,ij->", {here_, here_}}});
      },
      "no axes");
  expect_error<shape_error>(
      [&] {
        contract_many<float>(list{{"ij,jk->ik", {wide_, here_}}});
      },
      "extent 4");
  expect_error<shape_error>([&] { device_ndarray<float>(here_).as<1>(); }, "2 axes");
  contract_many_options options;
  options.on.precision.mode = precision::compensated;
  expect_error<device_error>(
      [&] {
        contract_many<float>(list{{"ij->ji", {here_}}}, options);
      },
      "split_bf16 in 3 parts; not in compensated: ");
  options.on = {.backend = "host"};
  expect_error<invalid_argument>(
      [&] {
        contract_many<float>(list{{"ij->ji", {here_}}}, options);
      },
      "host");

  const contraction_plan plan = plan_contraction("ij,jk->ik", square_, square_);
  expect_error<shape_error>([&] { plan.execute<2>(here_); }, "2 operands, got 1");
  expect_error<shape_error>([&] { plan.execute<2>(here_, wide_); }, "operand 1");
  expect_error<shape_error>([&] { plan.execute<1>(here_, here_); }, "2 axes, asked for 1");
  const tensor<double> exact({3, 3});
  const contraction_plan doubles = plan_contraction("ij,jk->ik", exact, exact);
  expect_error<invalid_argument>([&] { doubles.execute<2>(here_, here_); }, "plan is of double");
  const contraction_plan on_host =
      plan_contraction("ij->ji", square_, einsum_options{.on = {.backend = "host"}});
  expect_error<invalid_argument>([&] { on_host.execute<2>(here_); }, "host");
}

}  // namespace
}  // namespace papilio::test

// Operations on the cores of a group, through `execution`: the results of the host within its
// error, one core's bits where no sum is divided, and the estimate of what then runs.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "papilio/device.hpp"
#include "papilio/signal.hpp"
#include "support/device_case.hpp"

namespace papilio::test {
namespace {

using C = std::complex<float>;
using engine::device;
using engine::device_group;

// Launches, copies and hops that take no time: small work is divided where its device time gains.
device_group free_group(int cores) {
  engine::runtime_spec r;
  r.launch_us = r.host_to_device_us = r.host_to_device_us_per_mb = 0;
  r.host_to_device_large_us_per_mb = r.device_to_host_us = r.device_to_host_us_per_mb = 0;
  engine::machine_spec m = engine::trainium1();
  m.link.core_hop_ns = m.link.chip_hop_ns = 0;
  return {m, r, cores};
}

execution on(accelerator& a) { return {.where = policy::device, .on = &a}; }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The run was divided among cores, and took what it was estimated to take.
void expect_divided(device_group& group, const run_record& ran, const operation& what,
                    const precision_options& precision = {}) {
  EXPECT_TRUE(ran.recipe.starts_with("divided among ")) << ran.recipe;
  EXPECT_EQ(ran.machine, group.name());
  const device_estimate e = backend_of("test", group).estimate(what, precision, group);
  EXPECT_EQ(e.recipe, ran.recipe);
  EXPECT_EQ(e.launches, ran.launches);
  EXPECT_EQ(e.copies_in, ran.uploads);
  EXPECT_EQ(e.copies_out, ran.fetches);
  EXPECT_EQ(e.bytes_in, ran.upload_bytes);
  EXPECT_EQ(e.bytes_out, ran.fetch_bytes);
  EXPECT_DOUBLE_EQ(e.upload_seconds, ran.upload_seconds);
  EXPECT_DOUBLE_EQ(e.device_seconds, ran.device_seconds);
  EXPECT_DOUBLE_EQ(e.link_seconds, ran.link_seconds);
  EXPECT_DOUBLE_EQ(e.seconds(), ran.seconds());
  const device_estimate least = backend_of("test", group).bound(what, group);
  EXPECT_LE(least.seconds(), e.seconds());
  EXPECT_LE(least.device_array_seconds(), e.device_array_seconds());
}

fft_problem problem_of(const std::vector<std::size_t>& extents, std::size_t axis) {
  return {.type = real_type::single_precision, .extents = extents, .axes = {axis}};
}

TEST(group_execution, lines_have_the_bits_of_one_core) {
  const auto x = random_array<C, 2>({1025, 256}, 1);
  device one;
  const auto expected = fft(x, {.on = on(one)});
  for (const int cores : {2, 4, 16}) {
    device_group group = free_group(cores);
    array<C, 2> y;
    const run_record ran = recorded([&] { y = fft(x, {.on = on(group)}); });
    EXPECT_TRUE(std::ranges::equal(y, expected));
    expect_divided(group, ran, problem_of({1025, 256}, 1));
  }
}

// Rows that are apart, and a result in the memory of the operand.
TEST(group_execution, lines_anywhere_in_memory) {
  const auto x = random_array<C, 3>({1024, 2, 64}, 2);
  const view<const C, 2> apart(x.data(), {1024, 64}, {128, 1});
  const auto expected = fft(widened_array<C, 2>(apart));
  device_group group = free_group(4);
  expect_near(fft(apart, {.on = on(group)}), expected, device_tolerance(expected.extents()));
  EXPECT_TRUE(has(last_run().recipe, "divided"));

  array<C, 2> same({1024, 64});
  std::ranges::copy(fft(apart), same.begin());
  const auto twice = fft(widened_array<C, 2>(same.view()));
  const transform_plan plan(problem_of({1024, 64}, 1), on(group));
  EXPECT_TRUE(has(plan.recipe(), "divided"));
  EXPECT_TRUE(has(plan.explain().to_text(), "in 4 copies"));
  plan.execute(std::as_const(same).view(), same.view());
  expect_near(same, twice, device_tolerance(twice.extents()));
}

TEST(group_execution, one_line_by_all_cores) {
  const std::size_t n = 1 << 17;
  const auto x = random_array<C, 1>({n}, 3);
  for (const int cores : {2, 4, 16}) {
    device_group group = free_group(cores);
    array<C, 1> y;
    const run_record ran = recorded([&] { y = fft(x, {.on = on(group)}); });
    expect_near(y, fft(widened_array<C, 1>(x.view())), device_tolerance(x.extents()));
    EXPECT_GT(ran.link_seconds, 0);
    EXPECT_TRUE(has(ran.to_text(), "links"));
    EXPECT_EQ(ran.steps.size(), 3u);
    expect_divided(group, ran, problem_of({n}, 0));
  }
}

TEST(group_execution, arrays_of_a_batch) {
  const auto x = random_array<C, 3>({8, 64, 96}, 4);
  device_group group = free_group(4);
  array<C, 3> y;
  const run_record ran = recorded([&] { y = fft2(x, {.on = on(group)}); });
  device one;
  EXPECT_TRUE(std::ranges::equal(y, fft2(x, {.on = on(one)})));
  expect_divided(
      group, ran,
      fft_problem{.type = real_type::single_precision, .extents = {8, 64, 96}, .axes = {1, 2}});
}

// Slices along the first axis, an exchange, and columns.
TEST(group_execution, one_array_by_all_cores) {
  const auto x = random_array<C, 2>({512, 640}, 21);
  const auto exact = fft2(widened_array<C, 2>(x.view()));
  for (const int cores : {2, 4, 16}) {
    device_group group = free_group(cores);
    array<C, 2> y;
    const run_record ran = recorded([&] { y = fft2(x, {.on = on(group)}); });
    expect_near(y, exact, device_tolerance(x.extents()));
    EXPECT_GT(ran.link_seconds, 0);
    EXPECT_EQ(ran.launches, 2u);
    fft_problem p = problem_of({512, 640}, 0);
    p.axes = {0, 1};
    expect_divided(group, ran, p);
  }
  const auto cube = random_array<C, 3>({64, 72, 80}, 22);
  device_group group = free_group(4);
  const auto back = ifftn(cube, {.on = on(group)});
  EXPECT_TRUE(has(last_run().recipe, "slices of the first axis")) << last_run().recipe;
  expect_near(back, ifftn(widened_array<C, 3>(cube.view())), device_tolerance(cube.extents()));
  fft2(random_array<C, 2>({255, 321}, 23), {.on = on(group)});
  EXPECT_TRUE(has(last_run().recipe,
                  "the number of cores, 4, must divide 255 slices and their 321 columns"))
      << last_run().recipe;
}

TEST(group_execution, real_lines_and_back) {
  const auto x = random_array<float, 2>({1601, 128}, 20);
  const auto exact = rfft(widened_array<float, 2>(x.view()));
  for (const int cores : {2, 16}) {
    device_group group = free_group(cores);
    array<C, 2> y;
    const run_record forward = recorded([&] { y = rfft(x, {.on = on(group)}); });
    expect_near(y, exact, device_tolerance(extents_type<1>{128}));
    fft_problem p = problem_of({1601, 128}, 1);
    p.kind = fft_kind::real;
    expect_divided(group, forward, p);
    array<float, 2> back;
    const run_record inverse = recorded([&] { back = irfft(y, {.on = on(group)}); });
    expect_near(back, widened_array<float, 2>(x.view()),
                2 * device_tolerance(extents_type<1>{128}));
    p.dir = direction::inverse;
    expect_divided(group, inverse, p);
    const auto cosines = dct(x, {.on = on(group)});
    EXPECT_TRUE(has(last_run().recipe, "divided among"));
    expect_near(cosines, dct(widened_array<float, 2>(x.view())), 1e-5);
  }
}

TEST(group_execution, precision_is_of_all_cores) {
  const auto x = random_array<C, 2>({2048, 128}, 5);
  const auto exact = fft(widened_array<C, 2>(x.view()));
  device_group group = free_group(4);
  for (const precision_options how :
       {precision_options{.mode = precision::bf16}, precision_options{.target_error = 1e-2}}) {
    execution where = on(group);
    where.precision = how;
    array<C, 2> y;
    const run_record ran = recorded([&] { y = fft(x, {.on = where}); });
    const device_estimate e =
        backend_of("test", group).estimate(problem_of({2048, 128}, 1), how, group);
    EXPECT_GT(e.relative_error, 1e-4);
    EXPECT_LE(e.relative_error, 1e-2);
    expect_near(y, exact, 2 * e.relative_error);
    expect_divided(group, ran, problem_of({2048, 128}, 1), how);
  }
  execution exacting = on(group);
  exacting.precision.target_error = 1e-12;
  EXPECT_THROW(fft(x, {.on = exacting}), device_error);
}

// Against sums in double: gamma(k) of the magnitudes' sum, as a product's error model says.
template <class T>
void expect_product(view<const T, 2> got, const array<T, 2>& a, const array<T, 2>& b) {
  const std::size_t k = a.extent(1);
  for (std::size_t i = 0; i < got.extent(0); i += 31)
    for (std::size_t j = 0; j < got.extent(1); j += 17) {
      typename wider<T>::type sum = 0;
      double magnitude = 0;
      for (std::size_t p = 0; p < k; ++p) {
        sum += typename wider<T>::type(a(i, p)) * typename wider<T>::type(b(p, j));
        magnitude += 2 * std::abs(a(i, p)) * std::abs(b(p, j));
      }
      const double roundings = 2 * static_cast<double>(k) + 20;
      ASSERT_LE(std::abs(typename wider<T>::type(got(i, j)) - sum),
                roundings * 0x1p-24 * magnitude);
    }
}

TEST(group_execution, products) {
  const auto a = random_array<float, 2>({512, 256}, 6), b = random_array<float, 2>({256, 384}, 7);
  for (const int cores : {2, 4, 16}) {
    device_group group = free_group(cores);
    array<float, 2> c;
    const run_record ran = recorded([&] { c = gemm(a, b, {.on = on(group)}); });
    expect_product(std::as_const(c).view(), a, b);
    expect_divided(group, ran, gemm_problem{.m = 512, .k = 256, .n = 384});
  }
}

TEST(group_execution, products_of_complex_numbers_and_sums) {
  const auto a = random_array<C, 2>({200, 150}, 8), b = random_array<C, 2>({150, 250}, 9);
  device_group group = free_group(5);
  const einsum_options there{.on = on(group)};
  const tensor<C> c = einsum("ij,jk->ik", a, b, there);
  const run_record ran = last_run();
  expect_product(c.as<2>(), a, b);
  EXPECT_TRUE(has(ran.recipe, "divided among 5 cores: parts of the result")) << ran.recipe;

  // The long label is summed: partial sums go over the links.
  const auto u = random_array<float, 2>({100000, 3}, 10),
             v = random_array<float, 2>({100000, 2}, 11);
  const tensor<float> sums = einsum("ki,kj->ij", u, v, there);
  const view<const float, 2> w = sums.as<2>();
  const run_record summed = last_run();
  EXPECT_TRUE(has(summed.recipe, "divided among 5 cores: parts of a sum")) << summed.recipe;
  EXPECT_GT(summed.link_seconds, 0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < u.extent(0); ++k) {
        sum += double(u(k, i)) * double(v(k, j));
        magnitude += std::abs(double(u(k, i)) * double(v(k, j)));
      }
      EXPECT_NEAR(w(i, j), sum, 1e5 * 0x1p-24 * magnitude);
    }
}

struct orbitals_of_test {
  array<float, 3> b;
  std::vector<double> occupied, virtuals;

  orbitals_of_test(const extents_type<3>& extents, unsigned seed)
      : b(random_array<float, 3>(extents, seed)) {
    for (float& x : b) x *= 0.1F;
    for (std::size_t i = 0; i < extents[0]; ++i) occupied.push_back(-2 + 0.05 * double(i));
    for (std::size_t a = 0; a < extents[1]; ++a) virtuals.push_back(0.5 + 0.03 * double(a));
  }
  mp2_orbitals<float> orbitals() const { return {b, occupied, virtuals}; }
};

TEST(group_execution, pair_energies) {
  const orbitals_of_test made({17, 80, 200}, 12);
  array<double, 3> b({17, 80, 200});
  std::ranges::copy(made.b, b.begin());
  const mp2_energies expected = df_mp2(b, made.occupied, made.virtuals, {.frozen_core = 1});
  for (const int cores : {2, 4, 16}) {
    device_group group = free_group(cores);
    mp2_energies e;
    const run_record ran = recorded([&] {
      e = df_mp2(made.b, made.occupied, made.virtuals, {.frozen_core = 1, .on = on(group)});
    });
    // Products of either sign, about sqrt(naux) roundings, and some more of the squares.
    const double allowed = 4 * (std::sqrt(200.0) + 16) * 0x1p-24;
    EXPECT_NEAR(e.opposite_spin, expected.opposite_spin, -allowed * expected.opposite_spin);
    EXPECT_NEAR(e.alpha_alpha, expected.alpha_alpha, -allowed * expected.alpha_alpha);
    expect_divided(group, ran, pair_energy_problem{.nocc = 16, .nvir = 80, .naux = 200});
  }
}

// Three energies are one submission, which core 0 does.
TEST(group_execution, energies_of_two_spins_are_one_dispatch) {
  const orbitals_of_test up({5, 20, 40}, 13), down({4, 21, 40}, 14);
  device_group group = free_group(2);
  device one;
  const auto run = [&](accelerator& where) {
    return df_mp2(up.orbitals(), down.orbitals(), {.on = on(where)}).correlation();
  };
  const double alone = run(one);
  EXPECT_EQ(run(group), alone);
  EXPECT_EQ(last_run().launches, 1u);
  EXPECT_TRUE(has(last_run().recipe, "core 0 alone of 2: what is captured together"));
}

template <class Plan>
array<C, 3> spectra(const Plan& plan, const array<float, 2>& x, std::size_t segments,
                    const execution& where) {
  array<C, 3> y({x.extent(0), segments, plan.bins()});
  plan.execute(x.view(), y.view(), where);
  return y;
}

TEST(group_execution, segments_of_every_padding_have_the_bits_of_one_core) {
  device one;
  for (const edge_padding padding : {edge_padding::zero, edge_padding::reflect, edge_padding::edge})
    for (const std::size_t channels : {1, 5})
      for (const std::size_t n_fft : {256, 255}) {
        const auto x = random_array<float, 2>({channels, 60001}, 15);
        const stft_plan<float> plan({.n_fft = n_fft, .hop = 64, .padding = padding});
        const std::size_t segments = plan.segments(x.extent(1));
        device_group group = free_group(4);
        array<C, 3> y;
        const run_record ran = recorded([&] { y = spectra(plan, x, segments, on(group)); });
        EXPECT_TRUE(std::ranges::equal(y, spectra(plan, x, segments, on(one))));
        EXPECT_TRUE(has(ran.recipe, "divided among 4 cores")) << ran.recipe;
        EXPECT_EQ(has(ran.recipe, "the host pads the signals"), channels < 4);
        expect_divided(group, ran,
                       stft_problem{.channels = channels,
                                    .samples = x.extent(1),
                                    .n_fft = n_fft,
                                    .hop = 64,
                                    .window = {plan.window().begin(), plan.window().end()},
                                    .padding = padding});
      }
}

TEST(group_execution, device_arrays_lie_on_core_0) {
  const auto x = random_array<C, 2>({256, 128}, 16);
  device one;
  const auto expected = fft(x, {.on = on(one)});
  device_group group = free_group(4);
  const auto there = to_device(group, x);
  EXPECT_TRUE(std::ranges::equal(to_host(fft(there)), expected));
  fft(there);
  EXPECT_TRUE(last_run().recipe.starts_with("core 0 alone of 4: operands lie on it"));
  EXPECT_EQ(last_run().machine, "trainium1, 4 cores");

  array<C, 2> y(x.extents());
  device_graph graph = capture(group, [&] { to_host(fft(to_device(group, x)), y.view()); });
  EXPECT_TRUE(has(graph.submit().recipe, "divided among 4 cores"));
  EXPECT_TRUE(std::ranges::equal(y, expected));
  device_graph longer = capture(group, [&] { to_host(ifft(fft(to_device(group, x))), y.view()); });
  EXPECT_TRUE(has(longer.submit().recipe, "core 0 alone of 4: what is captured together"));
  expect_near(y, widened_array<C, 2>(x.view()), device_tolerance(x.extents()));

  EXPECT_TRUE(has(message_of<invalid_argument>([&] { fft(there, {.on = on(one)}); }),
                  "trainium1, 4 cores"));
}

TEST(group_execution, what_is_not_divided_says_so) {
  device_group group(engine::trainium1(), engine::sdk_2_24(), 4);
  const auto x = random_array<C, 2>({8, 16}, 17);
  const auto h = fft(widened_array<C, 2>(x.view()));
  expect_near(fft(x, {.on = on(group)}), h, device_tolerance(x.extents()));
  EXPECT_TRUE(last_run().recipe.starts_with("core 0 alone of 4: divided it would take "));
  EXPECT_TRUE(has(last_run().recipe, ", alone "));
  EXPECT_EQ(last_run().launches, 1u);
  dct(random_array<float, 2>({8, 16}, 18), {.on = on(group)});
  EXPECT_TRUE(last_run().recipe.starts_with("core 0 alone of 4: ")) << last_run().recipe;
  const auto prime = random_array<C, 1>({10007}, 19);
  fft(prime, {.on = on(group)});
  EXPECT_TRUE(last_run().recipe.starts_with("core 0 alone of 4: ")) << last_run().recipe;

  device_group alone(engine::trainium1(), engine::sdk_2_24(), 1);
  EXPECT_EQ(alone.name(), "trainium1, 1 core");
  fft(x, {.on = on(alone)});
  EXPECT_TRUE(last_run().recipe.starts_with("core 0 alone of 1: the group has no other"));
  EXPECT_TRUE(
      has(message_of<device_error>([&] { fft(widened_array<C, 2>(x.view()), {.on = on(group)}); }),
          "trainium1, 4 cores cannot do"));
}

// What the host would take decides, as of one device; the text has the copies and the links.
TEST(group_execution, automatic_and_explained) {
  device_group group(engine::trainium1(), engine::sdk_2_24(), 16);
  const operation small = problem_of({64, 64}, 1), large = problem_of({1 << 24}, 0);
  execution choose{.where = policy::automatic, .on = &group};
  EXPECT_EQ(explain(small, choose, host_signals()).runs, "host");
  const comparison c = explain(large, choose, host_signals());
  const std::string text = c.to_text();
  EXPECT_TRUE(has(text, "1 tensor in 16 copies")) << text;
  EXPECT_TRUE(has(text, "between the cores")) << text;
  EXPECT_GT(seconds_in(c.device, {.is_cold = true}), 25);
  // Resident, core 0 alone would do it.
  EXPECT_NE(seconds_in(c.device, {.has_device_arrays = true}),
            c.device.launch_seconds + c.device.device_seconds);
  EXPECT_LT(c.device.seconds(),
            backend_of("test", group.core(0)).estimate(large, {}, group.core(0)).seconds());
}

}  // namespace
}  // namespace papilio::test

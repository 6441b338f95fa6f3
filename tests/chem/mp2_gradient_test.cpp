// Gradients of MP2 energies and changes along them, on the host and on an accelerator.
// Oracles: df_mp2 itself by central differences, the identity of vjp and jvp, and the host in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "chem/made_orbitals.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "support/device_case.hpp"

namespace papilio::test {
namespace {

using engine::device;

constexpr mp2_energies weights{1.2, 0.4, 0.3};

double weighted(const mp2_energies& e) {
  return weights.opposite_spin * e.opposite_spin + weights.alpha_alpha * e.alpha_alpha +
         weights.beta_beta * e.beta_beta;
}

template <class T>
double inner(const mp2_gradients<T>& by, const mp2_orbitals<T>& change) {
  double sum = 0;
  for (std::size_t i = 0; i < by.b.extent(0); ++i)
    for (std::size_t a = 0; a < by.b.extent(1); ++a)
      for (std::size_t q = 0; q < by.b.extent(2); ++q)
        sum += double(by.b(i, a, q)) * double(change.b(i, a, q));
  sum = std::inner_product(by.eps_occupied.begin(), by.eps_occupied.end(),
                           change.eps_occupied.begin(), sum);
  return std::inner_product(by.eps_virtual.begin(), by.eps_virtual.end(),
                            change.eps_virtual.begin(), sum);
}

template <class T>
made_orbitals<T> moved(made_orbitals<T> x, const made_orbitals<T>& along, double step) {
  const auto move = [&](auto&& values, const auto& by) {
    std::ranges::transform(values, by, values.begin(),
                           [&](auto v, auto d) { return v + static_cast<decltype(v)>(step * d); });
  };
  move(x.b.flat(), along.b.flat());
  move(x.occupied, along.occupied);
  move(x.virtuals, along.virtuals);
  return x;
}

// Changes of the size of the orbitals, of energies of either sign.
made_orbitals<double> change_for(const extents_type<3>& extents, unsigned seed) {
  made_orbitals<double> c(extents, seed);
  for (std::size_t i = 0; i < c.occupied.size(); ++i) c.occupied[i] = 0.1 * (double(i % 3) - 1);
  for (std::size_t a = 0; a < c.virtuals.size(); ++a) c.virtuals[a] = 0.1 * (double(a % 2) - 0.5);
  return c;
}

// The difference has an error of h^2 and one of epsilon / h: 2^-17 leaves some 1e-9 of the terms.
constexpr double step = 0x1p-17, of_differences = 1e-7;

void expect_close(const mp2_energies& got, const mp2_energies& wanted, double relative) {
  const double size =
      std::abs(wanted.opposite_spin) + std::abs(wanted.alpha_alpha) + std::abs(wanted.beta_beta);
  EXPECT_NEAR(got.opposite_spin, wanted.opposite_spin, relative * size);
  EXPECT_NEAR(got.alpha_alpha, wanted.alpha_alpha, relative * size);
  EXPECT_NEAR(got.beta_beta, wanted.beta_beta, relative * size);
}

mp2_energies difference(const mp2_energies& up, const mp2_energies& down) {
  return {(up.opposite_spin - down.opposite_spin) / (2 * step),
          (up.alpha_alpha - down.alpha_alpha) / (2 * step),
          (up.beta_beta - down.beta_beta) / (2 * step)};
}

TEST(mp2_gradient, changes_of_a_closed_shell_are_differences_and_those_of_the_gradients) {
  // With several blocks of j for one i too: 6 x 230 x 230 numbers are more than 2^18.
  for (const extents_type<3>& extents : {extents_type<3>{1, 1, 1}, {3, 4, 5}, {6, 230, 4}}) {
    const made_orbitals<double> x(extents, 1), along = change_for(extents, 2);
    for (const std::size_t frozen : {std::size_t{0}, std::min<std::size_t>(2, extents[0] - 1)}) {
      const mp2_gradient_options options{.frozen_core = frozen};
      const mp2_energies change =
          df_mp2_jvp(x.b, x.occupied, x.virtuals, along.orbitals(), options);
      const auto energies = [&](double by) {
        const made_orbitals<double> y = moved(x, along, by);
        return df_mp2(y.b, y.occupied, y.virtuals, {.frozen_core = frozen});
      };
      expect_close(change, difference(energies(step), energies(-step)), of_differences);
      const auto by = df_mp2_vjp(x.b, x.occupied, x.virtuals, weights, options);
      EXPECT_NEAR(weighted(change), inner(by, along.orbitals()),
                  1e-11 * std::abs(weighted(change)));
    }
  }
}

TEST(mp2_gradient, changes_of_an_open_shell_are_differences_and_those_of_the_gradients) {
  for (const std::size_t downs : {3, 1, 0}) {
    const extents_type<3> of_up{4, 7, 11}, of_down{downs, 8, 11};
    const made_orbitals<double> up(of_up, 1), down(of_down, 2);
    const made_orbitals<double> along_up = change_for(of_up, 3),
                                along_down = change_for(of_down, 4);
    const mp2_gradient_options options{.frozen_core = downs == 3 ? 1u : 2u};
    const mp2_energies change = df_mp2_jvp(up.orbitals(), down.orbitals(), along_up.orbitals(),
                                           along_down.orbitals(), options);
    const auto energies = [&](double by) {
      const made_orbitals<double> u = moved(up, along_up, by), d = moved(down, along_down, by);
      return df_mp2(u.orbitals(), d.orbitals(), {.frozen_core = options.frozen_core});
    };
    expect_close(change, difference(energies(step), energies(-step)), of_differences);
    const auto by = df_mp2_vjp(up.orbitals(), down.orbitals(), weights, options);
    EXPECT_NEAR(weighted(change),
                inner(by.alpha, along_up.orbitals()) + inner(by.beta, along_down.orbitals()),
                1e-11 * std::abs(weighted(change)));
  }
}

template <class To>
made_orbitals<To> rounded(const made_orbitals<double>& x) {
  made_orbitals<To> y(x.b.extents(), 1);
  std::ranges::transform(x.b.flat(), y.b.begin(), [](double v) { return static_cast<To>(v); });
  y.occupied = x.occupied;
  y.virtuals = x.virtuals;
  return y;
}

double distance(std::span<const double> got, std::span<const double> wanted) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    errors += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    squares += wanted[i] * wanted[i];
  }
  return errors == 0 ? 0 : std::sqrt(errors / squares);
}

// Sums of naux products and of nocc nvir terms, with some ten roundings each, on either side.
constexpr double in_float = 2e-6;

// The sizes of the terms of changes, gradients times changes, of which each may have such an error.
double size_of_terms(const mp2_gradients<double>& by, const made_orbitals<double>& along) {
  double sum = 0;
  const auto add = [&](const auto& gradients, const auto& changes) {
    for (std::size_t k = 0; k < changes.size(); ++k) sum += std::abs(gradients[k] * changes[k]);
  };
  add(by.b.flat(), along.b.flat());
  add(by.eps_occupied, along.occupied);
  add(by.eps_virtual, along.virtuals);
  return sum;
}

constexpr mp2_energies opposite{1, 0, 0}, same{0, 1, 1};

void expect_change(const mp2_energies& got, const made_orbitals<double>& x,
                   const made_orbitals<double>& along, const mp2_gradient_options& options) {
  const mp2_energies wanted = df_mp2_jvp(x.b, x.occupied, x.virtuals, along.orbitals(), options);
  const auto bound = [&](const mp2_energies& of) {
    return in_float * size_of_terms(df_mp2_vjp(x.b, x.occupied, x.virtuals, of, options), along);
  };
  EXPECT_NEAR(got.opposite_spin, wanted.opposite_spin, bound(opposite));
  EXPECT_NEAR(got.same_spin(), wanted.same_spin(), bound(same));
}
void expect_change(const mp2_energies& got, const made_orbitals<double>& up,
                   const made_orbitals<double>& down, const made_orbitals<double>& along_up,
                   const made_orbitals<double>& along_down, const mp2_gradient_options& options) {
  const mp2_energies wanted = df_mp2_jvp(up.orbitals(), down.orbitals(), along_up.orbitals(),
                                         along_down.orbitals(), options);
  const auto bound = [&](const mp2_energies& of) {
    const auto by = df_mp2_vjp(up.orbitals(), down.orbitals(), of, options);
    return in_float * (size_of_terms(by.alpha, along_up) + size_of_terms(by.beta, along_down));
  };
  EXPECT_NEAR(got.opposite_spin, wanted.opposite_spin, bound(opposite));
  EXPECT_NEAR(got.alpha_alpha, wanted.alpha_alpha, bound({0, 1, 0}));
  EXPECT_NEAR(got.beta_beta, wanted.beta_beta, bound({0, 0, 1}));
}

void expect_near(const mp2_gradients<float>& got, const mp2_gradients<double>& wanted) {
  const std::vector<double> b(got.b.begin(), got.b.end());
  EXPECT_LE(distance(b, wanted.b.flat()), in_float);
  EXPECT_LE(distance(got.eps_occupied, wanted.eps_occupied), in_float);
  EXPECT_LE(distance(got.eps_virtual, wanted.eps_virtual), in_float);
}

made_orbitals<double> in_floats(const made_orbitals<float>& x) {
  made_orbitals<double> y(x.b.extents(), 1);
  std::ranges::copy(x.b.flat(), y.b.begin());
  y.occupied = x.occupied;
  y.virtuals = x.virtuals;
  return y;
}

// Several rows of T on a partition, pieces of rows, rows longer than a tile.
TEST(mp2_gradient, closed_shells_on_an_accelerator) {
  for (const extents_type<3>& extents :
       {extents_type<3>{1, 1, 1}, {3, 4, 5}, {5, 19, 72}, {7, 40, 9}, {2, 700, 3}}) {
    const made_orbitals<float> x(extents, 1), along = rounded<float>(change_for(extents, 2));
    const made_orbitals<double> exact = in_floats(x), exact_along = in_floats(along);
    for (const std::size_t frozen : {std::size_t{0}, std::min<std::size_t>(2, extents[0] - 1)}) {
      device dev;
      const mp2_gradient_options there{.frozen_core = frozen,
                                       .on = {.where = policy::device, .on = &dev}},
          here{.frozen_core = frozen};
      const auto by = df_mp2_vjp(x.b, x.occupied, x.virtuals, weights, there);
      EXPECT_EQ(last_run().launches, 1u);
      EXPECT_EQ(last_run().backend, "device");
      expect_near(by, df_mp2_vjp(exact.b, exact.occupied, exact.virtuals, weights, here));
      for (std::size_t i = 0; i < frozen; ++i) EXPECT_EQ(by.eps_occupied[i], 0);
      const mp2_energies change = df_mp2_jvp(x.b, x.occupied, x.virtuals, along.orbitals(), there);
      EXPECT_EQ(last_run().launches, 1u);
      expect_change(change, exact, exact_along, here);
    }
  }
}

TEST(mp2_gradient, open_shells_on_an_accelerator) {
  for (const std::size_t downs : {3, 0}) {
    const extents_type<3> of_up{4, 7, 11}, of_down{downs, 8, 11};
    const made_orbitals<float> up(of_up, 1), down(of_down, 2),
        along_up = rounded<float>(change_for(of_up, 3)),
        along_down = rounded<float>(change_for(of_down, 4));
    const made_orbitals<double> u = in_floats(up), d = in_floats(down), du = in_floats(along_up),
                                dd = in_floats(along_down);
    device dev;
    const std::size_t frozen = std::min<std::size_t>(1, downs);
    const mp2_gradient_options there{.frozen_core = frozen,
                                     .on = {.where = policy::device, .on = &dev}},
        here{.frozen_core = frozen};
    const auto by = df_mp2_vjp(up.orbitals(), down.orbitals(), weights, there);
    EXPECT_EQ(last_run().launches, 1u);
    EXPECT_EQ(last_run().uploads, 1u);
    const auto wanted = df_mp2_vjp(u.orbitals(), d.orbitals(), weights, here);
    expect_near(by.alpha, wanted.alpha);
    expect_near(by.beta, wanted.beta);
    expect_change(df_mp2_jvp(up.orbitals(), down.orbitals(), along_up.orbitals(),
                             along_down.orbitals(), there),
                  u, d, du, dd, here);
  }
}

std::size_t products_in(const std::string& recipe) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = recipe.find("by b:", at)) != std::string::npos; ++at) ++count;
  return count;
}

// T of some i at a time, on a machine whose memory has no room for all: three of seven at a time, and
// the last alone; frozen orbitals, and spins of different sizes.
TEST(mp2_gradient, blocks_of_occupied_orbitals) {
  engine::machine_spec small = engine::trainium1();
  small.hbm.usable_bytes_per_core = std::int64_t{5} << 20;
  const made_orbitals<float> x({8, 30, 40}, 1),
      along = rounded<float>(change_for({8, 30, 40}, 2)), down({5, 31, 40}, 3),
      along_down = rounded<float>(change_for({5, 31, 40}, 4));
  const made_orbitals<double> exact = in_floats(x), exact_along = in_floats(along),
                              d = in_floats(down), dd = in_floats(along_down);
  device dev, cramped(small);
  const mp2_gradient_options here{.frozen_core = 1};
  const auto on = [](device& one) {
    return mp2_gradient_options{.frozen_core = 1, .on = {.where = policy::device, .on = &one}};
  };
  df_mp2_vjp(x.b, x.occupied, x.virtuals, weights, on(dev));
  EXPECT_EQ(products_in(last_run().recipe), 1u);
  const auto blocks = df_mp2_vjp(x.b, x.occupied, x.virtuals, weights, on(cramped));
  EXPECT_EQ(products_in(last_run().recipe), 3u);
  expect_near(blocks, df_mp2_vjp(exact.b, exact.occupied, exact.virtuals, weights, here));
  expect_change(df_mp2_jvp(x.b, x.occupied, x.virtuals, along.orbitals(), on(cramped)), exact,
                exact_along, here);
  const auto open = df_mp2_vjp(x.orbitals(), down.orbitals(), weights, on(cramped));
  const auto wanted = df_mp2_vjp(exact.orbitals(), d.orbitals(), weights, here);
  expect_near(open.alpha, wanted.alpha);
  expect_near(open.beta, wanted.beta);
  expect_change(df_mp2_jvp(x.orbitals(), down.orbitals(), along.orbitals(), along_down.orbitals(),
                           on(cramped)),
                exact, d, exact_along, dd, here);
}

// bf16 has 8 bits, two parts of it 16; the errors of the two products are those of operands.
TEST(mp2_gradient, precision_is_that_of_the_products) {
  const made_orbitals<float> x({5, 19, 72}, 1);
  const made_orbitals<double> exact = in_floats(x);
  const auto wanted = df_mp2_vjp(exact.b, exact.occupied, exact.virtuals, weights);
  device dev;
  const auto error_in = [&](const precision_options& how) {
    const auto by = df_mp2_vjp(x.b, x.occupied, x.virtuals, weights,
                               {.on = {.where = policy::device, .on = &dev, .precision = how}});
    return distance(std::vector<double>(by.b.begin(), by.b.end()), wanted.b.flat());
  };
  const double in_bf16 = error_in({.mode = precision::bf16}),
               in_parts = error_in({.mode = precision::split_bf16});
  EXPECT_LT(in_bf16, 2 * 0x1p-8);
  EXPECT_GT(in_bf16, 0x1p-12);
  EXPECT_LT(in_parts, 2 * 0x1p-15);
  EXPECT_GT(in_parts, 0x1p-22);
  EXPECT_LT(error_in({.target_error = 1e-2}), 1e-2);
  EXPECT_LT(error_in({.target_error = 1e-6}), 2e-6);
  EXPECT_EQ(
      message_of<device_error>([&] { error_in({.mode = precision::bf16_refined}); }),
      "df_mp2_vjp: the accelerator trainium1 cannot do MP2 gradients of 5x19 orbitals, 72 "
      "auxiliary functions in float: its kernel computes in native, bf16, split_bf16 in 2 "
      "parts, split_bf16 in 3 parts; not in bf16_refined, 1 refinement: split_bf16 in 3 parts "
      "is as exact as fp32");
  EXPECT_THROW(df_mp2_vjp(x.b, x.occupied, x.virtuals, weights,
                          {.on = {.precision = {.mode = precision::bf16}}}),
               invalid_argument);
}

TEST(mp2_gradient, of_device_arrays_in_one_capture_with_the_energies) {
  const made_orbitals<float> x({4, 9, 20}, 1);
  array<float, 1> occupied({4}), virtuals({9}), by_energies({2}), energies({2}), by_occupied({4});
  std::ranges::copy(x.occupied, occupied.begin());
  std::ranges::copy(x.virtuals, virtuals.begin());
  by_energies(0) = 1.2F;
  by_energies(1) = 0.35F;
  array<float, 3> by_b(x.b.extents());
  device dev;
  const view<float, 3> to_b = by_b.view();
  const view<float, 1> to = energies.view(), to_occupied = by_occupied.view();
  device_graph graph = capture(dev, [&] {
    const auto b = to_device(dev, x.b);
    const auto i = to_device(dev, occupied), a = to_device(dev, virtuals);
    to_host(df_mp2(b, i, a, {.frozen_core = 1}), to);
    const mp2_gradients_on_device by =
        df_mp2_vjp(b, i, a, to_device(dev, by_energies), {.frozen_core = 1});
    to_host(by.b, to_b);
    to_host(by.eps_occupied, to_occupied);
  });
  EXPECT_EQ(graph.submit().launches, 1u);
  const made_orbitals<double> exact = in_floats(x);
  const auto wanted =
      df_mp2_vjp(exact.b, exact.occupied, exact.virtuals, {1.2, 0.4, 0.3}, {.frozen_core = 1});
  EXPECT_LE(distance(std::vector<double>(by_b.begin(), by_b.end()), wanted.b.flat()), in_float);
  EXPECT_LE(
      distance(std::vector<double>(by_occupied.begin(), by_occupied.end()), wanted.eps_occupied),
      in_float);
  const device_array<float, 1> one = to_device(dev, array<float, 1>({1}));
  EXPECT_EQ(message_of<shape_error>([&] {
              df_mp2_vjp(to_device(dev, x.b), to_device(dev, occupied), to_device(dev, virtuals),
                         one);
            }),
            "df_mp2_vjp: gradient must have 2 elements, got 1");
}

TEST(mp2_gradient, bad_changes_are_refused) {
  const made_orbitals<double> x({3, 4, 5}, 1), other({3, 4, 6}, 2);
  made_orbitals<double> along = change_for({3, 4, 5}, 3);
  const auto run = [&](const made_orbitals<double>& by) {
    return [&] { df_mp2_jvp(x.b, x.occupied, x.virtuals, by.orbitals()); };
  };
  EXPECT_EQ(message_of<shape_error>(run(other)),
            "df_mp2_jvp: change.b must have 5 elements along axis 2 as the orbitals', got 6");
  along.virtuals.pop_back();
  EXPECT_EQ(message_of<shape_error>(run(along)),
            "df_mp2_jvp: change.eps_virtual must have 4 changes, got 3");
  along = change_for({3, 4, 5}, 3);
  along.b(1, 2, 3) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message_of<invalid_argument>(run(along)),
            "df_mp2_jvp: change.b[1, 2, 3] must be finite, is inf");
  // Of frozen orbitals nothing is looked at.
  along = change_for({3, 4, 5}, 3);
  const auto change = [&] {
    return df_mp2_jvp(x.b, x.occupied, x.virtuals, along.orbitals(), {.frozen_core = 1});
  };
  const mp2_energies clean = change();
  along.b(0, 2, 3) = along.occupied[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(change(), clean);
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { df_mp2_vjp(x.b, x.occupied, x.virtuals, weights, {.frozen_core = 4}); }),
            "df_mp2_vjp: frozen_core must be at most the 3 occupied orbitals of b, got 4");
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { df_mp2_vjp(x.b, x.occupied, x.virtuals, weights, {.on = {.threads = -1}}); }),
            "df_mp2_vjp: threads must be at least 0, got -1");
}

TEST(mp2_gradient, results_out_of_range_are_refused) {
  // Products of two integrals are beyond float.
  const made_orbitals<float> large({3, 4, 5}, 1, 1e20);
  device dev;
  for (const execution& on : {execution{}, execution{.where = policy::device, .on = &dev}}) {
    EXPECT_EQ(message_of<invalid_argument>([&] {
                df_mp2_vjp(large.b, large.occupied, large.virtuals, weights, {.on = on});
              }),
              "df_mp2_vjp: integrals or their quotients exceed the range of float");
    EXPECT_EQ(message_of<invalid_argument>([&] {
                df_mp2_jvp(large.b, large.occupied, large.virtuals, large.orbitals(), {.on = on});
              }),
              "df_mp2_jvp: integrals or their quotients exceed the range of float");
  }
}

TEST(mp2_gradient, double_is_refused_by_an_accelerator) {
  const made_orbitals<double> x({3, 4, 5}, 1);
  device dev;
  EXPECT_THROW(df_mp2_vjp(x.b, x.occupied, x.virtuals, weights,
                          {.on = {.where = policy::device, .on = &dev}}),
               device_error);
}

}  // namespace
}  // namespace papilio::test

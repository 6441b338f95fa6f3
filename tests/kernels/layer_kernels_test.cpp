// Layers and gradients on the device against the host's, in double, which tests/layers compares
// with central differences and torch's numbers. Error model: the kernels' own, three times over.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/planar.hpp"
#include "papilio/layers.hpp"
#include "papilio/signal/mask.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using number = std::complex<double>;

struct size_2d {
  std::int64_t rows, features;
};

// Single elements, several rows and several pieces of one on a partition, tails, long rows.
const std::vector<size_2d> layer_sizes{{1, 1}, {3, 2}, {1, 700}, {300, 5}, {129, 67}, {5, 1500}};

sized_kernel layer(const std::string& name, const size_2d& size, std::vector<std::string> settings,
                   const machine_spec& machine = trainium1()) {
  settings.push_back("rows=" + std::to_string(size.rows));
  settings.push_back("features=" + std::to_string(size.features));
  return size_kernel(find_kernel(name), settings, machine);
}

tensor<number> numbers_of(const array<float, 3>& planar) {
  tensor<number> z({planar.extent(1), planar.extent(2)});
  for (std::size_t i = 0; i < z.size(); ++i)
    z.data()[i] = {planar.data()[i], planar.data()[z.size() + i]};
  return z;
}

template <std::size_t Rank>
array<float, Rank> uniform(const extents_type<Rank>& extents, unsigned seed) {
  array<float, Rank> x(extents);
  std::ranges::copy(papilio::test::random_real<float>(x.size(), seed), x.begin());
  return x;
}

// Relative, in the Euclidean norm; 0 of two results of zeros.
double distance(std::span<const number> got, std::span<const number> wanted) {
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    errors += std::norm(got[i] - wanted[i]);
    squares += std::norm(wanted[i]);
  }
  return errors == 0 ? 0 : std::sqrt(errors / squares);
}
double distance(const array<float, 3>& got, const tensor<number>& wanted) {
  return distance(numbers_of(got).flat(), wanted.flat());
}

void launch(const sized_kernel& kernel, const std::vector<launch_input>& in,
            const std::vector<launch_output>& out, const machine_spec& machine = trainium1()) {
  device on(machine);
  prepared_kernel(on, kernel).launch(in, out);
}

TEST(layer_kernels, rectifiers_and_their_gradients_are_the_hosts) {
  for (const size_2d& s : layer_sizes)
    for (const complex_rectifier kind : {complex_rectifier::crelu, complex_rectifier::zrelu}) {
      const std::string word = kind == complex_rectifier::crelu ? "kind=crelu" : "kind=zrelu";
      array<float, 3> z = normal_planar(s.rows, s.features, 1);
      z.data()[0] = 0;  // an edge
      const auto g = normal_planar(s.rows, s.features, 2);
      const auto y = run_once(layer("complex_relu", s, {word}), {z});
      EXPECT_EQ(distance(y, complex_relu(numbers_of(z), kind)), 0);
      const auto by = run_once(layer("complex_relu", s, {word, "form=vjp"}), {z, g});
      EXPECT_EQ(distance(by, complex_relu_vjp(numbers_of(z), numbers_of(g), kind)), 0);
    }
}

TEST(layer_kernels, modrelu_gradients_are_the_hosts) {
  for (const size_2d& s : layer_sizes) {
    array<float, 3> z = normal_planar(s.rows, s.features, 1), by_z(z.extents());
    z.data()[0] = z.data()[z.size() / 2] = 0;
    const auto g = normal_planar(s.rows, s.features, 2);
    const auto bias = uniform<1>({std::size_t(s.features)}, 3);
    array<float, 2> by_bias({1, bias.size()}), row({1, bias.size()});
    std::ranges::copy(bias, row.begin());
    array<double, 1> b({bias.size()});
    std::ranges::copy(bias, b.begin());
    const auto wanted = complex_modrelu_vjp(numbers_of(z), b, numbers_of(g));
    const sized_kernel kernel = layer("complex_modrelu_vjp", s, {});
    launch(kernel, {z, row, g}, {by_z, by_bias});
    EXPECT_LE(distance(by_z, wanted.x), 3 * kernel.expected_error) << s.rows << " " << s.features;
    double errors = 0, squares = 0;
    for (std::size_t f = 0; f < b.size(); ++f) {
      errors += std::pow(double(by_bias(0, f)) - wanted.bias(f), 2);
      squares += std::pow(wanted.bias(f), 2);
    }
    EXPECT_LE(std::sqrt(errors), 6 * kernel.expected_error * std::sqrt(squares) + 1e-30);
  }
}

TEST(layer_kernels, mask_and_magnitude_gradients_are_the_hosts) {
  for (const size_2d& s : layer_sizes) {
    const auto x = normal_planar(s.rows, s.features, 1), m = normal_planar(s.rows, s.features, 2),
               g = normal_planar(s.rows, s.features, 3);
    const auto xs = numbers_of(x), ms = numbers_of(m), gs = numbers_of(g);
    tensor<number> by_x(xs.extents()), by_m(xs.extents());
    array<float, 3> got_x(x.extents()), got_m(x.extents());
    apply_mask_vjp<double, 2>(xs.as<2>(), ms.as<2>(), gs.as<2>(), by_x.as<2>(), by_m.as<2>());
    const sized_kernel complex = layer("complex_mask_vjp", s, {});
    launch(complex, {x, m, g}, {got_x, got_m});
    EXPECT_LE(distance(got_x, by_x), 3 * complex.expected_error);
    EXPECT_LE(distance(got_m, by_m), 3 * complex.expected_error);
    const auto real = uniform<3>({1, std::size_t(s.rows), std::size_t(s.features)}, 4);
    array<float, 3> by_real(real.extents());
    array<double, 2> r({x.extent(1), x.extent(2)}), by_r(r.extents());
    std::ranges::copy(real, r.begin());
    apply_mask_vjp<double, 2>(xs.as<2>(), r.view(), gs.as<2>(), by_x.as<2>(), by_r.view());
    launch(layer("complex_mask_vjp", s, {"mask=real"}), {x, real, g}, {got_x, by_real});
    EXPECT_LE(distance(got_x, by_x), 3 * complex.expected_error);
    for (std::size_t i = 0; i < by_r.size(); ++i)
      EXPECT_NEAR(by_real.data()[i], by_r.data()[i],
                  0x1p-22 * std::abs(xs.flat()[i] * gs.flat()[i]));
    for (const char* of : {"of=magnitude", "of=power"}) {
      const sized_kernel kernel = layer("magnitude_vjp", s, {of});
      if (of == std::string("of=power"))
        power_vjp<double, 2>(xs.as<2>(), r.view(), by_x.as<2>());
      else
        magnitude_vjp<double, 2>(xs.as<2>(), r.view(), by_x.as<2>());
      launch(kernel, {x, real}, {got_x});
      EXPECT_LE(distance(got_x, by_x), 3 * kernel.expected_error);
    }
  }
}

struct normalisation {
  array<float, 3> x, g;
  array<float, 2> gamma, beta, mean, covariance;
  complex_batch_norm_parameters<double> parameters;
  complex_batch_statistics<double> running;

  explicit normalisation(const size_2d& s)
      : x(normal_planar(s.rows, s.features, 1)),
        g(normal_planar(s.rows, s.features, 2)),
        gamma(uniform<2>({3, x.extent(2)}, 3)),
        beta(uniform<2>({2, x.extent(2)}, 4)),
        mean(uniform<2>({2, x.extent(2)}, 5)),
        covariance(gamma.extents()),
        parameters(initial_batch_norm_parameters<double>(x.extent(2))),
        running(initial_batch_statistics<double>(x.extent(2))) {
    for (std::size_t i = 0; i < x.size() / 2; ++i) x.data()[i] += x.data()[x.size() / 2 + i] + 3;
    for (std::size_t f = 0; f < x.extent(2); ++f) {
      covariance(0, f) = 1.5F, covariance(1, f) = 0.25F * gamma(1, f), covariance(2, f) = 0.75F;
      for (std::size_t k = 0; k < 3; ++k) {
        parameters.gamma(f, k) = double(gamma(k, f));
        running.covariance(f, k) = double(covariance(k, f));
      }
      parameters.beta(f) = {double(beta(0, f)), double(beta(1, f))};
      running.mean(f) = {double(mean(0, f)), double(mean(1, f))};
    }
  }
};

// As features first: [rows, features] is [batch, features] of the host's.
TEST(layer_kernels, batch_norm_and_its_gradients_are_the_hosts) {
  for (const size_2d& s : {size_2d{300, 5}, {129, 67}, {40, 1500}, {2000, 32}}) {
    const normalisation n(s);
    const auto x = numbers_of(n.x), g = numbers_of(n.g);
    array<float, 3> y(n.x.extents());
    array<float, 2> by_gamma(n.gamma.extents()), by_beta(n.beta.extents());
    for (const bool is_running : {false, true}) {
      const std::string moments = is_running ? "moments=running" : "moments=batch";
      const sized_kernel forward = layer("complex_batch_norm", s, {moments}),
                         vjp = layer("complex_batch_norm", s, {moments, "form=vjp"});
      std::vector<launch_input> in{n.x}, back{n.x};
      if (is_running)
        for (auto* to : {&in, &back}) to->insert(to->end(), {n.mean, n.covariance});
      in.insert(in.end(), {n.gamma, n.beta});
      back.insert(back.end(), {n.gamma, n.g});
      launch(forward, in, {y});
      EXPECT_LE(distance(y, is_running ? complex_batch_norm(x, n.parameters, n.running)
                                       : complex_batch_norm_training(x, n.parameters)),
                3 * forward.expected_error)
          << s.rows << " " << moments;
      const auto wanted = is_running ? complex_batch_norm_vjp(x, n.parameters, n.running, g)
                                     : complex_batch_norm_training_vjp(x, n.parameters, g);
      launch(vjp, back, {y, by_gamma, by_beta});
      EXPECT_LE(distance(y, wanted.x), 3 * vjp.expected_error) << s.rows << " " << moments;
      double errors = 0, squares = 0;
      for (std::size_t f = 0; f < x.extent(1); ++f) {
        const number beta = wanted.parameters.beta(f);
        errors += std::norm(number(by_beta(0, f), by_beta(1, f)) - beta);
        squares += std::norm(beta);
        for (std::size_t k = 0; k < 3; ++k) {
          const double gamma = wanted.parameters.gamma(f, k);
          errors += std::pow(double(by_gamma(k, f)) - gamma, 2);
          squares += gamma * gamma;
        }
      }
      // Sums of rows numbers of both signs: their errors are of the numbers, not of the sum.
      EXPECT_LE(std::sqrt(errors / squares), 10 * vjp.expected_error) << s.rows << " " << moments;
    }
  }
}

TEST(layer_kernels, adam_is_its_formula) {
  for (const std::size_t n : {1, 700, 5000}) {
    const auto p = uniform<3>({1, 1, n}, 1), g = uniform<3>({1, 1, n}, 2),
               m = uniform<3>({1, 1, n}, 3);
    auto v = uniform<3>({1, 1, n}, 4);
    for (float& x : v) x = std::abs(x);
    array<float, 1> rate({1});
    rate(0) = 3e-3F;
    array<float, 3> next(p.extents()), mean(p.extents()), squares(p.extents());
    const std::vector<std::string> settings{"n=" + std::to_string(n)};
    launch(size_kernel(find_kernel("adam"), settings, trainium1()), {p, g, m, v, rate},
           {next, mean, squares});
    for (std::size_t i = 0; i < n; ++i) {
      const double gi = double(g.data()[i]), mi = 0.9 * double(m.data()[i]) + 0.1 * gi,
                   vi = 0.999 * double(v.data()[i]) + 0.001 * gi * gi;
      EXPECT_NEAR(mean.data()[i], mi, 1e-6);
      EXPECT_NEAR(squares.data()[i], vi, 1e-6);
      EXPECT_NEAR(next.data()[i], double(p.data()[i]) - 3e-3 * mi / (std::sqrt(vi) + 1e-8), 1e-6);
    }
  }
}

TEST(layer_kernels, refusals) {
  EXPECT_THROW(layer("complex_batch_norm", {3, 2}, {"epsilon=0"}), invalid_argument);
  EXPECT_THROW(layer("complex_relu", {0, 2}, {}), invalid_argument);
  EXPECT_THROW(layer("complex_relu", {std::int64_t{1} << 40, std::int64_t{1} << 40}, {}),
               resource_error);
}

}  // namespace
}  // namespace papilio::kernels::test

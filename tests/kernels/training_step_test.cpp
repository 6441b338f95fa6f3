// A training step on the device against the host's layers in double, and many steps whose parameters
// stay there.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "kernels/planar.hpp"
#include "kernels/runs.hpp"
#include "papilio/layers.hpp"
#include "papilio/signal/istft.hpp"
#include "papilio/signal/mask.hpp"
#include "papilio/signal/stft.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using number = std::complex<double>;

struct step_sizes {
  std::size_t clips, samples, n_fft, hop, hidden, taps;

  std::size_t bins() const { return n_fft / 2 + 1; }
  stft_options segments() const { return {.n_fft = n_fft, .hop = hop}; }
  std::size_t parameters() const { return 4 * taps * bins() * hidden + 6 * hidden + 2 * bins(); }
};

sized_kernel step_of(const step_sizes& s) {
  const auto setting = [](const char* name, std::size_t v) { return name + std::to_string(v); };
  const std::vector<std::string> settings{
      setting("clips=", s.clips), setting("samples=", s.samples), setting("n_fft=", s.n_fft),
      setting("hop=", s.hop),     setting("hidden=", s.hidden),   setting("taps=", s.taps)};
  return size_kernel(find_kernel("training_step"), settings, trainium1());
}

array<float, 1> uniform(std::size_t n, unsigned seed, float scale = 1) {
  array<float, 1> x({n});
  std::ranges::copy(papilio::test::random_real<float>(n, seed), x.begin());
  for (float& v : x) v *= scale;
  return x;
}

// The example's network in double; its parameters in the device's order.
struct network {
  step_sizes s;
  conv1d_options same;
  complex_conv1d_parameters<double> first, second;
  complex_batch_norm_parameters<double> norm;
  array<double, 1> bias;

  // Calls visit(place in the device's parameters, real number) for each.
  template <class Self, class Visit>
  static void each(Self& n, const Visit& visit) {
    std::size_t at = 0;
    const auto weights = [&](auto& w) {
      for (const int part : {0, 1})
        for (std::size_t t = 0; t < w.extent(2); ++t)
          for (std::size_t i = 0; i < w.extent(1); ++i)
            for (std::size_t o = 0; o < w.extent(0); ++o)
              visit(at++, reinterpret_cast<double*>(&w(o, i, t))[part]);
    };
    const auto numbers = [&](auto& b) {
      for (const int part : {0, 1})
        for (auto& v : b) visit(at++, reinterpret_cast<double*>(&v)[part]);
    };
    weights(n.first.weight);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t f = 0; f < n.s.hidden; ++f) visit(at++, n.norm.gamma(f, k));
    numbers(n.norm.beta);
    for (double& v : n.bias) visit(at++, v);
    weights(n.second.weight);
    numbers(n.second.bias);
  }

  explicit network(const step_sizes& of)
      : s(of),
        same(same_conv1d(of.taps)),
        first{array<number, 3>({s.hidden, s.bins(), s.taps}), {}},
        second{array<number, 3>({s.bins(), s.hidden, s.taps}), array<number, 1>({s.bins()})},
        norm(initial_batch_norm_parameters<double>(s.hidden)),
        bias({s.hidden}) {}
  network(const step_sizes& of, const array<float, 1>& values) : network(of) {
    each(*this, [&](std::size_t at, double& v) { v = double(values(at)); });
  }
};

struct host_step {
  double loss = 0;
  network gradient;
  complex_batch_statistics<double> batch;

  host_step(const network& n, const array<float, 1>& noisy, const array<float, 1>& clean)
      : gradient(n.s) {
    const step_sizes& s = n.s;
    const stft_plan<double> plan(s.segments());
    const istft_plan<double> inverse(s.segments());
    const std::size_t segments = plan.segments(s.samples);
    array<double, 2> sounds({s.clips, s.samples}), error(sounds.extents());
    std::ranges::copy(noisy, sounds.begin());
    array<number, 3> x({s.clips, segments, s.bins()}), m(x.extents()), kept(x.extents()),
        unused(x.extents());
    plan.execute(sounds.view(), x.view());
    tensor<number> f({s.clips, s.bins(), segments});
    for_all([&](std::size_t c, std::size_t t,
                std::size_t k) { f.as<3>()(c, k, t) = std::log1p(std::abs(x(c, t, k))); },
            x);
    const auto a = complex_conv1d(f, n.first, n.same);
    const auto b = complex_batch_norm_training(a, n.norm);
    const auto d = complex_modrelu(b, n.bias, 1);
    const auto mask = complex_conv1d(d, n.second, n.same);
    for_all(
        [&](std::size_t c, std::size_t t, std::size_t k) { m(c, t, k) = mask.as<3>()(c, k, t); },
        x);
    apply_mask<double, 3>(x.view(), m.view(), kept.view(), 1);
    inverse.execute(kept.view(), error.view());
    double energy = 0;
    for (std::size_t i = 0; i < error.size(); ++i) {
      error.data()[i] -= double(clean(i));
      energy += std::pow(double(clean(i)), 2);
      loss += std::pow(error.data()[i], 2);
    }
    loss /= energy;
    for (double& e : error) e *= 2 / energy;
    array<number, 3> by_kept(x.extents()), by_m(x.extents());
    inverse.adjoint().execute(error.view(), by_kept.view());
    apply_mask_vjp<double, 3>(x.view(), m.view(), by_kept.view(), unused.view(), by_m.view());
    tensor<number> by_mask(mask.extents());
    for_all([&](std::size_t c, std::size_t t,
                std::size_t k) { by_mask.as<3>()(c, k, t) = by_m(c, t, k); },
            x);
    auto by_second = complex_conv1d_vjp(d, n.second, by_mask, n.same);
    auto by_bias = complex_modrelu_vjp(b, n.bias, by_second.x, 1);
    auto by_norm = complex_batch_norm_training_vjp(a, n.norm, by_bias.x);
    auto by_first = complex_conv1d_vjp(f, n.first, by_norm.x, n.same);
    gradient.first = by_first.parameters;
    gradient.norm = by_norm.parameters;
    gradient.bias = by_bias.bias;
    gradient.second = by_second.parameters;
    batch = batch_statistics<double>(a);
  }

  template <class Visit>
  static void for_all(const Visit& visit, const array<number, 3>& x) {
    for (std::size_t c = 0; c < x.extent(0); ++c)
      for (std::size_t t = 0; t < x.extent(1); ++t)
        for (std::size_t k = 0; k < x.extent(2); ++k) visit(c, t, k);
  }
};

// Gradients in fp32 of sums of a few thousand products, of which the running mean takes a tenth.
TEST(training_step, is_that_of_the_hosts_layers) {
  for (const step_sizes& s :
       {step_sizes{2, 700, 64, 32, 5, 3}, {1, 300, 32, 16, 3, 4}, {3, 400, 20, 7, 4, 1}}) {
    const auto noisy = uniform(s.clips * s.samples, 1), clean = uniform(noisy.size(), 2);
    auto parameters = uniform(s.parameters(), 3, 0.3F);
    const auto mean = uniform(s.parameters(), 4, 0.01F);
    auto squares = uniform(s.parameters(), 5, 1e-3F);
    for (float& v : squares) v = std::abs(v);
    array<float, 2> running({5, s.hidden}), moved(running.extents());
    array<float, 1> rate({1}), loss({1}), next({s.parameters()}), next_mean(next.extents()),
        next_squares(next.extents());
    rate(0) = 1e-3F;
    std::ranges::copy(uniform(running.size(), 6), running.begin());
    array<float, 2> noisy_rows({s.clips, s.samples}), clean_rows(noisy_rows.extents());
    std::ranges::copy(noisy, noisy_rows.begin());
    std::ranges::copy(clean, clean_rows.begin());

    network weights(s, parameters);
    host_step host(weights, noisy, clean);
    device dev;
    prepared_kernel(dev, step_of(s))
        .launch({noisy_rows, clean_rows, parameters, mean, squares, running, rate},
                {next, next_mean, next_squares, moved, loss});
    EXPECT_NEAR(double(loss(0)), host.loss, 1e-5 * host.loss);
    double errors = 0, wanted = 0;
    network::each(host.gradient, [&](std::size_t at, double& g) {
      const double got = (double(next_mean(at)) - 0.9 * double(mean(at))) / 0.1;
      errors += std::pow(got - g, 2);
      wanted += g * g;
      const double m = double(next_mean(at)), v = double(next_squares(at));
      EXPECT_NEAR(v, 0.999 * double(squares(at)) + 0.001 * g * g, 1e-4 * (std::abs(v) + 1e-6));
      EXPECT_NEAR(next(at), double(parameters(at)) - 1e-3 * m / (std::sqrt(v) + 1e-8), 1e-6);
    });
    EXPECT_LE(std::sqrt(errors / wanted), 2e-5) << s.n_fft;
    for (std::size_t f = 0; f < s.hidden; ++f) {
      const double moments[] = {host.batch.mean(f).real(), host.batch.mean(f).imag(),
                                host.batch.covariance(f, 0), host.batch.covariance(f, 1),
                                host.batch.covariance(f, 2)};
      for (std::size_t k = 0; k < 5; ++k)
        EXPECT_NEAR(moved(k, f), 0.9 * double(running(k, f)) + 0.1 * moments[k], 1e-5);
    }
  }
}

TEST(training_step, parameters_stay_on_the_device_and_the_loss_falls) {
  const step_sizes s{2, 700, 64, 32, 5, 3};
  device dev;
  const prepared_kernel step(dev, step_of(s));
  array<float, 2> noisy({s.clips, s.samples}), clean(noisy.extents()), running({5, s.hidden});
  std::ranges::copy(uniform(noisy.size(), 1), noisy.begin());
  for (std::size_t i = 0; i < noisy.size(); ++i)
    clean.data()[i] = std::sin(0.2F * float(i)),
    noisy.data()[i] = 0.5F * noisy.data()[i] + clean.data()[i];
  const array<float, 1> zeros({s.parameters()});
  const device_buffer sounds = dev.upload(noisy), targets = dev.upload(clean),
                      weights = dev.upload(uniform(s.parameters(), 3, 0.3F)),
                      nothing = dev.upload(zeros);
  struct resident {
    device_buffer parameters, mean, squares, running;
  };
  const auto fresh = [&] {
    return resident{dev.allocate(weights.shape()), dev.allocate(weights.shape()),
                    dev.allocate(weights.shape()), dev.allocate({{5, std::int64_t(s.hidden)}})};
  };
  resident now{weights, nothing, nothing, dev.upload(running)}, next = fresh(), spare = fresh();
  array<float, 1> rate({1}), first({1}), last({1});
  for (int t = 1; t <= 20; ++t) {
    rate(0) = float(3e-3 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t)));
    step.launch({sounds, targets, now.parameters, now.mean, now.squares, now.running, rate},
                {next.parameters, next.mean, next.squares, next.running, last});
    if (t == 1) first = last;
    now = next;
    std::swap(next, spare);
  }
  EXPECT_LT(last(0), 0.8F * first(0));
}

// Not by the steps that a contraction has of its own.
TEST(training_step, profiles_name_its_stages) {
  const profile p = dry_profile("training_step", {"samples=700", "n_fft=64", "hop=32"});
  const auto instructions_of = [&](const std::string& name) {
    std::uint64_t count = 0;
    for (const profile_step& s : p.steps) count += s.name == name ? s.instructions : 0;
    return count;
  };
  for (const char* name : {"analysis", "convolution 1", "by convolution 2, weights", "update"})
    EXPECT_GT(instructions_of(name), 0U) << name;
  EXPECT_EQ(instructions_of("step 1"), 0U);
}

TEST(training_step, refusals) {
  EXPECT_THROW(step_of({0, 700, 64, 32, 5, 3}), invalid_argument);
  EXPECT_THROW(step_of({2, 700, 64, 128, 5, 3}), shape_error);  // samples in no segment
  EXPECT_THROW(step_of({2, 700, 64, 32, std::size_t{1} << 60, 3}), resource_error);
}

}  // namespace
}  // namespace papilio::kernels::test

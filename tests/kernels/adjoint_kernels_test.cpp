// Gradients through real and short-time transforms against their definition: the sums of the
// forward transform, transposed, in long double. Error model: sized_kernel::expected_error, of which
// single inputs of few points are allowed four times as much.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <span>

#include "kernels/runs.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using papilio::test::exact;
using papilio::test::random_real;

/// e^(2 pi i turns)
exact turned(long double turns) {
  return std::polar(1.0L, 2 * std::numbers::pi_v<long double> * turns);
}

/// Bins of half a spectrum that stand for their mirror images too.
long double times_counted(std::int64_t k, std::int64_t n) { return k == 0 || 2 * k == n ? 1 : 2; }

/// What a kernel of one operand makes of it.
struct gradient {
  std::vector<float> in, out;
  double expected_error = 0;
};

gradient gradient_of(const std::string& kernel, const std::vector<std::string>& settings,
                     const engine::machine_spec& machine) {
  const sized_kernel sized = size_kernel(find_kernel(kernel), settings, machine);
  gradient g{random_real<float>(std::size_t(sized.inputs[0].elements()), 3),
             std::vector<float>(std::size_t(sized.outputs[0].elements())), sized.expected_error};
  engine::device device(machine);
  prepared_kernel(device, sized)
      .launch({engine::launch_input(std::as_bytes(std::span(g.in)), sized.inputs[0])},
              {engine::launch_output(std::as_writable_bytes(std::span(g.out)), sized.outputs[0])});
  return g;
}

std::vector<exact> from_planes(const std::vector<float>& planes) {
  std::vector<exact> values;
  for (std::size_t i = 0, plane = planes.size() / 2; i < plane; ++i)
    values.emplace_back(planes[i], planes[plane + i]);
  return values;
}

void expect_near(const std::vector<exact>& got, const std::vector<exact>& expected,
                 double expected_error, const std::string& what) {
  ASSERT_GT(expected_error, 0) << what;
  EXPECT_LE(papilio::test::relative_error(got, expected), 4 * expected_error) << what;
}

struct real_run {
  std::int64_t x, y, z;
  bool all_axes = true;
  const char* precision = "native";

  std::vector<std::string> settings() const {
    return {"x=" + std::to_string(x), "y=" + std::to_string(y), "z=" + std::to_string(z),
            all_axes ? "axes=all" : "axes=last", std::string("precision=") + precision};
  }
  /// The phase between a point and a bin; far apart (nothing) where an axis is not transformed.
  bool meet(std::int64_t p, std::int64_t h, std::int64_t b, long double& turns) const {
    const std::int64_t px = p / z / y, py = p / z % y, bx = b / h / y, by = b / h % y;
    const auto part = [](std::int64_t j, std::int64_t k, std::int64_t n) {
      return static_cast<long double>(j * k % n) / static_cast<long double>(n);
    };
    turns = part(p % z, b % h, z) + (all_axes ? part(px, bx, x) + part(py, by, y) : 0);
    return all_axes || (px == bx && py == by);
  }
};

constexpr real_run real_runs[] = {{1, 1, 1},  {1, 3, 64, false},  {3, 4, 10},
                                  {2, 5, 63}, {3, 2, 131, false}, {1, 2, 200, false, "split_bf16"}};

void expect_real_gradient(const real_run& run, bool of_inverse,
                          const engine::machine_spec& machine) {
  const std::string kernel = of_inverse ? "irfftn_vjp" : "rfftn_vjp";
  const gradient g = gradient_of(kernel, run.settings(), machine);
  const std::int64_t h = run.z / 2 + 1, points = run.x * run.y * run.z, bins = run.x * run.y * h;
  const std::vector<exact> in =
      of_inverse ? std::vector<exact>(g.in.begin(), g.in.end()) : from_planes(g.in);
  std::vector<exact> expected(std::size_t(of_inverse ? bins : points));
  for (std::int64_t p = 0; p < points; ++p)
    for (std::int64_t b = 0; b < bins; ++b) {
      long double turns;
      if (!run.meet(p, h, b, turns)) continue;
      if (of_inverse)
        expected[std::size_t(b)] +=
            times_counted(b % h, run.z) * in[std::size_t(p)] * turned(-turns);
      else
        expected[std::size_t(p)] += (in[std::size_t(b)] * turned(turns)).real();
    }
  const std::vector<exact> got =
      of_inverse ? from_planes(g.out) : std::vector<exact>(g.out.begin(), g.out.end());
  expect_near(got, expected, g.expected_error,
              kernel + ' ' + std::to_string(run.x) + " x " + std::to_string(run.y) + " x " +
                  std::to_string(run.z) + ' ' + run.precision);
}

TEST(adjoint_kernels, of_real_transforms_are_transposed_sums) {
  for (const real_run& run : real_runs)
    for (const bool of_inverse : {false, true})
      for (const engine::machine_spec& machine : {engine::trainium1(), engine::trainium2()})
        expect_real_gradient(run, of_inverse, machine);
}

struct overlap_run {
  std::int64_t samples, n_fft, hop, channels = 1;
  const char* precision = "native";
};

// The inverse adds segments, windowed, and divides by the sum of squared weights.
std::vector<exact> exact_gradient(const overlap_run& s, const std::vector<float>& g) {
  const std::int64_t h = s.n_fft / 2 + 1, lead = s.n_fft / 2,
                     segments = (s.samples + 2 * lead - s.n_fft) / s.hop + 1;
  const auto n = static_cast<long double>(s.n_fft);
  std::vector<exact> root;
  std::vector<long double> window, weights(std::size_t(s.samples));
  for (std::int64_t i = 0; i < s.n_fft; ++i) {
    root.push_back(turned(-static_cast<long double>(i) / n));
    window.push_back(float(0.5L - 0.5L * root.back().real()));
  }
  const auto each = [&](std::int64_t segment, const auto& visit) {
    for (std::int64_t i = 0; i < s.n_fft; ++i) {
      const std::int64_t t = segment * s.hop - lead + i;
      if (t >= 0 && t < s.samples) visit(i, std::size_t(t));
    }
  };
  for (std::int64_t m = 0; m < segments; ++m)
    each(m, [&](std::int64_t i, std::size_t t) {
      weights[t] += window[std::size_t(i)] * window[std::size_t(i)];
    });
  std::vector<exact> bins;
  for (std::int64_t c = 0; c < s.channels; ++c)
    for (std::int64_t m = 0; m < segments; ++m)
      for (std::int64_t k = 0; k < h; ++k) {
        exact sum = 0;
        each(m, [&](std::int64_t i, std::size_t t) {
          sum += g[std::size_t(c * s.samples) + t] * window[std::size_t(i)] / weights[t] *
                 root[std::size_t(i * k % s.n_fft)];
        });
        bins.push_back(sum * times_counted(k, s.n_fft) / n);
      }
  return bins;
}

TEST(adjoint_kernels, of_the_inverse_short_time_transform_are_transposed_sums) {
  for (const overlap_run& run :
       {overlap_run{1, 7, 3}, overlap_run{511, 7, 3}, overlap_run{500, 64, 16, 3},
        overlap_run{900, 100, 40}, overlap_run{3000, 512, 128, 2},
        overlap_run{900, 128, 32, 1, "split_bf16"}}) {
    const gradient g =
        gradient_of("istft_vjp",
                    {"samples=" + std::to_string(run.samples), "n_fft=" + std::to_string(run.n_fft),
                     "hop=" + std::to_string(run.hop), "channels=" + std::to_string(run.channels),
                     std::string("precision=") + run.precision},
                    engine::trainium1());
    expect_near(from_planes(g.out), exact_gradient(run, g.in), g.expected_error,
                std::to_string(run.samples) + " samples, n_fft " + std::to_string(run.n_fft));
  }
}

}  // namespace
}  // namespace papilio::kernels::test

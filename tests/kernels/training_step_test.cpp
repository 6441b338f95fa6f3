// A training step on the device against the same formulas in double, and many steps whose weights
// stay there.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "kernels/planar.hpp"
#include "kernels/runs.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using number = std::complex<double>;

struct sizes {
  std::int64_t rows, inputs, bins;
};

std::vector<std::string> settings_of(const sizes& s, const std::string& rate) {
  return {"rows=" + std::to_string(s.rows), "inputs=" + std::to_string(s.inputs),
          "bins=" + std::to_string(s.bins), "rate=" + rate};
}

sized_kernel step_of(const sizes& s, const std::string& rate) {
  const auto settings = settings_of(s, rate);
  return size_kernel(find_kernel("training_step"), settings, trainium1());
}

// W' and the loss.
std::pair<std::vector<number>, double> expected(const sizes& s, double rate,
                                                const array<float, 3>& f, const array<float, 3>& w,
                                                const array<float, 3>& x,
                                                const array<float, 3>& target) {
  std::vector<number> updated(static_cast<std::size_t>(s.inputs * s.bins));
  double loss = 0;
  for (std::int64_t i = 0; i < s.inputs; ++i)
    for (std::int64_t o = 0; o < s.bins; ++o)
      updated[static_cast<std::size_t>(i * s.bins + o)] = element(w, i, o);
  for (std::int64_t r = 0; r < s.rows; ++r)
    for (std::int64_t o = 0; o < s.bins; ++o) {
      number mask;
      for (std::int64_t i = 0; i < s.inputs; ++i)
        mask += number(element(f, r, i)) * number(element(w, i, o));
      const number spectrum = element(x, r, o),
                   error = mask * spectrum - number(element(target, r, o));
      loss += std::norm(error);
      for (std::int64_t i = 0; i < s.inputs; ++i)
        updated[static_cast<std::size_t>(i * s.bins + o)] -=
            2 * rate * std::conj(number(element(f, r, i))) * std::conj(spectrum) * error;
    }
  return {updated, loss};
}

// Two products of at most 70 and 130 terms in fp32, whose errors the update scales down.
TEST(training_step, is_forward_backward_and_update) {
  for (const sizes& s : {sizes{1, 1, 1}, sizes{5, 3, 7}, sizes{130, 70, 33}}) {
    const auto f = normal_planar(s.rows, s.inputs, 1), w = normal_planar(s.inputs, s.bins, 2),
               x = normal_planar(s.rows, s.bins, 3), target = normal_planar(s.rows, s.bins, 4);
    const auto [weights, loss] = expected(s, 0.001, f, w, x, target);
    device dev;
    const prepared_kernel step(dev, step_of(s, "0.001"));
    array<float, 3> updated(w.extents());
    array<float, 1> got({1});
    step.launch({f, w, x, target}, {updated, got});
    EXPECT_NEAR(got(0), loss, 1e-5 * loss);
    double errors = 0, squares = 0;
    for (std::int64_t i = 0; i < s.inputs; ++i)
      for (std::int64_t o = 0; o < s.bins; ++o) {
        const number wanted = weights[static_cast<std::size_t>(i * s.bins + o)];
        errors += std::norm(number(element(updated, i, o)) - wanted);
        squares += std::norm(wanted);
      }
    EXPECT_LE(std::sqrt(errors / squares), 1e-6) << s.rows;
  }
}

TEST(training_step, weights_stay_on_the_device_and_the_loss_falls) {
  const sizes s{32, 8, 16};
  device dev;
  const prepared_kernel step(dev, step_of(s, "0.002"));
  const auto upload = [&](const array<float, 3>& v) { return dev.upload(v); };
  const device_buffer f = upload(normal_planar(s.rows, s.inputs, 1)),
                      x = upload(normal_planar(s.rows, s.bins, 2)),
                      target = upload(normal_planar(s.rows, s.bins, 3)),
                      start = upload(normal_planar(s.inputs, s.bins, 4));
  device_buffer now = dev.allocate(start.shape()), next = dev.allocate(start.shape());
  array<float, 1> first({1}), last({1});
  step.launch({f, start, x, target}, {now, first});
  for (int i = 0; i < 20; ++i) {
    step.launch({f, now, x, target}, {next, last});
    std::swap(now, next);
  }
  EXPECT_LT(last(0), 0.8F * first(0));
}

TEST(training_step, refuses_sizes_of_nothing) {
  EXPECT_THROW(step_of({0, 1, 1}, "0.1"), invalid_argument);
  EXPECT_THROW(step_of({1, 1, 1}, "much"), invalid_argument);
}

}  // namespace
}  // namespace papilio::kernels::test

#include "kernels/fft_axis_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "papilio/device.hpp"
#include "papilio/engine.hpp"
#include "papilio/papilio.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {

using papilio::test::exact;

fft_row fft_axis_run::shape() const {
  return {.extents = {outer, n, inner}, .axes = {1}, .inverse = inverse, .scale = scale};
}

fft_axis_result run(const fft_axis_run& what) {
  const auto count = std::size_t(what.outer * what.n * what.inner);
  fft_axis_result result;
  result.in = papilio::test::random_complex<float>(count, what.seed);
  array<float, 1> planes({2 * count}), results({2 * count});
  for (std::size_t i = 0; i < count; ++i) {
    planes.data()[i] = result.in[i].real();
    planes.data()[count + i] = result.in[i].imag();
  }
  const sized_kernel sized = fft_kernel(what.shape(), engine::trainium1());
  engine::device device(engine::trainium1(), engine::sdk_2_24());
  const auto bytes = std::span(planes.data(), 2 * count);
  prepared_kernel(device, sized)
      .launch({engine::launch_input(std::as_bytes(bytes), sized.inputs[0])},
              {engine::launch_output(std::as_writable_bytes(std::span(results.data(), 2 * count)),
                                     sized.outputs[0])});
  for (std::size_t i = 0; i < count; ++i)
    result.out.emplace_back(results.data()[i], results.data()[count + i]);
  result.expected_error = sized.expected_error;
  return result;
}

namespace {

std::vector<std::complex<double>> line_of(const std::vector<std::complex<double>>& x,
                                          bool inverse) {
  std::vector<std::complex<double>> y(x.size());
  if (x.size() <= 300) {
    const auto sums = papilio::test::dft(std::vector<exact>(x.begin(), x.end()), inverse ? 1 : -1);
    std::ranges::transform(sums, y.begin(), [](const exact& v) { return std::complex<double>(v); });
  } else {
    const fft_plan<double> plan(x.size(), inverse ? direction::inverse : direction::forward,
                                {normalization::none});
    plan.execute(x, y);
  }
  return y;
}

}  // namespace

std::vector<std::complex<double>> exact_of(const fft_axis_run& what,
                                           const std::vector<std::complex<float>>& in) {
  std::vector<std::complex<double>> all(in.size()), line(std::size_t(what.n));
  for (std::int64_t o = 0; o < what.outer; ++o)
    for (std::int64_t i = 0; i < what.inner; ++i) {
      const auto at = [&](std::size_t j) {
        return std::size_t(o * what.n * what.inner + i) + j * std::size_t(what.inner);
      };
      for (std::size_t j = 0; j < line.size(); ++j) line[j] = in[at(j)];
      const auto results = line_of(line, what.inverse);
      for (std::size_t j = 0; j < line.size(); ++j) all[at(j)] = what.scale * results[j];
    }
  return all;
}

fft_errors errors_of(const std::vector<std::complex<float>>& got,
                     const std::vector<std::complex<double>>& expected) {
  double error = 0, norm = 0, largest_error = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double e = std::norm(std::complex<double>(got[i]) - expected[i]);
    if (!std::isfinite(e)) return {e, e};
    error += e;
    norm += std::norm(expected[i]);
    largest_error = std::max(largest_error, e);
    largest = std::max(largest, std::norm(expected[i]));
  }
  return {std::sqrt(error / norm), std::sqrt(largest_error / largest)};
}

void expect_values(const fft_axis_run& what) {
  const fft_axis_result result = run(what);
  EXPECT_LE(errors_of(result.out, exact_of(what, result.in)).euclidean, 3 * result.expected_error)
      << what.outer << " x " << what.n << " x " << what.inner << (what.inverse ? " inverse" : "");
}

}  // namespace papilio::kernels::test

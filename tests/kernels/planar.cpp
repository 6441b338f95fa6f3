#include "kernels/planar.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/oracle.hpp"

namespace papilio::kernels::test {

using namespace engine;

array<float, 3> normal_planar(std::int64_t rows, std::int64_t columns, unsigned seed) {
  array<float, 3> planar({2, std::size_t(rows), std::size_t(columns)});
  const auto values = papilio::test::random_real<float>(planar.size(), seed);
  std::copy(values.begin(), values.end(), planar.data());
  return planar;
}

std::complex<double> element(const array<float, 3>& planar, std::int64_t i, std::int64_t j) {
  const std::size_t plane = planar.extent(1) * planar.extent(2),
                    at = std::size_t(i) * planar.extent(2) + std::size_t(j);
  return {planar.data()[at], planar.data()[plane + at]};
}

array<float, 3> run_once(const sized_kernel& sized, const std::vector<launch_input>& inputs,
                         const machine_spec& machine, const device_options& options) {
  const auto& extents = sized.outputs.front().extents;
  array<float, 3> out({std::size_t(extents[0]), std::size_t(extents[1]), std::size_t(extents[2])});
  device dev(machine, sdk_2_24(), options);
  prepared_kernel(dev, sized).launch(inputs, {launch_output(out, sized.outputs.front().type)});
  return out;
}

planar_product exact_product(const array<float, 3>& a, const array<float, 3>& b, bool transposed,
                             std::int64_t step) {
  const std::int64_t m = std::int64_t(a.extent(1)), k = std::int64_t(a.extent(2)),
                     n = std::int64_t(b.extent(transposed ? 1 : 2));
  planar_product e;
  e.columns = n;
  std::vector<double> right_re(std::size_t(k * n)), right_im(std::size_t(k * n));
  for (std::int64_t t = 0; t < k; ++t)
    for (std::int64_t j = 0; j < n; ++j) {
      const std::complex<double> v = transposed ? element(b, j, t) : element(b, t, j);
      right_re[std::size_t(t * n + j)] = v.real();
      right_im[std::size_t(t * n + j)] = v.imag();
    }
  for (std::int64_t i = 0; i < m; i += step) {
    std::vector<double> re(std::size_t(n), 0.0), im(re), size_re(re), size_im(re);
    for (std::int64_t t = 0; t < k; ++t) {
      const std::complex<double> left = element(a, i, t);
      const double x = left.real(), y = left.imag();
      for (std::size_t j = 0; j < std::size_t(n); ++j) {
        const double u = right_re[std::size_t(t * n) + j], v = right_im[std::size_t(t * n) + j];
        re[j] += x * u - y * v;
        im[j] += x * v + y * u;
        size_re[j] += std::fabs(x * u) + std::fabs(y * v);
        size_im[j] += std::fabs(x * v) + std::fabs(y * u);
      }
    }
    e.rows.push_back(i);
    for (std::size_t j = 0; j < std::size_t(n); ++j) {
      e.values.emplace_back(re[j], im[j]);
      e.magnitudes.emplace_back(size_re[j], size_im[j]);
    }
  }
  return e;
}

namespace {

// body(got, expected, magnitudes) for each element of the oracle's rows.
template <class Body>
void for_each(const array<float, 3>& c, const planar_product& e, const Body& body) {
  std::size_t at = 0;
  for (const std::int64_t i : e.rows)
    for (std::int64_t j = 0; j < e.columns; ++j, ++at)
      body(element(c, i, j), e.values[at], e.magnitudes[at]);
}

}  // namespace

double worst_error(const array<float, 3>& c, const planar_product& exact, std::int64_t k,
                   int products, int extra) {
  const double q = (double(k + 2 * ((k + 127) / 128) + extra) + (products == 3 ? 6 : 0)) * 0x1p-24,
               gamma = q / (1 - q);
  double most = 0;
  for_each(c, exact, [&](auto got, auto expected, auto size) {
    const double both = 2 * (size.real() + size.imag());
    const auto share = [&](double error, double bound) {
      const double allowed = gamma * bound + 1e-300;
      most = std::max(most, error <= allowed ? error / allowed : 2 + error);  // NaN counts too
    };
    share(std::fabs(got.real() - expected.real()), products == 3 ? both : size.real());
    share(std::fabs(got.imag() - expected.imag()), products == 3 ? both : size.imag());
  });
  return most;
}

void expect_close(const array<float, 3>& c, const planar_product& exact, double rtol, double atol) {
  double most = 0;
  for_each(c, exact, [&](auto got, auto expected, auto) {
    const auto share = [&](double x, double y) {
      const double share_of = std::fabs(x - y) / (atol + rtol * std::fabs(y));
      most = std::max(most, std::isnan(share_of) ? 1e300 : share_of);
    };
    share(got.real(), expected.real());
    share(got.imag(), expected.imag());
  });
  EXPECT_LE(most, 1);
}

double relative_distance(const array<float, 3>& c, const planar_product& exact) {
  double error = 0, size = 0;
  for_each(c, exact, [&](auto got, auto expected, auto) {
    error += std::norm(got - expected);
    size += std::norm(expected);
  });
  return std::sqrt(error / size);
}

}  // namespace papilio::kernels::test

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/transform.hpp"
#include "support/oracle.hpp"

// Functions of `transform` on an emulated device against the same on the host in double.
namespace papilio::test {

template <class T>
struct wider {
  using type = double;
};
template <class T>
struct wider<std::complex<T>> {
  using type = std::complex<double>;
};

template <class T, std::size_t Rank>
array<T, Rank> random_array(const extents_type<Rank>& extents, unsigned seed) {
  array<T, Rank> x(extents);
  if constexpr (std::is_same_v<T, float>)
    std::ranges::copy(random_real<float>(x.size(), seed), x.begin());
  else
    std::ranges::copy(random_complex<float>(x.size(), seed), x.begin());
  return x;
}

template <class T, std::size_t Rank>
array<typename wider<T>::type, Rank> widened_array(const view<const T, Rank>& x) {
  return transform_detail::converted_copy<T, typename wider<T>::type, Rank>(x);
}

/// What a call says that throws an Error.
template <class Error, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// Kernels sum up to 128 products one after another where a host's passes sum 16, and turn to
/// convolutions for other lengths: the model of the host's errors, four times.
template <std::size_t Rank>
double device_tolerance(const extents_type<Rank>& extents) {
  std::size_t n = 1;
  for (const std::size_t e : extents) n *= e;
  return 4 * fft_tolerance<float>(n < 2 ? 2 : n);
}

template <class Got, class Expected, std::size_t Rank>
void expect_near(const array<Got, Rank>& got, const array<Expected, Rank>& expected,
                 double tolerance) {
  ASSERT_EQ(got.extents(), expected.extents());
  const std::vector<exact> wide(expected.begin(), expected.end());
  EXPECT_LE(relative_error(got.flat(), wide), tolerance);
}

/// f(x, options) on arrays of the host under policy::device, and on device arrays, against the host in
/// double.
template <class Function, class T, std::size_t Rank, class Options>
void expect_same(engine::device& dev, const Function& f, const array<T, Rank>& x, Options options,
                 double tolerance = 0) {
  Options host = options;
  host.on = {.where = policy::host};
  const auto expected = f(widened_array<T, Rank>(x.view()), host);
  if (tolerance == 0) tolerance = device_tolerance(expected.extents());
  const auto result_on_device = f(to_device(dev, x), options);
  EXPECT_EQ(result_on_device.extents(), expected.extents());
  expect_near(to_host(result_on_device), expected, tolerance);
  options.on = {.where = policy::device, .on = &dev};
  expect_near(f(x, options), expected, tolerance);
  EXPECT_EQ(last_run().backend, "device");
}

}  // namespace papilio::test

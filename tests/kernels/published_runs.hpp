#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <string>

#include "kernels/runs.hpp"

// What the tests of the published systems' kernels have in common.
namespace papilio::kernels::test {

/// Seeded values of a normal distribution of this standard deviation.
template <std::size_t Rank>
array<float, Rank> normal(const extents_type<Rank>& extents, float deviation, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  array<float, Rank> values(extents);
  for (float& v : values) v = deviation * distribution(generator);
  return values;
}

/// A case's id in the published list as the name of a test: "trnblas-040" is trnblas_040.
template <class Case>
std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Published tolerances: |got - expected| <= absolute + relative |expected|. False for NaN.
struct tolerance {
  double relative = 1e-4, absolute = 1e-3;

  bool holds(double got, double expected) const {
    return std::fabs(got - expected) <= absolute + relative * std::fabs(expected);
  }
};

/// q u / (1 - q u), u = 2^-24: what q roundings to fp32 add up to at most, relative to the sum of
/// magnitudes.
inline double gamma(double q) { return q * 0x1p-24 / (1 - q * 0x1p-24); }

}  // namespace papilio::kernels::test

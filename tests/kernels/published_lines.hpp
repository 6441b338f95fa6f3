#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/published/published.hpp"
#include "kernels/runs.hpp"
#include "support/oracle.hpp"

// Lines of a transform as the published systems' drivers take them, planar, and their oracle.
namespace papilio::kernels::test {

using engine::device;
using papilio::test::exact;
using planar = array<float, 3>;

/// [2, batch, n], normally distributed; imaginary part 0 where `real`.
planar random_lines(std::size_t batch, std::size_t n, unsigned seed, bool real = false);
/// All elements of both planes, line by line.
std::vector<exact> values_of(const planar& x);
/// The DFT of every line in long double; inverse: scaled by 1/n.
std::vector<exact> transformed(const planar& x, bool inverse);

/// |got - expected| <= absolute + relative |expected| in each element.
void expect_elements(const std::vector<exact>& got, const std::vector<exact>& expected,
                     double relative, double absolute);
/// Largest error over the largest value.
double maximum_error(const std::vector<exact>& got, const std::vector<exact>& expected);

/// Expects `run` to throw Error with every one of the parts in its message.
template <class Error, class Run>
void expect_refusal(const Run& run, const std::vector<std::string>& parts) {
  try {
    run();
    ADD_FAILURE() << "accepted: " << parts.front();
  } catch (const Error& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace papilio::kernels::test

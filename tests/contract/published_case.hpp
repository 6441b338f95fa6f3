#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "papilio/contract.hpp"

// What the published cases of contractions share: operands, sums by their definition, bounds.
namespace papilio::test {

struct published_case {
  const char* id;
  void (*run)();
};
inline std::ostream& operator<<(std::ostream& out, const published_case& c) { return out << c.id; }
/// For names of tests, of which "-" can be no part.
inline std::string name_of(const testing::TestParamInfo<published_case>& info) {
  std::string name = info.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
}

class contract_cases : public testing::TestWithParam<published_case> {};

struct tolerance {
  double relative, absolute;
};

using shapes = std::vector<std::vector<std::size_t>>;
using operands = std::vector<tensor<float>>;

/// Normally distributed tensors of these extents.
operands normal(const shapes& extents, unsigned seed = 1);

/// call(operands...), of one to four.
template <class Call>
auto with_operands(const operands& o, const Call& call) {
  switch (o.size()) {
    case 1:
      return call(o[0]);
    case 2:
      return call(o[0], o[1]);
    case 3:
      return call(o[0], o[1], o[2]);
    default:
      return call(o.at(0), o.at(1), o.at(2), o.at(3));
  }
}
tensor<float> sums_of(const std::string& subscripts, const operands& o,
                      const einsum_options& options = {});

/// An einsum by its definition, in double, row-major.
struct naive_sums {
  std::vector<double> value, magnitude;  ///< of each sum; of the magnitudes of what is summed
  double roundings = 0;                  ///< at most, of each summand

  /// `subscripts` of letters, with "->"; spaces mean nothing.
  naive_sums(const std::string& subscripts, const operands& o);
};

/// `got` is alpha sums + beta before: within the tolerance, and within what roundings of float can
/// do, whichever is less.
void expect_close(const tensor<float>& got, const naive_sums& sums, tolerance bound,
                  double alpha = 1, double beta = 0, const tensor<float>* before = nullptr);

/// einsum of these, or of normal operands of these extents, is the sum of products.
void check(const std::string& subscripts, const operands& o, tolerance bound,
           const einsum_options& options = {});
void check_normal(const std::string& subscripts, const shapes& extents, tolerance bound,
                  const einsum_options& options = {});

/// Subscripts that an Error refuses, with a message that has `part` in it.
template <class Error>
void expect_refused(const std::string& subscripts, const shapes& extents, const std::string& part) {
  try {
    sums_of(subscripts, normal(extents));
    FAIL() << subscripts;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace papilio::test

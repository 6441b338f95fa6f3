#pragma once

#include <vector>

#include "transform/reference_case.hpp"

namespace papilio::test {

/// What papilio computed for a case, what the oracle says, and papilio's own bound of the relative
/// error in the Euclidean norm.
struct outcome {
  std::vector<exact> got, expected;
  double bound;
};

/// One outcome, or one for each length where a one-dimensional case has several.
std::vector<outcome> run(const reference_case& c);

}  // namespace papilio::test

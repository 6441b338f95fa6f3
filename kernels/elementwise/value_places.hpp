#pragma once

#include <cstdint>
#include <vector>

#include "kernels/elementwise/pointwise.hpp"

namespace papilio::kernels_detail {

/// Tiles that the values of elements take, of rows, and of all else: where each step's value lies.
struct value_places {
  std::vector<int> place;
  int elements = 0, features = 0, rows = 0, sums = 0;

  explicit value_places(const pointwise_program& p);

 private:
  void assign(const pointwise_program& p, bool of_elements);

  std::vector<int> last_use_;
};

/// How tensors of a program's elements are cut. With sums each partition has whole rows, or the same
/// piece of all.
std::vector<feature_part> pointwise_parts(std::int64_t rows, std::int64_t features,
                                          const pointwise_program& program,
                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

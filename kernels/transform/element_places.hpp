#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/transform/formula.hpp"

namespace papilio::kernels_detail {

/// Addresses of elements in a partition's tile between two stages.
class element_places {
 public:
  element_places(std::int64_t rows, std::int64_t lines, std::int64_t left)
      : lines_(lines), left_(left), places_(std::size_t(rows * 2 * lines * left)) {}
  std::int64_t& operator[](const transform_element& e) {
    return places_[std::size_t(((e.k * 2 + e.plane) * lines_ + e.line) * left_ + e.j)];
  }

 private:
  std::int64_t lines_, left_;
  std::vector<std::int64_t> places_;
};

}  // namespace papilio::kernels_detail

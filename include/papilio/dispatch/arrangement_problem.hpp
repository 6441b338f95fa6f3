#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// Boxes of an array go to places of another, zeros elsewhere: cuts, padding, rolls. A real array
/// that becomes complex has imaginary parts of 0, a complex one that becomes real loses them.
struct PAPILIO_API arrangement_problem {
  struct box {
    std::vector<std::size_t> from, to, extents;
    bool operator==(const box&) const = default;
  };
  std::vector<std::size_t> in_extents, out_extents;
  bool complex_in = false, complex_out = false;
  std::vector<box> boxes;
  double scale_re = 1, scale_im = 1;

  /// invalid_argument, in the name of `function`, for extents of other ranks, and boxes that leave an array.
  void require_valid(const char* function) const;
  std::string text() const;  ///< for example "arrangement of 4x4 in 8x8"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< 0
  bool operator==(const arrangement_problem&) const = default;
};

}  // namespace papilio

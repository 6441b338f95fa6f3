#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"

// What every problem says of itself: its arrays, and how it grows.
namespace papilio {

/// An array that an operation takes or makes.
struct operand_shape {
  std::vector<std::size_t> extents;
  bool is_complex = false;
  PAPILIO_API std::size_t count() const;
  bool operator==(const operand_shape&) const = default;
};

struct operand_shapes {
  std::vector<operand_shape> in, out;
  bool operator==(const operand_shapes&) const = default;
};

/// The size by which a problem grows.
struct problem_size {
  std::string parameter = {};  ///< what grows, in words: "lines of 1024 points"
  std::size_t size = 1;        ///< of the problem itself
  std::size_t smallest = 1;
  bool is_power_of_two = false;  ///< only powers of two are looked at
};

}  // namespace papilio

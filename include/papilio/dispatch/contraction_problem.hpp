#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/real_type.hpp"
#include "papilio/dispatch/operand.hpp"

namespace papilio {

/// Sums of products of tensors, step by step, in one launch. Labels are 0 ... sizes.size() - 1.
struct PAPILIO_API contraction_problem {
  /// A value by the labels of its axes; one that repeats is its diagonal.
  struct term {
    std::size_t value = 0;  ///< of the operands, then the results of the steps before
    std::vector<int> labels = {};
    bool conjugate = false;
    bool operator==(const term&) const = default;
  };
  /// The sum of products of two terms over the labels that the result has not; or of one.
  struct step {
    std::vector<term> of = {};
    std::vector<int> labels = {};  ///< of the result, none twice
    bool operator==(const step&) const = default;
  };
  std::vector<std::size_t> sizes = {};                  ///< by label
  std::vector<std::vector<std::size_t>> operands = {};  ///< extents
  std::vector<step> steps = {};
  std::vector<std::size_t> results = {};  ///< values: of steps, none twice
  /// Steps `first` to `last` run for each value of the labels, one after the other: intermediates
  /// have not these. What the last step makes is a result; no other step reads what the rest make.
  struct loop {
    std::vector<int> labels = {};
    std::size_t first = 0, last = 0;
    bool operator==(const loop&) const = default;
  };
  std::vector<loop> loops = {};  ///< in the order of their steps, none of which is in two
  bool is_complex = false;
  real_type type = real_type::single_precision;

  std::string text() const;  ///< for example "contraction of 3 tensors in 2 steps, float"
  operand_shapes shapes() const;
  double nominal_flops() const;  ///< of the steps as products of matrices; 1 a product without sums
  bool operator==(const contraction_problem&) const = default;
};

}  // namespace papilio

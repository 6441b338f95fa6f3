#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Sums of products of any number of tensors, step by step. Labels are 0 ... sizes.size() - 1.
struct contraction_shape {
  /// A value by the labels of its axes; one that repeats is its diagonal.
  struct term {
    std::size_t value = 0;  ///< of the operands, then the results of the steps before
    std::vector<int> labels = {};
    bool conjugate = false;  ///< of complex numbers
  };
  /// The sum of products of two terms over the labels that the result has not; or sums, diagonals
  /// and permutations of one.
  struct step {
    std::vector<term> of = {};     ///< one or two
    std::vector<int> labels = {};  ///< of the result, none twice, each of a term
  };
  std::vector<std::int64_t> sizes = {};     ///< by label
  std::vector<std::int64_t> operands = {};  ///< elements of each
  std::vector<step> steps = {};
  std::vector<std::size_t> results = {};  ///< values: of steps, none twice
  /// Steps `first` to `last` run for each value of the labels, one after the other, before the next
  /// step: intermediates have not these labels, operands and what the last step makes may. That is
  /// a result, and the only value that others read; what is summed over the labels is added up.
  struct loop {
    std::vector<int> labels = {};
    std::size_t first = 0, last = 0;
  };
  std::vector<loop> loops = {};  ///< in the order of their steps, none of which is in two
  bool is_complex = false;
  engine::dtype type = engine::dtype::fp32;  ///< of the tensor engine's operands; tensors are fp32
};

/// What a step became.
struct contraction_step_design {
  std::string expression;  ///< "0 1, 1 2 -> 0 2": labels
  std::string design;      ///< what runs it, and in which blocks
  std::size_t of = 0;      ///< the step of the shape that it belongs to
  double flops = 0;        ///< 2 a multiply-add of reals, 8 of complex numbers; all slices
};

/// All steps in one program: in each operand [count], or [2, count] if complex, row-major by its
/// labels; out each result likewise.
///
/// A step whose two operands share a summed label is products on the tensor engine: summed labels
/// on partitions, brought there by DMA as the operand lies, or transposed on the tensor engine
/// where it lies the other way; the result leaves in its own order. Labels that only one operand
/// has and the result has not are summed first. Everything else, and products where the vector
/// engine is faster, is done lane by lane on the vector engine. How a step is cut, and on which
/// engine, is the fastest of its candidates in a dry run. A result that a later step reads stays in
/// SBUF where it fits and lies as that step needs it; others go through HBM. Any number of labels.
/// Bound: what goes through HBM, or the tensor engine; the floor is the operands and results once,
/// and four passes a multiply-add on a full array.
/// `type`: operands of products are rounded to it, and their sums are fp32; the vector engine
/// computes in fp32 whatever it is. `expected_error`: the steps' in squares, those of sums of k as
/// gemm's. `designs`: what the steps became, if it is not null. invalid_argument for a shape that
/// is not as said above; resource_error where a tensor's bytes overflow. Aliasing: as sized_kernel
/// says.
PAPILIO_API sized_kernel
contraction_kernel(const contraction_shape& shape, const engine::machine_spec& machine,
                   std::vector<contraction_step_design>* designs = nullptr);

/// "ij,jk->ik" with the size of each letter, "i=4,j=5,k=6", or one for all, "64"; steps from the
/// left: the result of the first two with the third, and so on. invalid_argument that names what is
/// wrong.
PAPILIO_API contraction_shape contraction_of(std::string_view subscripts, std::string_view sizes,
                                             bool is_complex = false);

}  // namespace papilio::kernels

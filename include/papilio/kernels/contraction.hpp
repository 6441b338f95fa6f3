#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Describes the design that a step received, for output.
struct contraction_step_design {
  std::string expression;  ///< "0 1, 1 2 -> 0 2": labels
  std::string design;      ///< what runs it, and its blocks, as the kernel's design prints them
  std::size_t of = 0;      ///< its step of the problem
  double flops = 0;        ///< 2 per multiply-add of reals, 8 of complex numbers; all slices
};

/// How the tensor engine holds the operands of products. The vector engine computes in fp32.
struct contraction_kernel_options {
  engine::dtype type = engine::dtype::fp32;  ///< they are rounded to it; sums are fp32
  /// 2 or 3: each is the sum of so many numbers of the type, and the products of part a and part b
  /// with a + b below that number are summed. bf16 alone.
  int parts = 1;

  bool operator==(const contraction_kernel_options&) const = default;
};

/// Computes all steps of a contraction in one program. Each operand is [count], or [2, count] if
/// complex, row-major by its labels; each result likewise. Any number of labels. Aliasing: as
/// sized_kernel says.
///
/// - A step whose two operands share a summed label becomes products on the tensor engine, with
///   summed labels on partitions, loaded so by DMA or, in another order, transposed on the tensor
///   engine. The result is stored in its own order. Labels that are in one operand and not in the
///   result are summed first.
/// - Everything else, and products where it is faster, runs on the vector engine, one element of
///   each partition at a time.
/// - Dry runs choose the fastest candidate for each step. A result that a later step reads is kept
///   in SBUF if it fits and has that step's order; others go through HBM.
///
/// Bound: HBM traffic or the tensor engine. The floor is the operands and results once, and four
/// passes per multiply-add on a full array (bf16 one, or one for each product of parts).
/// `expected_error` adds the steps' errors in squares, those of sums of k as gemm's. `designs`, if
/// not null, gets the steps' designs.
/// Throws as contraction_problem::require_valid, invalid_argument for sizes of 0, a type that is
/// not floating-point and other parts than options say, resource_error if a tensor's bytes overflow.
PAPILIO_API sized_kernel
contraction_kernel(const contraction_problem& problem, const engine::machine_spec& machine,
                   const contraction_kernel_options& options = {},
                   std::vector<contraction_step_design>* designs = nullptr);

/// Returns the problem of "ij,jk->ik" with the size of each letter, "i=4,j=5,k=6", or one for all,
/// "64". Steps go from the left: the result of the first two with the third, and so on. Throws
/// invalid_argument that names the fault.
PAPILIO_API contraction_problem contraction_of(std::string_view subscripts, std::string_view sizes,
                                               bool is_complex = false);

/// Computes contraction_kernel's contraction on all cores of a group, split by one label. Each core
/// has consecutive values of it: a slice of the operands that have the label, all of the others.
/// Slices differ by at most one value; cores beyond the label's size are idle. One dispatch.
///
/// - A label of the result: each core computes its slice of the result; the slices are fetched.
/// - A summed label: each core sums over its slice, and the sums are added in the order of the
///   cores (all_reduce); the result is fetched from core 0.
///
/// Results depend only on the problem, the label, the machine and the number of cores.
class PAPILIO_API sharded_contraction {
 public:
  /// The group must outlive it.
  /// Throws invalid_argument for a problem of several results, a label that no operand has, that is
  /// sliced, that repeats in a term, or that is at different axes of one operand; else as
  /// contraction_kernel.
  sharded_contraction(engine::device_group& on, const contraction_problem& problem, int label,
                      engine::run_mode mode = engine::run_mode::execute,
                      const contraction_kernel_options& options = {});

  /// Returns whether each core computes a sum over its slice.
  bool is_summed() const;
  kernel_design design() const;

  /// Runs on operands and a result as in contraction_kernel: arrays of the host, or shapes in dry
  /// runs. Returns its phases, which are also the group's last ones.
  /// Throws shape_error for other shapes, invalid_argument for buffers and another number of
  /// operands.
  engine::group_report run(const std::vector<engine::launch_input>& operands,
                           const engine::launch_output& result) const;

 private:
  struct members;
  std::shared_ptr<members> members_;
};

/// Returns the label that splits into most slices: the longest of the result, or a longer summed
/// one if the result has none of at least `cores` values. Throws invalid_argument for a problem
/// without labels.
PAPILIO_API int widest_label(const contraction_problem& problem, int cores);

/// Returns modelled times on a new group, with operands copied from the host and the result back.
/// Throws as sharded_contraction and device_group.
PAPILIO_API group_times time_sharded_contraction(const contraction_problem& problem, int label,
                                                 int cores, const engine::machine_spec& machine,
                                                 const engine::runtime_spec& runtime,
                                                 const engine::group_options& options = {},
                                                 const contraction_kernel_options& kernel = {});

}  // namespace papilio::kernels

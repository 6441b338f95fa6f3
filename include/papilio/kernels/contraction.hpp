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

/// What a step became.
struct contraction_step_design {
  std::string expression;  ///< "0 1, 1 2 -> 0 2": labels
  std::string design;      ///< what runs it, and in which blocks
  std::size_t of = 0;      ///< the step of the problem that it belongs to
  double flops = 0;        ///< 2 a multiply-add of reals, 8 of complex numbers; all slices
};

/// All steps in one program: in each operand [count], or [2, count] if complex, row-major by its
/// labels; out each result likewise.
///
/// A step whose two operands share a summed label is products on the tensor engine: summed labels
/// on partitions, loaded so by DMA, or transposed on the tensor engine if the operand has another
/// order; the result is stored in its own order. Labels that only one operand and not the result
/// has are summed first. Everything else, and products where the vector
/// engine is faster, runs on the vector engine, one element of each partition at a time. Dry runs
/// choose the fastest candidate for each step. A result that a later step reads stays in
/// SBUF if it fits and has the order that step needs; others go through HBM. Any number of labels.
/// Bound: what goes through HBM, or the tensor engine; the floor is the operands and results once,
/// and four passes a multiply-add on a full array.
/// `type`: operands of products are rounded to it, and their sums are fp32; the vector engine
/// computes in fp32 whatever it is. `expected_error`: the steps' in squares, those of sums of k as
/// gemm's. `designs`: what the steps became, if it is not null. Errors:
/// as contraction_problem::require_valid, and invalid_argument for sizes of 0 and a type that is no
/// floating-point one; resource_error where a tensor's bytes overflow. Aliasing: as sized_kernel says.
PAPILIO_API sized_kernel
contraction_kernel(const contraction_problem& problem, const engine::machine_spec& machine,
                   engine::dtype type = engine::dtype::fp32,
                   std::vector<contraction_step_design>* designs = nullptr);

/// "ij,jk->ik" with the size of each letter, "i=4,j=5,k=6", or one for all, "64"; steps from the
/// left: the result of the first two with the third, and so on. invalid_argument that names what is
/// wrong.
PAPILIO_API contraction_problem contraction_of(std::string_view subscripts, std::string_view sizes,
                                               bool is_complex = false);

/// contraction_kernel's sums of products by all cores of a group, in parts by one label: each core
/// has consecutive values of it, of operands that have the label that part, of others all. Parts
/// differ by at most one value; cores beyond the label's size stay idle.
///
/// A label of the result: each core makes its part of the result, which come back side by side. A
/// summed label: each core makes a sum over its part, and these are added, core 0's first, then
/// 1's ... (all_reduce); the result comes back from core 0. Results depend on the problem, the label,
/// the machine and the number of cores, on nothing else. One dispatch.
class PAPILIO_API sharded_contraction {
 public:
  /// The group must outlive it. invalid_argument for a problem of several results, a label that no
  /// operand has, that is sliced, that repeats in a term, or that stands at different axes of one
  /// operand; else as contraction_kernel.
  sharded_contraction(engine::device_group& on, const contraction_problem& problem, int label,
                      engine::run_mode mode = engine::run_mode::execute,
                      engine::dtype type = engine::dtype::fp32);
  ~sharded_contraction();
  sharded_contraction(sharded_contraction&&) noexcept;
  sharded_contraction& operator=(sharded_contraction&&) noexcept;

  /// Whether each core sums a part.
  bool is_summed() const;
  std::string explanation() const;

  /// Operands and result as contraction_kernel has them: arrays of the host, or shapes in dry runs.
  /// Returns its phases, which also are the group's last ones. shape_error for other shapes,
  /// invalid_argument of buffers and for another number of operands.
  engine::group_report run(const std::vector<engine::launch_input>& operands,
                           const engine::launch_output& result) const;

 private:
  struct members;
  std::unique_ptr<members> members_;
};

/// The label that cuts most: the longest of the result, or where the result has none of at least
/// `cores` values and a summed one is longer, that. invalid_argument for a problem without labels.
PAPILIO_API int widest_label(const contraction_problem& problem, int cores);

/// Modelled times on a new group, operands copied from the host and the result back. Errors as
/// those of sharded_contraction, and of device_group.
PAPILIO_API group_times time_sharded_contraction(const contraction_problem& problem, int label,
                                                 int cores, const engine::machine_spec& machine,
                                                 const engine::runtime_spec& runtime,
                                                 const engine::group_options& options = {},
                                                 engine::dtype type = engine::dtype::fp32);

}  // namespace papilio::kernels

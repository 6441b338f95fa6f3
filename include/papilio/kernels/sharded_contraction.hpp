#pragma once

#include <memory>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/group_split.hpp"

namespace papilio::kernels {

/// contraction_kernel's sums of products by all cores of a group, in parts by one label: each core
/// has consecutive values of it, of operands that have the label that part, of others all. Parts
/// differ by at most one value; cores beyond the label's size stay idle.
///
/// A label of the result: each core makes its part of the result, which come back side by side. A
/// summed label: each core makes a sum over its part, and these are added, core 0's first, then
/// 1's ... (all_reduce); the result comes back from core 0. Results depend on the shape, the label,
/// the machine and the number of cores, on nothing else. One dispatch.
class PAPILIO_API sharded_contraction {
 public:
  /// The group must outlive it. invalid_argument for a shape of several results, a label that no
  /// operand has, that is sliced, that repeats in a term, or that stands at different axes of one
  /// operand; else as contraction_kernel.
  sharded_contraction(engine::device_group& on, const contraction_shape& shape, int label,
                      engine::run_mode mode = engine::run_mode::execute);
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
/// `cores` values and a summed one is longer, that. invalid_argument for a shape without labels.
PAPILIO_API int widest_label(const contraction_shape& shape, int cores);

/// Modelled times on a new group, operands copied from the host and the result back. Errors as
/// those of sharded_contraction, and of device_group.
PAPILIO_API group_times time_sharded_contraction(const contraction_shape& shape, int label,
                                                 int cores, const engine::machine_spec& machine,
                                                 const engine::runtime_spec& runtime,
                                                 const engine::group_options& options = {});

}  // namespace papilio::kernels

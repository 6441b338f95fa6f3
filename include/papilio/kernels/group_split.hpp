#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// One computation divided among the cores of a group.
namespace papilio::kernels {

/// Describes a box of a tensor: elements [first, first + extents) along each axis.
struct tensor_part {
  std::vector<std::int64_t> first, extents;
  bool operator==(const tensor_part&) const = default;
};

/// Describes the work of one core: a kernel on boxes of the whole operands. Boxes of inputs may
/// overlap, those of outputs may not.
struct core_share {
  int kernel = -1;  ///< index in group_split::kernels; -1: the core is idle
  std::vector<tensor_part> inputs = {}, outputs = {};
};

/// Describes a computation divided among cores.
struct PAPILIO_API group_split {
  std::string name = {};  ///< of the program
  engine::machine_spec machine = {};
  std::vector<sized_kernel> kernels = {};
  std::vector<core_share> shares = {};                          ///< of cores 0, 1 ...
  std::vector<engine::tensor_shape> inputs = {}, outputs = {};  ///< the whole operands
  kernel_design design = {};  ///< how it is divided, with the designs of the kernels
  /// Kernels with equal operand shapes may differ: the core decides, not what it is given.
  bool is_one_for_each = false;

  /// Returns lines of text: how it is divided, and what the first kernel is.
  std::string explain() const { return design.explain(); }
};

/// Describes the indices [first, first + count).
struct index_range {
  std::int64_t first = 0, count = 0;
  bool operator==(const index_range&) const = default;
};

/// Returns [0, count) as consecutive ranges whose sizes differ by at most one, larger ones first;
/// the last are empty if there are more ranges than elements. Throws invalid_argument for
/// parts < 1, count < 0.
PAPILIO_API std::vector<index_range> even_ranges(std::int64_t count, int parts);

/// Holds a split computation on a group, with its tables, which the constructor copies once to the
/// cores that use them.
///
///   const fft_problem lines{
///       .type = real_type::single_precision, .extents = {4096, 1024}, .axes = {1}};
///   prepared_split fft(group, split_fft(lines, 16, machine));
///   fft.run({x}, {y});
class PAPILIO_API prepared_split {
 public:
  /// The group must outlive it; cores beyond the shares are idle. `mode` is that of the runs.
  /// Throws invalid_argument, with the bound and the value, for a group of fewer cores than shares
  /// or of another machine, a share's kernel that does not exist, and, unless there is one for each
  /// core, different kernels with equal operand shapes; shape_error for boxes that do not have their kernel's shape or are out of
  /// range, and outputs that overlap or leave something out; others as device::upload.
  prepared_split(engine::device_group& on, group_split what,
                 engine::run_mode mode = engine::run_mode::execute);

  const group_split& what() const { return what_; }

  /// Runs one phase of the group on whole operands, arrays of the host or shapes in a dry run; each
  /// core copies its boxes. Returns the results of all cores in order.
  /// Throws shape_error unless the operands have the shapes of what(); invalid_argument for another
  /// number of them, and for buffers.
  std::vector<engine::launch_result> run(const std::vector<engine::launch_input>& inputs,
                                         const std::vector<engine::launch_output>& outputs) const;

  /// Runs on operands that are already divided, per share; they may be buffers.
  std::vector<engine::launch_result> run_apart(
      const std::vector<std::vector<engine::launch_input>>& inputs,
      const std::vector<std::vector<engine::launch_output>>& outputs) const;

 private:
  engine::device_group* on_;
  group_split what_;
  engine::run_mode mode_;
  std::vector<engine::kernel> programs_;                    // of each core
  std::vector<std::vector<engine::device_buffer>> tables_;  // of each share
};

/// Holds the modelled time of a run on a group.
struct PAPILIO_API group_times {
  int cores = 1;
  double seconds = 0;                                 ///< with dispatches and copies
  double device_seconds = 0;                          ///< the cores and the links alone
  double compute_share = 0, communication_share = 0;  ///< of `seconds`; copies count as computing
  double link_share = 0;                              ///< of `device_seconds`
  std::string explanation = {};                       ///< how it is split

  /// Returns one.seconds / (cores * seconds), `one` being the time on one core.
  double efficiency(const group_times& one) const;
  double device_efficiency(const group_times& one) const;
};

/// Returns the times of a run's report on that many cores.
PAPILIO_API group_times times_of(const engine::group_report& report, int cores);

}  // namespace papilio::kernels

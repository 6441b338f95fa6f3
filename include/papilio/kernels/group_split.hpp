#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// One computation done in parts by the cores of a group.
namespace papilio::kernels {

/// Elements [first, first + extents) along each axis of a tensor.
struct tensor_part {
  std::vector<std::int64_t> first, extents;
  bool operator==(const tensor_part&) const = default;
};

/// What one core does: a kernel, on parts of the whole operands. Parts of inputs may overlap, those
/// of outputs may not.
struct core_share {
  int kernel = -1;  ///< among group_split::kernels; -1: nothing, the core is idle
  std::vector<tensor_part> inputs = {}, outputs = {};
};

struct PAPILIO_API group_split {
  std::string name = {};  ///< of the program
  engine::machine_spec machine = {};
  std::vector<sized_kernel> kernels = {};
  std::vector<core_share> shares = {};                          ///< of cores 0, 1 ...
  std::vector<engine::tensor_shape> inputs = {}, outputs = {};  ///< the whole operands
  std::string explanation = {};
};

struct index_range {
  std::int64_t first = 0, count = 0;
  bool operator==(const index_range&) const = default;
};

/// [0, count) as consecutive ranges whose sizes differ by at most one, larger ones first; the last
/// are empty where there are more ranges than elements. invalid_argument for parts < 1, count < 0.
PAPILIO_API std::vector<index_range> even_ranges(std::int64_t count, int parts);

/// A split computation on a group. Its tables lie on the device: copied to the cores that use them,
/// once, by the constructor.
///
///   const fft_problem lines{
///       .type = real_type::single_precision, .extents = {4096, 1024}, .axes = {1}};
///   prepared_split fft(group, split_fft(lines, 16, machine));
///   fft.run({x}, {y});
class PAPILIO_API prepared_split {
 public:
  /// The group must outlive it; cores beyond the shares stay idle. `mode` as of the runs to come.
  /// invalid_argument with the bound and the value for a group of fewer cores than shares, one of
  /// another machine, a share of a kernel that there is not, and kernels that differ but not in the
  /// shapes of their operands; shape_error for parts that are not of their kernel's shape or do not
  /// lie within, and outputs that overlap or leave something out. Errors as device::upload.
  prepared_split(engine::device_group& on, group_split what,
                 engine::run_mode mode = engine::run_mode::execute);

  const group_split& what() const { return what_; }

  /// One phase of the group, on whole operands: arrays of the host, or shapes in a dry run. Each
  /// core copies its parts. Results of all cores in order. shape_error unless the operands have the
  /// shapes of what(); invalid_argument for another number of them, and of buffers.
  std::vector<engine::launch_result> run(const std::vector<engine::launch_input>& inputs,
                                         const std::vector<engine::launch_output>& outputs) const;

  /// The same on operands that are already apart, of each share; buffers among them.
  std::vector<engine::launch_result> run_apart(
      const std::vector<std::vector<engine::launch_input>>& inputs,
      const std::vector<std::vector<engine::launch_output>>& outputs) const;

 private:
  engine::device_group* on_;
  group_split what_;
  engine::run_mode mode_;
  engine::kernel program_;
  std::vector<std::vector<engine::device_buffer>> tables_;  // of each share
};

/// How long a run takes on a group, modelled.
struct PAPILIO_API group_times {
  int cores = 1;
  double seconds = 0;                                 ///< dispatches, copies and all
  double device_seconds = 0;                          ///< the cores' and the links' alone
  double compute_share = 0, communication_share = 0;  ///< of `seconds`; computing with copies
  double link_share = 0;                              ///< of `device_seconds`
  std::string explanation = {};                       ///< how it is split

  /// one.seconds / (cores * seconds), `one` being the time on one core.
  double efficiency(const group_times& one) const;
  double device_efficiency(const group_times& one) const;
};

PAPILIO_API group_times times_of(const engine::group_report& report, int cores);

}  // namespace papilio::kernels

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/operations/device_runs.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/group_split.hpp"

// Operations on a group: divided among its cores, or by core 0 alone, as dry runs of both say.
namespace papilio::operations_detail {

/// An operation divided among the cores of a group, with its tables there.
struct divided_work {
  std::string refusal = {};  ///< why it is not divided; empty if it is
  std::string recipe = {};
  double relative_error = 0, table_bytes = 0;
  std::vector<engine::tensor_shape> inputs = {}, outputs = {};
  /// Runs on operands of these shapes: arrays of the host or, of a dry run, shapes. What it took
  /// are the group's last phases.
  std::function<void(const std::vector<engine::launch_input>&,
                     const std::vector<engine::launch_output>&)>
      run = {};
  std::shared_ptr<const engine::device_group> cores = {};  ///< whose first cores do it
};

/// The work of a split.
divided_work work_of(engine::device_group& on, kernels::group_split split, engine::run_mode mode);

/// Behind why one core of a group does it alone; the recipe itself of a device.
std::string recipe_on_core(const accelerator& on, const std::string& why,
                           const std::string& recipe);

/// Below what the operation takes on a group, of what it takes `alone` on one core.
device_estimate bound_on_group(const device_estimate& alone, const engine::device_group& on);

/// The fastest one of core 0 alone and the first 2, 4, 8 ... or all cores. Errors as of one core,
/// where none can.
device_estimate estimate_on_group(const operation& what, const precision_options& precision,
                                  const engine::device_group& on);
std::shared_ptr<const device_program> build_on_group(const operation& what,
                                                     const precision_options& precision,
                                                     engine::device_group& on);

/// An operation on a group. Operands in its memory lie on core 0, which then does it alone.
class group_program final : public launched_program {
 public:
  group_program(engine::device_group& on, operation what, const precision_options& precision,
                divided_work work, std::string recipe);

  std::string recipe() const override { return recipe_; }
  double table_bytes() const override;
  double relative_error() const override;
  const kernel_program& on_one_core() const override;
  const group_program* divided() const override { return work_.run ? this : nullptr; }
  /// With operands in its memory.
  std::string recipe_of_resident() const;

  /// Runs it divided.
  run_record run_on_arrays(const char* function, std::vector<host_operand<const void>> in,
                           std::vector<host_operand<void>> out) const;

 protected:
  run_record run_now(const char* function, std::span<const device_input> in,
                     std::span<const device_output> out) const override;

 private:
  engine::device_group* on_;
  operation what_;
  precision_options precision_;
  divided_work work_;
  std::string recipe_;
  /// Of divided work, made when it is first needed.
  mutable std::shared_ptr<const kernel_program> alone_;
};

}  // namespace papilio::operations_detail

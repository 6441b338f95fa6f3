#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/operations/device_runs.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/kernels/group_split.hpp"

// Operations on a group of cores: divided among them, or on core 0 alone; dry runs of both decide.
namespace papilio::operations_detail {

/// An operation divided among the cores of a group, whose memories have its tables.
struct divided_work {
  std::string refusal = {};  ///< why it is not divided; empty if it is
  std::string recipe = {};
  double relative_error = 0, table_bytes = 0;
  std::vector<engine::tensor_shape> inputs = {}, outputs = {};
  /// Runs on operands of these shapes: arrays of the host, or in a dry run shapes alone. The
  /// group's report has the run's phases afterwards.
  std::function<void(const std::vector<engine::launch_input>&,
                     const std::vector<engine::launch_output>&)>
      run = {};
  std::shared_ptr<const engine::device_group> cores = {};  ///< the cores that do it
};

/// The work of a split, its tables uploaded to the cores.
divided_work work_of(engine::device_group& on, kernels::group_split split, engine::run_mode mode);

/// The recipe with the reason why core 0 of a group does it alone; unchanged where `on` is a
/// device.
std::string recipe_on_core(const accelerator& on, const std::string& why,
                           const std::string& recipe);

/// A lower bound of an operation's time on a group, from that of one core.
device_estimate bound_on_group(const device_estimate& alone, const engine::device_group& on);

/// The estimate of the fastest of core 0 alone, the first 2, 4, 8 ... and all cores. Where none can
/// do it, the error of core 0 is thrown.
device_estimate estimate_on_group(const operation& what, const precision_options& precision,
                                  const engine::device_group& on);
std::shared_ptr<const device_program> build_on_group(const operation& what,
                                                     const precision_options& precision,
                                                     engine::device_group& on);

/// An operation built for a group. Device arrays lie on core 0, which does operations on them
/// alone.
class group_program final : public launched_program {
 public:
  group_program(engine::device_group& on, operation what, const precision_options& precision,
                divided_work work, std::string recipe);

  std::string recipe() const override { return recipe_; }
  double table_bytes() const override;
  double relative_error() const override;
  const kernel_program& on_one_core() const override;
  const group_program* divided() const override { return work_.run ? this : nullptr; }
  /// The recipe of runs on device arrays.
  std::string recipe_of_resident() const;

  /// Runs the divided work on arrays of the host.
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
  /// The kernel on core 0; where the work is divided, made when device arrays first need it.
  mutable std::shared_ptr<const kernel_program> alone_;
};

}  // namespace papilio::operations_detail

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/operations/device_tensor.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::operations_detail {

/// A kernel whose operands may come in other shapes of as many elements: flat tensors, arrays of
/// the host with joined axes.
engine::kernel reshaping(const kernels::sized_kernel& what);

class run_list;

/// An operation on an emulated device: a kernel, its tables resident.
class kernel_program final : public device_program,
                             public std::enable_shared_from_this<kernel_program> {
 public:
  kernel_program(engine::device& on, kernels::sized_kernel what);

  std::string recipe() const override { return what_.recipe(); }
  double table_bytes() const override { return static_cast<double>(what_.table_bytes()); }
  double relative_error() const override { return what_.expected_error; }
  run_record run(const char* function, std::span<const device_input> in,
                 std::span<const device_output> out) const override;

  const engine::kernel& program() const { return program_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

 private:
  run_record captured_run(const char* function, run_list& list, std::span<const device_input> in,
                          std::span<const device_output> out) const;
  engine::launch_result launched(const char* function,
                                 const std::vector<engine::launch_input>& inputs,
                                 const std::vector<engine::launch_output>& outputs) const;

  engine::device* on_;
  kernels::sized_kernel what_;
  engine::kernel program_;
  std::vector<engine::device_buffer> tables_;
};

/// What device_backend asks for.
void begin_capture(accelerator& on);
std::unique_ptr<captured_runs> end_capture(accelerator& on);
void abandon_capture(accelerator& on);
run_record upload(device_tensor& to, const untyped_view<const void>& from);
run_record download(device_tensor& from, const untyped_view<void>& to);

/// Runs that are being captured on an accelerator; null where none are.
run_list* captured_on(accelerator& on);

/// Steps that the kernel names, each with the parts of the design that have its name.
std::vector<run_step> steps_of(const kernels::sized_kernel& kernel, const engine::profile& profile);

/// The device's own account of a launch.
run_record record_of(const engine::launch_result& result, const std::string& machine);

}  // namespace papilio::operations_detail

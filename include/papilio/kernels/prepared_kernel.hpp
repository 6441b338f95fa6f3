#pragma once

#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/graph.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// A sized kernel on a device, its tables resident there: copied once, by the constructor.
///
///   const prepared_kernel fft(dev,
///                             fft_kernel({.extents = {128, 1024}, .axes = {-1}}, dev.machine()));
///   fft.launch({x}, {y});
class PAPILIO_API prepared_kernel {
 public:
  /// The device must outlive it. `mode` as of the launches to come: for dry runs no table is
  /// computed. device_error, with both names, where the kernel is for another machine than the
  /// device's: any field may differ, not the name alone. Errors as device::upload.
  prepared_kernel(engine::device& on, sized_kernel what,
                  engine::run_mode mode = engine::run_mode::execute);

  const sized_kernel& what() const { return what_; }
  engine::device& on() const { return *on_; }
  const std::vector<engine::device_buffer>& tables() const { return tables_; }

  /// device::launch with the tables behind the inputs; aliasing as sized_kernel says. shape_error,
  /// with the operand, the shape that it has and the one that it should, unless all are those of
  /// what(); invalid_argument for another number of operands. It runs in the mode that it was
  /// prepared for.
  engine::launch_result launch(const std::vector<engine::launch_input>& inputs,
                               const std::vector<engine::launch_output>& outputs) const;
  /// The same as a launch of a graph on the same device.
  void capture(engine::graph& into, const std::vector<engine::launch_input>& inputs,
               const std::vector<engine::launch_output>& outputs) const;

 private:
  std::vector<engine::launch_input> operands(
      const std::vector<engine::launch_input>& inputs,
      const std::vector<engine::launch_output>& outputs) const;

  engine::device* on_;
  sized_kernel what_;
  engine::run_mode mode_;
  std::vector<engine::device_buffer> tables_;
};

}  // namespace papilio::kernels

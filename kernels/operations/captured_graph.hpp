#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernels/operations/device_runs.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::operations_detail {

/// Runs in the order in which they were captured.
class run_list {
 public:
  /// Operands are tensors.
  void add(std::shared_ptr<const kernel_program> program, std::span<const device_input> in,
           std::span<const device_output> out);
  /// invalid_argument unless a captured run writes the tensor.
  void require_result(const device_tensor& tensor) const;
  /// An array of the host that the graph is to read, or to write. A graph tells arrays apart by
  /// their memory: invalid_argument, in the name of `function`, where it shares bytes with one that
  /// is written; one that is written must stand apart from those that are read.
  void read_array(const char* function, const device_tensor& tensor,
                  const host_operand<const void>& array);
  void write_array(const char* function, const device_tensor& tensor,
                   const host_operand<void>& array);
  /// Whether it shares bytes with an array that is read.
  bool reads(const host_operand<void>& array) const;
  /// Whether the tensor stands for one of them.
  bool has_array_of(const device_tensor& tensor) const;
  /// Before a submission, and after it.
  void load_arrays() const;
  void store_arrays() const;

  std::size_t size() const { return runs_.size(); }
  /// Of one run its own; else how many there are.
  std::string recipe() const;
  /// invalid_argument without runs. Errors as engine::graph::launch.
  engine::graph to_graph(engine::device& on) const;

 private:
  struct captured_run {
    std::shared_ptr<const kernel_program> program;
    std::vector<shared_tensor> in, out;
  };
  std::vector<captured_run> runs_;
  std::vector<host_operand<const void>> read_;
  std::vector<host_operand<void>> written_;
  std::vector<const device_tensor*> of_arrays_;
};

}  // namespace papilio::operations_detail

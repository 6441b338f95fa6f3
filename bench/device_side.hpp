#pragma once

#include <map>
#include <string>

#include "page_rows.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/engine/device.hpp"
#include "result_file.hpp"

namespace papilio::bench {

/// What rows take on an emulated device, in dry runs, and the error of their results.
class device_side {
 public:
  /// Errors as engine::load_machine and load_runtime.
  device_side(const std::string& machine, const std::string& runtime);

  const engine::device& on() const { return device_; }

  /// Fills in the modelled members and the crossings of `to`.
  void model(const page_row& row, result_row& to);
  /// Runs the row's operation once on the emulated device, in fp32, and returns the error against
  /// the host's in double. None for rows of more than `most_flops`, and of several operations.
  std::optional<double> executed_error(const page_row& row, double most_flops);

 private:
  void model_decomposition(const decomposition& of, result_row& to);
  void add_crossings(const operation& what, result_row& to);

  engine::device device_;
  std::map<std::string, crossover> crossovers_ = {};  ///< of operations that grow alike
};

}  // namespace papilio::bench

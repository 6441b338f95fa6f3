#pragma once

#include <span>
#include <string>
#include <vector>

#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/operation.hpp"

// Contractions that are steps of a decomposition on an accelerator.
namespace papilio::decompose_detail {

/// What lies there, or an array of the host, row-major, that lasts as long as the step.
struct step_input {
  shared_tensor tensor = {};
  const float* host = nullptr;
};
struct step_output {
  shared_tensor tensor = {};
  float* host = nullptr;
};

/// One dispatch: arrays of the host go up in one copy and come back in one.
class device_step {
 public:
  /// As `name` its seconds are told. device_error, in the name of `function`, where the accelerator
  /// or its memory does not do.
  device_step(const char* function, std::string name, accelerator& on,
              const contraction_problem& problem, std::span<const step_input> in,
              std::span<const step_output> out);

  /// Again and again, with what the arrays then hold; counted in `sum`.
  void run(run_record& sum);

 private:
  std::string name_;
  device_graph graph_;
};

/// A row-major array on the accelerator: one upload, counted in `sum`. Errors as above.
shared_tensor lying_on(const char* function, accelerator& on, const float* x,
                       std::span<const std::size_t> extents, run_record& sum);
/// Back: one fetch.
void fetch(const shared_tensor& from, float* to, run_record& sum);

}  // namespace papilio::decompose_detail

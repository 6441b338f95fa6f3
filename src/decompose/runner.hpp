#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/parallel_for.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::decompose_detail {

/// Operand of a step, row-major: a tensor that lies on the accelerator (in a dry run null), or an
/// array of the host that lasts as long as the step.
struct step_input {
  shared_tensor tensor = {};
  const void* host = nullptr;
};
struct step_output {
  shared_tensor tensor = {};
  void* host = nullptr;
};

/// Place where one decomposition computes its products: the host, an accelerator, or none. In the
/// last case the run is dry: the same algorithm goes over extents alone, and each dispatch that an
/// accelerator would get is counted. place() compares these counts, so that nothing is priced but
/// what is run.
class runner {
 public:
  /// Chooses the place. `algorithm` is the decomposition, dry; it is called only if an accelerator
  /// is possible. Throws, in the name of `function`, invalid_argument for threads below 0, a
  /// precision that is not native, and a call inside capture() on an accelerator; otherwise as
  /// place().
  runner(const char* function, const execution& on, real_type type,
         function_ref<void(runner&)> algorithm);
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;

  bool is_host() const { return device_ == nullptr && !is_dry_; }
  bool is_dry() const { return is_dry_; }
  int threads() const { return threads_; }

  /// Uploads a row-major array of floats, which then lies on the accelerator. Throws device_error
  /// if its memory does not suffice.
  shared_tensor up(const void* x, std::span<const std::size_t> extents);
  /// Memory on the accelerator for a result.
  shared_tensor room(const operand_shape& shape);
  /// Downloads an array.
  void fetch(const shared_tensor& from, std::size_t count, void* to);
  /// Relative error of a contraction's sums on the accelerator.
  double relative_error(const contraction_problem& problem);
  /// Adds a line about a step of the host to the record.
  void note(run_step step);
  /// Makes a dry run count each of its dispatches so many times from here on.
  void repeat(std::size_t times) { times_ = times; }
  /// Dispatches that a dry run has counted.
  std::span<const submission> work() const { return work_; }

  /// Records the run for last_run(): `what`, which lasts for ever, of an array.
  void record(const char* what, std::span<const std::size_t> extents);

 private:
  friend class device_step;
  runner(const char* function, real_type type) : function_(function), type_(type), is_dry_(true) {}

  const char* function_;
  real_type type_;
  accelerator* device_ = nullptr;
  int threads_ = 1;
  bool is_dry_ = false;
  std::size_t times_ = 1;         // of a dry run
  std::vector<submission> work_;  // of a dry run
  run_record runs_;               // of the accelerator
};

/// Contraction as one dispatch of an accelerator: arrays of the host go up in one copy and come
/// back in one.
class device_step {
 public:
  /// The record names it `name`. Throws device_error if the accelerator or its memory does not do.
  device_step(runner& on, std::string name, contraction_problem problem,
              std::span<const step_input> in, std::span<const step_output> out);

  /// Runs it, again and again, with what the arrays then hold.
  void run();

 private:
  runner* on_;
  std::string name_;
  submission cost_;
  std::optional<device_graph> graph_;  // none in a dry run
};

}  // namespace papilio::decompose_detail

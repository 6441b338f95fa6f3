#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "contract/layout.hpp"
#include "contract/pair_design.hpp"
#include "papilio/base/array.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/path.hpp"
#include "papilio/dispatch/accelerator.hpp"
#include "papilio/dispatch/operation.hpp"

namespace papilio::contract_detail {

enum class element_type { float32, float64, complex64, complex128 };
template <class T>
inline constexpr element_type element_type_of =
    std::is_same_v<T, float>                 ? element_type::float32
    : std::is_same_v<T, double>              ? element_type::float64
    : std::is_same_v<T, std::complex<float>> ? element_type::complex64
                                             : element_type::complex128;
std::size_t size_of(element_type type);
const char* to_string(element_type type);

/// Contraction that is to be planned, with the layouts of its arrays.
struct plan_problem {
  einsum_expression expression;
  element_type type = element_type::float32;
  std::vector<std::vector<std::size_t>> extents;     ///< of the operands, by axis
  std::vector<std::vector<std::ptrdiff_t>> strides;  ///< of the operands, by axis
  std::vector<std::ptrdiff_t> out_strides;           ///< of the result, by axis
  std::vector<bool> conjugate;                       ///< by operand
};

/// Array that a step reads: an operand, or memory of the plan's own.
struct step_source {
  bool is_operand = true;
  std::size_t index = 0;   ///< of the operand
  std::size_t offset = 0;  ///< elements, in the workspace
  layout lies;
};

/// A plan that an accelerator runs, in one launch.
struct device_plan {
  accelerator* on = nullptr;
  contraction_problem problem;
};

struct lowered_step {
  step_source left, right;  ///< right: of pairs only
  std::variant<unary_design, pair_design> work;
  layout result;            ///< where it writes
  bool writes_out = false;  ///< the plan's result; else at `offset`
  std::size_t offset = 0;

  bool is_pair() const { return std::holds_alternative<pair_design>(work); }
};

/// A label that is looped over by the host.
struct slice_loop {
  int label = 0;
  std::size_t size = 0;
  std::vector<std::ptrdiff_t> steps =
      {};                       ///< of each operand, in elements; 0 where it has not the label
  std::ptrdiff_t out_step = 0;  ///< 0: the label is summed
};

/// Slices first <= k < last of a plan, by default all; the last loop counts the fastest.
struct slice_range {
  std::size_t first = 0, last = std::numeric_limits<std::size_t>::max();
  bool operator==(const slice_range&) const = default;
};

/// All that an execution needs to know; immutable but for the memory that it keeps for the next.
class lowered_plan {
 public:
  lowered_plan(plan_problem problem, contraction_path path, const execution& on);

  const plan_problem& problem() const { return problem_; }
  const contraction_path& path() const { return path_; }
  const std::vector<lowered_step>& steps() const { return steps_; }
  const std::vector<slice_loop>& loops() const { return loops_; }
  /// Returns how often all loops run. Throws resource_error if no number holds it.
  std::size_t slices() const;
  const execution& on() const { return on_; }
  const std::vector<std::size_t>& out_extents() const { return out_extents_; }
  /// Elements: results of steps, then the scratch of one step.
  std::size_t workspace_size() const { return scratch_offset_ + scratch_size_; }
  std::size_t scratch_offset() const { return scratch_offset_; }
  std::size_t scratch_size() const { return scratch_size_; }
  /// Plan that an accelerator runs instead of the steps; none: the host runs the steps.
  const std::optional<device_plan>& device() const { return device_; }
  bool uses_device() const { return device_.has_value(); }
  /// False where an accelerator that the plan uses is gone.
  bool is_alive() const { return !uses_device() || !life_.expired(); }

  /// Bytes of memory that the plan keeps between executions.
  std::size_t kept_bytes() const;
  /// Returns the memory of an earlier execution if nobody has it now, else new memory. Throws
  /// resource_error.
  std::unique_ptr<array<std::byte, 1>> take_workspace() const;
  /// Keeps the memory for the next execution, unless it is large.
  void give_workspace(std::unique_ptr<array<std::byte, 1>> memory) const;

  ~lowered_plan();
  lowered_plan(const lowered_plan&) = delete;
  lowered_plan& operator=(const lowered_plan&) = delete;

 private:
  step_source operand(std::size_t index) const;
  layout result_layout() const;
  void add_loops();
  void add_steps();

  plan_problem problem_;
  contraction_path path_;
  execution on_;
  std::weak_ptr<const void> life_;
  std::vector<std::size_t> out_extents_;
  std::vector<lowered_step> steps_;
  std::optional<device_plan> device_;
  std::vector<slice_loop> loops_;
  std::size_t scratch_offset_ = 0, scratch_size_ = 0;
  mutable std::atomic<array<std::byte, 1>*> kept_{nullptr};
};

/// Returns the expected relative error (Euclidean norm) in an arithmetic of this unit roundoff. The
/// roundings within a sum of k products, and those of different steps, are taken as independent.
double expected_error(const lowered_plan& plan, double unit);

/// Describe a lowered_plan as text, for records of runs.
std::string summary_of(const void* plan);
std::string recipe_of(const void* plan);

/// Computes out = alpha (the contraction) + beta out, with at most on.threads threads of the host.
template <class T>
void run(const lowered_plan& plan, std::span<const T* const> operands, T* out, T alpha, T beta,
         slice_range slices = {});

}  // namespace papilio::contract_detail

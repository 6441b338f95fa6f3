#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/contract/einsum_options.hpp"
#include "papilio/contract/expression.hpp"
#include "papilio/contract/path.hpp"
#include "papilio/contract/tensor_operand.hpp"
#include "papilio/dispatch/resident.hpp"

namespace papilio {

namespace contract_detail {
class lowered_plan;
}

/// One pairwise contraction of a plan (or the permutation that a single operand's is), reckoned for
/// all slices together; nothing is measured.
struct contraction_step {
  std::string expression;   ///< "ij,jk->ik", in the letters of the whole
  std::string kind;         ///< gemm, batched gemm, dot, outer, elementwise, permutation
  std::string how;          ///< sizes, transposes and copies; as last_run() has it of a device's
  double macs = 0;          ///< product of the sizes of its labels
  double flops = 0;         ///< twice that where a label is summed
  double bytes = 0;         ///< read and written, copies included
  double elements = 0;      ///< of the result, of one slice
  double host_seconds = 0;  ///< by the host's model
  /// Modelled, of the accelerator that the execution names, within the one program of all steps,
  /// which may overlap; 0 without one, or if it cannot.
  double device_seconds = 0;
  std::string backend;  ///< "host" or "device": what runs it, of all steps the same
};

/// How an einsum is computed: its network, the order of its steps, and how each is lowered to BLAS.
/// Cheap to copy (copies share), immutable: any number of threads may execute it at once.
class PAPILIO_API contraction_plan {
 public:
  explicit contraction_plan(std::shared_ptr<const contract_detail::lowered_plan> plan)
      : plan_(std::move(plan)) {}

  const einsum_expression& expression() const;
  const contraction_path& path() const;
  /// Extents of the result.
  std::vector<std::size_t> extents() const;
  std::vector<contraction_step> steps() const;
  /// Memory for intermediates and copies that an execution takes.
  std::size_t workspace_bytes() const;
  /// "host" or "device".
  std::string backend() const;
  /// Modelled, of the accelerator that the execution names: one launch, operands that come from the
  /// host and a result that goes back; 0 without one, or if it cannot.
  double device_seconds() const;
  /// Lines of text: the whole, then each step, with FLOPs, bytes, the largest intermediate and
  /// seconds on either side.
  std::string report() const;

  /// The operands' extents must be those planned for (shape_error); other strides are lowered anew.
  /// T must be the element type of the plan (invalid_argument). device_error where the accelerator
  /// that the plan runs on is gone.
  template <class T>
  tensor<T> execute(std::span<const tensor_view<const T>> operands) const;
  /// Into memory that is there: alpha sum(products) + beta out.
  template <class T>
  void execute_into(const tensor_view<T>& out, std::span<const tensor_view<const T>> operands,
                    T alpha = 1, T beta = 0) const;

  /// Of operands that lie on an accelerator, all of one type: plan.execute<2>(a, b). It runs there,
  /// whatever the plan's policy, in one launch, and the result, of Rank axes (at least one), stays
  /// there; inside capture() it is a part of its one dispatch. shape_error for other extents than
  /// those planned for and another Rank than the result's; invalid_argument for operands of another
  /// type, or that lie on two accelerators or on another than the plan names; device_error where an
  /// accelerator is gone, or has not the plan's precision.
  template <std::size_t Rank, class First, class... Rest>
    requires(contract_detail::resident_traits<First>::value)
  auto execute(const First& first, const Rest&... rest) const {
    static_assert(Rank > 0, "a resident array has at least one axis");
    using T = typename contract_detail::resident_traits<First>::element;
    static_assert((std::is_same_v<typename Rest::value_type, T> && ...),
                  "operands on an accelerator are all real or all complex");
    constexpr const char* function = "contraction_plan::execute";
    const std::vector<shared_tensor> operands{first.tensor(function), rest.tensor(function)...};
    return resident<T, Rank>(execute_residents(operands, Rank));
  }

  const std::shared_ptr<const contract_detail::lowered_plan>& lowered() const { return plan_; }

 private:
  shared_tensor execute_residents(std::span<const shared_tensor> operands, std::size_t rank) const;

  std::shared_ptr<const contract_detail::lowered_plan> plan_;
};

namespace contract_detail {
template <class T>
PAPILIO_API contraction_plan plan(const char* function, std::string_view subscripts,
                                  std::span<const tensor_view<const T>> operands,
                                  const einsum_options& options);
template <class T>
PAPILIO_API contraction_plan plan(const char* function, const einsum_labels& labels,
                                  std::span<const tensor_view<const T>> operands,
                                  const einsum_options& options);
}  // namespace contract_detail

/// The plan of einsum(subscripts, operands..., options), from the cache where it is there. Operands
/// are looked at for their extents and strides only. A plan computes in its operands' type, and
/// alpha and beta are execute_into's: invalid_argument for them, for rounding and for a precision
/// that native does not meet. Other errors as einsum's. Labels may be numbers, as einsum's.
template <class... Arguments>
contraction_plan plan_contraction(std::string_view subscripts, const Arguments&... arguments) {
  using T = contract_detail::operands_element<Arguments...>;
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::plan<T>("plan_contraction", subscripts, operands, options);
      },
      arguments...);
}

template <class... Arguments>
contraction_plan plan_contraction(const einsum_labels& labels, const Arguments&... arguments) {
  using T = contract_detail::operands_element<Arguments...>;
  return contract_detail::with_operands<T>(
      [&](std::span<const tensor_view<const T>> operands, const einsum_options& options) {
        return contract_detail::plan<T>("plan_contraction", labels, operands, options);
      },
      arguments...);
}

/// The same of operands in a list.
template <class T>
contraction_plan plan_contraction(std::string_view subscripts,
                                  std::span<const tensor_view<const T>> operands,
                                  const einsum_options& options = {}) {
  return contract_detail::plan<T>("plan_contraction", subscripts, operands, options);
}

}  // namespace papilio

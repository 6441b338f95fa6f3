#include "papilio/contract/contraction_plan.hpp"

#include <complex>
#include <limits>
#include <utility>

#include "contract/execute_plan.hpp"
#include "contract/lowered_plan.hpp"
#include "contract/planner.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {

using contract_detail::lowered_plan;

const einsum_expression& contraction_plan::expression() const {
  return plan_->problem().expression;
}
const contraction_path& contraction_plan::path() const { return plan_->path(); }
std::vector<std::size_t> contraction_plan::extents() const { return plan_->out_extents(); }
std::size_t contraction_plan::workspace_bytes() const {
  return plan_->workspace_size() * contract_detail::size_of(plan_->problem().type);
}

template <class T>
tensor<T> contraction_plan::execute(std::span<const tensor_view<const T>> operands) const {
  tensor<T> result(plan_->out_extents(), uninitialized);
  contract_detail::execute_plan<T>(plan_, result.view(), operands, T(1), T(0));
  return result;
}

template <class T>
void contraction_plan::execute_into(const tensor_view<T>& out,
                                    std::span<const tensor_view<const T>> operands, T alpha,
                                    T beta) const {
  contract_detail::execute_plan<T>(plan_, out, operands, alpha, beta);
}

std::size_t contraction_plan::slices() const { return plan_->slices(); }

template <class T>
tensor<T> contraction_plan::execute_slices(std::size_t first, std::size_t last,
                                           std::span<const tensor_view<const T>> operands) const {
  constexpr const char* function = "contraction_plan::execute_slices";
  if (plan_->uses_device())
    throw invalid_argument(base_detail::message(
        function, ": the plan runs on an accelerator, all slices in one launch"));
  if (first > last || last > slices())
    throw invalid_argument(base_detail::message(function, ": slices must be 0 <= first <= last <= ",
                                                slices(), ", got ", first, " and ", last));
  tensor<T> result(plan_->out_extents());
  contract_detail::execute_plan<T>(plan_, result.view(), operands, T(1), T(0), {first, last});
  return result;
}

namespace {

template <class T>
contraction_plan einsum_plan_of(const char* function,
                                const contract_detail::einsum_subscripts& subscripts,
                                std::span<const tensor_view<const T>> operands,
                                const einsum_options& options) {
  using namespace contract_detail;
  if (options.alpha != std::complex<double>(1) || options.beta != std::complex<double>(0))
    throw invalid_argument(base_detail::message(function, ": alpha and beta must be 1 and 0, got ",
                                                options.alpha, " and ", options.beta,
                                                " (execute_into takes them)"));
  if (options.rounding != result_rounding{})
    throw invalid_argument(
        base_detail::message(function, ": a plan does not round its results, einsum does"));
  auto plan = planned<T>(function, subscripts, operands, nullptr, options);
  if (!plan->uses_device()) {
    constexpr double unit = std::numeric_limits<typename real_of<T>::type>::epsilon() / 2;
    require_valid_precision(function, options.on.precision);
    require_host_precision(function, options.on.precision, expected_error(*plan, unit));
  }
  return contraction_plan(std::move(plan));
}

}  // namespace

template <class T>
contraction_plan contract_detail::plan(const char* function, std::string_view subscripts,
                                       std::span<const tensor_view<const T>> operands,
                                       const einsum_options& options) {
  return einsum_plan_of<T>(function, subscripts, operands, options);
}
template <class T>
contraction_plan contract_detail::plan(const char* function, const einsum_labels& labels,
                                       std::span<const tensor_view<const T>> operands,
                                       const einsum_options& options) {
  return einsum_plan_of<T>(function, &labels, operands, options);
}

#define PAPILIO_PLAN(T)                                                                           \
  template PAPILIO_API tensor<T> contraction_plan::execute(std::span<const tensor_view<const T>>) \
      const;                                                                                      \
  template PAPILIO_API void contraction_plan::execute_into(                                       \
      const tensor_view<T>&, std::span<const tensor_view<const T>>, T, T) const;                  \
  template PAPILIO_API tensor<T> contraction_plan::execute_slices(                                \
      std::size_t, std::size_t, std::span<const tensor_view<const T>>) const;                     \
  template contraction_plan contract_detail::plan(const char*, std::string_view,                  \
                                                  std::span<const tensor_view<const T>>,          \
                                                  const einsum_options&);                         \
  template contraction_plan contract_detail::plan(const char*, const einsum_labels&,              \
                                                  std::span<const tensor_view<const T>>,          \
                                                  const einsum_options&);
PAPILIO_PLAN(float)
PAPILIO_PLAN(double)
PAPILIO_PLAN(std::complex<float>)
PAPILIO_PLAN(std::complex<double>)

}  // namespace papilio

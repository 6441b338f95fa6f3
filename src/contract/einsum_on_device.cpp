// Contractions of device arrays, on the accelerator where they lie, in one launch.
#include <algorithm>
#include <complex>
#include <memory>
#include <vector>

#include "contract/device_plan.hpp"
#include "contract/planner.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract/contraction_plan.hpp"
#include "papilio/contract/einsum.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {

using base_detail::message;

namespace contract_detail {
namespace {

template <class T>
std::shared_ptr<const lowered_plan> plan_there(std::string_view subscripts,
                                               std::span<const shared_tensor> operands,
                                               const einsum_options& options) {
  std::vector<tensor_view<const T>> views;  // only their extents are read
  for (const shared_tensor& o : operands)
    views.emplace_back(static_cast<const T*>(nullptr), o->shape().extents);
  return planned<T>("einsum", subscripts, std::span<const tensor_view<const T>>(views), nullptr,
                    options);
}

shared_tensor run_device_array(const char* function, accelerator& on, const lowered_plan& plan,
                               const contraction_problem& problem,
                               std::span<const shared_tensor> operands, std::size_t rank) {
  if (plan.out_extents().size() != rank)
    throw shape_error(message(function, ": the result has ", plan.out_extents().size(),
                              " axes, asked for ", rank));
  return run_to_new(function, on, problem, plan.on().precision, {operands.begin(), operands.end()},
                    {{plan.out_extents(), problem.is_complex}})[0];
}

void require_operands(const char* function, const plan_problem& problem,
                      std::span<const shared_tensor> operands) {
  const bool is_complex = operands[0]->shape().is_complex;
  const element_type type = is_complex ? element_type::complex64 : element_type::float32;
  if (problem.type != type)
    throw invalid_argument(message(function, ": the plan is of ", to_string(problem.type),
                                   ", the operands are ", to_string(type)));
  if (operands.size() != problem.extents.size())
    throw shape_error(message(function, ": the plan has ", problem.extents.size(),
                              " operands, got ", operands.size()));
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->shape().extents != problem.extents[i])
      throw shape_error(message(function, ": the extents of operand ", i,
                                " are not those that were planned for"));
}

}  // namespace

shared_tensor einsum_on_device(std::string_view subscripts, std::span<const shared_tensor> operands,
                               std::size_t rank, const einsum_options& options) {
  constexpr const char* function = "einsum";
  if (options.alpha != std::complex<double>(1) || options.beta != std::complex<double>(0) ||
      options.rounding != result_rounding{})
    throw invalid_argument(message(function, ": of operands on an accelerator alpha must be 1, ",
                                   "beta 0, and results are not rounded"));
  einsum_options there = options;
  accelerator& on = place_device_array(function, operands[0]->on(function), options.on);
  there.on.where = policy::device;
  there.on.on = &on;
  const bool is_complex = operands[0]->shape().is_complex;
  const auto plan = is_complex ? plan_there<std::complex<float>>(subscripts, operands, there)
                               : plan_there<float>(subscripts, operands, there);
  return run_device_array(function, on, *plan, plan->device()->problem, operands, rank);
}

}  // namespace contract_detail

shared_tensor contraction_plan::execute_device_arrays(std::span<const shared_tensor> operands,
                                                      std::size_t rank) const {
  using namespace contract_detail;
  constexpr const char* function = "contraction_plan::execute";
  const plan_problem& problem = plan_->problem();
  require_operands(function, problem, operands);
  accelerator& lies_on = operands[0]->on(function);
  execution how = plan_->on();
  // The plan's accelerator may be gone, so only its address is compared.
  if (how.on != nullptr && how.on != &lies_on)
    throw invalid_argument(message(function, ": the operands lie on the accelerator ",
                                   lies_on.name(), ", the plan names another"));
  how.on = nullptr;
  accelerator& on = place_device_array(function, lies_on, how);
  return run_device_array(function, on, *plan_, problem_of(problem, plan_->path(), plan_->steps()),
                          operands, rank);
}

}  // namespace papilio

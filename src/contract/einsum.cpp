#include "papilio/contract/einsum.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "contract/execute_plan.hpp"
#include "contract/planner.hpp"
#include "contract/round_result.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::contract_detail {
namespace {

using base_detail::message;

template <class T>
using real_type_of = typename real_of<T>::type;

template <class T>
T scalar_of(const char* function, const char* name, std::complex<double> value) {
  using Real = real_type_of<T>;
  if constexpr (std::is_floating_point_v<T>) {
    if (value.imag() != 0)
      throw invalid_argument(message(function, ": ", name, " of real operands must be real, got ",
                                     value.real(), " + ", value.imag(), "i"));
    return static_cast<T>(value.real());
  } else {
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  }
}

// Whether the host is to compute in double what has single precision; invalid_argument for what it
// cannot do.
template <class T>
bool is_compensated(const char* function, const lowered_plan& plan, const precision_options& p) {
  if (p == precision_options{} || plan.uses_device()) return false;
  constexpr bool is_single = std::is_same_v<real_type_of<T>, float>;
  if (p.target_error == 0 && p.mode == precision::compensated && is_single) return true;
  constexpr double unit = std::numeric_limits<real_type_of<T>>::epsilon() / 2;
  const double native = expected_error(plan, unit);
  require_valid_precision(function, p);
  if (is_single && p.target_error > 0 && p.target_error < native && p.target_error >= unit)
    return true;
  require_host_precision(function, p, native);
  return false;
}

template <class T>
void require_output(const char* function, const tensor_view<T>& out,
                    std::span<const tensor_view<const T>> operands) {
  base_detail::require_distinct(function, out.extents(), out.strides());
  if (out.empty()) return;
  const auto to = base_detail::reach(out.data(), sizeof(T), out.extents(), out.strides());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const tensor_view<const T>& o = operands[i];
    if (!o.empty() &&
        to.overlaps(base_detail::reach(o.data(), sizeof(T), o.extents(), o.strides())))
      throw invalid_argument(message(function, ": the output shares memory with operand ", i));
  }
}

template <class T>
void execute(const std::shared_ptr<const lowered_plan>& plan,
             std::span<const tensor_view<const T>> operands, T* out, T alpha, T beta,
             slice_range slices = {}) {
  constexpr std::size_t most_on_stack = 8;
  std::array<const T*, most_on_stack> few;
  std::vector<const T*> many;
  std::span<const T*> data(few.data(), std::min(operands.size(), most_on_stack));
  if (operands.size() > most_on_stack) {
    many.resize(operands.size());
    data = many;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) data[i] = operands[i].data();
  run<T>(*plan, data, out, alpha, beta, slices);
  if (!plan->uses_device()) dispatch_detail::record_host_run("host", plan, summary_of, recipe_of);
}

template <class T>
struct widened;
template <>
struct widened<float> {
  using type = double;
};
template <>
struct widened<std::complex<float>> {
  using type = std::complex<double>;
};

template <class From, class To>
void copy_axis(const tensor_view<To>& to, std::size_t axis, const From*& from, To* at) {
  if (axis == to.rank()) {
    *at = static_cast<To>(*from++);
    return;
  }
  for (std::size_t i = 0; i < to.extent(axis); ++i)
    copy_axis(to, axis + 1, from, at + static_cast<std::ptrdiff_t>(i) * to.stride(axis));
}

// Computes an einsum in double and rounds it once.
template <class T>
void einsum_wide(const char* function, const einsum_subscripts& subscripts,
                 const tensor_view<T>& out, std::span<const tensor_view<const T>> operands,
                 einsum_options options) {
  using Wide = typename widened<T>::type;
  options.on.precision = {};
  std::vector<converted_operand<Wide>> held;
  std::vector<tensor_view<const Wide>> wide;
  for (const tensor_view<const T>& o : operands) held.emplace_back(o);
  for (const converted_operand<Wide>& o : held) wide.push_back(o.view());
  tensor<Wide> result(out.extents(), uninitialized);
  const Wide beta = scalar_of<Wide>(function, "beta", options.beta);
  if (beta != Wide(0) && !out.empty()) {
    const converted_operand<Wide> before{tensor_view<const T>(out)};
    std::copy_n(before.view().data(), result.size(), result.data());
  }
  const auto plan = planned<Wide>(function, subscripts, wide, nullptr, options);
  execute<Wide>(plan, wide, result.data(), scalar_of<Wide>(function, "alpha", options.alpha), beta);
  const Wide* from = result.data();
  if (!out.empty()) copy_axis(out, 0, from, out.data());
}

template <class T>
void contract(const char* function, const einsum_subscripts& subscripts, const tensor_view<T>& out,
              std::span<const tensor_view<const T>> operands, const einsum_options& options,
              const std::shared_ptr<const lowered_plan>& plan) {
  const T alpha = scalar_of<T>(function, "alpha", options.alpha);
  const T beta = scalar_of<T>(function, "beta", options.beta);
  const bool is_wide = is_compensated<T>(function, *plan, options.on.precision);
  if constexpr (std::is_same_v<real_type_of<T>, float>) {
    if (is_wide) einsum_wide(function, subscripts, out, operands, options);
  }
  if (!is_wide) execute(plan, operands, out.data(), alpha, beta);
  round_result(out, options.rounding);
}

template <class T>
tensor<T> contract_new(const einsum_subscripts& subscripts,
                       std::span<const tensor_view<const T>> operands,
                       const einsum_options& options) {
  if (options.beta != std::complex<double>(0))
    throw invalid_argument(message("einsum: beta must be 0 where there is no output before, got ",
                                   options.beta, " (einsum_into has one)"));
  const auto plan = planned<T>("einsum", subscripts, operands, nullptr, options);
  tensor<T> result(plan->out_extents(), uninitialized);
  contract<T>("einsum", subscripts, result.view(), operands, options, plan);
  return result;
}

template <class T>
void contract_into(const einsum_subscripts& subscripts, const tensor_view<T>& out,
                   std::span<const tensor_view<const T>> operands, const einsum_options& options) {
  const auto plan = planned<T>("einsum_into", subscripts, operands, &out, options);
  require_output("einsum_into", out, operands);
  contract<T>("einsum_into", subscripts, out, operands, options, plan);
}

}  // namespace

template <class T>
tensor<T> einsum(std::string_view subscripts, std::span<const tensor_view<const T>> operands,
                 const einsum_options& options) {
  return contract_new<T>(subscripts, operands, options);
}
template <class T>
tensor<T> einsum(const einsum_labels& labels, std::span<const tensor_view<const T>> operands,
                 const einsum_options& options) {
  return contract_new<T>(&labels, operands, options);
}
template <class T>
void einsum_into(std::string_view subscripts, const tensor_view<T>& out,
                 std::span<const tensor_view<const T>> operands, const einsum_options& options) {
  contract_into<T>(subscripts, out, operands, options);
}
template <class T>
void einsum_into(const einsum_labels& labels, const tensor_view<T>& out,
                 std::span<const tensor_view<const T>> operands, const einsum_options& options) {
  contract_into<T>(&labels, out, operands, options);
}

template <class T>
void execute_plan(const std::shared_ptr<const lowered_plan>& plan, const tensor_view<T>& out,
                  std::span<const tensor_view<const T>> operands, T alpha, T beta,
                  slice_range slices) {
  constexpr const char* function = "contraction_plan::execute";
  const plan_problem& problem = plan->problem();
  if (problem.type != element_type_of<T>)
    throw invalid_argument(message(function, ": the plan is of ", to_string(problem.type),
                                   ", the operands are ", to_string(element_type_of<T>)));
  if (!plan->is_alive())
    throw device_error(message(function, ": the accelerator of the plan is gone"));
  const std::vector<std::vector<std::size_t>>& extents = problem.extents;
  if (operands.size() != extents.size())
    throw shape_error(
        message(function, ": the plan has ", extents.size(), " operands, got ", operands.size()));
  bool is_as_planned = std::ranges::equal(out.strides(), problem.out_strides);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!std::ranges::equal(operands[i].extents(), extents[i]))
      throw shape_error(message(function, ": the extents of operand ", i,
                                " are not those that were planned for"));
    is_as_planned &= std::ranges::equal(operands[i].strides(), problem.strides[i]);
  }
  require_extents(function, out.extents(), plan->out_extents());
  require_output(function, out, operands);
  const auto fitting = is_as_planned ? plan : planned_again<T>(*plan, operands, &out);
  execute<T>(fitting, operands, out.data(), alpha, beta, slices);
}

#define PAPILIO_EINSUM(T)                                                                       \
  template tensor<T> einsum(std::string_view, std::span<const tensor_view<const T>>,            \
                            const einsum_options&);                                             \
  template tensor<T> einsum(const einsum_labels&, std::span<const tensor_view<const T>>,        \
                            const einsum_options&);                                             \
  template void einsum_into(std::string_view, const tensor_view<T>&,                            \
                            std::span<const tensor_view<const T>>, const einsum_options&);      \
  template void einsum_into(const einsum_labels&, const tensor_view<T>&,                        \
                            std::span<const tensor_view<const T>>, const einsum_options&);      \
  template void execute_plan(const std::shared_ptr<const lowered_plan>&, const tensor_view<T>&, \
                             std::span<const tensor_view<const T>>, T, T, slice_range);
PAPILIO_EINSUM(float)
PAPILIO_EINSUM(double)
PAPILIO_EINSUM(std::complex<float>)
PAPILIO_EINSUM(std::complex<double>)

}  // namespace papilio::contract_detail

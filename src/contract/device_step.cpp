#include "contract/device_step.hpp"

#include <algorithm>
#include <utility>

#include "papilio/base/error.hpp"
#include "papilio/contract/gemm.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::contract_detail {
namespace {

using base_detail::message;

bool has(const layout& l, int label) {
  return std::ranges::find(l.labels, label) != l.labels.end();
}

// The labels of a product of matrices, each in the order of the result or, of k, of the left.
struct label_groups {
  std::vector<int> batch, m, n, k;
};

label_groups groups_of(const lowered_step& step) {
  label_groups groups;
  for (int label : step.result.labels) {
    const bool in_left = has(step.left.lies, label), in_right = has(step.right.lies, label);
    (in_left && in_right ? groups.batch : in_left ? groups.m : groups.n).push_back(label);
  }
  for (int label : step.left.lies.labels)
    if (has(step.right.lies, label) && !has(step.result, label) &&
        std::ranges::find(groups.k, label) == groups.k.end())
      groups.k.push_back(label);
  return groups;
}

layout packed(std::vector<int> labels, const std::vector<int>& more, const std::vector<int>& last,
              const lowered_step& step) {
  labels.insert(labels.end(), more.begin(), more.end());
  labels.insert(labels.end(), last.begin(), last.end());
  layout result{std::move(labels), {}, {}};
  for (int label : result.labels)
    for (const layout* l : {&step.left.lies, &step.right.lies})
      if (const auto at = std::ranges::find(l->labels, label); at != l->labels.end()) {
        result.extents.push_back(l->extents[static_cast<std::size_t>(at - l->labels.begin())]);
        break;
      }
  result.strides.resize(result.extents.size());
  std::ptrdiff_t stride = 1;
  for (std::size_t axis = result.extents.size(); axis-- > 0;) {
    result.strides[axis] = stride;
    stride *= static_cast<std::ptrdiff_t>(result.extents[axis]);
  }
  return result;
}

std::size_t size_of(const layout& l, const std::vector<int>& labels) {
  std::size_t size = 1;
  for (std::size_t axis = 0; axis < l.labels.size(); ++axis)
    if (std::ranges::find(labels, l.labels[axis]) != labels.end()) size *= l.extents[axis];
  return size;
}

}  // namespace

std::optional<device_product> device_step(const lowered_step& step, element_type type,
                                          bool conjugate_left, bool conjugate_right,
                                          const execution& on) {
  if (on.where == policy::host) return std::nullopt;
  const pair_design& pair = std::get<pair_design>(step.work);
  if (pair.kind() != step_kind::gemm && pair.kind() != step_kind::batched_gemm) {
    if (on.where == policy::device)
      throw device_error(message("einsum: the step ", pair.to_string(),
                                 " is no product of matrices, and no accelerator computes it"));
    return std::nullopt;
  }
  const bool is_complex = type == element_type::complex64 || type == element_type::complex128;
  const label_groups g = groups_of(step);
  const layout left = packed(g.batch, g.m, g.k, step), right = packed(g.batch, g.k, g.n, step);
  const layout out = packed(g.batch, g.m, g.n, step);
  gemm_problem problem{.batch = size_of(out, g.batch),
                       .m = size_of(out, g.m),
                       .k = size_of(left, g.k),
                       .n = size_of(out, g.n)};
  problem.is_complex = is_complex;
  problem.type = type == element_type::float32 || type == element_type::complex64
                     ? real_type::single_precision
                     : real_type::double_precision;
  if (problem.batch * problem.m * problem.k * problem.n == 0) return std::nullopt;
  accelerator* const where = place("einsum", problem, on);
  if (where == nullptr) return std::nullopt;
  const std::size_t left_size = problem.batch * problem.m * problem.k;
  const std::size_t right_size = problem.batch * problem.k * problem.n;
  return device_product{.on = where,
                        .problem = problem,
                        .pack_left = unary_design(step.left.lies, left, conjugate_left),
                        .pack_right = unary_design(step.right.lies, right, conjugate_right),
                        .put = unary_design(out, step.result, false),
                        .left_offset = 0,
                        .right_offset = left_size,
                        .out_offset = left_size + right_size};
}

template <class T>
void run_device_step(const lowered_step& step, const T* left, const T* right, T* out, T alpha,
                     T beta, std::span<T> scratch, const execution& on) {
  const device_product& d = *step.device;
  const gemm_problem& p = d.problem;
  T* const packed_left = scratch.data() + d.left_offset;
  T* const packed_right = scratch.data() + d.right_offset;
  T* const result = scratch.data() + d.out_offset;
  run(d.pack_left, left, packed_left, T(1), T(0), on.threads);
  run(d.pack_right, right, packed_right, T(1), T(0), on.threads);
  product_options options{.on = on};
  options.on.where = policy::device;
  options.on.on = d.on;
  product<T>("einsum", view<const T, 3>(packed_left, {p.batch, p.m, p.k}),
             view<const T, 3>(packed_right, {p.batch, p.k, p.n}),
             view<T, 3>(result, {p.batch, p.m, p.n}), options);
  run(d.put, static_cast<const T*>(result), out, alpha, beta, on.threads);
}

#define PAPILIO_DEVICE_STEP(T)                                                                   \
  template void run_device_step(const lowered_step&, const T*, const T*, T*, T, T, std::span<T>, \
                                const execution&);
PAPILIO_DEVICE_STEP(float)
PAPILIO_DEVICE_STEP(double)
PAPILIO_DEVICE_STEP(std::complex<float>)
PAPILIO_DEVICE_STEP(std::complex<double>)

}  // namespace papilio::contract_detail

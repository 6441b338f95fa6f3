#include "decompose/device_mode_array.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "decompose/two_factors.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

std::string step_name(const char* what, std::span<const std::size_t> extents) {
  std::string text = what;
  for (std::size_t i = 0; i < extents.size(); ++i) text += message(i == 0 ? " " : "x", extents[i]);
  return text;
}

gram_errors errors_of(double relative_error, std::size_t rows) {
  const double root = std::sqrt(static_cast<double>(rows));
  return {.eigenvalue = 2 * root * relative_error, .sum = 4 * root * relative_error};
}

}  // namespace

device_mode_array::device_mode_array(const char* function, accelerator& on, shared_tensor x,
                                     const float* of_host, std::span<const std::size_t> extents,
                                     int threads, run_record& sum)
    : function_(function),
      on_(on),
      whole_(std::move(x)),
      tensor_(whole_),
      of_host_(of_host),
      whole_extents_(extents.begin(), extents.end()),
      extents_(whole_extents_),
      threads_(threads),
      sum_(sum) {}

void device_mode_array::shorten(std::size_t axis, view<const float, 2> factor) {
  waiting_.push_back({axis, converted<float>(factor)});
}

void device_mode_array::restart() {
  waiting_.clear();
  tensor_ = whole_;
  extents_ = whole_extents_;
}

void device_mode_array::reshape(std::span<const std::size_t> extents) {
  if (!waiting_.empty()) compute();
  extents_.assign(extents.begin(), extents.end());
}

std::vector<axis_product> device_mode_array::products() const {
  std::vector<axis_product> all;
  for (const waiting& w : waiting_) all.push_back({w.axis, w.factor.extent(1)});
  return all;
}

std::vector<step_input> device_mode_array::inputs() const {
  std::vector<step_input> in{{.tensor = tensor_}};
  for (const waiting& w : waiting_) in.push_back({.host = w.factor.data()});
  return in;
}

// What waits; the result stays.
void device_mode_array::compute() {
  const contraction_problem problem = projection_problem(extents_, products(), {});
  const shared_tensor result = new_tensor(on_, shapes_of(problem).out[0], function_);
  const step_output out{.tensor = result};
  const std::vector<std::size_t> extents = projected_extents(extents_, products());
  device_step(function_, step_name("products to", extents), on_, problem, inputs(), {&out, 1})
      .run(sum_);
  tensor_ = result;
  extents_ = extents;
  waiting_.clear();
}

subspace<float> device_mode_array::leading(std::size_t first, std::size_t last,
                                           const truncation& keep) {
  const std::vector<std::size_t> extents = projected_extents(extents_, products());
  const mode_split split = split_at(extents, first, last);
  if (keeps_everything(keep, split.extent)) return everything<float>(split.extent);
  const contraction_problem problem = projection_problem(extents_, products(), {first, last});
  std::vector<step_output> out;
  if (!waiting_.empty())
    out.push_back({.tensor = new_tensor(on_, shapes_of(problem).out[0], function_)});
  array<float, 2> gram({split.extent, split.extent}, uninitialized);
  out.push_back({.host = gram.data()});
  const std::size_t shape[] = {split.extent, split.columns()};
  device_step(function_, step_name("Gram matrix of", shape), on_, problem, inputs(), out).run(sum_);
  if (!waiting_.empty()) tensor_ = out[0].tensor;
  extents_ = extents;
  waiting_.clear();
  const double error = program_on(function_, on_, problem, {})->relative_error();
  std::optional<subspace<float>> found = leading_subspace_of<float>(
      converted<double, float>(gram), keep, errors_of(error, split.extent));
  return found ? std::move(*found) : leading_by_host(split, keep);
}

subspace<float> device_mode_array::leading_by_host(const mode_split& split,
                                                   const truncation& keep) {
  const std::size_t shape[] = {split.extent, split.columns()};
  run_record told;
  told.steps = {{.name = step_name("vectors by the host of", shape),
                 .recipe = "its Gram matrix in float does not tell them"}};
  sum_.add(told);
  if (tensor_ == whole_) return leading_subspace(of_host_, split, keep, threads_);
  const array<float, 1> fetched = values();
  return leading_subspace(fetched.data(), split, keep, threads_);
}

array<float, 1> device_mode_array::values() {
  const std::vector<std::size_t> extents = projected_extents(extents_, products());
  array<float, 1> result(product_of(extents), uninitialized);
  if (!waiting_.empty()) {
    const step_output out{.host = result.data()};
    device_step(function_, step_name("products to", extents), on_,
                projection_problem(extents_, products(), {}), inputs(), {&out, 1})
        .run(sum_);
  } else if (tensor_ == whole_) {
    std::copy_n(of_host_, result.size(), result.data());
  } else {
    fetch(tensor_, result.data(), sum_);
  }
  return result;
}

}  // namespace papilio::decompose_detail

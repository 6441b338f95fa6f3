#include "decompose/mode_array.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "decompose/mode_product.hpp"
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

template <class T>
mode_array<T>::mode_array(runner& on, const T* x, std::span<const std::size_t> extents)
    : on_(on),
      of_host_(x),
      whole_extents_(extents.begin(), extents.end()),
      extents_(whole_extents_) {
  if (!on.is_host()) tensor_ = whole_ = on.up(x, extents);
}

template <class T>
void mode_array<T>::shorten(std::size_t axis, view<const T, 2> factor) {
  waiting_.push_back({axis, converted<T>(factor)});
}

template <class T>
void mode_array<T>::restart() {
  waiting_.clear();
  kept_ = {};
  tensor_ = whole_;
  is_whole_ = true;
  extents_ = whole_extents_;
}

template <class T>
void mode_array<T>::reshape(std::span<const std::size_t> extents) {
  compute();
  extents_.assign(extents.begin(), extents.end());
}

template <class T>
std::vector<axis_product> mode_array<T>::products() const {
  std::vector<axis_product> all;
  for (const waiting& w : waiting_) all.push_back({w.axis, w.factor.extent(1)});
  return all;
}

template <class T>
std::vector<std::size_t> mode_array<T>::extents() const {
  return projected_extents(extents_, products());
}

template <class T>
std::vector<step_input> mode_array<T>::inputs() const {
  std::vector<step_input> in{{.tensor = tensor_}};
  for (const waiting& w : waiting_) in.push_back({.host = w.factor.data()});
  return in;
}

// Computes the products that wait, whose result takes the place of the array.
template <class T>
void mode_array<T>::compute() {
  if (waiting_.empty()) return;
  const std::vector<std::size_t> shortened = extents();
  if (on_.is_host()) {
    for (const waiting& w : waiting_) {
      const view<const T, 2> factor = w.factor;
      kept_ = mode_product(data(), split_at(extents_, w.axis), transposed(factor), on_.threads());
      extents_[w.axis] = factor.extent(1);
      is_whole_ = false;
    }
  } else {
    const contraction_problem problem = projection_problem(extents_, products(), {});
    const step_output out{.tensor = on_.room(shapes_of(problem).out[0])};
    device_step(on_, step_name("products to", shortened), problem, inputs(), {&out, 1}).run();
    tensor_ = out.tensor;
  }
  is_whole_ = false;
  extents_ = shortened;
  waiting_.clear();
}

template <class T>
subspace<T> mode_array<T>::leading(std::size_t first, std::size_t last, const truncation& keep) {
  const mode_split split = split_at(extents(), first, last);
  if (keeps_everything(keep, split.extent)) return everything<T>(split.extent);
  if (!on_.is_host()) return leading_by_device({first, last}, split, keep);
  compute();
  return leading_subspace(data(), split, keep, on_.threads());
}

template <class T>
subspace<T> mode_array<T>::leading_by_device(const axis_range& rows, const mode_split& split,
                                             const truncation& keep) {
  const contraction_problem problem = projection_problem(extents_, products(), rows);
  std::vector<step_output> out;
  if (!waiting_.empty()) out.push_back({.tensor = on_.room(shapes_of(problem).out[0])});
  array<T, 2> gram({split.extent, split.extent}, uninitialized);
  out.push_back({.host = gram.data()});
  const std::size_t shape[] = {split.extent, split.columns()};
  device_step(on_, step_name("Gram matrix of", shape), problem, inputs(), out).run();
  if (!waiting_.empty()) {
    tensor_ = out[0].tensor;
    is_whole_ = false;
    extents_ = extents();
    waiting_.clear();
  }
  if (on_.is_dry())
    return {array<T, 2>({split.extent, std::min(keep.max_rank, split.extent)}), 0, false};
  std::optional<subspace<T>> found = leading_subspace_of<T>(
      converted<double, T>(gram), keep, errors_of(on_.relative_error(problem), split.extent));
  return found ? std::move(*found) : leading_by_host(split, keep);
}

template <class T>
subspace<T> mode_array<T>::leading_by_host(const mode_split& split, const truncation& keep) {
  const std::size_t shape[] = {split.extent, split.columns()};
  on_.note({.name = step_name("vectors by the host of", shape),
            .recipe = "its Gram matrix in float does not tell them"});
  if (is_whole_) return leading_subspace(of_host_, split, keep, on_.threads());
  const array<T, 1> fetched = values();
  return leading_subspace(fetched.data(), split, keep, on_.threads());
}

template <class T>
array<T, 1> mode_array<T>::values() {
  const std::vector<std::size_t> shape = extents();
  array<T, 1> result(product_of(shape), uninitialized);
  if (!on_.is_host() && !waiting_.empty()) {
    const step_output out{.host = result.data()};
    device_step(on_, step_name("products to", shape), projection_problem(extents_, products(), {}),
                inputs(), {&out, 1})
        .run();
    return result;
  }
  compute();
  if (!on_.is_host() && !is_whole_)
    on_.fetch(tensor_, result.size(), result.data());
  else if (!on_.is_dry())
    std::copy_n(data(), result.size(), result.data());
  return result;
}

template class mode_array<float>;
template class mode_array<double>;

}  // namespace papilio::decompose_detail

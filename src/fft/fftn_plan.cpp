#include "papilio/fft/fftn_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "fft/complex_line.hpp"
#include "fft/nd.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/fft/fft_plan.hpp"

namespace papilio {

using namespace fft_detail;

template <class T>
struct fftn_plan<T>::state {
  std::vector<std::size_t> extents, axes;
  direction dir;
  fft_options given;
  std::vector<fft_plan<T>> plans;  // of the axes; those of equal length share their tables
  std::vector<complex_line<T>> lines;
  std::vector<std::size_t> order;  // of `axes`: the last axis of the array first

  state(std::vector<std::size_t> all_extents, std::vector<std::size_t> some_axes, direction sign,
        fft_options options)
      : extents(std::move(all_extents)), axes(std::move(some_axes)), dir(sign), given(options) {
    std::map<std::size_t, fft_plan<T>> of_length;
    for (const std::size_t axis : axes) {
      const std::size_t n = extents[axis];
      auto found = of_length.find(n);
      if (found == of_length.end())
        found = of_length.emplace(n, fft_plan<T>(n, dir, options)).first;
      plans.push_back(found->second);
      lines.push_back(plan_access::line(found->second));
    }
    order.resize(axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater<>(), [&](std::size_t i) { return axes[i]; });
  }
};

namespace {

std::vector<std::size_t> checked_axes(const std::vector<std::size_t>& extents,
                                      const std::vector<std::ptrdiff_t>& axes,
                                      std::size_t element_bytes) {
  require_array("fftn_plan", extents, element_bytes);
  return normalized_axes("fftn_plan", extents.size(), axes);
}

}  // namespace

template <class T>
fftn_plan<T>::fftn_plan(std::vector<std::size_t> extents, direction dir, fft_options options)
    : fftn_plan(extents, all_axes(extents.size()), dir, options) {}

template <class T>
fftn_plan<T>::fftn_plan(std::vector<std::size_t> extents, const std::vector<std::ptrdiff_t>& axes,
                        direction dir, fft_options options) {
  auto positions = checked_axes(extents, axes, sizeof(std::complex<T>));
  state_ = std::make_shared<const state>(std::move(extents), std::move(positions), dir, options);
}

template <class T>
const std::vector<std::size_t>& fftn_plan<T>::extents() const {
  return state_->extents;
}
template <class T>
const std::vector<std::size_t>& fftn_plan<T>::axes() const {
  return state_->axes;
}
template <class T>
direction fftn_plan<T>::transform_direction() const {
  return state_->dir;
}
template <class T>
fftn_plan<T> fftn_plan<T>::adjoint() const {
  fft_options options = state_->given;
  options.norm = swapped(options.norm);
  return fftn_plan(state_->extents, {state_->axes.begin(), state_->axes.end()},
                   opposite(state_->dir), options);
}
template <class T>
std::vector<recipe> fftn_plan<T>::designs() const {
  std::vector<recipe> all;
  for (std::size_t i = 0; i < state_->axes.size(); ++i)
    all.push_back(state_->plans[i].design(row_major_lines(state_->extents, state_->axes[i])));
  return all;
}

template <class T>
void fftn_plan<T>::execute_arrays(base_detail::strided<const std::complex<T>> in,
                                  base_detail::strided<std::complex<T>> out, int threads) const {
  constexpr const char* name = "fftn_plan::execute";
  require_extents(name, "in", in.extents, state_->extents);
  require_extents(name, "out", out.extents, state_->extents);
  base_detail::require_distinct(name, out);
  thread_count(threads);
  const source<std::complex<T>> from(in, out);
  if (state_->axes.empty()) {
    if (!is_same(in, out)) copy_elements(from.view(), out);
    return;
  }
  std::vector<axis_steps<T>> groups(1);
  groups[0].reserve(state_->order.size());
  strided<const std::complex<T>> left = from.view();
  for (const std::size_t i : state_->order) {
    groups[0].push_back(make_step(state_->lines[i], left, out, state_->axes[i]));
    left = {out.data, out.extents, out.strides};
  }
  run_steps(groups, out.extents, sizeof(std::complex<T>), threads);
}

template class fftn_plan<float>;
template class fftn_plan<double>;
template class fftn_plan<long double>;

}  // namespace papilio

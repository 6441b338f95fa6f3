#include "papilio/fft/fftn_plan.hpp"

#include <algorithm>
#include <utility>

#include "fft/complex_line.hpp"
#include "fft/nd.hpp"
#include "fft/real_line.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/fft/fft_plan.hpp"
#include "papilio/fft/rfft_plan.hpp"

namespace papilio {

using namespace fft_detail;

template <class T>
struct rfftn_plan<T>::state {
  // A complex axis; axes of equal length share their tables.
  struct complex_axis {
    std::size_t axis;
    fft_plan<T> forward, inverse;
    complex_line<T> forward_line, inverse_line;
  };

  std::vector<std::size_t> extents, spectrum_extents, axes;
  fft_options given;
  std::size_t halved;  // the axis of the real transform
  rfft_plan<T> real;
  real_line_forward<T> real_forward;
  real_line_inverse<T> real_inverse;
  std::vector<complex_axis> rising;  // the other axes

  state(std::vector<std::size_t> all_extents, std::vector<std::size_t> some_axes,
        fft_options options)
      : state(rfft_plan<T>(all_extents[some_axes.back()], options), all_extents, some_axes,
              options) {}

  state(rfft_plan<T> halving, std::vector<std::size_t> all_extents,
        std::vector<std::size_t> some_axes, fft_options options)
      : extents(std::move(all_extents)),
        spectrum_extents(extents),
        axes(std::move(some_axes)),
        given(options),
        halved(axes.back()),
        real(std::move(halving)),
        real_forward(plan_access::forward(real)),
        real_inverse(plan_access::inverse(real)) {
    spectrum_extents[halved] = real.bins();
    std::vector<std::size_t> others(axes.begin(), axes.end() - 1);
    std::ranges::sort(others);
    for (const std::size_t axis : others) rising.push_back(make_axis(axis, options));
  }

  complex_axis make_axis(std::size_t axis, fft_options options) const {
    const std::size_t n = extents[axis];
    const auto made = std::ranges::find_if(
        rising, [&](const complex_axis& other) { return other.forward.size() == n; });
    const fft_plan<T> forward =
        made != rising.end() ? made->forward : fft_plan<T>(n, direction::forward, options);
    const fft_plan<T> inverse =
        made != rising.end() ? made->inverse : fft_plan<T>(n, direction::inverse, options);
    return {axis, forward, inverse, plan_access::line(forward), plan_access::line(inverse)};
  }

  // Whether the real transform can be a step of one run with the others: all lie before its axis.
  bool is_innermost() const { return rising.empty() || rising.back().axis < halved; }
};

template <class T>
rfftn_plan<T>::rfftn_plan(std::vector<std::size_t> extents, fft_options options)
    : rfftn_plan(extents, all_axes(extents.size()), options) {}

template <class T>
rfftn_plan<T>::rfftn_plan(std::vector<std::size_t> extents, const std::vector<std::ptrdiff_t>& axes,
                          fft_options options) {
  constexpr const char* name = "rfftn_plan";
  if (axes.empty())
    throw invalid_argument("rfftn_plan: axes must name at least one axis, got none");
  require_array(name, extents, sizeof(T));
  auto positions = normalized_axes(name, extents.size(), axes);
  std::vector<std::size_t> spectrum = extents;
  spectrum[positions.back()] = spectrum[positions.back()] / 2 + 1;
  require_array(name, spectrum, sizeof(std::complex<T>));
  state_ = std::make_shared<const state>(std::move(extents), std::move(positions), options);
}

template <class T>
const std::vector<std::size_t>& rfftn_plan<T>::extents() const {
  return state_->extents;
}
template <class T>
const std::vector<std::size_t>& rfftn_plan<T>::spectrum_extents() const {
  return state_->spectrum_extents;
}
template <class T>
const std::vector<std::size_t>& rfftn_plan<T>::axes() const {
  return state_->axes;
}

template <class T>
rfftn_plan<T> rfftn_plan<T>::adjoint() const {
  fft_options options = state_->given;
  options.norm = swapped(options.norm);
  return rfftn_plan(std::make_shared<const state>(state_->real.adjoint(), state_->extents,
                                                  state_->axes, options));
}

template <class T>
std::vector<recipe> rfftn_plan<T>::designs() const {
  std::vector<recipe> all;
  for (const std::size_t axis : state_->axes) {
    const auto at = std::ranges::find(state_->rising, axis, &state::complex_axis::axis);
    all.push_back(at == state_->rising.end()
                      ? state_->real.design()
                      : at->forward.design(row_major_lines(state_->spectrum_extents, axis)));
  }
  return all;
}

template <class T>
void rfftn_plan<T>::forward_arrays(base_detail::strided<const T> in,
                                   base_detail::strided<std::complex<T>> out, int threads) const {
  constexpr const char* name = "rfftn_plan::forward";
  const state& s = *state_;
  require_extents(name, "in", in.extents, s.extents);
  require_extents(name, "out", out.extents, s.spectrum_extents);
  base_detail::require_distinct(name, out);
  thread_count(threads);
  const source<T> from(in, out);
  std::vector<axis_steps<T>> groups(1);
  groups[0].push_back(make_step(s.real_forward, from.view(), out, s.halved));
  if (!s.is_innermost()) groups.emplace_back();
  const strided<const std::complex<T>> left{out.data, out.extents, out.strides};
  for (auto other = s.rising.rbegin(); other != s.rising.rend(); ++other)
    groups.back().push_back(make_step(other->forward_line, left, out, other->axis));
  run_steps(groups, out.extents, sizeof(std::complex<T>), threads);
}

template <class T>
void rfftn_plan<T>::inverse_arrays(base_detail::strided<const std::complex<T>> in,
                                   base_detail::strided<T> out, int threads) const {
  constexpr const char* name = "rfftn_plan::inverse";
  const state& s = *state_;
  require_extents(name, "in", in.extents, s.spectrum_extents);
  require_extents(name, "out", out.extents, s.extents);
  base_detail::require_distinct(name, out);
  thread_count(threads);
  const source<std::complex<T>> from(in, out);
  // One axis needs no memory between; several are done in a spectrum of our own.
  workspace<std::complex<T>> work(s.rising.empty() ? std::span<const std::size_t>()
                                                   : std::span(s.spectrum_extents));
  strided<const std::complex<T>> left = from.view();
  std::vector<axis_steps<T>> groups(1);
  for (const auto& other : s.rising) {
    groups[0].push_back(make_step(other.inverse_line, left, work.view(), other.axis));
    left = std::as_const(work).view();
  }
  if (!s.is_innermost()) groups.emplace_back();
  groups.back().push_back(make_step(s.real_inverse, left, out, s.halved));
  run_steps(groups, in.extents, sizeof(std::complex<T>), threads);
}

template class rfftn_plan<float>;
template class rfftn_plan<double>;
template class rfftn_plan<long double>;

}  // namespace papilio

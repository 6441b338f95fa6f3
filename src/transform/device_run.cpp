#include "papilio/transform/device_run.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/placement.hpp"
#include "transform/planned_tensor.hpp"

namespace papilio::transform_detail {

namespace {

using sizes = std::vector<std::size_t>;

accelerator& place_of(const device_call& c, const shared_tensor& x) {
  return place_device_array(c.function, x->on(c.function), c.on);
}

sizes with_extent(std::span<const std::size_t> extents, std::size_t axis, std::size_t n) {
  sizes result(extents.begin(), extents.end());
  result[axis] = n;
  return result;
}

// Kernels take at most five axes; an axis that is not cut counts as one with those before it.
constexpr std::size_t most_cut_axes = 4;

}  // namespace

shared_tensor run_step(const device_call& c, const operation& what,
                       const precision_options& precision, std::span<const shared_tensor> in) {
  return run_step_as(c, what, precision, in, shapes_of(what).out[0]);
}

shared_tensor run_step_as(const device_call& c, const operation& what,
                          const precision_options& precision, std::span<const shared_tensor> in,
                          const operand_shape& result) {
  accelerator& on = place_of(c, in[0]);
  if (c.planned != nullptr) {
    c.planned->push_back({.what = what, .precision = precision});
    return std::make_shared<planned_tensor>(on, result);
  }
  return run_to_new(c.function, on, what, precision, {in.begin(), in.end()}, {result})[0];
}

shared_tensor part_of(const device_call& c, const shared_tensor& x,
                      std::span<const std::size_t> first, std::span<const std::size_t> extents,
                      bool is_complex, double scale_im) {
  const operand_shape& shape = x->shape();
  if (std::ranges::equal(shape.extents, extents) && shape.is_complex == is_complex && scale_im == 1)
    return x;
  // This step cuts the first most_cut_axes axes; `later` are the offsets for the others.
  sizes now = shape.extents, from(first.begin(), first.end()), later = from;
  std::size_t cut_axes = 0;
  for (std::size_t a = 0; a < extents.size(); ++a) {
    if (now[a] == extents[a]) continue;
    if (++cut_axes > most_cut_axes) {
      from[a] = 0;
    } else {
      now[a] = extents[a];
      later[a] = 0;
    }
  }
  arrangement_problem p{.in_extents = shape.extents,
                        .out_extents = now,
                        .complex_in = shape.is_complex,
                        .complex_out = is_complex,
                        .boxes = {},
                        .scale_im = scale_im};
  arrangement_problem::box common{from, sizes(now.size(), 0), {}};
  for (std::size_t a = 0; a < now.size(); ++a)
    common.extents.push_back(std::min(shape.extents[a] - from[a], now[a]));
  p.boxes.push_back(std::move(common));
  // Moving boxes is exact: there is no precision to choose.
  const shared_tensor result = run_step(c, p, {}, {&x, 1});
  return cut_axes > most_cut_axes ? part_of(c, result, later, extents, is_complex) : result;
}

shared_tensor arranged(const device_call& c, const shared_tensor& x,
                       std::span<const std::size_t> extents, bool is_complex, double scale_im) {
  return part_of(c, x, sizes(extents.size(), 0), extents, is_complex, scale_im);
}

shared_tensor rolled(const device_call& c, const shared_tensor& x,
                     std::span<const std::size_t> shifts) {
  const operand_shape& shape = x->shape();
  arrangement_problem p{.in_extents = shape.extents,
                        .out_extents = shape.extents,
                        .complex_in = shape.is_complex,
                        .complex_out = shape.is_complex,
                        .boxes = {{{}, {}, {}}}};
  // Each axis that moves cuts every box in two: the part that wraps around, and the part that does
  // not.
  sizes later(shape.extents.size(), 0);
  std::size_t cut_axes = 0;
  for (std::size_t a = 0; a < shape.extents.size(); ++a) {
    const std::size_t n = shape.extents[a];
    std::size_t shift = shifts[a] % n;
    if (shift != 0 && ++cut_axes > most_cut_axes) std::swap(shift, later[a]);
    std::vector<arrangement_problem::box> boxes;
    for (const arrangement_problem::box& b : p.boxes) {
      const auto add = [&](std::size_t from, std::size_t to, std::size_t extent) {
        if (extent == 0) return;
        arrangement_problem::box part = b;
        part.from.push_back(from);
        part.to.push_back(to);
        part.extents.push_back(extent);
        boxes.push_back(std::move(part));
      };
      add(0, shift, n - shift);
      add(n - shift, 0, shift);
    }
    p.boxes = std::move(boxes);
  }
  const shared_tensor result = run_step(c, p, {}, {&x, 1});
  return cut_axes > most_cut_axes ? rolled(c, result, later) : result;
}

namespace {

bool is_refused(const device_call& c, const fft_problem& p, const shared_tensor& x) {
  const accelerator& on = place_of(c, x);
  return !backend_of(c.function, on).refusal(p, c.on.precision, on).empty();
}

// Transforms more axes than a kernel takes in two steps, the last two axes in one of them; the real
// transform is along the last axis.
shared_tensor in_two(const device_call& c, const transform_form& form, const shared_tensor& x,
                     std::span<const std::size_t> extents, std::span<const std::size_t> axes) {
  const auto some = axes.first(axes.size() - 2), others = axes.last(2);
  const transform_form complex{fft_kind::complex, form.dir,
                               form.adjoint ? swapped(form.norm) : form.norm};
  const std::size_t bins = extents[axes.back()] / 2 + 1;
  if (form.kind == fft_kind::real && form.dir == direction::inverse) {
    const shared_tensor part =
        transform_on_device(c, complex, x, with_extent(extents, axes.back(), bins), some);
    return transform_on_device(c, form, part, extents, others);
  }
  const shared_tensor part = transform_on_device(c, form, x, extents, others);
  return transform_on_device(c, complex, part, part->shape().extents, some);
}

}  // namespace

shared_tensor transform_on_device(const device_call& c, const transform_form& form,
                                  const shared_tensor& x, std::span<const std::size_t> extents,
                                  std::span<const std::size_t> axes) {
  fft_problem p{.kind = form.kind,
                .dir = form.dir,
                .type = real_type::single_precision,
                .norm = form.norm,
                .extents = {extents.begin(), extents.end()},
                .axes = {axes.begin(), axes.end()},
                .measured = c.plan_effort == effort::measure,
                .adjoint = form.adjoint};
  p.require_valid(c.function);
  if (axes.size() > 2 && is_refused(c, p, x)) return in_two(c, form, x, extents, axes);
  const operand_shape wanted = shapes_of(p).in[0];
  const shared_tensor from = arranged(c, x, wanted.extents, wanted.is_complex);
  return run_step(c, p, c.on.precision, {&from, 1});
}

shared_tensor complex_line_on_device(const char* function, direction dir, const shared_tensor& x,
                                     const line_options& options) {
  const sizes& extents = x->shape().extents;
  const std::size_t axis = checked_axis(function, options.axis, extents.size());
  const std::size_t n = checked_length(function, options.n, extents[axis]);
  const device_call c{function, options.plan_effort, options.on};
  return transform_on_device(c, {fft_kind::complex, dir, options.norm}, x,
                             with_extent(extents, axis, n), std::array{axis});
}

shared_tensor real_line_on_device(const char* function, direction dir, const shared_tensor& x,
                                  const line_options& options, bool adjoint) {
  const sizes& extents = x->shape().extents;
  const std::size_t axis = checked_axis(function, options.axis, extents.size());
  const bool forward = dir == direction::forward;
  const std::size_t n = forward ? checked_length(function, options.n, extents[axis])
                                : checked_real_length(function, options.n, extents[axis]);
  const device_call c{function, options.plan_effort, options.on};
  return transform_on_device(c, {fft_kind::real, dir, options.norm, 0, adjoint}, x,
                             with_extent(extents, axis, n), std::array{axis});
}

// hfft is irfft of the conjugate, ihfft the conjugate of rfft, each with the other's factor.
shared_tensor hermitian_line_on_device(const char* function, direction dir, const shared_tensor& x,
                                       const line_options& options) {
  line_options swap = options;
  swap.norm = swapped(options.norm);
  const device_call c{function, options.plan_effort, options.on};
  if (dir == direction::forward) {
    const sizes& extents = x->shape().extents;
    const std::size_t axis = checked_axis(function, options.axis, extents.size());
    const std::size_t n = checked_real_length(function, options.n, extents[axis]);
    swap.n = static_cast<std::ptrdiff_t>(n);
    return real_line_on_device(function, direction::inverse,
                               arranged(c, x, with_extent(extents, axis, n / 2 + 1), true, -1),
                               swap);
  }
  const shared_tensor bins = real_line_on_device(function, direction::forward, x, swap);
  return arranged(c, bins, bins->shape().extents, true, -1);
}

namespace {

// Transforms along one axis of the list after the other, in the given order.
shared_tensor in_turn(const device_call& c, const transform_form& form, shared_tensor x,
                      const grid_axes& grid, std::span<const std::size_t> order) {
  for (const std::size_t i : order)
    x = transform_on_device(c, form, x,
                            with_extent(x->shape().extents, grid.axes[i], grid.lengths[i]),
                            std::array{grid.axes[i]});
  return x;
}

sizes counted(std::size_t count, bool backwards) {
  sizes order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (backwards) std::ranges::reverse(order);
  return order;
}

sizes grid_extents(sizes extents, const grid_axes& grid) {
  for (std::size_t i = 0; i < grid.axes.size(); ++i) extents[grid.axes[i]] = grid.lengths[i];
  return extents;
}

}  // namespace

shared_tensor complex_grid_on_device(const device_call& c, const transform_form& form,
                                     const shared_tensor& x, const grid_axes& grid) {
  const sizes& extents = x->shape().extents;
  if (grid.axes.empty()) return arranged(c, x, extents, true);
  if (!grid.is_repeated)
    return transform_on_device(c, form, x, grid_extents(extents, grid), grid.axes);
  return in_turn(c, form, x, grid, counted(grid.axes.size(), true));
}

shared_tensor real_grid_on_device(const device_call& c, direction dir, normalization norm,
                                  const shared_tensor& x, const grid_axes& grid, bool adjoint) {
  require_an_axis(c.function, grid);
  const transform_form real{fft_kind::real, dir, norm, 0, adjoint},
      complex{fft_kind::complex, dir, adjoint ? swapped(norm) : norm};
  if (!grid.is_repeated)
    return transform_on_device(c, real, x, grid_extents(x->shape().extents, grid), grid.axes);
  const std::size_t last = grid.axes.size() - 1;
  const std::array halved{grid.axes[last]};
  const auto real_line = [&](const shared_tensor& from) {
    return transform_on_device(
        c, real, from, with_extent(from->shape().extents, halved[0], grid.lengths[last]), halved);
  };
  if (dir == direction::forward)
    return in_turn(c, complex, real_line(x), grid, counted(last, true));
  return real_line(in_turn(c, complex, x, grid, counted(last, false)));
}

shared_tensor shift_on_device(const char* function, const shared_tensor& x, const index_list& axes,
                              bool inverse) {
  const sizes& extents = x->shape().extents;
  sizes shifts(extents.size(), 0);
  const auto add = [&](std::size_t axis) {
    const std::size_t n = extents[axis];
    shifts[axis] = (shifts[axis] + (inverse ? n - n / 2 : n / 2)) % n;
  };
  if (!axes.is_given())
    for (std::size_t axis = 0; axis < extents.size(); ++axis) add(axis);
  for (const std::ptrdiff_t axis : axes.values()) add(checked_axis(function, axis, extents.size()));
  const execution here;
  return rolled({function, effort::estimate, here}, x, shifts);
}

}  // namespace papilio::transform_detail

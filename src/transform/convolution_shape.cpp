#include "papilio/transform/options.hpp"

#include <algorithm>
#include <cmath>

#include "papilio/base/error.hpp"
#include "papilio/transform/frequencies.hpp"
#include "papilio/transform/run.hpp"

namespace papilio::transform_detail {
namespace {

using extents_span = std::span<const std::size_t>;

std::vector<std::size_t> convolved_axes(const char* function, extents_span x, extents_span y,
                                        const index_list& given) {
  std::vector<bool> asked(x.size(), !given.is_given());
  if (given.is_given() && given.values().empty())
    throw invalid_argument(base_detail::message(function, ": axes must name at least one, got 0"));
  for (std::ptrdiff_t a : given.values()) {
    const std::size_t axis = checked_axis(function, a, x.size());
    if (asked[axis])
      throw invalid_argument(
          base_detail::message(function, ": axes must be distinct, got ", axis, " twice"));
    asked[axis] = true;
  }
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < x.size(); ++k) {
    // Extent 1 along an axis is a factor: no transform is needed.
    if (asked[k] && x[k] != 1 && y[k] != 1) {
      axes.push_back(k);
    } else if (x[k] != y[k] && x[k] != 1 && y[k] != 1) {
      throw shape_error(base_detail::message(function, ": extents along axis ", k,
                                             " must agree or be 1, got ", x[k], " and ", y[k]));
    }
  }
  return axes;
}

void require_one_longer(const char* function, extents_span x, extents_span y,
                        const std::vector<std::size_t>& axes) {
  const auto longer = [&](extents_span a, extents_span b) {
    return std::ranges::all_of(axes, [&](std::size_t k) { return a[k] >= b[k]; });
  };
  if (!longer(x, y) && !longer(y, x))
    throw invalid_argument(base_detail::message(
        function, ": mode valid needs an operand that is at least as long along every axis"));
}

void keep(convolution_shape& shape, extents_span x, extents_span y, convolution_mode mode) {
  const auto& full = shape.full_extents;
  shape.kept_extents = full;
  if (mode == convolution_mode::same) shape.kept_extents.assign(x.begin(), x.end());
  if (mode == convolution_mode::valid)
    for (std::size_t k : shape.axes)
      shape.kept_extents[k] = std::max(x[k], y[k]) - std::min(x[k], y[k]) + 1;
  for (std::size_t k = 0; k < full.size(); ++k)
    shape.kept_first.push_back((full[k] - shape.kept_extents[k]) / 2);
}

// Transform length that costs least for each new value, for a filter of m.
std::size_t best_block_transform(std::size_t m, std::size_t full) {
  std::size_t best = 0;
  double best_cost = 0;
  for (std::size_t n = 2; n < full; n *= 2) {
    if (n < 2 * m) continue;
    const auto length = static_cast<double>(n);
    const double cost = length * std::log2(length) / static_cast<double>(n - m + 1);
    if (best == 0 || cost < best_cost) {
      best = n;
      best_cost = cost;
    }
  }
  return best;
}

void choose_blocks(convolution_shape& shape, extents_span x, extents_span y) {
  double best_ratio = 0;
  std::size_t best = 0;
  for (std::size_t i = 0; i < shape.axes.size(); ++i) {
    const std::size_t k = shape.axes[i];
    const double ratio =
        static_cast<double>(std::max(x[k], y[k])) / static_cast<double>(std::min(x[k], y[k]));
    if (ratio > best_ratio) {
      best_ratio = ratio;
      best = i;
    }
  }
  if (shape.axes.empty()) return;
  const std::size_t axis = shape.axes[best], m = std::min(x[axis], y[axis]);
  const std::size_t n = best_block_transform(m, shape.full_extents[axis]);
  if (n == 0) return;  // no block is shorter than the whole
  shape.block_axis = axis;
  shape.block_length = n - m + 1;
  shape.block_lengths = shape.padded_lengths;
  shape.block_lengths[best] = n;
}

}  // namespace

convolution_shape checked_convolution(const char* function, extents_span x, extents_span y,
                                      convolution_mode mode, const index_list& given, bool is_real,
                                      bool in_blocks) {
  convolution_shape shape;
  const bool is_empty = std::ranges::find(x, std::size_t{0}) != x.end() ||
                        std::ranges::find(y, std::size_t{0}) != y.end();
  if (is_empty) return shape;
  shape.axes = convolved_axes(function, x, y, given);
  if (mode == convolution_mode::valid) require_one_longer(function, x, y, shape.axes);
  for (std::size_t k = 0; k < x.size(); ++k) shape.full_extents.push_back(std::max(x[k], y[k]));
  for (std::size_t k : shape.axes) {
    const std::size_t full = x[k] + y[k] - 1;
    shape.full_extents[k] = full;
    const bool is_halved = is_real && k == shape.axes.back();
    shape.padded_lengths.push_back(next_fast_len(static_cast<std::ptrdiff_t>(full), is_halved));
  }
  keep(shape, x, y, mode);
  if (in_blocks) choose_blocks(shape, x, y);
  return shape;
}

}  // namespace papilio::transform_detail

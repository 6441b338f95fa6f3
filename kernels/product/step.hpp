#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/ceil_div.hpp"
#include "kernels/fields.hpp"
#include "kernels/product/levels.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/triangular.hpp"

// One step of a contraction as loops over tensors in HBM, and results that stay in SBUF.
namespace papilio::kernels_detail {

/// The tensors of a step.
enum class side : std::uint8_t { left, right, out };

/// A tensor in HBM by the labels of its axes, row-major; a label that repeats is its diagonal.
struct labelled_tensor {
  std::vector<int> labels = {};
  bool conjugate = false;

  auto fields() const { return std::tie(labels, conjugate); }
};

/// What a step of a label is in a tensor, in elements.
std::int64_t stride_of(const std::vector<int>& labels, std::span<const std::int64_t> sizes,
                       int label);

/// One loop of a step: how far a step of it is in each tensor; 0 in one that has it not.
struct step_axis {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides = {};
  std::array<bool, 3> has = {};

  bool is_in(side s) const { return has[std::size_t(s)]; }
  std::int64_t stride(side s) const { return strides[std::size_t(s)]; }
  bool is_summed() const { return !is_in(side::out); }
  auto fields() const { return std::tie(extent, strides, has); }
};

/// An operand is a part of a matrix of which one triangle is given; the other may hold anything. It
/// is zeros, or the first one's mirror image, of an operand that is all of a symmetric matrix.
struct operand_triangle {
  kernels::triangle part = kernels::triangle::lower;  ///< of the matrix as it lies
  bool is_mirrored = false;
  bool unit = false;  ///< with ones on the diagonal

  /// Whether all of these rows and columns, as it lies, is beside the triangle; of one that is
  /// mirrored: whether all of it is read from its mirror image.
  bool is_beside(std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) const {
    return part == kernels::triangle::lower ? column > row + rows - 1 : column + columns - 1 < row;
  }
  /// Whether all of it is of the triangle.
  bool is_within(std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) const {
    return part == kernels::triangle::lower ? column + columns - 1 <= row
                                            : column >= row + rows - 1;
  }
  auto fields() const { return std::tie(part, is_mirrored, unit); }
};

/// out = sum of products over the axes that it has not; with one operand, sums of it. Loops that
/// are one in all tensors are one axis, loops of one value none.
struct contraction_step {
  std::vector<step_axis> axes;
  std::vector<int> labels = {};  ///< of the axes, where none were joined
  bool is_pair = false;
  int planes = 1;                            ///< 2: complex, real parts first
  engine::dtype type = engine::dtype::fp32;  ///< of operands of the tensor engine
  int parts = 1;                             ///< of that type, whose sum an operand is
  std::array<std::int64_t, 3> plane = {};    ///< elements of a plane of each tensor
  std::array<bool, 2> conjugate = {};        ///< of left and right
  std::array<engine::dtype, 3> stored = {};  ///< of the tensors in HBM
  bool three_products = false;  ///< of real matrices, for one of complex ones, in place of four
  // The following where the axes are those of matrices: one for each of m, n and k.
  kernels::product_epilogue epilogue = {};
  /// Only this triangle of a square result, which lies as a triangle_layout of the array's side.
  std::optional<kernels::triangle> part = {};
  std::array<std::optional<operand_triangle>, 2> triangles = {};  ///< of left and right

  std::int64_t extent(int axis) const { return axes[std::size_t(axis)].extent; }
  /// The product of their extents.
  std::int64_t count_of(const std::vector<int>& some) const;
  std::int64_t stride(int axis, side of) const { return axes[std::size_t(axis)].stride(of); }
  /// Multiply-adds of numbers.
  double terms() const;
  /// Axes of this kind, as their indices.
  std::vector<int> axes_of(bool left, bool right, bool out) const;
  std::vector<int> axes_in(side of) const;
  /// Bytes of all operands and of the result, each once.
  double bytes() const;
  /// Products of parts that a product of two operands is made of.
  int part_products() const { return parts * (parts + 1) / 2; }
  auto fields() const {
    return std::tie(axes, labels, is_pair, planes, type, parts, plane, conjugate, stored,
                    three_products, epilogue.alpha, epilogue.beta, epilogue.bias, epilogue.function,
                    epilogue.sums, part, triangles);
  }
};

/// `right`: null of a step with one operand. `fixed`: labels of which tensors are taken at one
/// value. `joins`: axes that are one in all tensors become one; else each has its label.
contraction_step step_of(const labelled_tensor& left, const labelled_tensor* right,
                         const std::vector<int>& out, std::span<const std::int64_t> sizes,
                         const std::vector<int>& fixed, bool is_complex, bool joins = true);

/// The tensors of a run: flat, with their planes one behind the other, or views whose first element
/// is the tensor's. Of an epilogue: C0, which lies as the result; the bias, one row for each plane;
/// and its sums, in which case there is no result.
struct step_tensors {
  std::array<engine::hbm_view, 3> flat;
  engine::hbm_view before = {}, bias = {}, sums = {};

  const engine::hbm_view& of(side s) const { return flat[std::size_t(s)]; }
};

/// Axes on partitions: all of some, and of one more, the slowest, a part at a time.
struct axis_lanes {
  std::vector<int> whole = {};  ///< axes; the last is the fastest
  int cut = -1;                 ///< axis; -1: none
  std::int64_t chunk = 1;       ///< of the cut axis
  std::int64_t inner = 1;       ///< product of the whole ones

  std::int64_t lanes() const { return inner * chunk; }
  /// Lanes of a whole axis: no more than there are.
  std::int64_t lanes_within(const contraction_step& step) const {
    return cut >= 0 ? std::min(chunk, step.extent(cut)) : inner;
  }
  bool has(int axis) const;
  auto fields() const { return std::tie(whole, cut, chunk, inner); }
  /// Partitions with their strides in a tensor, `count` of the cut axis.
  view_levels levels(const contraction_step& step, side in, std::int64_t count) const;
};

/// At most `most` lanes, of axes that come first first.
axis_lanes lanes_of(const contraction_step& step, const std::vector<int>& axes, std::int64_t most);

/// How a value lies there, by labels: some on partitions, whole ones and a part of one more, the
/// others along them.
struct chip_layout {
  std::vector<int> whole = {};  ///< the last is the fastest
  int cut = -1;                 ///< label; -1: none
  std::int64_t chunk = 1;
  std::map<int, std::int64_t> steps = {};  ///< elements; of the cut label those of a chunk
  std::int64_t plane = 0, words = 1;       ///< of a partition
  engine::dtype type = engine::dtype::fp32;
  int parts = 1;  ///< of the type, whose sum an element is: planes of so many words each

  /// 0 of a label of one value.
  std::int64_t step(int label) const {
    const auto found = steps.find(label);
    return found == steps.end() ? 0 : found->second;
  }
  auto fields() const { return std::tie(whole, cut, chunk, steps, plane, words, type, parts); }
};

struct chip_value {
  engine::tile memory;
  chip_layout layout;
};

}  // namespace papilio::kernels_detail

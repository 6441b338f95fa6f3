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
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"
#include "papilio/kernels/gemm.hpp"
#include "papilio/kernels/triangular.hpp"

// One step of a contraction as loops with strides in its tensors, and layouts of values in SBUF.
namespace papilio::kernels_detail {

/// The tensors of a step.
enum class operand_role : std::uint8_t { left, right, out };

/// A row-major tensor by the labels of its axes; a label that repeats takes the diagonal.
struct labelled_tensor {
  std::vector<int> labels = {};
  bool conjugate = false;

  auto fields() const { return std::tie(labels, conjugate); }
};

/// The stride of a label in a row-major tensor, in elements; of a diagonal, the sum of its strides.
std::int64_t stride_of(const std::vector<int>& labels, std::span<const std::int64_t> sizes,
                       int label);

/// One loop of a step, with its stride in each tensor; 0 where a tensor does not have it.
struct step_axis {
  std::int64_t extent = 1;
  std::array<std::int64_t, 3> strides = {};
  std::array<bool, 3> has = {};

  bool is_in(operand_role s) const { return has[std::size_t(s)]; }
  std::int64_t stride(operand_role s) const { return strides[std::size_t(s)]; }
  bool is_summed() const { return !is_in(operand_role::out); }
  auto fields() const { return std::tie(extent, strides, has); }
};

/// An operand of which one triangle is given; the memory of the other may hold anything. The
/// operand is triangular, or symmetric: the other triangle is then the mirror image of the given
/// one.
struct operand_triangle {
  kernels::triangle part = kernels::triangle::lower;  ///< in the matrix as it is stored
  bool is_mirrored = false;
  bool unit = false;  ///< the diagonal is taken for ones

  /// Whether these rows and columns of the stored matrix are all beside the triangle: zeros, or
  /// read from the mirror image.
  bool is_beside(std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) const {
    return part == kernels::triangle::lower ? column > row + rows - 1 : column + columns - 1 < row;
  }
  /// Whether these rows and columns are all in the triangle.
  bool is_within(std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) const {
    return part == kernels::triangle::lower ? column + columns - 1 <= row
                                            : column >= row + rows - 1;
  }
  auto fields() const { return std::tie(part, is_mirrored, unit); }
};

/// out = sum of left times right over the axes that out has not; with one operand, sums of it.
/// Loops that are contiguous in all tensors are fused into one axis; loops of one value are left
/// out.
struct contraction_step {
  std::vector<step_axis> axes;
  std::vector<int> labels = {};  ///< labels of the axes, where none were fused
  bool is_pair = false;
  int planes = 1;  ///< 2: complex, real parts first
  /// Operands of the tensor engine. Of a packed type they are quantised in SBUF; the step then has
  /// one plane and one axis for each of m, n and k.
  engine::dtype type = engine::dtype::fp32;
  int parts = 1;                             ///< numbers of that type whose sum an operand is
  std::array<std::int64_t, 3> plane = {};    ///< elements of a plane of each tensor
  std::array<bool, 2> conjugate = {};        ///< left and right
  std::array<engine::dtype, 3> stored = {};  ///< types in HBM
  bool three_products = false;  ///< three real products for a complex one, in place of four
  // The members below are for steps with one axis for each of m, n and k.
  kernels::product_epilogue epilogue = {};
  /// The only triangle of a square result that is made, stored as a triangle_layout with blocks of
  /// the array's rows.
  std::optional<kernels::triangle> part = {};
  std::array<std::optional<operand_triangle>, 2> triangles = {};  ///< left and right

  std::int64_t extent(int axis) const { return axes[std::size_t(axis)].extent; }
  /// The product of these axes' extents.
  std::int64_t count_of(const std::vector<int>& some) const;
  std::int64_t stride(int axis, operand_role of) const {
    return axes[std::size_t(axis)].stride(of);
  }
  /// The number of multiply-adds, complex ones counted once.
  double terms() const;
  /// The indices of the axes that exactly these tensors have.
  std::vector<int> axes_of(bool left, bool right, bool out) const;
  std::vector<int> axes_in(operand_role of) const;
  /// Bytes of all operands and of the result, each once.
  double bytes() const;
  /// Values of a summed axis that a partition of an operand holds side by side.
  std::int64_t summed_together() const { return is_packed(type) ? engine::mx_numbers : 1; }
  /// Type of an operand as it is loaded, where it is then changed: 16 bits to be quantised.
  engine::dtype loaded(operand_role of) const {
    const engine::dtype is = stored[std::size_t(of)];
    return !is_packed(type) || is == engine::dtype::fp16 ? is : engine::dtype::bf16;
  }
  /// The number of products of parts that make a product: those of low order are left out.
  int part_products() const { return parts * (parts + 1) / 2; }
  auto fields() const {
    return std::tie(axes, labels, is_pair, planes, type, parts, plane, conjugate, stored,
                    three_products, epilogue.alpha, epilogue.beta, epilogue.bias, epilogue.function,
                    epilogue.sums, part, triangles);
  }
};

/// The step of these tensors. `right`: null for a step with one operand. `fixed`: labels that have
/// one value in this step (slices). `joins`: fuse axes that are contiguous in all tensors; else
/// each axis keeps its label.
contraction_step step_of(const labelled_tensor& left, const labelled_tensor* right,
                         const std::vector<int>& out, std::span<const std::int64_t> sizes,
                         const std::vector<int>& fixed, bool is_complex, bool joins = true);

/// The tensors of a run: flat, planes one behind the other, or views that begin at the tensor's
/// first element. An epilogue has C0 (`before`) in the result's layout; the bias, one row for each
/// plane; and sums, in which case there is no result.
struct step_tensors {
  std::array<engine::hbm_view, 3> flat;
  engine::hbm_view before = {}, bias = {}, sums = {};

  const engine::hbm_view& of(operand_role s) const { return flat[std::size_t(s)]; }
};

/// The axes that lie on partitions: some whole, and one more, the slowest, cut into chunks.
struct axis_partitions {
  std::vector<int> whole = {};  ///< whole axes; the last is the fastest
  int cut = -1;                 ///< the axis that is cut; -1: none
  std::int64_t chunk = 1;       ///< values of the cut axis
  std::int64_t inner = 1;       ///< product of the whole axes' extents

  std::int64_t partitions() const { return inner * chunk; }
  /// The partitions in use: a chunk may be longer than its axis. For groups of one axis.
  std::int64_t partitions_within(const contraction_step& step) const {
    return cut >= 0 ? std::min(chunk, step.extent(cut)) : inner;
  }
  bool has(int axis) const;
  auto fields() const { return std::tie(whole, cut, chunk, inner); }
  /// The loops over partitions with their strides in a tensor, with `count` values of the cut axis.
  view_levels levels(const contraction_step& step, operand_role in, std::int64_t count) const;
};

/// Puts axes on at most `most` partitions, in the order given: whole ones while they fit, then a
/// chunk of the next.
axis_partitions partitions_of(const contraction_step& step, const std::vector<int>& axes,
                              std::int64_t most);

/// The layout of a value in SBUF by labels: some lie on partitions, as in axis_partitions, the others
/// along them.
struct chip_layout {
  std::vector<int> whole = {};  ///< labels on partitions; the last is the fastest
  int cut = -1;                 ///< the label that is cut; -1: none
  std::int64_t chunk = 1;
  std::map<int, std::int64_t> steps = {};  ///< strides; the cut label's from chunk to chunk
  std::int64_t plane = 0, words = 1;       ///< stride of planes; words of a partition
  engine::dtype type = engine::dtype::fp32;
  int parts = 1;  ///< numbers whose sum an element is, each part in `words` words

  /// The stride of a label; 0 where it has one value.
  std::int64_t step(int label) const {
    const auto found = steps.find(label);
    return found == steps.end() ? 0 : found->second;
  }
  auto fields() const { return std::tie(whole, cut, chunk, steps, plane, words, type, parts); }
};

/// A value that stays in SBUF.
struct chip_value {
  engine::tile memory;
  chip_layout layout;
};

}  // namespace papilio::kernels_detail

#pragma once

#include <complex>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "kernels/fft/digits.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::kernels_detail {

/// Elements of an axis whose numbers are in its second half, where it enters or leaves, may be
/// conjugates of what a block has, of its lanes from right to left.
enum class folded_end : std::uint8_t { none, input, output };

/// One stage of a pass: what one product of the tensor engine does, and over which columns.
///
/// The elements of a group are points x shared columns, real and imaginary parts: with
/// S = 2 * points * shared reals they are one vector times an S x S matrix, block diagonal in the
/// columns, in which the twiddle factors are folded. Elements are numbered (plane, point, column).
/// Where points exceed half the array (`planes_apart`), planes are two vectors, and two products
/// are summed.
struct fft_stage {
  std::vector<int> digits;   ///< that are transformed, most significant first
  std::int64_t points = 1;   ///< product of their radices
  digit_level shared = {};   ///< the columns of a group; extent 1: none
  digit_layout groups = {};  ///< the other columns; strides of the input
  bool planes_apart = false;
  /// If not none: points of a group that are in the first half of the axis at that end lie from
  /// partition 0 on, those of the second half, which are conjugates, from partition `second` on;
  /// input as (point, plane), output as (plane, point), each plane of it half as many partitions.
  /// The second half has lanes from right to left where the first has them from left to right.
  folded_end folded = folded_end::none;
  std::int64_t second = 0;
  /// Where points and planes of a group's first element lie in the input.
  digit_layout point_levels = {};
  std::int64_t plane_stride = 0;
  /// Where the matrices multiply each input (output) element by a factor of its own: what a digit's
  /// value weighs in the factor's index. Empty: none. Each group then has its own matrix.
  std::vector<std::int64_t> in_index = {}, out_index = {};

  std::int64_t group_count() const { return count_of(groups); }
  /// Reals of a group.
  std::int64_t reals() const { return 2 * points * shared.extent; }
  std::int64_t matrix_rows() const {
    return folded == folded_end::input ? 2 * second : planes_apart ? reals() / 2 : reals();
  }
  /// Partitions of results that leave by columns, of each plane that is apart.
  std::int64_t result_rows() const {
    return folded == folded_end::output ? 2 * second : planes_apart ? reals() / 2 : reals();
  }
  /// Columns that one matrix takes in its table.
  std::int64_t matrix_columns() const {
    return folded == folded_end::output ? 2 * second : planes_apart ? 2 * reals() : reals();
  }

  /// The first of so many transposes of its input is the vector engine's, the others are the
  /// array's; 0: all are.
  std::int64_t vector_turn = 0;

  /// Where the points and planes of a group's first element lie, and the shared columns, as merged
  /// levels: what one transpose reads.
  std::vector<engine::pattern_dim> transposed_levels() const;

  /// Sums K of the twiddle factors, of each digit and shared column, and the group where it has a
  /// matrix of its own, or of folded input how many points are in the first half: what tells
  /// matrices apart.
  using twiddles = std::vector<std::int64_t>;
  std::map<twiddles, std::int64_t> variants = {};  ///< -> index in the table
};

/// How the input of a pass lies, and where the next stage finds it.
struct stage_input {
  std::int64_t plane_stride = 0;
  digit_layout levels = {};
};

/// The stage number `stage` of digits that lie so. `prefer`: the level of stride 1 in these strides
/// (of each digit) is shared if any is (the output's, of a last stage); empty: the widest. `apart`:
/// planes are two vectors however few the points are. `folded`: as in the stage, which then has no
/// shared columns.
fft_stage plan_stage(std::span<const fft_digit> digits, int stage, const stage_input& in,
                     std::int64_t array_rows, bool apart, std::span<const std::int64_t> prefer = {},
                     folded_end folded = folded_end::none);

/// Numbers of the points of a folded stage's groups, of one axis: v * point + g * group.
struct folded_numbers {
  std::int64_t radix, all;    ///< points of a group, and of the axis
  std::int64_t point, group;  ///< what they count

  folded_numbers(std::span<const fft_digit> digits, const fft_stage& stage);
  /// Points v of a group that are in the first half: v * point + below < all / 2.
  std::int64_t first_half_above(std::int64_t below) const {
    return (all - 2 * below + 2 * point - 1) / (2 * point);
  }
  std::int64_t first_half(std::int64_t g) const { return first_half_above(g * group); }
  /// Whether the first point of a group in the second half is number all / 2 of an even axis.
  bool begins_in_middle(std::int64_t g) const {
    return 2 * (first_half(g) * point + g * group) == all;
  }
};

/// K of each digit and shared column of a group; `outer` is what is known from outside the pass,
/// of each axis.
fft_stage::twiddles twiddles_of(std::span<const fft_digit> digits, const fft_stage& stage,
                                std::int64_t group, std::span<const std::int64_t> outer);

/// Numbers all matrices that groups need, for every outer value in `outers`.
void number_variants(std::span<const fft_digit> digits, fft_stage& stage,
                     const std::vector<std::vector<std::int64_t>>& outers);

/// Factors of elements by their index; 0 for those that are not there.
using element_factors = std::vector<std::complex<double>>;

/// The table [matrix_rows, variants * matrix_columns], row by row. Factors are read where the stage
/// has an index for them.
void fill_matrices(std::span<const fft_digit> digits, const fft_stage& stage, bool inverse,
                   double scale, const element_factors& in, const element_factors& out,
                   std::span<float> table);

}  // namespace papilio::kernels_detail

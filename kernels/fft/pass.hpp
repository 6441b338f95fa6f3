#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/fft/chirp.hpp"
#include "kernels/fft/stage.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {

/// Which index of a block lies on partitions when it enters or leaves the chip.
///   rows     lanes do: a partition has the whole line of a transform, contiguous in HBM
///   columns  points do: a partition has one point of many lanes, which are contiguous in HBM
enum class orientation : std::uint8_t { rows, columns };

/// Strides of a pass' indices in a tensor, in elements.
struct hbm_place {
  std::int64_t plane = 0;  ///< of an input 0: both planes are the same numbers
  std::int64_t lane = 0;
  std::vector<std::int64_t> digits = {};  ///< of each digit, input or output

  auto fields() const { return std::tie(plane, lane, digits); }
};

/// The pass is done for each value of an index beside its lanes. If it counts digits of an axis
/// that were transformed before, it adds index * weight to their sum K. The index runs from
/// `first`.
struct outer_level {
  std::int64_t extent = 1, in = 0, out = 0;
  int axis = -1;
  std::int64_t weight = 0, first = 0;

  auto fields() const { return std::tie(extent, in, out, axis, weight, first); }
};

/// Results that leave by rows in parts: outputs [i length, (i + 1) length) of all lanes go `stride`
/// elements further than those before, planes and lanes inside a part. Then out.digits tells the
/// order of outputs only, which must be natural.
struct output_parts {
  std::int64_t length = 0;  ///< 0: not in parts
  std::int64_t stride = 0, lane = 0, plane = 0;

  auto fields() const { return std::tie(length, stride, lane, plane); }
};

/// A sweep over HBM: every block is loaded once, transformed in all digits that have a stage, and
/// stored once.
struct fft_pass {
  std::string name;
  orientation entry = orientation::rows, exit = orientation::rows;
  std::vector<fft_digit> digits;  ///< each digit's input place follows from `in`
  std::int64_t lanes = 1;
  hbm_place in, out;
  std::int64_t offset = 0;      ///< of the first element, in both tensors
  bool joins_previous = false;  ///< does the rest of what the pass before it does: same tensors
  std::vector<outer_level> outer = {};
  bool inverse = false;
  double scale = 1;
  array_operands operands = {};
  /// After the last stage (exit by rows), element [lane, output] is multiplied by
  /// w(order)^((first + lane) * output), a table in HBM of that shape. 0: none.
  std::int64_t twiddle_order = 0, twiddle_first = 0;
  output_parts parts = {};
  /// By rows, of one axis: lines have only so many points in the tensor, which are followed by
  /// zeros (input), or are all that is wanted (output). 0: all.
  std::int64_t in_points = 0, out_points = 0;
  /// Two-for-one packing: the number of real lines, of which lines 2i and 2i + 1 are the real and
  /// imaginary parts of complex line i. The input then holds their bins [2, lines, points / 2 + 1];
  /// the output holds the bins, times 2 (out_bins), or the lines. 0: lines are complex.
  std::int64_t in_lines = 0, out_lines = 0;
  bool out_bins = false;
  /// What elements of a line are multiplied by before and after, inside the matrices.
  chirp_factors in_factors = {}, out_factors = {};

  /// By columns, of one axis: lanes are the rows k = 0 ... r/2 of the spectrum of a real line of
  /// r times the points, in planes of its bins; output i of lane k (of an inverse pass, input i) is
  /// bin k + r i, or, from the middle of the points on, the conjugate of bin
  /// (r - k) + r (points - 1 - i). Of an even r the points are even, too. That tensor is
  /// said by this number r alone, but for its planes and what is outside. 0: lanes are complex
  /// lines.
  std::int64_t spectrum_rows = 0;

  // Planned by plan_pass.
  std::int64_t side = 0, bank = 0;     ///< rows of the array, fp32 elements of a bank
  std::vector<fft_stage> stages = {};  ///< these follow from the other fields
  std::int64_t lane_tile = 0;          ///< lanes of a block
  int entry_depth = 1, middle_depth = 1, exit_depth = 1;
  bool shares_transposes = false;  ///< the vector engine does some of them
  bool interleaved = false;        ///< stages of successive blocks take turns
  /// Matrices of so many outer values are loaded together, as blocks need them; 0: all stay.
  std::int64_t streamed = 0;

  std::int64_t points() const;
  /// Units between transposes and products. The vector engine takes longer to transpose.
  int units_ahead() const { return shares_transposes ? 3 : 2; }
  std::int64_t outer_count() const;
  /// Whether real and imaginary parts of a lane are neighbours in the input.
  bool interleaved_input() const { return in.plane == 1; }
  /// The same in the output of a pass that leaves by columns.
  bool interleaved_output() const { return exit == orientation::columns && out.plane == 1; }

  auto fields() const {
    return std::tie(name, entry, exit, digits, lanes, in, out, offset, joins_previous, outer,
                    inverse, scale, operands, twiddle_order, twiddle_first, parts, in_points,
                    out_points, in_lines, out_lines, out_bins, in_factors, out_factors,
                    spectrum_rows, side, bank, lane_tile, entry_depth, middle_depth, exit_depth,
                    shares_transposes, interleaved, streamed);
  }
  /// Without the lanes that are lines, and the index of arrays.
  fft_pass without_batch() const;
};

/// Completes a pass: stages, matrices, blocks. resource_error if a block does not fit SBUF.
void plan_pass(fft_pass& pass, const engine::machine_spec& machine);

/// A planned pass, or several that join, each for some values of an outer index, where the matrices
/// for all of them do not fit. Errors as plan_pass.
std::vector<fft_pass> planned_passes(const fft_pass& pass, const engine::machine_spec& machine);

/// Tables of a planned pass, in the order that run_pass takes them.
std::vector<kernels::constant_table> tables_of(const fft_pass& pass);

/// Issues a planned pass. `in`, `out`: tensors, flat; `tables`: those of tables_of.
void run_pass(engine::core& nc, const fft_pass& pass, const engine::hbm_view& in,
              const engine::hbm_view& out, std::span<const engine::hbm_view> tables);

/// Expected squared relative error that a pass adds, for random input.
double squared_error(const fft_pass& pass);
/// The same of one stage; `digits`: those of its pass, if known.
double squared_error_of(const fft_stage& stage, const array_operands& operands,
                        std::span<const fft_digit> digits = {});

/// "rows 32 x 32, blocks of 128 lanes".
std::string describe(const fft_pass& pass);

}  // namespace papilio::kernels_detail

#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/table.hpp"
#include "kernels/transform/chirp.hpp"
#include "kernels/transform/digit_places.hpp"
#include "kernels/transform/lines.hpp"
#include "kernels/transform/recipe.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/machine_spec.hpp"

// A few lines, each of which fills the array by itself: its own digits are the array's rows and
// columns.
//   step       sums one digit, which counts partitions, on the way from one place to the next. Where
//              the next one has the sums on partitions too, the matrix is the stationary operand;
//              else the data are, and columns come to partitions: nothing is transposed
//   factors    follow a step on the vector engine: of the twiddle, w(order)^(left right), or of a
//              chirp. A table of them has only the columns that they depend on
//   lines      a few share a tile; a few tiles take turns, so that no engine waits for the chain of
//              a line's steps
//   real       rows k <= r/2 of the first digit are enough; those of the last digit leave as they are,
//              and mirrored as the conjugates of what is missing
//   inverse    complex lines exchange their planes as they come in, and as they leave
namespace papilio::kernels_detail {

/// A sum over digits, each times its weight.
struct digit_form {
  std::vector<std::pair<int, std::int64_t>> terms = {};

  std::int64_t operator()(const digit_values& values) const;
  auto fields() const { return std::tie(terms); }
};

/// Complex numbers that a tile is multiplied by.
struct own_factors {
  std::int64_t order = 0;  ///< of the roots w(order)^(left right); 0: there are none
  bool conjugated = false;
  digit_form left = {}, right = {};
  /// Element `right` of these, times `scale`; 0 beyond the last.
  chirp_factors chirp = {};
  double scale = 1;
  /// Real and imaginary parts have factors of their own, since of bins 0 and n / 2 of this many real
  /// points the imaginary part is 0.
  std::int64_t real_bins_of = 0;

  explicit operator bool() const { return order > 0 || chirp; }
  bool depends_on(int digit) const;
  auto fields() const {
    return std::tie(order, conjugated, left, right, chirp, scale, real_bins_of);
  }
};

struct own_step {
  int digit = 0;
  bool back = false;  ///< exponents are positive
  digit_place to = {};
  own_factors after = {};

  auto fields() const { return std::tie(digit, back, to, after); }
};

/// Lines as they come in, or as they leave: `planes` planes of `numbers` a line.
struct own_end {
  std::int64_t numbers = 1;
  int planes = 2;
  std::int64_t plane = -1;     ///< from plane to plane; negative: they follow each other
  bool bins = false;           ///< the first digit is the least significant
  bool half = false;           ///< bins 0 ... n / 2 of a real line
  bool first_is_real = false;  ///< imaginary parts of the first bin, ...
  bool last_is_real = false;   ///< ... and of the last one, are not read

  auto fields() const {
    return std::tie(numbers, planes, plane, bins, half, first_is_real, last_is_real);
  }
};

struct own_digits {
  std::int64_t lines = 1, together = 1, turns = 1;
  std::int64_t bank = 0;    ///< fp32 elements of a bank of PSUM
  std::int64_t mirror = 0;  ///< partition of the first mirrored row; 0: there are none
  std::vector<std::int64_t> radices = {};  ///< most significant digit of a point first
  bool swapped = false;                    ///< planes are exchanged at both ends
  double scale = 1;                        ///< of the last step's sums
  own_end in = {}, out = {};
  digit_place entry = {};
  own_factors first = {};
  std::vector<own_step> steps = {};

  std::int64_t tiles() const { return (lines + together - 1) / together; }
  std::int64_t radix(int digit) const { return radices[std::size_t(digit)]; }
  const digit_place& place_before(std::size_t step) const {
    return step == 0 ? entry : steps[step - 1].to;
  }
  const own_factors& factors_before(std::size_t step) const {
    return step == 0 ? first : steps[step - 1].after;
  }
  auto fields() const {
    return std::tie(lines, together, turns, bank, mirror, radices, swapped, scale, in, out, entry,
                    first, steps);
  }
  std::string describe() const;
  own_digits without_batch() const;
};

/// How a step is computed.
struct own_shape {
  bool data_stationary = false;
  int pieces = 1;      ///< planes that are read by products of their own
  int planes_out = 2;  ///< of the sums
  bool planes_in_rows = false;
  digit_axes rows = {};  ///< of the matrix, planes left out where they have products of their own
  digit_axes results = {};  ///< of a product
  /// Columns of a unit's operand that come to partitions; those that each product of a unit is for;
  /// those that each unit is for.
  digit_axes moved = {}, inner = {}, outer = {};
  bool folded = false;  ///< half of the results are mirrored as they leave

  std::int64_t width() const { return span_of(results); }
  std::int64_t partitions() const { return data_stationary ? span_of(moved) : span_of(results); }
};
own_shape shape_of(const own_digits& what, std::size_t step);

/// The matrix of a step, [rows, (piece, plane of the sums, result)].
kernels::constant_table step_table(const own_digits& what, std::size_t step);
/// Factors of a place, [partitions, (cos, sin; plane where they differ; columns they depend on)].
kernels::constant_table factor_table(const digit_place& at, const own_factors& factors);
/// The columns of a place that factors depend on, packed.
digit_axes columns_of(const own_factors& factors, const digit_place& at);

/// Numbers of a plane of a line that are moved by one instruction: the first rows of a tile, the
/// levels of its columns, and those of HBM.
struct own_block {
  std::int64_t rows = 1, column = 0;
  std::vector<engine::pattern_dim> columns = {};
  std::int64_t at = 0;
  std::vector<engine::pattern_dim> hbm = {};
};
/// The blocks in which a plane of a line comes in, or leaves.
std::vector<own_block> blocks_of(const own_digits& what, bool enters, int plane);

/// Issues the steps. Tables: the first factors, then of each step its matrix, and what follows it.
void run_own_digits(engine::core& nc, const own_digits& what, const engine::hbm_view& in,
                    const engine::hbm_view& out, std::span<const engine::hbm_view> tables);

/// Lines [outer, n], complex ones or real ones to or from n / 2 + 1 bins, in two or three digits: of the
/// digits, lines to a tile and tiles at a time that dry runs find fastest. None where lines do not
/// fit.
std::optional<fft_step> own_digits_step(const lines_problem& problem,
                                        const engine::machine_spec& machine);

/// Such lines of any n by Bluestein's algorithm: a convolution of points to bins, in two digits.
/// None where it has more points than the array has elements.
std::optional<fft_step> own_chirp_step(const lines_problem& problem,
                                       const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

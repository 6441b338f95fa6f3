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

// Transforms of few lines, each of which fills the array by itself: some digits of its points count
// partitions, the others columns.
//   step       a product sums one digit, which counts partitions, from one layout to the next.
//              Where the results' digit is on partitions too, the matrix is the stationary operand;
//              else the data are, and another digit moves from columns to partitions: nothing is
//              transposed
//   factors    the vector engine multiplies the results of a step by twiddles
//              w(order)^(left right), or by a chirp. Their table has only the columns on which they
//              depend
//   lines      a few lines share a tile, and a few tiles are in flight, so that no engine waits for
//              the chain of a line's steps
//   real       rows k <= r/2 of the first digit are enough; rows of the last digit are stored
//              directly and, conjugated, as the bins that are missing
//   inverse    complex lines exchange their planes as they are loaded and as they are stored
//   bound      the chain of steps of one line; the tensor and vector engines for several
namespace papilio::kernels_detail {

/// A linear form: the sum over digits of each digit times its weight.
struct digit_form {
  std::vector<std::pair<int, std::int64_t>> terms = {};

  std::int64_t operator()(const digit_values& values) const;
  auto fields() const { return std::tie(terms); }
};

/// Complex factors that multiply a tile: twiddles or a chirp.
struct own_factors {
  std::int64_t order = 0;  ///< of the roots w(order)^(left right); 0: there are none
  bool conjugated = false;
  digit_form left = {}, right = {};
  /// Factors are element `right` of this chirp times `scale`; 0 beyond the last element.
  chirp_factors chirp = {};
  double scale = 1;
  /// Results are bins of so many real points, so that imaginary parts of bins 0 and n / 2 become 0:
  /// the two planes have factors of their own. 0: they have not.
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

/// The layout in HBM of lines that are loaded or stored: `planes` planes of `numbers` a line.
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
  std::int64_t lines = 1, together = 1, in_flight = 1;
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
    return std::tie(lines, together, in_flight, bank, mirror, radices, swapped, scale, in, out,
                    entry, first, steps);
  }
  std::string describe() const;
  own_digits without_batch() const;
};

/// The form of a step's products, derived from its two layouts.
struct own_shape {
  bool data_stationary = false;
  int pieces = 1;      ///< planes that are read by products of their own
  int planes_out = 2;  ///< of the sums
  bool planes_in_rows = false;
  digit_axes rows = {};  ///< of the matrix, planes left out where they have products of their own
  digit_axes results = {};  ///< of a product
  /// Axes of columns: those that move to partitions, those of the products of a unit, those that
  /// units loop over.
  digit_axes moved = {}, inner = {}, outer = {};
  bool folded = false;  ///< half of the results are mirrored as they are stored

  std::int64_t width() const { return span_of(results); }
  std::int64_t partitions() const { return data_stationary ? span_of(moved) : span_of(results); }
};
own_shape shape_of(const own_digits& what, std::size_t step);

/// The table of a step's matrix, [rows, (piece, plane of the sums, result)].
kernels::constant_table step_table(const own_digits& what, std::size_t step);
/// The table of a layout's factors, [partitions, (cos or sin, plane if they differ, columns on
/// which they depend)].
kernels::constant_table factor_table(const digit_place& at, const own_factors& factors);
/// The axes of a layout's columns on which factors depend, packed.
digit_axes columns_of(const own_factors& factors, const digit_place& at);

/// Numbers of a line's plane that one DMA moves: the first rows of a tile, the pattern of its
/// columns, and the pattern in HBM.
struct own_block {
  std::int64_t rows = 1, column = 0;
  std::vector<engine::pattern_dim> columns = {};
  std::int64_t at = 0;
  std::vector<engine::pattern_dim> hbm = {};
};
/// The blocks in which a line's plane is loaded or stored.
std::vector<own_block> blocks_of(const own_digits& what, bool is_load, int plane);

/// Issues the steps. Tables: the first factors, if there are any, then each step's matrix and the
/// factors that follow it.
void run_own_digits(engine::core& nc, const own_digits& what, const engine::hbm_view& in,
                    const engine::hbm_view& out, std::span<const engine::hbm_view> tables);

/// Transforms lines [outer, n], complex ones or real ones to or from n / 2 + 1 bins, in two or
/// three digits, with the digits, lines to a tile and tiles in flight that dry runs find fastest.
/// Nothing where lines do not fit.
std::optional<fft_step> own_digits_step(const lines_problem& problem,
                                        const engine::machine_spec& machine);

/// Transforms such lines of any n by Bluestein's algorithm, with a convolution in two digits.
/// Nothing where the convolution has more points than the array has elements.
std::optional<fft_step> own_chirp_step(const lines_problem& problem,
                                       const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/transform/chirp.hpp"
#include "kernels/transform/recipe.hpp"
#include "kernels/transform/run.hpp"
#include "papilio/engine/machine_spec.hpp"

// Transforms of lines that fit on chip: a line is loaded to one partition, passes all stages of its
// formula, and is stored, so that data pass HBM once each way.
namespace papilio::kernels_detail {

/// A cosine transform X[k] = 2 sum over j of x[j] cos(pi k (2j + 1) / (2n)), or a sine transform
/// X[k] = 2 sum over j of x[j] sin(pi (k + 1) (2j + 1) / (2n)), which is the cosine transform of
/// (-1)^j x[j] with its numbers in reverse order. `end_factor` multiplies number 0 of the cosine
/// transform too.
struct trigonometric_lines {
  enum class kind : std::uint8_t { none, cosine, sine };

  kind of = kind::none;
  double end_factor = 1;

  explicit operator bool() const { return of != kind::none; }
  auto fields() const { return std::tie(of, end_factor); }
};

/// Lines [outer, n, inner] that are transformed along n: real numbers to two planes (real and
/// imaginary) of n / 2 + 1 bins or back, or complex ones, two planes to two.
struct lines_problem {
  std::int64_t outer = 1, n = 1, inner = 1;
  bool real = false, inverse = false;
  double scale = 1;
  array_operands operands = {};
  /// Diagonals of the formula.
  std::vector<std::complex<double>> point_factors = {}, bin_factors = {};
  /// `outer` of the whole batch of which these lines are a part; 0: they are all. Digits are chosen
  /// for the whole, so that the bits of a line do not depend on how a batch is divided.
  std::int64_t whole = 0;
  /// Factors of points and bins of complex lines for Bluestein's algorithm; the inverse does not
  /// conjugate them.
  chirp_factors point_chirp = {}, bin_chirp = {};
  /// Factors of results where complex lines are transformed, multiplied by `bin_chirp` and
  /// transformed back in one step.
  chirp_factors result_chirp = {};
  /// Real lines become the numbers of a cosine or sine transform of type 2; back, of type 3.
  trigonometric_lines trigonometric = {};
  /// Numbers of a line that are loaded, before zeros, and that are stored; 0: all.
  std::int64_t in_some = 0, out_some = 0;
  /// Elements from the real to the imaginary plane of the input; negative: planes follow each
  /// other.
  std::int64_t in_plane = -1;

  std::int64_t bins() const { return real ? n / 2 + 1 : n; }
  std::int64_t points_in() const { return in_some > 0 ? in_some : n; }
  std::int64_t points_out() const { return out_some > 0 ? out_some : n; }
};

/// The problem with at most `most` lines: a dry run of these stands for all.
inline lines_problem some_of(lines_problem p, std::int64_t most) {
  const std::int64_t some = std::min(std::max(p.outer, p.whole), most);
  if (some != std::exchange(p.outer, some)) p.in_plane = -1;
  return p;
}

/// A chosen design for such lines.
struct lines_design {
  transform_formula formula = {};
  std::int64_t outer = 1, inner = 1;
  std::int64_t together = 1;  ///< of `outer`, on a partition
  bool wide = false;
  array_operands operands = {};
  chirp_factors point_chirp = {}, bin_chirp = {}, result_chirp = {};
  trigonometric_lines trigonometric = {};
  std::int64_t in_some = 0, out_some = 0, in_plane = -1;
  run_depths depths = {};

  auto fields() const {
    return std::tie(formula, outer, inner, together, wide, operands, point_chirp, bin_chirp,
                    result_chirp, trigonometric, in_some, out_some, in_plane, depths);
  }
  std::string describe() const;
  lines_design without_batch() const;
};

/// Whether n is a product of at most three digits that fit the array.
bool has_cut(std::int64_t n, const engine::machine_spec& machine);

/// The step of the design that dry runs find fastest; nothing where no line fits on chip.
std::optional<fft_step> lines_step(const lines_problem& problem,
                                   const engine::machine_spec& machine);

/// The step that multiplies each line by its whole DFT matrix, also where digits would be faster.
std::optional<fft_step> direct_lines_step(const lines_problem& problem,
                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

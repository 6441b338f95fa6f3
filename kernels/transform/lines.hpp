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

// Transforms of lines in HBM that are on chip from load to store, lines on partitions.
namespace papilio::kernels_detail {

/// A cosine transform X[k] = 2 sum over j of x[j] cos(pi k (2j + 1) / (2n)), or a sine transform, X[k] =
/// 2 sum of x[j] sin(pi (k + 1) (2j + 1) / (2n)), which is the cosine transform of (-1)^j x[j], its
/// numbers in reverse order. Number 0 of the cosine transform is multiplied by `end_factor` too.
struct trigonometric_lines {
  enum class kind : std::uint8_t { none, cosine, sine };

  kind of = kind::none;
  double end_factor = 1;

  explicit operator bool() const { return of != kind::none; }
  auto fields() const { return std::tie(of, end_factor); }
};

/// Lines [outer, n, inner] that are transformed along n: of real numbers to two planes of n / 2 + 1
/// bins or back, or of two planes to two.
struct lines_problem {
  std::int64_t outer = 1, n = 1, inner = 1;
  bool real = false, inverse = false;
  double scale = 1;
  array_operands operands = {};
  /// Diagonals, as of the formula.
  std::vector<std::complex<double>> point_factors = {}, bin_factors = {};
  /// `outer` of the whole of which these are a part, 0: they are all. Designs are chosen for these,
  /// so that the bits of a line do not depend on how a batch is divided.
  std::int64_t whole = 0;
  /// Factors of points and bins of complex lines for Bluestein's algorithm; the inverse
  /// takes them as they are.
  chirp_factors point_chirp = {}, bin_chirp = {};
  /// Factors of points that the lines return to, if they do: complex lines, there and back.
  chirp_factors result_chirp = {};
  /// Real lines to the numbers of a cosine transform of type 2, or a sine transform; back, of type 3.
  trigonometric_lines trigonometric = {};
  /// Numbers of a line that come in, which zeros follow, and that leave; 0: all.
  std::int64_t in_some = 0, out_some = 0;
  /// From plane to plane of what comes in; negative: planes follow each other.
  std::int64_t in_plane = -1;

  std::int64_t bins() const { return real ? n / 2 + 1 : n; }
  std::int64_t points_in() const { return in_some > 0 ? in_some : n; }
  std::int64_t points_out() const { return out_some > 0 ? out_some : n; }
};

/// At most so many lines are dry-run; they stand for all.
inline lines_problem some_of(lines_problem p, std::int64_t most) {
  const std::int64_t some = std::min(std::max(p.outer, p.whole), most);
  if (some != std::exchange(p.outer, some)) p.in_plane = -1;
  return p;
}

/// How they are transformed.
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

/// Whether lines of n points have few digits that fit the array.
bool has_cut(std::int64_t n, const engine::machine_spec& machine);

/// The step of the design that dry runs find fastest; none where no line fits on chip.
std::optional<fft_step> lines_step(const lines_problem& problem,
                                   const engine::machine_spec& machine);

/// That of one product a line, whatever takes less time.
std::optional<fft_step> direct_lines_step(const lines_problem& problem,
                                          const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

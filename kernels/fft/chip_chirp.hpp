#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/fft/recipe.hpp"
#include "papilio/engine/machine_spec.hpp"

// Bluestein's algorithm for lines that stay on chip, a few of them at a time.
namespace papilio::kernels_detail {

/// What such lines are: n complex points to as many, n real points to bins 0 ... n/2, or those bins
/// to n real points. Imaginary parts of bins that are real are 0, and not looked at.
enum class chirp_kind : std::uint8_t { complex_points, real_points, bins };

struct chip_chirp {
  std::int64_t lanes = 1, n = 1;
  chirp_kind kind = chirp_kind::complex_points;
  bool inverse = false;  ///< of complex points; bins are
  double scale = 1;
  /// From the real to the imaginary plane of the input; negative: they follow each other.
  std::int64_t in_plane = -1;
  /// The convolution has a b points: point j = j_b + b j_a, frequency k = k_a + a k_b. Chosen by
  /// chip_chirp_step.
  std::int64_t a = 1, b = 1;

  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t points_in() const { return kind == chirp_kind::bins ? bins() : n; }
  std::int64_t points_out() const { return kind == chirp_kind::real_points ? bins() : n; }
  int planes_in() const { return kind == chirp_kind::real_points ? 1 : 2; }
  int planes_out() const { return kind == chirp_kind::bins ? 1 : 2; }
  std::int64_t input_plane() const { return in_plane < 0 ? lanes * points_in() : in_plane; }
  bool conjugated() const { return inverse || kind == chirp_kind::bins; }
  /// Partitions of the points that come in, and of those that leave.
  std::int64_t rows_in() const { return (points_in() + b - 1) / b; }
  std::int64_t rows_out() const { return (points_out() + b - 1) / b; }
  /// Whether bin k is real.
  bool real_bin(std::int64_t k) const {
    return kind != chirp_kind::complex_points && (k == 0 || 2 * k == n);
  }

  auto fields() const { return std::tie(lanes, n, kind, inverse, scale, in_plane, a, b); }
  std::string describe() const;
  chip_chirp without_batch() const;
};

/// One sweep, [planes, lanes, points in] to [planes, lanes, points out]. None where the convolution
/// has more points than the square of the array's side: n up to 8192, of real numbers 10923.
std::optional<fft_step> chip_chirp_step(chip_chirp what, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

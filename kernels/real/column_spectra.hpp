#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "kernels/fft/recipe.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/machine_spec.hpp"

// One more factor before transforms of real lines: of n = m q points, m and q odd, the m columns
// x[r + m j] are lines of q points.
namespace papilio::kernels_detail {

/// A sweep between the spectra of m columns and that of the line: chunks of bins, whose conjugates
/// are on partitions from the middle on.
struct columns_geometry {
  std::int64_t n = 1, m = 1, side = 128, bank = 512;
  bool inverse = false;
  double scale = 1;

  std::int64_t q() const { return n / m; }
  std::int64_t bins() const { return (q() + 1) / 2; }
  std::int64_t line() const { return (n + 1) / 2; }
  std::int64_t direct() const { return (m + 1) / 2; }
  std::int64_t mirrored() const { return (m - 1) / 2; }
  std::int64_t middle() const { return side / 2; }
  std::int64_t length() const {
    const std::int64_t most = std::min(middle() / direct(), side / m);
    return (bins() + most - 1) / most;
  }
  std::int64_t chunks() const { return (bins() + length() - 1) / length(); }
  /// Bins of the last chunk.
  std::int64_t tail() const { return bins() - (chunks() - 1) * length(); }
  std::int64_t rows() const { return chunks() * m; }
  /// Of partitions with bins of the line, conjugates after the middle.
  std::int64_t line_rows() const { return middle() + chunks() * mirrored(); }

  auto fields() const { return std::tie(n, m, side, bank, inverse, scale); }
  std::string describe() const {
    return base_detail::message(inverse ? "a line to spectra of " : "spectra of ", m,
                                " columns of ", q(), inverse ? " points" : " points to a line's");
  }
};

/// Spectra of the columns, [2, m, q/2 + 1], to the line's, [2, n/2 + 1], times scale; m at most
/// the array's side.
fft_step columns_to_line_step(std::int64_t n, std::int64_t m, double scale,
                              const engine::machine_spec& machine);
/// The line's spectrum to those of the columns, whose inverse transforms they are, times scale. The
/// imaginary part of bin 0 is not looked at.
fft_step line_to_columns_step(std::int64_t n, std::int64_t m, double scale,
                              const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

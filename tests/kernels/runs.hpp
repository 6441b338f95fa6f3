#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "papilio/engine.hpp"
#include "papilio/kernels.hpp"

namespace papilio::kernels::test {

/// Seeded values in [low, high), row-major.
array<float, 2> values_between(float low, float high, std::int64_t rows, std::int64_t columns,
                               std::uint64_t seed);

/// A kernel of the catalog at these sizes, timed without values.
engine::profile dry_profile(const std::string& kernel, const std::vector<std::string>& settings,
                            const engine::machine_spec& machine = engine::trainium1());

/// The bits of each value, so that comparisons tell zeros and NaNs apart.
std::vector<std::uint32_t> bits_of(const array<float, 2>& values);

/// A row of a table of transforms: of which axes, negative ones counted from the end, none for all,
/// and with which factor on every output.
struct fft_row {
  std::vector<std::int64_t> extents = {1};
  std::vector<int> axes = {};
  bool inverse = false;
  double scale = 1;
  precision_options precision = {};

  /// Unscaled, in float.
  fft_problem problem(fft_kind kind = fft_kind::complex) const;
  fft_kernel_options options() const { return {.scale = scale, .precision = precision}; }
};

sized_kernel fft_kernel(const fft_row& c, const engine::machine_spec& machine);
/// Of real numbers, to their spectra and back, whatever the direction of the row is.
sized_kernel rfft_kernel(const fft_row& c, const engine::machine_spec& machine);
sized_kernel irfft_kernel(const fft_row& c, const engine::machine_spec& machine);

}  // namespace papilio::kernels::test

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/real/line_program.hpp"

namespace papilio::kernels_detail {

/// Real lines of n elements, `lines` of them one after the other, as Hermitian spectra of n/2 + 1
/// bins in two planes, or back.
struct real_lines {
  std::int64_t lines = 1, n = 1;
  bool inverse = false;
  double scale = 1;
  /// The lines lie beside each other instead.
  std::optional<line_columns> columns = {};

  std::int64_t bins() const { return n / 2 + 1; }
};

/// How many lines a partition has, so that DMA's rows are long.
std::int64_t lines_together(const real_lines& what, const engine::machine_spec& machine);

/// Planned programs that each do a part of the lines, in one sweep. Empty where there is none: long
/// lines, and those with large prime factors.
std::vector<line_program> resident_lines(const real_lines& what,
                                         const engine::machine_spec& machine);

/// What such programs take, roughly.
double seconds_of(const std::vector<line_program>& programs, const engine::machine_spec& machine);

/// Lines beside each other of lengths of one product; none of others.
std::optional<fft_step> dense_columns_step(const real_lines& what,
                                           const engine::machine_spec& machine);

/// The same for lengths of one product: its matrix is the transform's.
std::vector<line_program> dense_lines(const real_lines& what, const engine::machine_spec& machine);

/// For odd lengths of several primes, in two stages, the first over real numbers.
std::vector<line_program> odd_lines(const real_lines& what, const engine::machine_spec& machine);

/// For even lengths, in two stages.
std::vector<line_program> paired_lines(const real_lines& what, const engine::machine_spec& machine);

}  // namespace papilio::kernels_detail

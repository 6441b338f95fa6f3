#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
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

  auto fields() const { return std::tie(lines, n, inverse, scale, columns); }
  real_lines without_batch() const {
    real_lines one = *this;
    one.lines = 0;
    if (one.columns) one.columns->outer = 0;
    return one;
  }
};

/// Lines in two stages, n or n / 2 points as r1 x r2; or in one, r1 being 0. `shared` columns or
/// lines have one matrix, `rows` rows of the second stage another.
struct staged_lines {
  real_lines what = {};
  std::int64_t r1 = 0, shared = 1, rows = 1, together = 1;

  auto fields() const { return std::tie(what, r1, shared, rows, together); }
  std::string describe() const { return {}; }
  staged_lines without_batch() const { return {what.without_batch(), r1, shared, rows, together}; }
};

/// Lines first, first + 1, ..., `together` of them on each of `lanes` partitions.
struct lines_part {
  std::int64_t first = 0, lanes = 1, together = 1;
};

/// A program without stages of part of the lines; `how` ends its name.
line_program program_of_part(const real_lines& what, const lines_part& part,
                             const staged_lines& design, const std::string& how);

/// Planned programs of all whole partitions and of the lines left over; none if one does not fit.
std::vector<line_program> programs_of(
    const real_lines& what, std::int64_t together, const engine::machine_spec& machine,
    const std::function<line_program(const lines_part&)>& program_of);

/// The cheapest programs that fit, of those that are offered.
struct cheapest_lines {
  std::vector<line_program> programs = {};
  double cost = std::numeric_limits<double>::infinity();

  template <class Make>
  void offer(double offered, const Make& make) {
    if (offered >= cost) return;
    std::vector<line_program> made = make();
    if (made.empty()) return;
    cost = offered;
    programs = std::move(made);
  }
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

#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/array_operands.hpp"
#include "kernels/design.hpp"
#include "kernels/table.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// Factors and matrices of the real transforms in the kernels stft and istft.
//
// Packed spectra: a real signal of n points has n numbers for its spectrum, the real parts of bins
// 0 ... n / 2 and then the imaginary parts of those bins that have one (not bin 0, nor n / 2 of an
// even n). For even n the imaginary part of bin k lies at n / 2 + k.
namespace papilio::kernels_detail {

/// n = r1 r2, j = j1 r2 + j2. A real transform over j1 for each j2, then for each k1 one over j2
/// with the twiddles in its matrix. What the first gives for k1 and r1 - k1 is conjugate: unit
/// u = 1 ... r1 / 2 - 1 is k1 = u, complex; unit 0 is the two real ones k1 = 0 and r1 / 2. So each
/// matrix is square, of reals. `direct`: one matrix of n x n, summed over tiles of n.
struct stft_factors {
  std::int64_t n = 1;
  bool direct = true;
  std::int64_t r1 = 0, r2 = 0;    // both even
  std::int64_t side_by_side = 0;  // of j2 in one product of the first stage; divides r2
  std::int64_t together = 1;      // units in one product of the second stage; divides r1 / 2

  auto fields() const { return std::tie(n, direct, r1, r2, side_by_side, together); }
  std::int64_t bins() const { return n / 2 + 1; }
  std::int64_t imaginary() const { return n - bins(); }
  std::int64_t units() const { return r1 / 2; }
  std::int64_t unit_points() const { return 2 * r2; }
  std::int64_t products() const { return units() / together; }
  std::int64_t product_points() const { return together * unit_points(); }
  std::int64_t groups() const { return r2 / side_by_side; }
  std::int64_t group_points() const { return r1 * side_by_side; }
  /// Tiles of the direct matrix's rows.
  std::int64_t tiles(std::int64_t side) const { return (n + side - 1) / side; }
  std::string describe() const;
  /// Of a result in which so many segments are added up.
  double expected_error(std::int64_t side, const array_operands& operands,
                        std::int64_t overlapping = 1) const;
};

/// The mode of precision in which operands are held so.
inline precision_options mode_of(const array_operands& operands) {
  if (operands.is_fp32()) return {};
  if (operands.parts == 1) return {.mode = precision::bf16};
  return {.mode = precision::split_bf16, .parts = operands.parts};
}

/// What a body of instructions depends on, with the values of its tables, on which it does not: all
/// windows have one program.
template <class Body>
struct windowed {
  Body body = {};
  std::vector<float> window = {}, mel = {};
  bool halved_ends = false;  // of the problem

  auto fields() const { return std::tie(body, window, mel, halved_ends); }
  std::string describe() const { return body.describe(); }
  windowed without_batch() const { return {body.without_batch(), window, mel, halved_ends}; }
};

/// The kernel of such a design, by the program of its body; Streamed is that of segments that do not
/// fit on chip.
template <class Run, class Streamed, class Body>
kernels::sized_kernel windowed_kernel(const char* name, windowed<Body> design,
                                      const engine::tensor_shape& in,
                                      const engine::tensor_shape& out,
                                      std::vector<kernels::constant_table> tables,
                                      const engine::machine_spec& machine) {
  const auto issue = [d = design.body, bytes = double(in.bytes()) + double(out.bytes())](
                         engine::core& nc, const engine::kernel_arguments& t) {
    nc.state_floor(bytes, 0);
    d.streamed ? Streamed(nc, d, t).run() : Run(nc, d, t).run();
  };
  const double error = design.body.expected_error(machine.tensor.rows);
  kernels::repetition segments = design.body.repeats(machine.sbuf.partitions);
  return {.program = {.name = name, .parameters = design_of(design.body).key(), .body = issue},
          .inputs = {in},
          .outputs = {out},
          .ranges = {kernels::input_range{}},
          .tables = std::move(tables),
          .design = design_of(std::move(design)),
          .expected_error = error,
          .machine = machine,
          .repeats = std::move(segments)};
}

/// The factors of least tensor time, r2 a divisor of `aligned` unless that is 0. `packed`: small
/// units may share a product. `results`: numbers that leave the last product for each segment.
stft_factors choose_factors(std::int64_t n, std::int64_t aligned, bool packed,
                            const array_operands& operands, std::int64_t results,
                            const engine::machine_spec& m);

/// The table of stft_streamed: [n, n packed], the points times `window`, the bins that are their own
/// mirror images times `ends`.
void fill_direct(const table_writer& table, std::int64_t n, std::span<const float> window,
                 double ends);

/// istft_adjoint is stft_kernel of a checked adjoint.
kernels::sized_kernel istft_adjoint(const stft_problem& s, const engine::machine_spec& machine,
                                    const precision_options& precision);

/// invalid_argument that names the first value that is not finite.
void require_finite(const char* what, std::span<const float> values);

/// W_n^k for k = 0 ... n - 1.
std::vector<std::complex<double>> all_roots(std::int64_t n);

/// resource_error above a size at which nothing overflows.
void require_most(const char* name, std::size_t value, std::size_t most);

/// Hann's window, periodic: for runs by name.
std::vector<float> hann(std::int64_t n);

}  // namespace papilio::kernels_detail

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/engine/runtime_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// Three-index integrals from atomic to molecular orbitals, as trntensor's kernel computes them:
///   B[P, i, a] = sum over mu, nu of C_occ[mu, i] C_vir[nu, a] eri[P, mu, nu]
///
/// out: [naux, nocc, nvir], eri: [naux, nbasis, nbasis], c_occ: [nbasis, nocc], c_vir: [nbasis,
/// nvir]; all fp32, any sizes. The published interface has P as the last axis; that the host hands
/// it over as the first, by a strided copy, is this library's reading: on the device its elements
/// would be transfers of 4 bytes each.
///
/// Layout: a loop over P of two products, first M = C_occ^t eri (C_occ stationary as it lies), then
/// M C_vir, with the tiles of published::gemm. M [nocc, nbasis] goes through HBM and is loaded
/// transposed; the second product of P follows the first of P + 1.
/// Bound: DMA; where nocc is small the array idles.
/// Source: trnsci/trntensor, ao_to_mo_transform. shape_error unless the shapes agree.
PAPILIO_API void ao_to_mo(engine::core& nc, const engine::hbm_view& out,
                          const engine::hbm_view& eri, const engine::hbm_view& c_occ,
                          const engine::hbm_view& c_vir);

/// The program of that transformation. Errors: invalid_argument for sizes below 1 and a metric.
PAPILIO_API sized_kernel ao_to_mo_kernel(const integral_transform_problem& problem,
                                         const engine::machine_spec& machine);

/// The product that trnblas' host pads one to: m and k to whole tiles of 128, n to 512 only above
/// 512 (the machine's array and the columns of a product, in general). Errors: invalid_argument for
/// sizes below 1, resource_error where they overflow.
PAPILIO_API gemm_problem padded(const gemm_problem& problem, const engine::machine_spec& machine);

/// C = A B as trnblas' kernel computes it; all fp32, any sizes.
///
/// Layout: for each 128 rows and 512 columns of C a sum over tiles of k, which loads A's tile of
/// 128 x 128 transposed (k on partitions, stationary), B's tile of 128 x 512 (moving), and adds in
/// one bank of PSUM; one tensor_copy out, one store. Nothing stays: A is read once for every 512
/// columns of C, B once for every 128 rows.
/// Bound: DMA; in fp32 the array is active half of the time on trainium1.
/// fp32: a sum of k terms, in array order by 128, then in PSUM.
/// Source: trnsci/trnblas, trnblas/nki/ and docs/api/nki.md.
/// shape_error if the shapes do not agree.
PAPILIO_API void gemm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                      const engine::hbm_view& b);

/// The program on padded operands: inputs A and B, output C, of padded(problem, machine). Errors:
/// as padded.
PAPILIO_API sized_kernel gemm_kernel(const gemm_problem& problem,
                                     const engine::machine_spec& machine);

/// alpha A B + beta C: the device makes A B, the host the rest.
struct product_scale {
  float alpha = 1, beta = 0;
};

/// c = alpha a b + beta c as trnblas' host does it: copies of a and b are padded with zeros where
/// they need it, one launch copies them to the device and the product back, and c takes its part of
/// it. c is read only for beta != 0, and not touched where anything is refused; it may not overlap
/// a or b. shape_error unless the shapes agree; others as device::launch.
PAPILIO_API engine::launch_result gemm(engine::device& on, const view<const float, 2>& a,
                                       const view<const float, 2>& b, const view<float, 2>& c,
                                       const product_scale& scale = {});

/// One slice of trnblas' batched GEMM: the program of gemm_kernel under a name of its own.
PAPILIO_API sized_kernel batched_gemm_slice_kernel(const gemm_problem& problem,
                                                   const engine::machine_spec& machine);

/// c[s] = alpha a[s] b[s] + beta c[s] as trnblas computes it: a loop on the host, one launch for
/// each slice, which copies its two operands to the device and its product back. The slices are of
/// one shape, so that all but the first find their program. a: [batch, m, k], b: [batch, k, n], c:
/// [batch, m, n]; a batch of 0 launches nothing.
///
/// Returns the sum of all launches: their number, and the modelled seconds of launches, copies,
/// program and device; total_seconds() of it is what the host waits.
/// Errors as gemm, of the whole batch before the first slice.
/// Source: trnsci/trnblas, docs/api/nki.md, nki_batched_gemm.
PAPILIO_API engine::device_record batched_gemm_by_slices(engine::device& on,
                                                         const view<const float, 3>& a,
                                                         const view<const float, 3>& b,
                                                         const view<float, 3>& c,
                                                         const product_scale& scale = {});

/// The same in a dry run, for its times alone.
PAPILIO_API engine::device_record batched_gemm_by_slices(engine::device& on,
                                                         const gemm_problem& problem);

/// C[s] = A[s] B[s] in one program, as trntensor's kernel computes it: the tile loop of
/// published::gemm inside a loop over s. a: [batch, m, k], b: [batch, k, n], c: [batch, m, n], all
/// fp32, any sizes.
/// Bound: as gemm; nothing is shared between slices.
/// Source: trnsci/trntensor, trntensor/nki/. shape_error if the shapes do not agree.
PAPILIO_API void bmm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
                     const engine::hbm_view& b);

/// The program for all slices, each padded as padded(problem, machine) says. Errors: as padded;
/// invalid_argument for a batch below 1.
PAPILIO_API sized_kernel bmm_kernel(const gemm_problem& problem,
                                    const engine::machine_spec& machine);

/// c[s] = a[s] b[s] in one launch; as published::gemm.
PAPILIO_API engine::launch_result bmm(engine::device& on, const view<const float, 3>& a,
                                      const view<const float, 3>& b, const view<float, 3>& c);

/// What a whole published algorithm costs on a device, in modelled seconds: its launches, its
/// copies, and the time of its kernels. Work of the host between them (bit reversal, conjugation,
/// tables) is not in it.
struct PAPILIO_API published_run {
  std::uint64_t launches = 0;
  double launch_seconds = 0;
  double compile_seconds = 0;  ///< 0 on a device whose programs are warm
  double device_seconds = 0;
  engine::copy_record upload = {};
  engine::copy_record fetch = {};

  double total_seconds() const {
    return launch_seconds + compile_seconds + device_seconds + upload.seconds + fetch.seconds;
  }
  /// One algorithm behind another.
  void add(const published_run& other);
};

/// Stage s combines transforms of 2^s points into such of m = 2^(s+1).
struct butterfly_stage_problem {
  std::int64_t n = 0;
  std::int64_t batch = 1;
  std::int64_t stage = 0;
  /// Products by Dekker's splitting with their rounding errors, which are added at the end.
  bool compensated = false;
};

/// One stage of trnfft's radix-2 FFT (decimation in time):
///   y[j] = x[j] + w[j] x[j + m/2], y[j + m/2] = x[j] - w[j] x[j + m/2] in each group of m points.
///
/// Inputs: re and im [batch, n], and the twiddles' re and im [batch n/m, m/2], a row for each
/// group; outputs re and im [batch, n]; all fp32.
/// Layout: groups on partitions, 128 at a time. A column step takes one j of them: six loads of an
/// element a partition, ten vector instructions (62 where compensated), four stores.
/// Bound: DMA descriptors of 4 bytes, 10 x 128 of them a full step; the vector engine's static
/// cost where fewer than about 35 groups are left.
/// Compensated: each product a b as p + e, p = fl(a b), and the sums of two as (p + p') + (e + e').
/// Source: trnsci/trnfft, trnfft.nki: butterfly_stage_kernel and its kahan variant.
/// invalid_argument unless n is a power of two of at least 2, the batch is at least 1 and the
/// stage is one of log2(n).
PAPILIO_API sized_kernel butterfly_stage_kernel(const butterfly_stage_problem& problem,
                                                const engine::machine_spec& machine);

/// Lines that the published system transforms for a batch: a batch that is no power of two is
/// filled up to a multiple of 128.
PAPILIO_API std::int64_t butterfly_padded_batch(std::int64_t batch);

/// trnfft's power-of-two FFT of lines: the host reverses bits, uploads both planes, then for each
/// of the log2(n) stages uploads a pair of twiddle tables (as large as half the data) and launches
/// the stage; data stay on the device in between, and the two planes are fetched at the end.
/// in, out: [2, batch, n], plane 0 re, plane 1 im; they may be the same. Inverse: conjugate
/// twiddles; the host scales by 1/n.
/// Errors: shape_error unless the extents are equal and there are two planes; invalid_argument as
/// butterfly_stage_kernel; errors of the device's. Nothing is then written.
PAPILIO_API published_run butterfly_fft(engine::device& on, view<const float, 3> in,
                                        view<float, 3> out, direction dir = direction::forward,
                                        bool compensated = false);
/// The same without values, of complex lines [batch, n] in float, whose norm is backward
/// (invalid_argument).
PAPILIO_API published_run butterfly_fft(engine::device& on, const fft_problem& lines,
                                        bool compensated = false);

/// trnfft's complex GEMM of A and B in `type`, fp32 or bf16; C is fp32. Inputs: re and im of A [m,
/// k], then of B [k, n]; outputs: re and im of C.
///
/// Layout: A stationary, 128 x 128 with k on partitions (by a transposing load), B moving, 128 x
/// up to 512; re and im summed over k in a PSUM bank each; -B_im by the vector engine, so that the
/// four products share four loads. A is loaded again for every 512 columns. Edges are short tiles.
/// Bound: DMA rows of 512 bytes (A), and about as much the tensor engine, 4 x 4 x 512 cycles a
/// step.
/// Source: trnsci/trnfft, trnfft.nki: _complex_gemm_kernel.
/// Errors: invalid_argument for sizes below 1, a batch, a real problem, and other types.
PAPILIO_API sized_kernel complex_gemm_kernel(const gemm_problem& problem,
                                             const engine::machine_spec& machine,
                                             engine::dtype type = engine::dtype::fp32);

/// trnfft's complex linear layer, Y = X W^T, of m rows, k inputs and n outputs: as
/// complex_gemm_kernel, with W [n, k] loaded transposed too. Inputs: re and im of X [m, k], then of
/// W [n, k]; outputs: re and im of Y. fp32 only; no bias, which the published kernel leaves to its
/// caller. Errors: as complex_gemm_kernel.
PAPILIO_API sized_kernel complex_linear_kernel(const gemm_problem& problem,
                                               const engine::machine_spec& machine);

/// trnfft's complex mask: complex products as [128, count / 128] (filled up with zeros), 512
/// columns at a time; four loads, six vector instructions, two stores.
/// Inputs: re and im of the mask, then of the spectrum; outputs: re and im; all fp32.
/// Bound: the vector engine, ten cycles an element of a partition; DMA nearly as long.
/// Errors: invalid_argument for a count below 1 and for factors.
PAPILIO_API sized_kernel complex_mask_kernel(const product_problem& problem,
                                             const engine::machine_spec& machine);

// The whole operations as the published system runs them: four uploads, one launch, two fetches.
// Operands are planar, [2, ...], plane 0 re, plane 1 im. shape_error unless the extents agree,
// each at least 1; errors of the kernels' and of the device's. Nothing is then written. An output
// may be an input. The forms of problems run without values.

/// c [2, m, n] = a [2, m, k] b [2, k, n]; a and b are rounded to `type`.
PAPILIO_API published_run complex_gemm(engine::device& on, view<const float, 3> a,
                                       view<const float, 3> b, view<float, 3> c,
                                       engine::dtype type = engine::dtype::fp32);
PAPILIO_API published_run complex_gemm(engine::device& on, const gemm_problem& problem,
                                       engine::dtype type = engine::dtype::fp32);

/// y [2, batch, outputs] = x [2, batch, inputs] times w^T, w [2, outputs, inputs].
PAPILIO_API published_run complex_linear(engine::device& on, view<const float, 3> x,
                                         view<const float, 3> w, view<float, 3> y);
PAPILIO_API published_run complex_linear(engine::device& on, const gemm_problem& problem);

/// out = mask * spectrum, all [2, rows, columns].
PAPILIO_API published_run complex_mask_apply(engine::device& on, view<const float, 3> mask,
                                             view<const float, 3> spectrum, view<float, 3> out);
PAPILIO_API published_run complex_mask_apply(engine::device& on, const product_problem& problem);

/// DFT of lines as one complex GEMM in `type` with the n x n matrix of roots of unity, any n; the
/// published system takes it for n <= 256. in, out: [2, batch, n]. The inverse is scaled by 1/n, on
/// the host. O(batch n^2).
/// The roots are within 0.51 ulp; the published system takes their angles in fp32.
PAPILIO_API published_run dft_gemm(engine::device& on, view<const float, 3> in, view<float, 3> out,
                                   direction dir = direction::forward,
                                   engine::dtype type = engine::dtype::fp32);
/// The same without values; lines as of butterfly_fft.
PAPILIO_API published_run dft_gemm(engine::device& on, const fft_problem& lines,
                                   engine::dtype type = engine::dtype::fp32);

/// How far the device sums the energy; the host adds up the rest.
///   of_pairs       [ni, nj]: a number for each pair, over the partitions too (trntensor)
///   of_partitions  [min(nvir, 128), ni nj]: a column for each pair (trnblas)
enum class mp2_partials : std::uint8_t { of_pairs, of_partitions };

/// The MP2 energy of all pairs of two lists of occupied orbitals, T never in HBM:
///   E = sum over i, j, a, b of T (2 T - T^t) / (e_i + e_j - e_a - e_b),  T = B_i B_j^t
///
/// b_i: [ni, nvir, naux], eps_i: [ni, 1]; b_j: [nj, nvir, naux], eps_j: [nj, 1]; eps_vir: [nvir,
/// 1]; all fp32, any sizes. partials as mp2_partials says; their sum is E.
///
/// Layout: tiles of 128 of a (partitions) and b; k = naux by 128. Every pair i, j has two products,
/// T and T^t = B_j B_i^t, each with operands loaded transposed; both are copied out of PSUM, and
/// the energy is made of them on the vector engine, the reciprocal at 8 cycles an element. With
/// nvir and naux of up to 128 B_i is loaded once for all j, else all four tiles of B anew for each
/// tile of a, b and k; there trnblas pads with zeros where here tiles are short.
/// Bound: vector engine. Four times the products that the energy needs (no i <-> j symmetry).
/// Source: trnsci/trntensor, mp2_energy_kernel of trntensor/nki/_kernels.py; trnsci/trnblas,
/// nki_fused_gemm_energy and nki_batched_pair_energy.
/// shape_error unless the shapes agree.
PAPILIO_API void fused_mp2(engine::core& nc, const engine::hbm_view& partials,
                           const engine::hbm_view& b_i, const engine::hbm_view& b_j,
                           const engine::hbm_view& eps_i, const engine::hbm_view& eps_j,
                           const engine::hbm_view& eps_vir, mp2_partials what);

/// All pairs of nocc orbitals: inputs B [nocc, nvir, naux], eps_occ [nocc, 1], eps_vir [nvir, 1].
/// The floor counts one product a pair i <= j. Errors: invalid_argument for sizes below 1, frozen
/// orbitals, and other spins than closed_shell.
PAPILIO_API sized_kernel fused_mp2_kernel(const pair_energy_problem& problem,
                                          const engine::machine_spec& machine,
                                          mp2_partials partials = mp2_partials::of_pairs);

/// trntensor's kernel of contractions with one shared index: the tile loop of published::gemm, on
/// operands that the host transposed where the contraction asks for it. That they are padded by the
/// same rule is this library's reading; its documents do not say.
/// Errors as gemm_kernel. Source: trnsci/trntensor, trntensor/nki/.
PAPILIO_API sized_kernel matmul_kernel(const gemm_problem& problem,
                                       const engine::machine_spec& machine);

/// c = a b with that kernel; as published::gemm. A transposed operand is a strided view.
PAPILIO_API engine::launch_result matmul(engine::device& on, const view<const float, 2>& a,
                                         const view<const float, 2>& b, const view<float, 2>& c);

/// Variants that its authors tried on hardware.
struct mp2_energy_options {
  /// Makes e_a + e_b once, instead of broadcasting and subtracting both in every strip.
  bool hoist_denominator = false;
  /// Pairs whose partial sums are stored together; 0: all of one i.
  std::int64_t pairs_per_store = 0;
};

/// Rows of a strip: the largest divisor of nvir that is at most the machine's partitions.
PAPILIO_API std::int64_t mp2_energy_strip(std::int64_t nvir, const engine::machine_spec& machine);

/// The MP2 energy of a chunk of i, as trnblas' fused kernel computes it:
///   E = sum over i, j, a, b of T (2 T - T^t) / (e_i + e_j - e_a - e_b),  T^t[a, b] = T[b, a]
///
/// t: [ic nvir, nocc nvir], T[i, j, a, b] at (i nvir + a, j nvir + b); eps_i: [ic, 1]; eps_j:
/// [nocc, 1]; eps_vir: [nvir, 1]; all fp32. partials: [strip, ic nocc] fp32, whose sum is E.
///
/// Layout: strips of a on partitions, b along the free axis. Per strip one load of rows, one
/// transposing load, 2 T on the scalar engine and ten vector instructions (three broadcasts, five
/// two-operand ones, a reciprocal at 8 cycles an element, a sum): 22 cycles an element.
/// Bound: the vector engine. Every T is read twice from HBM.
/// Source: trnsci/trnblas, documentation of nki_mp2_energy and
/// docs/design/mp2_energy_profile_findings.md.
/// shape_error unless the shapes agree.
PAPILIO_API void mp2_energy(engine::core& nc, const engine::hbm_view& partials,
                            const engine::hbm_view& t, const engine::hbm_view& eps_i,
                            const engine::hbm_view& eps_j, const engine::hbm_view& eps_vir,
                            const mp2_energy_options& options = {});

/// Combines `radix` transforms of `combined` points each.
struct stockham_stage_problem {
  std::int64_t n = 0;
  std::int64_t batch = 1;
  int radix = 4;              ///< 4 or 8
  std::int64_t combined = 1;  ///< L: the product of the radices before
};

/// One stage of trnfft's Stockham FFT: with a line as x[l, k, j] of extents L, r, M = n / (r L),
///   y[q, l, j] = sum over k of exp(-2 pi i q k / r) w[l, k] x[l, k, j], w = exp(-2 pi i l k / rL).
///
/// Both planes are permuted before and after, in HBM, element by element where M is 1: in the
/// published system four operations of the same graph, here steps of the same program.
/// Radix 4: inputs re, im [batch, n] and the twiddles' re, im [batch n/4, 4]; rows (batch, l, j)
/// on partitions, their four elements on the free axis; six vector instructions multiply, and the
/// butterfly is twelve additions. Bound: DMA descriptors of 16 bytes, and those of the permutes.
/// Radix 8: inputs re, im, twiddles' re, im [8, batch n/8], and the 8 x 8 DFT matrix re, im; the
/// twiddles are multiplied in a pass of their own over HBM; then k is on partitions and the matrix
/// stationary, four products a tile of 512 columns. Bound: the permutes' descriptors.
/// Outputs: re, im [batch, n]; all fp32.
/// Source: trnsci/trnfft, trnfft.nki: stockham_radix4_stage_kernel, stockham_radix8_w8_kernel.
/// invalid_argument unless the radix is 4 or 8, the batch at least 1 and n a multiple of r L.
PAPILIO_API sized_kernel stockham_stage_kernel(const stockham_stage_problem& problem,
                                               const engine::machine_spec& machine);

/// Which stages a Stockham FFT has.
enum class stockham_plan : std::uint8_t {
  radix_4,  ///< n = 4^k
  radix_8,  ///< n = 8^k
  mixed     ///< n = 2^k: as many eights as leave a power of four, then the fours
};

/// The radices of the stages in order: mixed 1024 is 8 8 4 4, 2048 is 8 8 8 4, 64 is 8 8.
/// invalid_argument, with the rule and n, unless n is of the plan's form, k at least 1 (mixed: 2).
PAPILIO_API std::vector<int> stockham_radices(std::int64_t n, stockham_plan plan);

/// trnfft's Stockham FFT of lines: one launch for each stage. Both planes are uploaded, a pair of
/// twiddle tables for each stage (as large as the data) and once the 8 x 8 matrix if a stage has
/// radix 8; data stay on the device, and the two planes are fetched at the end. Inverse: the
/// host conjugates before and after, and scales by 1/n.
/// in, out: [2, batch, n], plane 0 re, plane 1 im; they may be the same.
/// Errors: shape_error unless the extents are equal and there are two planes; invalid_argument as
/// stockham_radices; errors of the device's. Nothing is then written.
PAPILIO_API published_run stockham_fft(engine::device& on, view<const float, 3> in,
                                       view<float, 3> out, direction dir = direction::forward,
                                       stockham_plan plan = stockham_plan::mixed);
/// The same without values; lines as of butterfly_fft.
PAPILIO_API published_run stockham_fft(engine::device& on, const fft_problem& lines,
                                       stockham_plan plan = stockham_plan::mixed);

}  // namespace papilio::kernels::published

// Times that others published, as data: kernels/published/published.json, in the library.
namespace papilio::kernels::published {

/// Where the time of a row was spent.
enum class row_place : std::uint8_t {
  device,          ///< the device, with copies, launches and the program around them
  partly,          ///< a step of which the device is a part
  host,            ///< the host
  host_as_device,  ///< the device was asked for, and the host ran
  retracted        ///< withdrawn by its authors
};

/// What a row of the device is to the constants of the runtimes and of published_host_terms.
enum class row_role : std::uint8_t {
  none,  ///< no row of the device
  fit,   ///< they are fitted to it
  test   ///< none of them is
};

/// What a row computes, and its sizes.
enum class row_kind : std::uint8_t {
  fft,             ///< extents, all of which are transformed
  batched_fft,     ///< lines, points
  bluestein,       ///< points
  stft,            ///< samples, n_fft, hop; centred
  complex_gemm,    ///< m, k, n
  complex_linear,  ///< rows, inputs, outputs
  complex_mask,    ///< rows, columns
  dft_product,     ///< lines, points; one product with the matrix of the transform
  stockham,        ///< lines, points, the radix of all stages, or 0 for stockham_plan::mixed
  matmul,          ///< m, k, n
  batched_matmul,  ///< products, m, k, n
  gemm,            ///< m, k, n; trnblas'
  gemm_slices,     ///< products, m, k, n; trnblas', a launch for each
  fused_mp2,       ///< nocc, nvir, naux
  other            ///< none
};

struct table_row {
  std::string_view system;   ///< the library that published it: "trnfft", "trntensor", "trnblas"
  std::string_view version;  ///< of that library
  std::string_view sdk;      ///< of the vendor, "2.24"; empty where the source has none
  std::string_view source;   ///< a public document
  std::string_view op, shape, precision, path;  ///< as the source has them
  std::string_view note;
  row_place where = row_place::host;
  row_role role = row_role::none;
  row_kind kind = row_kind::other;
  std::array<std::int64_t, 4> sizes = {};  ///< as row_kind says, then zeros
  double us = 0;                           ///< of a warm call
};

/// All rows, in the order of the file.
PAPILIO_API std::span<const table_row> table();

/// The fastest row of the host for the operation of `row`: the same system, operation and shape.
/// None where nothing was published.
PAPILIO_API std::optional<double> published_host_us(const table_row& row);

/// Work of the published systems' own host programs, which is neither the machine's nor the
/// runtime's. One set for all rows, fitted together with the constants of the runtimes (relative
/// least squares; see engine::runtime_spec) but for the matrix's, which is quoted from a fit by
/// others.
struct published_host_terms {
  double bit_reversal_us = 5.46;   ///< a point of a line, once a call of the radix-2 FFT
  double chirp_us = 5.61;          ///< a point of Bluestein's chirps
  double matrix_us = 1.4e-3;       ///< an element of a DFT matrix
  double stockham_stage_us = 339;  ///< a stage: two permutations (97 by a probe), and its tables
};

/// The terms of one row, in microseconds.
struct published_host_work {
  double bit_reversal_us = 0;
  double chirp_us = 0;
  double matrix_us = 0;
  double stockham_stage_us = 0;

  double total_us() const { return bit_reversal_us + chirp_us + matrix_us + stockham_stage_us; }
};

/// The runtime of the row's SDK. sdk_2_24, with which most rows were measured, where the source
/// names none.
PAPILIO_API engine::runtime_spec runtime_of(const table_row& row);

/// What the row's published algorithm costs on the device, in a dry run: its launches, copies and
/// kernels. invalid_argument unless row.where is the device. O(instructions issued).
PAPILIO_API published_run run_published(const table_row& row, engine::device& on);

/// What the row's published host program adds. invalid_argument unless row.where is the device.
PAPILIO_API published_host_work host_work_of(const table_row& row,
                                             const published_host_terms& terms = {});

/// The same operation with papilio's own kernels, in a dry run: one launch, operands copied in and
/// the result out, tables there. None where there is no such kernel. invalid_argument unless
/// row.where is the device, or partly so.
PAPILIO_API std::optional<engine::launch_result> run_ours(const table_row& row, engine::device& on);

/// A step of which the device was a part, as one kernel of papilio's.
struct step_row {
  const table_row* row = nullptr;
  engine::launch_result ours = {};
};
/// Every such row that there is a kernel for, in the table's order. About a second.
PAPILIO_API std::vector<step_row> steps_by_ours(
    const engine::machine_spec& machine,
    const std::optional<engine::runtime_spec>& runtime = std::nullopt);

/// A row of the device, modelled.
struct PAPILIO_API modelled_row {
  const table_row* row = nullptr;
  std::string runtime;
  published_run run = {};
  published_host_work host = {};
  std::optional<engine::launch_result> ours = {};

  /// Launches, copies and device.
  double without_host_us() const { return run.total_seconds() * 1e6; }
  double modelled_us() const { return without_host_us() + host.total_us(); }
  /// modelled / published - 1.
  double residual() const { return modelled_us() / row->us - 1; }
  double residual_without_host() const { return without_host_us() / row->us - 1; }
  /// published / ours.
  std::optional<double> speedup() const;
};

/// Every row of the device, in the table's order, on a machine, with the runtime of its SDK or with
/// the one given. About a second. Errors as engine::device.
PAPILIO_API std::vector<modelled_row> model_table(
    const engine::machine_spec& machine,
    const std::optional<engine::runtime_spec>& runtime = std::nullopt,
    const published_host_terms& terms = {});

}  // namespace papilio::kernels::published

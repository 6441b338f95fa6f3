#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/engine/runtime_spec.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels::published {

/// Computes three-index integrals over molecular orbitals from atomic ones, as trntensor's kernel
/// does:
///   B[P, i, a] = sum over mu, nu of C_occ[mu, i] C_vir[nu, a] eri[P, mu, nu]
///
/// out: [naux, nocc, nvir], eri: [naux, nbasis, nbasis], c_occ: [nbasis, nocc], c_vir: [nbasis,
/// nvir]; all fp32, any sizes. The published interface has P as the last axis; that the host makes
/// it the first, by a strided copy, is this library's reading, since on the device each element
/// would be a transfer of 4 bytes.
///
/// Layout: a loop over P of two products, first M = C_occ^t eri (C_occ stationary, not transposed),
/// then M C_vir, with the tiles of published::gemm. M [nocc, nbasis] goes through HBM and is loaded
/// transposed; the second product of P follows the first of P + 1. Bound: DMA; where nocc is small
/// the array idles.
/// Source: trnsci/trntensor, ao_to_mo_transform.
/// Throws shape_error unless the shapes agree.
void ao_to_mo(engine::core& nc, const engine::hbm_view& out, const engine::hbm_view& eri,
              const engine::hbm_view& c_occ, const engine::hbm_view& c_vir);

/// Returns the kernel of that transformation. Throws invalid_argument for sizes below 1 and a
/// metric.
sized_kernel ao_to_mo_kernel(const integral_transform_problem& problem,
                             const engine::machine_spec& machine);

/// Returns the product that trnblas' host pads a product to: m and k to whole tiles of 128, n to
/// 512 only above 512 (in general the machine's array and the columns of a product). Throws
/// invalid_argument for sizes below 1, resource_error if they overflow.
gemm_problem padded(const gemm_problem& problem, const engine::machine_spec& machine);

/// Computes C = A B as trnblas' kernel does; all fp32, any sizes.
///
/// Layout: for each 128 rows and 512 columns of C a sum over tiles of k, which loads A's tile of
/// 128 x 128 transposed (k on partitions, stationary), B's tile of 128 x 512 (moving), and adds in
/// one bank of PSUM; one tensor_copy out, one store. No tile is reused: A is read once for every
/// 512 columns of C, B once for every 128 rows.
/// Bound: the vector engine, which transposes; in fp32 the array is active 0.6 of the time on
/// trainium1.
/// fp32: a sum of k terms, in array order by 128, then in PSUM.
/// Source: trnsci/trnblas, trnblas/nki/ and docs/api/nki.md.
/// Throws shape_error if the shapes do not agree.
void gemm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
          const engine::hbm_view& b);

/// Returns that kernel on padded operands: inputs A and B, output C, of padded(problem, machine).
/// Throws as padded.
sized_kernel gemm_kernel(const gemm_problem& problem, const engine::machine_spec& machine);

/// Scales alpha A B + beta C: the device computes A B, the host the rest.
struct product_scale {
  float alpha = 1, beta = 0;
};

/// Computes c = alpha a b + beta c as trnblas' host does: it pads copies of a and b with zeros
/// where needed, one launch copies them to the device and the product back, and c takes its block
/// of it. c is read only for beta != 0 and may not overlap a or b.
/// Throws shape_error unless the shapes agree; others as device::launch. c is then not touched.
engine::launch_result gemm(engine::device& on, const view<const float, 2>& a,
                           const view<const float, 2>& b, const view<float, 2>& c,
                           const product_scale& scale = {});

/// Returns the kernel of one slice of trnblas' batched GEMM: gemm_kernel under another name.
sized_kernel batched_gemm_slice_kernel(const gemm_problem& problem,
                                       const engine::machine_spec& machine);

/// Computes c[s] = alpha a[s] b[s] + beta c[s] as trnblas does: a loop on the host with one launch
/// for each slice, which copies its two operands to the device and its product back. The slices
/// have one shape, so all but the first find their program. a: [batch, m, k], b: [batch, k, n], c:
/// [batch, m, n]; a batch of 0 launches nothing.
///
/// Returns the sum of all launches: their number, and the modelled seconds of launches, copies,
/// program and device; total_seconds() of it is what the host waits.
/// Source: trnsci/trnblas, docs/api/nki.md, nki_batched_gemm.
/// Throws as gemm, for the whole batch before the first slice.
engine::device_record batched_gemm_by_slices(engine::device& on, const view<const float, 3>& a,
                                             const view<const float, 3>& b, const view<float, 3>& c,
                                             const product_scale& scale = {});

/// Runs the same dry, for its times alone.
engine::device_record batched_gemm_by_slices(engine::device& on, const gemm_problem& problem);

/// Computes C[s] = A[s] B[s] in one program, as trntensor's kernel does: the tile loop of
/// published::gemm inside a loop over s. a: [batch, m, k], b: [batch, k, n], c: [batch, m, n], all
/// fp32, any sizes. Bound: as gemm; nothing is shared between slices.
/// Source: trnsci/trntensor, trntensor/nki/.
/// Throws shape_error if the shapes do not agree.
void bmm(engine::core& nc, const engine::hbm_view& c, const engine::hbm_view& a,
         const engine::hbm_view& b);

/// Returns the kernel of all slices, each padded as padded(problem, machine) says. Throws as
/// padded, and invalid_argument for a batch below 1.
sized_kernel bmm_kernel(const gemm_problem& problem, const engine::machine_spec& machine);

/// Computes c[s] = a[s] b[s] in one launch, as published::gemm.
engine::launch_result bmm(engine::device& on, const view<const float, 3>& a,
                          const view<const float, 3>& b, const view<float, 3>& c);

/// Sums the modelled cost of a whole published algorithm on a device: its launches, copies and
/// kernels, without the host's work between them (bit reversal, conjugation, tables).
struct published_run {
  std::uint64_t launches = 0;
  double launch_seconds = 0;
  double compile_seconds = 0;  ///< 0 on a device whose programs are warm
  double device_seconds = 0;
  engine::copy_record upload = {};
  engine::copy_record fetch = {};

  double total_seconds() const {
    return launch_seconds + compile_seconds + device_seconds + upload.seconds + fetch.seconds;
  }
  /// Adds the cost of a following algorithm.
  void add(const published_run& other);
};

/// Describes stage s, which combines transforms of 2^s points into transforms of m = 2^(s+1).
struct butterfly_stage_problem {
  std::int64_t n = 0;
  std::int64_t batch = 1;
  std::int64_t stage = 0;
  /// Products by Dekker's splitting with their rounding errors, added at the end.
  bool compensated = false;
};

/// Computes one stage of trnfft's radix-2 FFT (decimation in time):
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
/// Throws invalid_argument unless n is a power of two of at least 2, the batch is at least 1 and
/// the stage is one of log2(n).
sized_kernel butterfly_stage_kernel(const butterfly_stage_problem& problem,
                                    const engine::machine_spec& machine);

/// Returns the lines that the published system transforms for a batch: one that is no power of two
/// is padded to a multiple of 128.
std::int64_t butterfly_padded_batch(std::int64_t batch);

/// Computes trnfft's power-of-two FFT of lines: the host reverses bits and uploads both planes,
/// then for each of the log2(n) stages uploads a pair of twiddle tables (half as large as the data)
/// and launches the stage. Data are kept on the device in between; the two planes are fetched at
/// the end. in, out: [2, batch, n], plane 0 re, plane 1 im; they may be the same. Inverse:
/// conjugate twiddles; the host scales by 1/n.
/// Throws shape_error unless the extents are equal and there are two planes; invalid_argument as
/// butterfly_stage_kernel; and as the device. Nothing is then written.
published_run butterfly_fft(engine::device& on, view<const float, 3> in, view<float, 3> out,
                            direction dir = direction::forward, bool compensated = false);
/// Runs the same without values, on complex lines [batch, n] in float. Throws invalid_argument
/// unless their norm is backward.
published_run butterfly_fft(engine::device& on, const fft_problem& lines, bool compensated = false);

/// Computes trnfft's complex GEMM of A and B in `type`, fp32 or bf16; C is fp32. Inputs: re and im
/// of A [m, k], then of B [k, n]; outputs: re and im of C.
///
/// Layout: A stationary, 128 x 128 with k on partitions (by a transposing load), B moving, 128 x
/// up to 512; re and im summed over k in a PSUM bank each; -B_im by the vector engine, so that the
/// four products share four loads. A is loaded again for every 512 columns. Edges are short tiles.
/// Bound: DMA rows of 512 bytes (A), and about as much the tensor engine, 4 x 4 x 512 cycles a
/// step.
/// Source: trnsci/trnfft, trnfft.nki: _complex_gemm_kernel.
/// Throws invalid_argument for sizes below 1, a batch, a real problem, and other types.
sized_kernel complex_gemm_kernel(const gemm_problem& problem, const engine::machine_spec& machine,
                                 engine::dtype type = engine::dtype::fp32);

/// Computes trnfft's complex linear layer, Y = X W^T, with m rows, k inputs and n outputs, as
/// complex_gemm_kernel, with W [n, k] loaded transposed too. Inputs: re and im of X [m, k], then of
/// W [n, k]; outputs: re and im of Y. fp32 only; without the bias, which the published kernel
/// leaves to its caller. Throws as complex_gemm_kernel.
sized_kernel complex_linear_kernel(const gemm_problem& problem,
                                   const engine::machine_spec& machine);

/// Computes trnfft's complex mask: complex products as [128, count / 128] (padded with zeros), 512
/// columns at a time; four loads, six vector instructions, two stores.
/// Inputs: re and im of the mask, then of the spectrum; outputs: re and im; all fp32.
/// Bound: the vector engine, ten cycles per element of a partition; DMA nearly as long.
/// Throws invalid_argument for a count below 1 and for factors.
sized_kernel complex_mask_kernel(const product_problem& problem,
                                 const engine::machine_spec& machine);

// Whole operations as the published system runs them: four uploads, one launch, two fetches.
// Operands are planar, [2, ...], plane 0 re, plane 1 im. An output may be an input. Overloads that
// take a problem run without values. Each function throws shape_error unless the extents agree,
// each at least 1, and as the kernels and the device; nothing is then written.

/// Computes c [2, m, n] = a [2, m, k] b [2, k, n]; a and b are rounded to `type`.
published_run complex_gemm(engine::device& on, view<const float, 3> a, view<const float, 3> b,
                           view<float, 3> c, engine::dtype type = engine::dtype::fp32);
published_run complex_gemm(engine::device& on, const gemm_problem& problem,
                           engine::dtype type = engine::dtype::fp32);

/// Computes y [2, batch, outputs] = x [2, batch, inputs] w^T, w [2, outputs, inputs].
published_run complex_linear(engine::device& on, view<const float, 3> x, view<const float, 3> w,
                             view<float, 3> y);
published_run complex_linear(engine::device& on, const gemm_problem& problem);

/// Computes out = mask * spectrum, all [2, rows, columns].
published_run complex_mask_apply(engine::device& on, view<const float, 3> mask,
                                 view<const float, 3> spectrum, view<float, 3> out);
published_run complex_mask_apply(engine::device& on, const product_problem& problem);

/// Computes the DFT of lines as one complex GEMM in `type` with the n x n matrix of roots of unity,
/// any n (the published system does so for n <= 256). in, out: [2, batch, n]. The host scales the
/// inverse by 1/n. The roots are within 0.51 ulp; the published system computes their angles in
/// fp32. O(batch n^2).
published_run dft_gemm(engine::device& on, view<const float, 3> in, view<float, 3> out,
                       direction dir = direction::forward,
                       engine::dtype type = engine::dtype::fp32);
/// Runs the same without values; lines as in butterfly_fft.
published_run dft_gemm(engine::device& on, const fft_problem& lines,
                       engine::dtype type = engine::dtype::fp32);

/// Selects how far the device sums the energy; the host adds up the rest.
///   of_pairs       [ni, nj]: a number for each pair, over the partitions too (trntensor)
///   of_partitions  [min(nvir, 128), ni nj]: a column for each pair (trnblas)
enum class mp2_partials : std::uint8_t { of_pairs, of_partitions };

/// Computes the MP2 energy of all pairs of two lists of occupied orbitals, T never in HBM:
///   E = sum over i, j, a, b of T (2 T - T^t) / (e_i + e_j - e_a - e_b),  T = B_i B_j^t
///
/// b_i: [ni, nvir, naux], eps_i: [ni, 1]; b_j: [nj, nvir, naux], eps_j: [nj, 1]; eps_vir: [nvir,
/// 1]; all fp32, any sizes. partials as mp2_partials says; their sum is E.
///
/// Layout: tiles of 128 of a (partitions) and b; k = naux by 128. Every pair i, j has two products,
/// T and T^t = B_j B_i^t, each with operands loaded transposed; both are copied out of PSUM, and
/// the energy is made of them on the vector engine, the reciprocal at 2.6 cycles an element. With
/// nvir and naux of up to 128 B_i is loaded once for all j, else all four tiles of B again for each
/// tile of a, b and k. trnblas pads with zeros where tiles are short here. Bound: vector engine.
/// Four times the products that the energy needs (no i <-> j symmetry).
/// Source: trnsci/trntensor, mp2_energy_kernel of trntensor/nki/_kernels.py; trnsci/trnblas,
/// nki_fused_gemm_energy and nki_batched_pair_energy.
/// Throws shape_error unless the shapes agree.
void fused_mp2(engine::core& nc, const engine::hbm_view& partials, const engine::hbm_view& b_i,
               const engine::hbm_view& b_j, const engine::hbm_view& eps_i,
               const engine::hbm_view& eps_j, const engine::hbm_view& eps_vir, mp2_partials what);

/// Returns the kernel for all pairs of nocc orbitals: inputs B [nocc, nvir, naux], eps_occ [nocc,
/// 1], eps_vir [nvir, 1]. The floor counts one product per pair i <= j. Throws invalid_argument for
/// sizes below 1, frozen orbitals, and other spins than closed_shell.
sized_kernel fused_mp2_kernel(const pair_energy_problem& problem,
                              const engine::machine_spec& machine,
                              mp2_partials partials = mp2_partials::of_pairs);

/// Returns trntensor's kernel of contractions with one shared index: the tile loop of
/// published::gemm on operands that the host transposes where the contraction needs it. That they
/// are padded by the same rule is this library's reading; its documents do not say.
/// Source: trnsci/trntensor, trntensor/nki/.
/// Throws as gemm_kernel.
sized_kernel matmul_kernel(const gemm_problem& problem, const engine::machine_spec& machine);

/// Computes c = a b with that kernel, as published::gemm. A transposed operand is a strided view.
engine::launch_result matmul(engine::device& on, const view<const float, 2>& a,
                             const view<const float, 2>& b, const view<float, 2>& c);

/// Options of mp2_energy: variants that its authors tried on hardware.
struct mp2_energy_options {
  /// Makes e_a + e_b once, instead of broadcasting and subtracting both in every strip.
  bool hoist_denominator = false;
  /// Pairs whose partial sums are stored together; 0: all of one i.
  std::int64_t pairs_per_store = 0;
};

/// Returns the rows of a strip: the largest divisor of nvir that is at most the machine's
/// partitions.
std::int64_t mp2_energy_strip(std::int64_t nvir, const engine::machine_spec& machine);

/// Computes the MP2 energy of a chunk of i, as trnblas' fused kernel does:
///   E = sum over i, j, a, b of T (2 T - T^t) / (e_i + e_j - e_a - e_b),  T^t[a, b] = T[b, a]
///
/// t: [ic nvir, nocc nvir], T[i, j, a, b] at (i nvir + a, j nvir + b); eps_i: [ic, 1]; eps_j:
/// [nocc, 1]; eps_vir: [nvir, 1]; all fp32. partials: [strip, ic nocc] fp32, whose sum is E.
///
/// Layout: strips of a on partitions, b along the free axis. Per strip one load of rows, one
/// transposing load, 2 T on the scalar engine and ten vector instructions (three broadcasts, five
/// two-operand ones, a reciprocal at 2.6 cycles an element, a sum): 16.6 cycles an element.
/// Bound: the vector engine. Every T is read twice from HBM.
/// Source: trnsci/trnblas, documentation of nki_mp2_energy and
/// docs/design/mp2_energy_profile_findings.md.
/// Throws shape_error unless the shapes agree.
void mp2_energy(engine::core& nc, const engine::hbm_view& partials, const engine::hbm_view& t,
                const engine::hbm_view& eps_i, const engine::hbm_view& eps_j,
                const engine::hbm_view& eps_vir, const mp2_energy_options& options = {});

/// Describes a stage that combines `radix` transforms of `combined` points each.
struct stockham_stage_problem {
  std::int64_t n = 0;
  std::int64_t batch = 1;
  int radix = 4;              ///< 4 or 8
  std::int64_t combined = 1;  ///< L: the product of the radices before
};

/// Computes one stage of trnfft's Stockham FFT. With a line as x[l, k, j] of extents L, r,
/// M = n / rL,
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
/// Throws invalid_argument unless the radix is 4 or 8, the batch at least 1 and n a multiple of rL.
sized_kernel stockham_stage_kernel(const stockham_stage_problem& problem,
                                   const engine::machine_spec& machine);

/// Selects the stages of a Stockham FFT.
enum class stockham_plan : std::uint8_t {
  radix_4,  ///< n = 4^k
  radix_8,  ///< n = 8^k
  mixed     ///< n = 2^k: as many eights as leave a power of four, then the fours
};

/// Returns the radices of the stages in order: mixed 1024 is 8 8 4 4, 2048 is 8 8 8 4, 64 is 8 8.
/// Throws invalid_argument, with the rule and n, unless n is of the plan's form, k at least 1
/// (mixed: 2).
std::vector<int> stockham_radices(std::int64_t n, stockham_plan plan);

/// Computes trnfft's Stockham FFT of lines with one launch for each stage. Both planes are
/// uploaded, a pair of twiddle tables for each stage (as large as the data), and once the 8 x 8
/// matrix if a stage has radix 8. Data are kept on the device; the two planes are fetched at the
/// end. Inverse: the host conjugates before and after, and scales by 1/n. in, out: [2, batch, n],
/// plane 0 re, plane 1 im; they may be the same.
/// Throws shape_error unless the extents are equal and there are two planes; invalid_argument as
/// stockham_radices; and as the device. Nothing is then written.
published_run stockham_fft(engine::device& on, view<const float, 3> in, view<float, 3> out,
                           direction dir = direction::forward,
                           stockham_plan plan = stockham_plan::mixed);
/// Runs the same without values; lines as in butterfly_fft.
published_run stockham_fft(engine::device& on, const fft_problem& lines,
                           stockham_plan plan = stockham_plan::mixed);

}  // namespace papilio::kernels::published

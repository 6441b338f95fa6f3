#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/contraction.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// Selects the layout in HBM of three-index integrals B over molecular orbitals.
///   pia  [naux, nocc, nvir], as of the published kernel
///   ipa  [nocc, naux, nvir]: auxiliary functions are rows, as the tensor engine sums over them
///   iap  [nocc, nvir, naux], as of the host's ao_to_mo
enum class integral_layout { pia, ipa, iap };

/// Options of ao_to_mo_kernel.
struct ao_to_mo_kernel_options {
  integral_layout layout = integral_layout::pia;
  /// Precision of the two transformations: native, bf16, or split_bf16 of two parts. The product
  /// with the metric is in fp32.
  precision_options precision = {};
};

/// Computes B[P, i, a] = sum over m, n of C_occ[m, i] (mn|P) C_vir[n, a], integrals over molecular
/// orbitals from those over atomic ones, in one launch; with a metric, B_Q = sum over P of B_P
/// root[P, Q], root its inverse square root. In: (mn|P) as [naux, nbasis, nbasis], which need not
/// be symmetric, C_occ [nbasis, nocc], C_vir [nbasis, nvir], and the root [naux, naux]; all fp32.
/// Out: B as `layout` says. Aliasing: as sized_kernel says. `expected_error` is relative, in the
/// Euclidean norm, for random operands.
///
/// Layout: the integrals of a P are stationary, m on partitions, while C_occ moves, so that the
/// half-transformed ones have n on partitions; those of a few P are then stationary side by side
/// while C_vir moves. They are not stored, and each integral is read once. If SBUF does not hold those
/// of one P, they pass through HBM. C_vir is kept in SBUF if it fits, else read for every few P. iap
/// transposes B in HBM, and a metric is a separate product: each passes B through HBM once more.
/// Bound: DMA of the integrals; the tensor engine from some 100 occupied orbitals on.
///
/// Throws invalid_argument for sizes below 1, another type than float, and other precisions;
/// resource_error if a tensor's bytes overflow; kernel_error if no tiles fit SBUF.
PAPILIO_API sized_kernel ao_to_mo_kernel(const integral_transform_problem& problem,
                                         const engine::machine_spec& machine,
                                         const ao_to_mo_kernel_options& options = {});

/// Options of mp2_energy_kernel: its computation and its pairs.
struct mp2_energy_kernel_options {
  integral_layout layout = integral_layout::iap;  ///< Layout of B: iap or ipa
  /// native, bf16, split_bf16 with two parts, or bf16_refined with one refinement: the products of
  /// the operands' bf16 remainders are added, which is what split_bf16 of two parts computes.
  precision_options precision = {};
  /// Only pairs first_pair ... first_pair + pairs - 1, of i <= j in the order of i, then j
  /// (opposite_spin: of all i, j), frozen orbitals not counted; pairs 0: all that follow.
  std::int64_t first_pair = 0, pairs = 0;
};

/// Computes second-order correlation energies from density-fitted integrals B in one launch,
/// without storing T. With T = B_i B_j^T and D = e_a + e_b - e_i - e_j, which must be positive,
/// over pairs of occupied orbitals i, j and of virtual ones a, b:
///   closed_shell   two energies: -sum T_ab^2 / D, then -sum T_ab (T_ab - T_ba) / D, over all i, j
///   same_spin      one: -1/4 sum (T_ab - T_ba)^2 / D over all i, j
///   opposite_spin  one: -sum T_ab^2 / D, i and a of one spin, j and b of the other
/// In: B as `layout` says, e of the occupied [nocc] and of the virtual orbitals [nvir]
/// (opposite_spin: then the same three of the other spin). Out: the energies, [2] or [1], of fp32.
/// Aliasing: as sized_kernel says.
///
/// Layout: panels of B^T, naux on partitions, transposed on the tensor engine; strips of up to 128
/// a by up to 512 columns (j, b) of T, summed in a bank of PSUM; for few virtual orbitals several j
/// side by side. B is kept in SBUF if it fits; else it is stored to HBM as B^T once, and the panels
/// of some i are kept while those of j are loaded; else tiles of naux are loaded. T^T is T's
/// transposed tiles, for a 48th of a second product's cost at 1536 auxiliaries.
/// Identity: -sum T_ab (T_ab - T_ba) / D = -1/2 sum (T_ab - T_ba)^2 / D, so that both energies are
/// sums of squares (T r)^2 with r = D^(-1/2), one activation of e_b with the bias e_a - e_i - e_j.
/// Bound: the tensor engine, from some hundred auxiliary functions on; else the vector engine.
///
/// Throws invalid_argument for sizes below 1, another type than float, no orbitals that are not
/// frozen, pairs out of range, and other layouts and precisions; resource_error if a tensor's bytes
/// overflow; on launch kernel_error if HBM or SBUF is too small.
PAPILIO_API sized_kernel mp2_energy_kernel(const pair_energy_problem& problem,
                                           const engine::machine_spec& machine,
                                           const mp2_energy_kernel_options& options = {});

/// Computes the gradients by orbitals of a real loss (vjp), or the changes of energies along those of
/// the orbitals (jvp), of mp2_energy_kernel's energies, in one launch; problem.function says which.
/// With T and D as there, w_os and w_ss the gradients by the two energies (same_spin: w_os = 0 and
/// half of w_ss; opposite_spin: w_ss = 0), and dB, de the changes, of both i and j:
///   dL/dT = -2 [(w_os + w_ss) T_ab - w_ss T_ba] / D,  dL/dB_i = 2 sum over j of dL/dT B_j,
///   dE = sum of dL/dT dT + [(w_os + w_ss) T_ab - w_ss T_ba] T_ab dD / D^2.
/// In: the orbitals as of mp2_energy_kernel in layout iap, frozen ones with them; then of vjp the
/// gradients by the energies, [2] or [1], of jvp changes in the shapes of the orbitals. Out: of vjp
/// gradients in those shapes, 0 of frozen orbitals, of jvp [2] or [1]. All fp32; aliasing: as
/// sized_kernel says. `expected_error` is that of the stages together, in squares.
///
/// Layout: stages with what lies between them in HBM: for one i, or as many as a 64th of it holds,
/// all T_ab, as much again for dL/dT and, of equal spins, for T_ba (contraction_kernel); the formula
/// above element by element, with sums over j and b for the gradients by e; and a product with B
/// (jvp: T of dB_i, and sums alone). Pairs of equal spins are symmetric, so that i's part is half; of
/// two spins each has its own stages. O(2 (nocc nvir)^2 naux) products. Bound: HBM; with many
/// auxiliary functions the tensor engine.
///
/// Throws as mp2_energy_kernel, and invalid_argument for energies, which are not its function, and
/// as contraction_kernel for its options, which are of the products.
PAPILIO_API sized_kernel mp2_gradient_kernel(const pair_energy_problem& problem,
                                             const engine::machine_spec& machine,
                                             const contraction_kernel_options& options = {});

/// Holds one spin's orbitals: B [nocc, nvir, naux] (or in the options' layout) and energies [nocc]
/// and [nvir]. Arrays of the host, or shapes in dry runs.
struct mp2_group_operands {
  engine::launch_input b, occupied, virtuals;
};

/// Computes mp2_energy_kernel's energies on all cores of a group in two dispatches.
///
/// Each core gets ceil(nocc / p) occupied orbitals of B from the host, moves naux to the front, and
/// gets the others over the links (all_gather). The pairs, in the order of i, then j, are divided
/// among the cores with at most one pair difference; cores beyond the pairs are idle. The cores'
/// energies are fetched and added in double in the order of the cores, so that they depend only on
/// the shape, the machine and the number of cores.
class PAPILIO_API sharded_mp2 {
 public:
  /// The group must outlive it. Throws as mp2_energy_kernel, and invalid_argument for a subset of
  /// the pairs.
  sharded_mp2(engine::device_group& on, const pair_energy_problem& problem,
              const mp2_energy_kernel_options& options = {},
              engine::run_mode mode = engine::run_mode::execute);

  const pair_energy_problem& problem() const;
  kernel_design design() const;

  /// Returns two energies or one, as mp2_energy_kernel; zeros in dry runs. `other` is for
  /// opposite_spin.
  /// Throws shape_error for operands of other shapes, invalid_argument for buffers and for `other`
  /// with another spin.
  std::vector<double> energies(const mp2_group_operands& orbitals,
                               const std::optional<mp2_group_operands>& other = {}) const;

 private:
  struct members;
  std::shared_ptr<members> members_;
};

/// Returns modelled times on a new group, with operands copied from the host. Throws as sharded_mp2
/// and device_group.
PAPILIO_API group_times time_sharded_mp2(const pair_energy_problem& problem, int cores,
                                         const engine::machine_spec& machine,
                                         const engine::runtime_spec& runtime,
                                         const engine::group_options& how_group = {},
                                         const mp2_energy_kernel_options& options = {});

}  // namespace papilio::kernels

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/engine/core.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {

/// How three-index integrals B over molecular orbitals lie in HBM.
///   pia  [naux, nocc, nvir], as of the published kernel
///   ipa  [nocc, naux, nvir]: auxiliary functions are rows, as the tensor engine sums over them
///   iap  [nocc, nvir, naux], as of the host's ao_to_mo
enum class integral_layout { pia, ipa, iap };

/// How ao_to_mo_kernel computes and how its result lies.
struct ao_to_mo_kernel_options {
  integral_layout layout = integral_layout::pia;
  /// Precision of the two transformations: native, bf16, or split_bf16 of two parts. The product
  /// with the metric is in fp32.
  precision_options precision = {};
};

/// B[P, i, a] = sum over m, n of C_occ[m, i] (mn|P) C_vir[n, a]: integrals over molecular orbitals
/// from those over atomic ones, both transformations in one launch, and B_Q = sum over P of
/// B_P root[P, Q] where there is a metric, root its inverse square root. In: (mn|P) as [naux,
/// nbasis, nbasis], which need not be symmetric, C_occ [nbasis, nocc], C_vir [nbasis, nvir], and
/// the root [naux, naux]; all fp32. Out: B as `layout` says. Aliasing: as sized_kernel says.
/// `expected_error` is relative, in the Euclidean norm, for random operands.
///
/// Layout: the integrals of a P are stationary, m on partitions, while C_occ passes, so that the
/// half transformed ones have n on partitions; those of a few P are then stationary side by side,
/// while C_vir passes. They never leave the chip, and each integral is read once: where the tiles
/// of all occupied orbitals, or more than 512 of them, do not fit SBUF, once for each block of
/// them. C_vir stays where it fits, else it passes for every few P. iap comes by transposing B in
/// HBM, and a metric by a product of its own: B passes HBM once more for each. Bound: DMA, the
/// integrals; the tensor engine from some 100 occupied orbitals on.
///
/// Errors: invalid_argument for sizes below 1, another type than float, and precisions that it has
/// not; resource_error where a tensor's bytes overflow, and where a block does not fit SBUF.
PAPILIO_API sized_kernel ao_to_mo_kernel(const integral_transform_problem& problem,
                                         const engine::machine_spec& machine,
                                         const ao_to_mo_kernel_options& options = {});

/// How mp2_energy_kernel computes, and which pairs.
struct mp2_energy_kernel_options {
  integral_layout layout = integral_layout::iap;  ///< Layout of B: iap or ipa
  /// native, bf16, split_bf16 with two parts, or bf16_refined with one refinement: the products of
  /// the operands' bf16 remainders are added, which is what split_bf16 of two parts computes.
  precision_options precision = {};
  /// Only pairs first_pair ... + pairs - 1, of i <= j in the order of i, then j (opposite_spin: of
  /// all i, j), frozen orbitals not counted; pairs 0: all that follow.
  std::int64_t first_pair = 0, pairs = 0;
};

/// Correlation energies of second order from density-fitted integrals B: products, quotients and
/// sums in one launch, nothing of T in HBM. With T = B_i B_j^T and D = e_a + e_b - e_i - e_j, which
/// must be positive, over pairs of occupied orbitals i, j and of virtual ones a, b:
///   closed_shell   two energies: -sum T_ab^2 / D, then -sum T_ab (T_ab - T_ba) / D, over all i, j
///   same_spin      one: -1/4 sum (T_ab - T_ba)^2 / D over all i, j
///   opposite_spin  one: -sum T_ab^2 / D, i and a of one spin, j and b of the other
/// In: B as `layout` says, e of the occupied [nocc] and of the virtual orbitals [nvir]
/// (opposite_spin: then the same three of the other spin). Out: the energies, [2] or [1], of fp32.
/// Aliasing: as sized_kernel says.
///
/// Layout: panels of B^T, naux on partitions, transposed on the tensor engine; strips of up to 128
/// a by up to 512 columns (j, b) of T, summed in a bank of PSUM; those of few virtual orbitals have
/// several j side by side. All of B stays in SBUF where it fits; else it goes to HBM as B^T once,
/// and the panels of some i stay while those of j pass; else tiles of naux pass.
/// T^T comes by transposing T's tiles: of a second product's cost a 48th at 1536 auxiliaries.
/// Identity: -sum T_ab (T_ab - T_ba) / D = -1/2 sum (T_ab - T_ba)^2 / D, so that both energies are
/// sums of squares (T r)^2 with r = D^(-1/2), one activation of e_b with the bias e_a - e_i - e_j.
/// Bound: the tensor engine, from some hundred auxiliary functions on; else the vector engine.
///
/// Errors: invalid_argument for sizes below 1, another type than float, frozen orbitals that leave
/// none, pairs that there are not, and layouts and precisions that it has not; resource_error where
/// a tensor's bytes overflow; on launch kernel_error where HBM or SBUF do not suffice.
PAPILIO_API sized_kernel mp2_energy_kernel(const pair_energy_problem& problem,
                                           const engine::machine_spec& machine,
                                           const mp2_energy_kernel_options& options = {});

/// What of one spin's orbitals the energies need: B [nocc, nvir, naux] (or as the options' layout
/// says), and energies [nocc] and [nvir]. Arrays of the host, or shapes in dry runs.
struct mp2_group_operands {
  engine::launch_input b, occupied, virtuals;
};

/// mp2_energy_kernel's energies by all cores of a group.
///
/// Each core gets ceil(nocc / p) occupied orbitals of B from the host, brings naux to the front,
/// and gets those of the others over the links (all_gather). Of all pairs, in the order of i, then
/// j, each has a part; parts differ by at most one pair. Energies of parts come back and are added
/// in double, in the order of the cores: they depend on the shape, the machine and the number of
/// cores, on nothing else. Cores beyond the pairs stay idle. Two dispatches.
class PAPILIO_API sharded_mp2 {
 public:
  /// The group must outlive it. invalid_argument for parts of the pairs; else as mp2_energy_kernel.
  sharded_mp2(engine::device_group& on, const pair_energy_problem& problem,
              const mp2_energy_kernel_options& options = {},
              engine::run_mode mode = engine::run_mode::execute);
  ~sharded_mp2();
  sharded_mp2(sharded_mp2&&) noexcept;
  sharded_mp2& operator=(sharded_mp2&&) noexcept;

  const pair_energy_problem& problem() const;
  std::string explanation() const;

  /// Two energies or one, as mp2_energy_kernel says; zeros in dry runs. `other`: of opposite_spin
  /// alone (invalid_argument). shape_error for operands of other shapes, invalid_argument of
  /// buffers.
  std::vector<double> energies(const mp2_group_operands& orbitals,
                               const std::optional<mp2_group_operands>& other = {}) const;

 private:
  struct members;
  std::unique_ptr<members> members_;
};

/// Modelled times on a new group, operands copied from the host. Errors as those of sharded_mp2,
/// and of device_group.
PAPILIO_API group_times time_sharded_mp2(const pair_energy_problem& problem, int cores,
                                         const engine::machine_spec& machine,
                                         const engine::runtime_spec& runtime,
                                         const engine::group_options& how_group = {},
                                         const mp2_energy_kernel_options& options = {});

}  // namespace papilio::kernels

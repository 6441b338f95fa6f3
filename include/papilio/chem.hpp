#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

/// Options of `ao_to_mo`.
struct ao_to_mo_options {
  /// Metric (P|Q) [naux, naux], symmetric and positive definite: the integrals are multiplied by
  /// its inverse square root. Empty: they are not.
  view<const double, 2> metric = {};
  /// Bound on work memory in bytes, without the integrals and the result. Fewer threads run if it
  /// is short.
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  /// Where to run. Host threads: 0 is every core, but one for small problems; the result does not
  /// depend on it. An accelerator computes in float in one launch, with the metric's root made on
  /// the host. Its times are modelled. Its precision applies to the two transformations: native,
  /// bf16, split_bf16 in two parts, or a target error.
  execution on = {};
};

namespace chem_detail {
template <class T>
PAPILIO_API array<T, 3> ao_to_mo(view<const T, 3> eri, view<const T, 2> c_occ,
                                 view<const T, 2> c_vir, const ao_to_mo_options& options);
template <class T>
PAPILIO_API array<T, 3> ao_to_mo(view<const T, 2> triangle, view<const T, 2> c_occ,
                                 view<const T, 2> c_vir, const ao_to_mo_options& options);

PAPILIO_API shared_tensor ao_to_mo(const shared_tensor& eri, const shared_tensor& c_occ,
                                   const shared_tensor& c_vir, const shared_tensor* root,
                                   const ao_to_mo_options& options);

template <class Operand, std::size_t Rank>
concept real_operand =
    requires { typename blas_detail::element_of<Operand>; } &&
    std::is_floating_point_v<blas_detail::element_of<Operand>> &&
    std::is_convertible_v<const Operand&, view<const blas_detail::element_of<Operand>, Rank>>;
}  // namespace chem_detail

/// Computes density-fitted integrals over molecular orbitals from those over atomic orbitals,
/// T = float or double:
///   B[i, a, Q] = sum over m, n, P of C_occ[m, i] C_vir[n, a] (mn|P) (P|Q)^(-1/2).
/// C_occ is [nbf, nocc], C_vir [nbf, nvir], B [nocc, nvir, naux], all of any strides. eri holds
/// (mn|P) as
/// - [nbf, nbf, naux], which need not be symmetric in m and n; or
/// - [nbf (nbf + 1) / 2, naux], the rows m >= n of the symmetric matrix, (mn|P) in row m
///   (m + 1) / 2 + n. They are read in place and unpacked only for one n and some P at a time.
///
/// The smaller set of orbitals is transformed first. Threads share blocks of auxiliary functions
/// that are cut by the extents alone, so that the result depends neither on threads nor on
/// memory_bytes. The root of the metric is formed and applied in double. recorded() returns what
/// ran. O(nocc nbf naux (nbf + nvir) + nocc nvir naux^2) multiply-additions. Memory: per thread,
/// nocc nbf integrals of at most 64 auxiliary functions (at most 16 MiB where 8 fit), then 2 [128,
/// naux] in double; for a metric 4 [naux, naux]; copies only of what BLAS cannot take.
///
/// Throws shape_error if extents do not fit; invalid_argument if an element is not finite, the
/// metric is not symmetric or not positive definite to double's precision, threads are negative, or
/// a result is beyond the range of T; resource_error if an extent is above 2^20 or memory_bytes is
/// less than one block, naming the least; device_error as execution says, for double too.
template <class E>
  requires(chem_detail::real_operand<E, 3> || chem_detail::real_operand<E, 2>)
array<blas_detail::element_of<E>, 3> ao_to_mo(const E& eri,
                                              view<const blas_detail::element_of<E>, 2> c_occ,
                                              view<const blas_detail::element_of<E>, 2> c_vir,
                                              const ao_to_mo_options& options = {}) {
  using T = blas_detail::element_of<E>;
  constexpr std::size_t rank = chem_detail::real_operand<E, 3> ? 3 : 2;
  return chem_detail::ao_to_mo<T>(view<const T, rank>(eri), c_occ, c_vir, options);
}

/// Computes `ao_to_mo` on the accelerator that holds the operands; B stays there. eri is [naux,
/// nbf, nbf], auxiliary functions first, because the accelerator's memory is slow at single
/// elements; to_device of a view with these strides makes it. `root` is (P|Q)^(-1/2) [naux, naux],
/// as inverse_square_root returns it; empty: none. Elements are not checked.
/// Throws invalid_argument if options.metric is given, shape_error if extents do not fit.
inline device_array<float, 3> ao_to_mo(const device_array<float, 3>& eri,
                                       const device_array<float, 2>& c_occ,
                                       const device_array<float, 2>& c_vir,
                                       const device_array<float, 2>& root = {},
                                       const ao_to_mo_options& options = {}) {
  const shared_tensor* const metric = root.is_empty() ? nullptr : &root.tensor("ao_to_mo");
  return device_array<float, 3>(chem_detail::ao_to_mo(
      eri.tensor("ao_to_mo"), c_occ.tensor("ao_to_mo"), c_vir.tensor("ao_to_mo"), metric, options));
}

/// Returns the symmetric V^(-1/2) of a symmetric positive definite matrix [n, n], from its
/// eigenvalues. O(n^3).
/// Throws shape_error if v is not square; invalid_argument if an element is not finite, v(p, q) and
/// v(q, p) differ by more than 1e-10 of the largest element, or the smallest eigenvalue does not
/// exceed n epsilon times the largest.
PAPILIO_API array<double, 2> inverse_square_root(view<const double, 2> v);

/// Holds the MP2 correlation energy by pairs of spins, in the unit of the orbital energies
/// (hartree, where these and the integrals are in atomic units). Each is negative, or 0 without
/// pairs.
struct mp2_energies {
  double opposite_spin = 0;
  double alpha_alpha = 0, beta_beta = 0;  ///< closed shell: half of the same-spin energy each

  double same_spin() const { return alpha_alpha + beta_beta; }
  double correlation() const { return opposite_spin + same_spin(); }
  mp2_energies& operator+=(const mp2_energies& more) {
    opposite_spin += more.opposite_spin;
    alpha_alpha += more.alpha_alpha;
    beta_beta += more.beta_beta;
    return *this;
  }
  /// Returns the spin-component scaled energy: 6/5 opposite spin + 1/3 same spin (Grimme, J. Chem.
  /// Phys. 118, 9095).
  double scs() const { return 1.2 * opposite_spin + same_spin() / 3; }
  /// Returns the scaled opposite-spin energy, 1.3 opposite spin (Jung, Lochan, Dutoi and
  /// Head-Gordon, J. Chem. Phys. 121, 9793).
  double sos() const { return 1.3 * opposite_spin; }

  bool operator==(const mp2_energies&) const = default;
};

/// Blocks of pairs first <= k < last, of df_mp2_block_count in all. By default `last` is the end.
struct mp2_block_range {
  std::size_t first = 0, last = std::numeric_limits<std::size_t>::max();

  bool operator==(const mp2_block_range&) const = default;
};

/// Options of `df_mp2`.
struct df_mp2_options {
  /// Number of occupied orbitals of each spin, from the first, that are left out, all of a spin that
  /// has fewer; they must be the lowest.
  std::size_t frozen_core = 0;
  /// Bound on work memory in bytes, without B. Fewer threads run if it is short.
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  /// Where to run. Host threads: 0 is every core, but one for small problems; the result does not
  /// depend on it. An accelerator computes in float in one dispatch and returns only energies. Its
  /// times are modelled. Its precision applies to the products (ia|jb): native, bf16, split_bf16 in
  /// two parts (as is bf16_refined with one refinement), or a target error.
  execution on = {};
  /// Blocks of pairs to compute; the others are left out. Anything but all of them runs on the host,
  /// under policy::automatic too.
  mp2_block_range blocks = {};
  /// Called after each block with the pairs of orbitals done and their total, by one thread at a
  /// time. What it throws ends the work and reaches the caller.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

/// Holds what df_mp2 needs of the orbitals of one spin.
template <class T>
struct mp2_orbitals {
  view<const T, 3> b;  ///< [nocc, nvir, naux]
  /// Orbital energies [nocc] and [nvir]: every occupied one below every virtual one.
  std::span<const double> eps_occupied, eps_virtual;
};

/// Holds the same with B on an accelerator.
struct orbitals_on_device {
  device_array<float, 3> b;
  std::span<const double> eps_occupied, eps_virtual;
};

namespace chem_detail {
template <class T>
PAPILIO_API mp2_energies df_mp2(const mp2_orbitals<T>& orbitals, const df_mp2_options& options);
template <class T>
PAPILIO_API mp2_energies df_mp2(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                                const df_mp2_options& options);

template <class T>
PAPILIO_API std::vector<mp2_energies> df_mp2_by_block(const mp2_orbitals<T>& orbitals,
                                                      const df_mp2_options& options);
template <class T>
PAPILIO_API std::vector<mp2_energies> df_mp2_by_block(const mp2_orbitals<T>& alpha,
                                                      const mp2_orbitals<T>& beta,
                                                      const df_mp2_options& options);

PAPILIO_API mp2_energies df_mp2(const shared_tensor& b, std::span<const double> eps_occupied,
                                std::span<const double> eps_virtual, const df_mp2_options& options);
PAPILIO_API mp2_energies df_mp2(const orbitals_on_device& alpha, const orbitals_on_device& beta,
                                const df_mp2_options& options);
PAPILIO_API shared_tensor df_mp2(const shared_tensor& b, const shared_tensor& eps_occupied,
                                 const shared_tensor& eps_virtual, const df_mp2_options& options);

/// Names a view or an array of float or double, of 3 axes.
template <class Operand>
concept integrals =
    requires { typename blas_detail::element_of<Operand>; } &&
    std::is_floating_point_v<blas_detail::element_of<Operand>> &&
    std::is_convertible_v<const Operand&, view<const blas_detail::element_of<Operand>, 3>>;
}  // namespace chem_detail

/// Computes the second-order Møller-Plesset energy of a closed shell from density-fitted integrals
/// (ia|jb) = sum_Q B[i, a, Q] B[j, b, Q]. B is [nocc, nvir, naux] of canonical orbitals, any
/// strides, T = float or double; i, j are occupied and a, b virtual. With
/// D = eps_a + eps_b - eps_i - eps_j:
///   opposite spin -sum (ia|jb)^2 / D, same spin -sum (ia|jb) [(ia|jb) - (ib|ja)] / D.
/// Integrals and quotients are computed in T and energies summed in double (for float, after at
/// most 8 quotients in float).
///
/// Blocks of pairs i <= j are cut by the extents alone and energies summed in their order, so that
/// the result depends neither on threads nor on memory_bytes. One product per block gives (ia|jb)
/// and (ib|ja). recorded() returns what ran. O(nocc^2 nvir^2 naux / 2) multiply-additions. Memory:
/// per thread one block, at most 4.4 MB in double, and copies of those rows of B that BLAS cannot
/// express.
/// Sources: Møller and Plesset, Phys. Rev. 46, 618; Feyereisen, Fitzgerald and Komornicki, Chem.
/// Phys. Lett. 208, 359 (density fitting).
///
/// Throws shape_error if extents do not fit; invalid_argument if B or an orbital energy is not
/// finite, the gap is not positive, frozen_core exceeds the occupied orbitals (of both spins) or leaves
/// one below a frozen one, `blocks` is no range of the blocks, or less than all of them is asked of an
/// accelerator, threads are negative, or the energy is beyond T; resource_error if memory_bytes is
/// less than one block, naming the least; device_error as execution says, for double too.
template <chem_detail::integrals B>
mp2_energies df_mp2(const B& b, std::span<const double> eps_occupied,
                    std::span<const double> eps_virtual, const df_mp2_options& options = {}) {
  using T = blas_detail::element_of<B>;
  return chem_detail::df_mp2<T>(mp2_orbitals<T>{b, eps_occupied, eps_virtual}, options);
}

/// Computes the MP2 energy of an open shell with separate orbitals for each spin (unrestricted),
/// without the single excitations of orbitals that are not canonical:
/// - opposite spin -sum (ia|jb)^2 / D over i, a of alpha and j, b of beta;
/// - same spin -sum over i < j, a < b of [(ia|jb) - (ib|ja)]^2 / D for each spin.
///
/// Both spins need the same naux; either may have no orbitals. Otherwise as above.
template <class T>
  requires(std::is_floating_point_v<T>)
mp2_energies df_mp2(const mp2_orbitals<T>& alpha, const std::type_identity_t<mp2_orbitals<T>>& beta,
                    const df_mp2_options& options = {}) {
  return chem_detail::df_mp2<T>(alpha, beta, options);
}

/// Returns the number of blocks of pairs that df_mp2 adds up for B of these extents [nocc, nvir,
/// naux], for whoever shares them out; and for those of alpha and beta.
/// Throws invalid_argument if frozen_core exceeds the occupied orbitals (of both spins).
PAPILIO_API std::size_t df_mp2_block_count(const extents_type<3>& b, std::size_t frozen_core = 0);
PAPILIO_API std::size_t df_mp2_block_count(const extents_type<3>& alpha,
                                           const extents_type<3>& beta,
                                           std::size_t frozen_core = 0);

/// Computes the energies of each block in options.blocks, in their order. Ranges of them by any
/// processes, put one behind the other and added in this order from zeros, have the bits of df_mp2:
///
///   mp2_energies sum;
///   for (const mp2_energies& e : df_mp2_by_block(b, eps_occupied, eps_virtual)) sum += e;
///
/// On the host. Throws as df_mp2, and invalid_argument for policy::device.
template <chem_detail::integrals B>
std::vector<mp2_energies> df_mp2_by_block(const B& b, std::span<const double> eps_occupied,
                                          std::span<const double> eps_virtual,
                                          const df_mp2_options& options = {}) {
  using T = blas_detail::element_of<B>;
  return chem_detail::df_mp2_by_block<T>(mp2_orbitals<T>{b, eps_occupied, eps_virtual}, options);
}

/// Computes those of an open shell: blocks of opposite spins, then of alphas, then of betas.
template <class T>
  requires(std::is_floating_point_v<T>)
std::vector<mp2_energies> df_mp2_by_block(const mp2_orbitals<T>& alpha,
                                          const std::type_identity_t<mp2_orbitals<T>>& beta,
                                          const df_mp2_options& options = {}) {
  return chem_detail::df_mp2_by_block<T>(alpha, beta, options);
}

/// Options of `df_mp2_vjp` and `df_mp2_jvp`.
struct mp2_gradient_options {
  std::size_t frozen_core = 0;  ///< as in df_mp2_options; frozen orbitals have gradients of 0
  /// Where to run. Host threads: 0 is every core; the result is the same. An accelerator computes in
  /// float in one dispatch, for each pair of spins one launch, and needs memory for what lies between
  /// its stages. Its precision applies to the products: native, bf16, split_bf16, or a target error.
  execution on = {};
};

/// Holds the gradients of a real loss by what df_mp2 takes of a closed shell, or of one spin.
template <class T>
struct mp2_gradients {
  array<T, 3> b;                                  ///< [nocc, nvir, naux]
  std::vector<double> eps_occupied, eps_virtual;  ///< [nocc], [nvir]
};

/// Holds those of an open shell.
template <class T>
struct open_shell_gradients {
  mp2_gradients<T> alpha, beta;
};

namespace chem_detail {
template <class T>
PAPILIO_API mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& orbitals,
                                        const mp2_energies& gradient,
                                        const mp2_gradient_options& options);
template <class T>
PAPILIO_API open_shell_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& alpha,
                                               const mp2_orbitals<T>& beta,
                                               const mp2_energies& gradient,
                                               const mp2_gradient_options& options);
template <class T>
PAPILIO_API mp2_energies df_mp2_jvp(const mp2_orbitals<T>& orbitals, const mp2_orbitals<T>& change,
                                    const mp2_gradient_options& options);
template <class T>
PAPILIO_API mp2_energies df_mp2_jvp(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                                    const mp2_orbitals<T>& change_of_alpha,
                                    const mp2_orbitals<T>& change_of_beta,
                                    const mp2_gradient_options& options);
}  // namespace chem_detail

/// Computes the gradients of a real loss L by B and by the orbital energies from those by the
/// energies of a closed shell: {1, 1, 1} for L the correlation energy, {1.2, 1. / 3, 1. / 3} for
/// the spin-component scaled one. With o = dL/d opposite_spin, s the mean of the other two,
/// v = (ia|jb), v' = (ib|ja) and D as in df_mp2:
///   dL/dv = -2 [(o + s) v - s v'] / D,  dL/dB[i, a, Q] = 2 sum over j, b of dL/dv B[j, b, Q],
///   dL/dD = [(o + s) v^2 - s v v'] / D^2; eps_occupied has -2 and eps_virtual 2 times its sums.
///
/// The host computes in T and sums the gradients by energies in double; the result does not depend
/// on threads. O(2 nocc^2 nvir^2 naux) multiply-additions, four times those of df_mp2. Memory: B
/// once more if it is not contiguous, and per thread 2 blocks of 2^18 or nvir^2 numbers.
/// Throws as df_mp2.
template <chem_detail::integrals B>
mp2_gradients<blas_detail::element_of<B>> df_mp2_vjp(const B& b,
                                                     std::span<const double> eps_occupied,
                                                     std::span<const double> eps_virtual,
                                                     const mp2_energies& gradient,
                                                     const mp2_gradient_options& options = {}) {
  using T = blas_detail::element_of<B>;
  return chem_detail::df_mp2_vjp<T>(mp2_orbitals<T>{b, eps_occupied, eps_virtual}, gradient,
                                    options);
}

/// Computes those of an open shell by B and the orbital energies of both spins. With s now half of
/// dL/d alpha_alpha or beta_beta: of pairs of one spin as above with o = 0, of i of one spin and j
/// of the other with s = 0, and each pair once. O(2 (nocc nvir)^2 naux) multiply-additions for each
/// ordered pair of spins. Otherwise as above; throws as df_mp2.
template <class T>
  requires(std::is_floating_point_v<T>)
open_shell_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& alpha,
                                   const std::type_identity_t<mp2_orbitals<T>>& beta,
                                   const mp2_energies& gradient,
                                   const mp2_gradient_options& options = {}) {
  return chem_detail::df_mp2_vjp<T>(alpha, beta, gradient, options);
}

/// Computes the changes of the energies of a closed shell along changes of B and of the orbital
/// energies, in the shapes of these; those of frozen orbitals are ignored:
///   dE = sum of the gradients of df_mp2_vjp times the changes.
/// As many multiply-additions as df_mp2_vjp's, and its memory. Throws as df_mp2, and shape_error for
/// a change in another shape.
template <chem_detail::integrals B>
mp2_energies df_mp2_jvp(const B& b, std::span<const double> eps_occupied,
                        std::span<const double> eps_virtual,
                        const mp2_orbitals<blas_detail::element_of<B>>& change,
                        const mp2_gradient_options& options = {}) {
  using T = blas_detail::element_of<B>;
  return chem_detail::df_mp2_jvp<T>(mp2_orbitals<T>{b, eps_occupied, eps_virtual}, change, options);
}

/// Computes those of an open shell. Otherwise as above.
template <class T>
  requires(std::is_floating_point_v<T>)
mp2_energies df_mp2_jvp(const mp2_orbitals<T>& alpha,
                        const std::type_identity_t<mp2_orbitals<T>>& beta,
                        const std::type_identity_t<mp2_orbitals<T>>& change_of_alpha,
                        const std::type_identity_t<mp2_orbitals<T>>& change_of_beta,
                        const mp2_gradient_options& options = {}) {
  return chem_detail::df_mp2_jvp<T>(alpha, beta, change_of_alpha, change_of_beta, options);
}

/// Computes the energy on the accelerator that holds B, whatever the policy. Orbital energies are
/// uploaded, one energy for each pair of spins is downloaded. B's elements are not checked: one
/// that is not finite makes the energy not finite, which throws invalid_argument.
inline mp2_energies df_mp2(const device_array<float, 3>& b, std::span<const double> eps_occupied,
                           std::span<const double> eps_virtual,
                           const df_mp2_options& options = {}) {
  return chem_detail::df_mp2(b.tensor("df_mp2"), eps_occupied, eps_virtual, options);
}
inline mp2_energies df_mp2(const orbitals_on_device& alpha, const orbitals_on_device& beta,
                           const df_mp2_options& options = {}) {
  return chem_detail::df_mp2(alpha, beta, options);
}

/// Computes the closed-shell energies with the orbital energies on the accelerator too, as
/// capture() needs it. The result, [opposite spin, same spin], stays there. Neither gap nor order
/// is checked: an energy that is not finite means that a gap was not positive.
/// Throws shape_error if extents do not fit, invalid_argument if frozen_core is not below nocc.
inline device_array<float, 1> df_mp2(const device_array<float, 3>& b,
                                     const device_array<float, 1>& eps_occupied,
                                     const device_array<float, 1>& eps_virtual,
                                     const df_mp2_options& options = {}) {
  return device_array<float, 1>(chem_detail::df_mp2(
      b.tensor("df_mp2"), eps_occupied.tensor("df_mp2"), eps_virtual.tensor("df_mp2"), options));
}

/// Holds gradients that stay on an accelerator, in the shapes of its orbitals.
struct mp2_gradients_on_device {
  device_array<float, 3> b;
  device_array<float, 1> eps_occupied, eps_virtual;
};

/// Computes a closed shell's gradients from orbitals and gradients by the energies, [opposite spin,
/// same spin], that are on the accelerator; all stay there. In one launch, whatever the policy.
/// Throws shape_error if extents do not fit, invalid_argument if frozen_core is not below nocc.
PAPILIO_API mp2_gradients_on_device df_mp2_vjp(const device_array<float, 3>& b,
                                               const device_array<float, 1>& eps_occupied,
                                               const device_array<float, 1>& eps_virtual,
                                               const device_array<float, 1>& gradient,
                                               const mp2_gradient_options& options = {});

}  // namespace papilio

#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/execution.hpp"

namespace papilio {

struct ao_to_mo_options {
  /// (P|Q) [naux, naux], symmetric and positive definite: the integrals are multiplied by its
  /// inverse square root. Without it they stay as they are.
  view<const double, 2> metric = {};
  /// Of work memory: neither the integrals nor the result count. Fewer threads run where it is
  /// short.
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  /// Threads of the host: 0 is every core, but one for small problems; the result does not depend
  /// on it. An accelerator computes in float, in one launch, the metric's root on the host; times
  /// are modelled, and emulation is slower than the host. Its precision (native, bf16, split_bf16
  /// in two parts, or a target error) is that of the two transformations.
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

/// B[i, a, Q] = sum over m, n, P of C_occ[m, i] C_vir[n, a] (mn|P) (P|Q)^(-1/2): density-fitted
/// integrals over molecular orbitals from those over atomic ones, eri [nbf, nbf, naux] with C_occ
/// [nbf, nocc] and C_vir [nbf, nvir], or from the rows m >= n of their symmetric matrix: eri
/// [nbf (nbf + 1) / 2, naux], (mn|P) in row m (m + 1) / 2 + n, which are read in place and never
/// unpacked but for one n and some P. The full ones need not be symmetric. T = float or double.
///
/// The smaller set of orbitals is transformed first, occupied ones as a rule. Auxiliary functions
/// are cut into blocks by the extents alone, which threads share: the result depends neither on
/// threads nor on memory_bytes. The root of the metric is formed and applied in double.
/// O(nocc nbf naux (nbf + nvir) + nocc nvir naux^2) multiply-additions; memory: for each thread
/// nocc nbf integrals of some auxiliary functions (at most 64; at most 16 MiB where 8 fit), then
/// 2 [128, naux] in double; and of a metric 4 [naux, naux].
///
/// Any strides; copies only of what BLAS cannot take. shape_error where extents do not fit;
/// invalid_argument where an element is not finite, the metric is not symmetric or, to double's
/// precision, not positive definite, or threads are negative; resource_error where memory_bytes is
/// less than one block, naming the least; device_error as execution says, for double too.
/// recorded() returns what ran.
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

/// The same of what lies on an accelerator, computed there; B stays. The integrals lie with the
/// auxiliary functions first, eri [naux, nbf, nbf], since single elements are what its memory is
/// slowest at: to_device of a view with these strides brings them there. `root`: (P|Q)^(-1/2),
/// [naux, naux], as inverse_square_root gives it; empty: none. Elements are not looked at.
/// invalid_argument where options.metric is given.
inline device_array<float, 3> ao_to_mo(const device_array<float, 3>& eri,
                                       const device_array<float, 2>& c_occ,
                                       const device_array<float, 2>& c_vir,
                                       const device_array<float, 2>& root = {},
                                       const ao_to_mo_options& options = {}) {
  const shared_tensor* const metric = root.is_empty() ? nullptr : &root.tensor("ao_to_mo");
  return device_array<float, 3>(chem_detail::ao_to_mo(
      eri.tensor("ao_to_mo"), c_occ.tensor("ao_to_mo"), c_vir.tensor("ao_to_mo"), metric, options));
}

/// V^(-1/2), the symmetric one, of a symmetric positive definite matrix [n, n], from its
/// eigenvalues. shape_error, invalid_argument as above: the smallest eigenvalue must exceed n
/// epsilon times the largest. O(n^3).
PAPILIO_API array<double, 2> inverse_square_root(view<const double, 2> v);

/// Correlation energy of second order by pairs of spins, in the unit of the orbital energies
/// (hartree, where these and the integrals are in atomic units). Negative, or 0 without pairs.
struct mp2_energies {
  double opposite_spin = 0;
  double alpha_alpha = 0, beta_beta = 0;  ///< of a closed shell half of the same-spin part each

  double same_spin() const { return alpha_alpha + beta_beta; }
  double correlation() const { return opposite_spin + same_spin(); }
  /// Spin-component scaled: 6/5 opposite spin, 1/3 same spin (Grimme, J. Chem. Phys. 118, 9095).
  double scs() const { return 1.2 * opposite_spin + same_spin() / 3; }
  /// Scaled opposite spin, 1.3 of it (Jung, Lochan, Dutoi and Head-Gordon, J. Chem. Phys. 121,
  /// 9793).
  double sos() const { return 1.3 * opposite_spin; }

  bool operator==(const mp2_energies&) const = default;
};

struct df_mp2_options {
  /// So many of the first occupied orbitals (of each spin) are left out; they must be the lowest.
  std::size_t frozen_core = 0;
  /// Of work memory; B itself does not count. Fewer threads run where it is short.
  std::size_t memory_bytes = std::numeric_limits<std::size_t>::max();
  /// Threads of the host: 0 is every core, but one for small problems; the result does not depend
  /// on it. An accelerator computes in float, all in one dispatch, of which only energies come
  /// back; times are modelled, and emulation is slower than the host. Its precision is that of the
  /// products (ia|jb): native, bf16, split_bf16 in two parts, which bf16_refined with one
  /// refinement is too, or a target error.
  execution on = {};
  /// Called after each block with the pairs of orbitals that are done and those that there are, by
  /// one thread at a time. What it throws ends the work and reaches the caller.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
};

/// What df_mp2 needs of the orbitals of one spin.
template <class T>
struct mp2_orbitals {
  view<const T, 3> b;  ///< [nocc, nvir, naux]
  /// Orbital energies, [nocc] and [nvir]: every occupied one below every virtual one.
  std::span<const double> eps_occupied, eps_virtual;
};

/// The same with B on an accelerator.
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

PAPILIO_API mp2_energies df_mp2(const shared_tensor& b, std::span<const double> eps_occupied,
                                std::span<const double> eps_virtual, const df_mp2_options& options);
PAPILIO_API mp2_energies df_mp2(const orbitals_on_device& alpha, const orbitals_on_device& beta,
                                const df_mp2_options& options);
PAPILIO_API shared_tensor df_mp2(const shared_tensor& b, const shared_tensor& eps_occupied,
                                 const shared_tensor& eps_virtual, const df_mp2_options& options);

/// A view or an array of float or double, of 3 axes.
template <class Operand>
concept integrals =
    requires { typename blas_detail::element_of<Operand>; } &&
    std::is_floating_point_v<blas_detail::element_of<Operand>> &&
    std::is_convertible_v<const Operand&, view<const blas_detail::element_of<Operand>, 3>>;
}  // namespace chem_detail

/// Energy of Møller and Plesset's second order of a closed shell from density-fitted integrals
/// (ia|jb) = sum_Q B[i, a, Q] B[j, b, Q], B [nocc, nvir, naux] of canonical orbitals, i and j
/// occupied, a and b virtual, with D = eps_a + eps_b - eps_i - eps_j:
///   opposite spin -sum (ia|jb)^2 / D, same spin -sum (ia|jb) [(ia|jb) - (ib|ja)] / D.
/// T = float or double: integrals and their quotients are computed in T, energies added up in
/// double (of float, at most 8 quotients in T first).
///
/// B has any strides; its rows are copied, block by block, only where BLAS cannot express them.
/// Blocks of pairs are cut by the extents alone, and energies added up in the order of the blocks:
/// the result depends neither on threads nor on memory_bytes. Pairs i <= j only, and of each block
/// one product gives (ia|jb) and (ib|ja). O(nocc^2 nvir^2 naux / 2) multiply-additions; memory: a
/// block, at most 4.4 MB in double, for each thread, and copies of its rows where needed.
///
/// shape_error where extents do not fit; invalid_argument where B or an orbital energy is not
/// finite, the gap is not positive, frozen_core exceeds the occupied orbitals or leaves one below a
/// frozen one, threads are negative, or the energy is beyond T; resource_error where memory_bytes
/// is less than one block, naming the least; device_error as execution says, for double too.
/// recorded() returns what ran.
/// Sources: Møller and Plesset, Phys. Rev. 46, 618; Feyereisen, Fitzgerald and Komornicki, Chem.
/// Phys. Lett. 208, 359 (density fitting).
template <chem_detail::integrals B>
mp2_energies df_mp2(const B& b, std::span<const double> eps_occupied,
                    std::span<const double> eps_virtual, const df_mp2_options& options = {}) {
  using T = blas_detail::element_of<B>;
  return chem_detail::df_mp2<T>(mp2_orbitals<T>{b, eps_occupied, eps_virtual}, options);
}

/// The same of an open shell with orbitals of its own for each spin (unrestricted), without the
/// single excitations of orbitals that are not canonical: opposite spin over i, a of alpha and j, b
/// of beta, -sum (ia|jb)^2 / D, and of each spin -sum over i < j, a < b of
/// [(ia|jb) - (ib|ja)]^2 / D. Both need the same naux; either spin may have no orbitals.
/// Otherwise as above.
template <class T>
  requires(std::is_floating_point_v<T>)
mp2_energies df_mp2(const mp2_orbitals<T>& alpha, const std::type_identity_t<mp2_orbitals<T>>& beta,
                    const df_mp2_options& options = {}) {
  return chem_detail::df_mp2<T>(alpha, beta, options);
}

/// The same of B that lies on an accelerator: computed there, whatever the policy. Orbital energies
/// go up, one energy for each pair of spins comes back. B's elements are not looked at: what is not
/// finite makes an energy that is not (invalid_argument).
inline mp2_energies df_mp2(const device_array<float, 3>& b, std::span<const double> eps_occupied,
                           std::span<const double> eps_virtual,
                           const df_mp2_options& options = {}) {
  return chem_detail::df_mp2(b.tensor("df_mp2"), eps_occupied, eps_virtual, options);
}
inline mp2_energies df_mp2(const orbitals_on_device& alpha, const orbitals_on_device& beta,
                           const df_mp2_options& options = {}) {
  return chem_detail::df_mp2(alpha, beta, options);
}

/// Of a closed shell with the orbital energies there too, as capture() needs it: the energies of
/// opposite and of equal spins stay on the accelerator. Neither gap nor order are checked: energies
/// that are not finite say that a gap was not positive.
inline device_array<float, 1> df_mp2(const device_array<float, 3>& b,
                                     const device_array<float, 1>& eps_occupied,
                                     const device_array<float, 1>& eps_virtual,
                                     const df_mp2_options& options = {}) {
  return device_array<float, 1>(chem_detail::df_mp2(
      b.tensor("df_mp2"), eps_occupied.tensor("df_mp2"), eps_virtual.tensor("df_mp2"), options));
}

}  // namespace papilio

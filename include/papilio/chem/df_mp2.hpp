#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/resident.hpp"

namespace papilio {

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
struct resident_orbitals {
  resident<float, 3> b;
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
PAPILIO_API mp2_energies df_mp2(const resident_orbitals& alpha, const resident_orbitals& beta,
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
/// last_run() tells what ran.
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
inline mp2_energies df_mp2(const resident<float, 3>& b, std::span<const double> eps_occupied,
                           std::span<const double> eps_virtual,
                           const df_mp2_options& options = {}) {
  return chem_detail::df_mp2(b.tensor("df_mp2"), eps_occupied, eps_virtual, options);
}
inline mp2_energies df_mp2(const resident_orbitals& alpha, const resident_orbitals& beta,
                           const df_mp2_options& options = {}) {
  return chem_detail::df_mp2(alpha, beta, options);
}

/// Of a closed shell with the orbital energies there too, as capture() needs it: the energies of
/// opposite and of equal spins stay on the accelerator. Neither gap nor order are checked: energies
/// that are not finite say that a gap was not positive.
inline resident<float, 1> df_mp2(const resident<float, 3>& b,
                                 const resident<float, 1>& eps_occupied,
                                 const resident<float, 1>& eps_virtual,
                                 const df_mp2_options& options = {}) {
  return resident<float, 1>(chem_detail::df_mp2(b.tensor("df_mp2"), eps_occupied.tensor("df_mp2"),
                                                eps_virtual.tensor("df_mp2"), options));
}

}  // namespace papilio

#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "papilio/base/array.hpp"
#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/blas/element.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/resident.hpp"

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
/// last_run() tells what ran.
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
inline resident<float, 3> ao_to_mo(const resident<float, 3>& eri, const resident<float, 2>& c_occ,
                                   const resident<float, 2>& c_vir,
                                   const resident<float, 2>& root = {},
                                   const ao_to_mo_options& options = {}) {
  const shared_tensor* const metric = root.is_empty() ? nullptr : &root.tensor("ao_to_mo");
  return resident<float, 3>(chem_detail::ao_to_mo(eri.tensor("ao_to_mo"), c_occ.tensor("ao_to_mo"),
                                                  c_vir.tensor("ao_to_mo"), metric, options));
}

/// V^(-1/2), the symmetric one, of a symmetric positive definite matrix [n, n], from its
/// eigenvalues. shape_error, invalid_argument as above: the smallest eigenvalue must exceed n
/// epsilon times the largest. O(n^3).
PAPILIO_API array<double, 2> inverse_square_root(view<const double, 2> v);

}  // namespace papilio

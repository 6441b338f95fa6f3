// Gradients of closed-shell MP2 energies: for each i and some j at a time v = (ia|jb) by one
// product, dL/dv from it and from (ib|ja) of the same block, and a second product with B.
#include <algorithm>
#include <vector>

#include "blas/block_grid.hpp"
#include "blas/buffer_pool.hpp"
#include "blas/serial_blas.hpp"
#include "chem/orbital_set.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::chem_detail {
namespace {

constexpr std::size_t gradient_block = std::size_t{1} << 18;

// dL/dE of opposite spins, and the mean of those of equal ones.
struct spin_weights {
  double opposite, same;
};

struct energy_gradients {
  double occupied = 0;
  std::vector<double> virtuals;
};

// For one pair of occupied orbitals, from v(a, b) = (ia|jb).
template <class T>
void differentiate(const orbital_set<T>& set, spin_weights w, double depths, view<const T, 2> v,
                   view<T, 2> by_v, energy_gradients& sums) {
  const T own = static_cast<T>(w.opposite + w.same), other = static_cast<T>(w.same);
  for (std::size_t a = 0; a < v.extent(0); ++a) {
    double sum = 0;
    for (std::size_t b = 0; b < v.extent(1); ++b) {
      const double denominator = depths + set.height(a) + set.height(b);
      const T quotient = (own * v(a, b) - other * v(b, a)) / static_cast<T>(denominator);
      by_v(a, b) = -2 * quotient;
      sum += static_cast<double>(quotient * v(a, b)) / denominator;
    }
    sums.occupied -= 2 * sum;
    sums.virtuals[a] += 2 * sum;
  }
}

// All that belongs to occupied orbital i, `together` orbitals j at a time.
template <class T>
void run_occupied(const orbital_set<T>& set, view<const T, 2> rows, spin_weights w, std::size_t i,
                  std::size_t together, T* memory, view<T, 2> by_b, energy_gradients& sums) {
  const std::size_t nvir = set.virtuals(), nocc = set.occupied();
  const gemm_options serial{.threads = 1}, transposed{.b = matrix_op::transpose, .threads = 1};
  const view<const T, 2> of_i = rows.slice(0, i * nvir, nvir);
  for (std::size_t first = 0; first < nocc; first += together) {
    const std::size_t count = std::min(together, nocc - first), columns = count * nvir;
    const view<T, 2> v(memory, {nvir, columns}), by_v(memory + nvir * columns, {nvir, columns});
    const view<const T, 2> of_j = rows.slice(0, first * nvir, columns);
    gemm(T(1), of_i, of_j, T(0), v, transposed);
    for (std::size_t j = 0; j < count; ++j)
      differentiate<T>(set, w, set.depth(i) + set.depth(first + j), v.slice(1, j * nvir, nvir),
                       by_v.slice(1, j * nvir, nvir), sums);
    gemm(T(2), view<const T, 2>(by_v), of_j, first == 0 ? T(0) : T(1), by_b, serial);
  }
}

template <class T>
array<T, 3> contiguous(const view<const T, 3>& b) {
  array<T, 3> copy(b.extents(), uninitialized);
  for (std::size_t i = 0; i < b.extent(0); ++i)
    for (std::size_t a = 0; a < b.extent(1); ++a)
      for (std::size_t p = 0; p < b.extent(2); ++p) copy(i, a, p) = b(i, a, p);
  return copy;
}

}  // namespace

template <class T>
mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& orbitals, const mp2_energies& gradient,
                            const df_mp2_vjp_options& options) {
  if (options.threads < 0)
    throw invalid_argument(
        base_detail::message("df_mp2_vjp: threads must be at least 0, got ", options.threads));
  const orbital_set<T> set("", orbitals, options.frozen_core);
  mp2_gradients<T> result{array<T, 3>(orbitals.b.extents()),
                          std::vector<double>(orbitals.eps_occupied.size()),
                          std::vector<double>(orbitals.eps_virtual.size())};
  if (set.is_empty()) return result;
  const std::size_t nocc = set.occupied(), nvir = set.virtuals(), naux = set.auxiliaries();
  const spin_weights w{gradient.opposite_spin, (gradient.alpha_alpha + gradient.beta_beta) / 2};
  const array<T, 3> copy = set.b().is_contiguous() ? array<T, 3>() : contiguous<T>(set.b());
  const view<const T, 2> rows(copy.empty() ? set.b().data() : copy.data(), {nocc * nvir, naux});
  const std::size_t together = std::clamp<std::size_t>(gradient_block / (nvir * nvir), 1, nocc);
  const double pairs = static_cast<double>(nocc * nvir);
  const int team =
      blas_detail::threads_for(2 * pairs * pairs * static_cast<double>(naux), options.threads);
  blas_detail::use_serial_blas();
  blas_detail::buffer_pool<T> workspaces(std::min(nocc, static_cast<std::size_t>(team)),
                                         2 * together * nvir * nvir);
  std::vector<energy_gradients> sums(nocc, {0, std::vector<double>(nvir)});
  const std::size_t frozen = options.frozen_core;
  parallel_for(nocc, team, [&](std::size_t i) {
    typename blas_detail::buffer_pool<T>::lease workspace(workspaces);
    run_occupied<T>(set, rows, w, i, together, workspace.data(), result.b[frozen + i], sums[i]);
  });
  for (std::size_t i = 0; i < nocc; ++i) {
    result.eps_occupied[frozen + i] = sums[i].occupied;
    for (std::size_t a = 0; a < nvir; ++a) result.eps_virtual[a] += sums[i].virtuals[a];
  }
  return result;
}

template PAPILIO_API mp2_gradients<float> df_mp2_vjp(const mp2_orbitals<float>&,
                                                     const mp2_energies&,
                                                     const df_mp2_vjp_options&);
template PAPILIO_API mp2_gradients<double> df_mp2_vjp(const mp2_orbitals<double>&,
                                                      const mp2_energies&,
                                                      const df_mp2_vjp_options&);

}  // namespace papilio::chem_detail

// Gradients of MP2 energies: for each i and some j at a time v = (ia|jb) by one product, dL/dv from
// it and, of one spin, from (ib|ja) of the same block, and a second product with B.
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

template <class T>
array<T, 3> contiguous(const view<const T, 3>& b) {
  array<T, 3> copy(b.extents(), uninitialized);
  for (std::size_t i = 0; i < b.extent(0); ++i)
    for (std::size_t a = 0; a < b.extent(1); ++a)
      for (std::size_t p = 0; p < b.extent(2); ++p) copy(i, a, p) = b(i, a, p);
  return copy;
}

// Rows of B, (orbital, virtual orbital) x auxiliary, copied where they are not contiguous.
template <class T>
struct set_rows {
  const orbital_set<T>& set;
  array<T, 3> copy;
  view<const T, 2> rows;

  explicit set_rows(const orbital_set<T>& of)
      : set(of),
        copy(of.b().is_contiguous() ? array<T, 3>() : contiguous<T>(of.b())),
        rows(copy.empty() ? of.b().data() : copy.data(),
             {of.occupied() * of.virtuals(), of.auxiliaries()}) {}
};

// Gradients by the orbitals i and a of one set of sums over pairs with j and b of another, or of the
// same: then each number is i's and j's, and counts twice.
template <class T>
struct pair_gradients {
  const set_rows<T>&mine, &others;
  spin_weights w;
  double count;

  bool exchanges() const { return w.same != 0; }

  // For one pair of occupied orbitals, from v(a, b) = (ia|jb).
  void differentiate(double depths, view<const T, 2> v, view<T, 2> by_v,
                     energy_gradients& sums) const {
    const T own = static_cast<T>(w.opposite + w.same), other = static_cast<T>(w.same);
    for (std::size_t a = 0; a < v.extent(0); ++a) {
      double sum = 0;
      for (std::size_t b = 0; b < v.extent(1); ++b) {
        const double denominator = depths + mine.set.height(a) + others.set.height(b);
        const T exchanged = exchanges() ? other * v(b, a) : T(0);
        const T quotient = (own * v(a, b) - exchanged) / static_cast<T>(denominator);
        by_v(a, b) = -2 * quotient;
        sum += static_cast<double>(quotient * v(a, b)) / denominator;
      }
      sums.occupied -= count * sum;
      sums.virtuals[a] += count * sum;
    }
  }

  // All that belongs to occupied orbital i, `together` orbitals j at a time.
  void run_occupied(std::size_t i, std::size_t together, T* memory, view<T, 2> by_b,
                    energy_gradients& sums) const {
    const std::size_t nvir = mine.set.virtuals(), other = others.set.virtuals(),
                      nocc = others.set.occupied();
    const gemm_options serial{.threads = 1}, transposed{.b = matrix_op::transpose, .threads = 1};
    const view<const T, 2> of_i = mine.rows.slice(0, i * nvir, nvir);
    for (std::size_t first = 0; first < nocc; first += together) {
      const std::size_t some = std::min(together, nocc - first), columns = some * other;
      const view<T, 2> v(memory, {nvir, columns}), by_v(memory + nvir * columns, {nvir, columns});
      const view<const T, 2> of_j = others.rows.slice(0, first * other, columns);
      gemm(T(1), of_i, of_j, T(0), v, transposed);
      for (std::size_t j = 0; j < some; ++j)
        differentiate(mine.set.depth(i) + others.set.depth(first + j), v.slice(1, j * other, other),
                      by_v.slice(1, j * other, other), sums);
      gemm(static_cast<T>(count), view<const T, 2>(by_v), of_j, T(1), by_b, serial);
    }
  }

  void add_to(mp2_gradients<T>& result, std::size_t frozen, int threads) const {
    const std::size_t nocc = mine.set.occupied(), nvir = mine.set.virtuals(),
                      other = others.set.virtuals(), pairs = others.set.occupied() * other;
    if (nocc * nvir == 0 || pairs == 0) return;
    const std::size_t together =
        std::clamp<std::size_t>(gradient_block / (nvir * other), 1, others.set.occupied());
    const int team =
        blas_detail::threads_for(2 * static_cast<double>(nocc * nvir) * static_cast<double>(pairs) *
                                     static_cast<double>(mine.set.auxiliaries()),
                                 threads);
    blas_detail::use_serial_blas();
    blas_detail::buffer_pool<T> workspaces(std::min(nocc, static_cast<std::size_t>(team)),
                                           2 * together * nvir * other);
    std::vector<energy_gradients> sums(nocc, {0, std::vector<double>(nvir)});
    parallel_for(nocc, team, [&](std::size_t i) {
      typename blas_detail::buffer_pool<T>::lease workspace(workspaces);
      run_occupied(i, together, workspace.data(), result.b[frozen + i], sums[i]);
    });
    for (std::size_t i = 0; i < nocc; ++i) {
      result.eps_occupied[frozen + i] += sums[i].occupied;
      for (std::size_t a = 0; a < nvir; ++a) result.eps_virtual[a] += sums[i].virtuals[a];
    }
  }
};

template <class T>
mp2_gradients<T> no_gradients(const mp2_orbitals<T>& of) {
  return {array<T, 3>(of.b.extents()), std::vector<double>(of.eps_occupied.size()),
          std::vector<double>(of.eps_virtual.size())};
}

void check_threads(int threads) {
  if (threads < 0)
    throw invalid_argument(
        base_detail::message("df_mp2_vjp: threads must be at least 0, got ", threads));
}

}  // namespace

template <class T>
mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& orbitals, const mp2_energies& gradient,
                            const df_mp2_vjp_options& options) {
  check_threads(options.threads);
  const orbital_set<T> set("", orbitals, options.frozen_core);
  mp2_gradients<T> result = no_gradients<T>(orbitals);
  const set_rows<T> rows(set);
  const spin_weights w{gradient.opposite_spin, (gradient.alpha_alpha + gradient.beta_beta) / 2};
  pair_gradients<T>{rows, rows, w, 2}.add_to(result, options.frozen_core, options.threads);
  return result;
}

// Same-spin energies are half of a closed shell's, whose numbers are summed over both spins.
template <class T>
open_shell_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                                   const mp2_energies& gradient,
                                   const df_mp2_vjp_options& options) {
  check_threads(options.threads);
  if (!alpha.b.empty() && !beta.b.empty() && alpha.b.extent(2) != beta.b.extent(2))
    throw shape_error(base_detail::message("df_mp2_vjp: alpha.b has naux ", alpha.b.extent(2),
                                           ", so must beta.b, which has ", beta.b.extent(2)));
  const orbital_set<T> up("alpha.", alpha, options.frozen_core),
      down("beta.", beta, options.frozen_core);
  const set_rows<T> ups(up), downs(down);
  open_shell_gradients<T> result{no_gradients<T>(alpha), no_gradients<T>(beta)};
  const auto add = [&](const set_rows<T>& mine, const set_rows<T>& others, spin_weights w,
                       double count, mp2_gradients<T>& to) {
    pair_gradients<T>{mine, others, w, count}.add_to(to, options.frozen_core, options.threads);
  };
  add(ups, ups, {0, gradient.alpha_alpha / 2}, 2, result.alpha);
  add(downs, downs, {0, gradient.beta_beta / 2}, 2, result.beta);
  add(ups, downs, {gradient.opposite_spin, 0}, 1, result.alpha);
  add(downs, ups, {gradient.opposite_spin, 0}, 1, result.beta);
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                                                  \
  template PAPILIO_API mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>&, const mp2_energies&, \
                                                   const df_mp2_vjp_options&);                  \
  template PAPILIO_API open_shell_gradients<T> df_mp2_vjp(                                      \
      const mp2_orbitals<T>&, const mp2_orbitals<T>&, const mp2_energies&,                      \
      const df_mp2_vjp_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::chem_detail

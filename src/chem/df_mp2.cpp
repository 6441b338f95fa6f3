#include "papilio/chem/df_mp2.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>

#include "blas/block_grid.hpp"
#include "blas/buffer_pool.hpp"
#include "blas/serial_blas.hpp"
#include "chem/pair_energy.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;

// Tells of finished pairs, one thread at a time.
class progress_report {
 public:
  progress_report(const df_mp2_options& options, std::size_t total)
      : tell_(options.progress), total_(total) {}

  void add(std::size_t pairs) {
    if (!tell_) return;
    const std::scoped_lock lock(mutex_);
    done_ += pairs;
    tell_(done_, total_);
  }

 private:
  const std::function<void(std::size_t, std::size_t)>& tell_;
  std::mutex mutex_;
  std::size_t done_ = 0, total_;
};

// Threads for which there is memory.
int team_of(double work, std::size_t block_bytes, std::size_t list_bytes,
            const df_mp2_options& options) {
  const std::size_t least = checked_add(block_bytes, list_bytes, "df_mp2: bytes of a block");
  if (options.memory_bytes < least)
    throw resource_error(message("df_mp2: memory_bytes must be at least ", least,
                                 " for one block, got ", options.memory_bytes));
  const int wanted = blas_detail::threads_for(work, options.threads);
  const std::size_t room =
      (options.memory_bytes - list_bytes) / std::max<std::size_t>(1, block_bytes);
  return room < static_cast<std::size_t>(wanted) ? static_cast<int>(room) : wanted;
}

template <class T>
void run_all(std::span<pair_energy<T>* const> sums, const df_mp2_options& options) {
  std::size_t blocks = 0, pairs = 0, elements = 0, list_bytes = 0;
  double work = 0;
  for (const pair_energy<T>* sum : sums) {
    blocks += sum->block_count();
    pairs += sum->pair_count();
    elements = std::max(elements, sum->workspace_elements());
    list_bytes += sum->list_bytes();
    work += sum->work();
  }
  if (blocks == 0) return;
  const std::size_t bytes = checked_multiply(elements, sizeof(T), "df_mp2: bytes of a block");
  const int team = team_of(work, bytes, list_bytes, options);
  blas_detail::use_serial_blas();
  blas_detail::buffer_pool<T> workspaces(std::min(blocks, static_cast<std::size_t>(team)),
                                         elements);
  progress_report report(options, pairs);
  parallel_for(blocks, team, [&](std::size_t block) {
    std::size_t which = 0;
    for (; block >= sums[which]->block_count(); ++which) block -= sums[which]->block_count();
    typename blas_detail::buffer_pool<T>::lease workspace(workspaces);
    sums[which]->run(block, workspace.data());
    report.add(sums[which]->pairs_of(block));
  });
}

template <class T>
void require_finite(const mp2_energies& energies) {
  if (!std::isfinite(energies.correlation()))
    throw invalid_argument(message("df_mp2: integrals or their quotients exceed the range of ",
                                   sizeof(T) == sizeof(float) ? "float" : "double"));
}

void check_threads(int threads) {
  if (threads < 0)
    throw invalid_argument(message("df_mp2: threads must be at least 0, got ", threads));
}

template <class T>
void check_auxiliaries(const orbital_set<T>& orbitals) {
  if (orbitals.auxiliaries() > blas_detail::blas_limit)
    throw resource_error(message("df_mp2: naux must be at most ", blas_detail::blas_limit, ", got ",
                                 orbitals.auxiliaries()));
}

}  // namespace

template <class T>
mp2_energies df_mp2(const mp2_orbitals<T>& orbitals, const df_mp2_options& options) {
  check_threads(options.threads);
  const orbital_set<T> set("", orbitals, options.frozen_core);
  check_auxiliaries(set);
  pair_energy<T> pairs(pair_kind::closed_shell, set, set);
  const std::array all{&pairs};
  run_all<T>(all, options);
  const pair_sums sums = pairs.total();
  const mp2_energies energies{.opposite_spin = 0 - sums.squares,
                              .alpha_alpha = 0 - sums.differences / 2,
                              .beta_beta = 0 - sums.differences / 2};
  require_finite<T>(energies);
  return energies;
}

template <class T>
mp2_energies df_mp2(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                    const df_mp2_options& options) {
  check_threads(options.threads);
  const std::size_t naux = alpha.b.extent(2);
  if (!alpha.b.empty() && !beta.b.empty() && beta.b.extent(2) != naux)
    throw shape_error(message("df_mp2: alpha.b has naux ", naux, ", so must beta.b, which has ",
                              beta.b.extent(2)));
  const orbital_set<T> up("alpha.", alpha, options.frozen_core);
  const orbital_set<T> down("beta.", beta, options.frozen_core);
  check_auxiliaries(up);
  check_auxiliaries(down);
  pair_energy<T> both(pair_kind::opposite_spin, up, down);
  pair_energy<T> alphas(pair_kind::same_spin, up, up);
  pair_energy<T> betas(pair_kind::same_spin, down, down);
  const std::array all{&both, &alphas, &betas};
  run_all<T>(all, options);
  const mp2_energies energies{.opposite_spin = 0 - both.total().squares,
                              .alpha_alpha = 0 - alphas.total().differences,
                              .beta_beta = 0 - betas.total().differences};
  require_finite<T>(energies);
  return energies;
}

#define PAPILIO_INSTANTIATE(T)                                                             \
  template PAPILIO_API mp2_energies df_mp2(const mp2_orbitals<T>&, const df_mp2_options&); \
  template PAPILIO_API mp2_energies df_mp2(const mp2_orbitals<T>&, const mp2_orbitals<T>&, \
                                           const df_mp2_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::chem_detail

#include "papilio/chem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>
#include <vector>

#include "blas/block_grid.hpp"
#include "blas/buffer_pool.hpp"
#include "blas/serial_blas.hpp"
#include "chem/device_energy.hpp"
#include "chem/pair_energy.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

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
  const int wanted = blas_detail::threads_for(work, options.on.threads);
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

void check_mp2_threads(int threads) {
  if (threads < 0)
    throw invalid_argument(message("df_mp2: threads must be at least 0, got ", threads));
}

// The accelerator for these energies, one launch after the other; null: the host. Where there are
// none, a pair of each stands for them: only the choice is checked.
template <class T>
accelerator* place_of(std::span<const pair_energy_problem> problems, const execution& on) {
  if (dispatch_detail::is_plain_host(on)) return nullptr;
  if (problems.empty()) {
    const std::array one{closed_shell_of({1, 1, 1}, 0, real_type_of<T>)};
    place_of<T>(one, on);
    return nullptr;
  }
  std::vector<pipeline_step> steps;
  operand_shapes arrays;
  for (const pair_energy_problem& p : problems) {
    steps.push_back({.what = p, .precision = on.precision});
    const operand_shapes own = shapes_of(p);
    // Those of the first pair of spins are all that go up.
    if (steps.size() == 1) arrays.in = own.in;
    arrays.out.insert(arrays.out.end(), own.out.begin(), own.out.end());
  }
  return place("df_mp2", steps, arrays, on, host_roofline());
}

void record_host_mp2() { dispatch_detail::record_host_run("MP2 energy"); }

// What came back from an accelerator, told as one block.
template <class T>
mp2_energies finished(const mp2_energies& energies, std::span<const pair_energy_problem> problems,
                      const df_mp2_options& options) {
  require_finite<T>(energies);
  double pairs = 0;
  for (const pair_energy_problem& p : problems) pairs += p.pairs();
  progress_report(options, static_cast<std::size_t>(pairs)).add(static_cast<std::size_t>(pairs));
  return energies;
}

template <class T>
void check_auxiliaries(const orbital_set<T>& orbitals) {
  if (orbitals.auxiliaries() > blas_detail::blas_limit)
    throw resource_error(message("df_mp2: naux must be at most ", blas_detail::blas_limit, ", got ",
                                 orbitals.auxiliaries()));
}

template <class T>
device_orbitals operand_of(const orbital_set<T>& set) {
  return {device_input(set.b()), set.b().extents(), &set.energies()};
}

extents_type<3> extents_of(const device_tensor& b) {
  const std::vector<std::size_t>& e = b.shape().extents;
  return {e[0], e[1], e[2]};
}

}  // namespace

template <class T>
mp2_energies df_mp2(const mp2_orbitals<T>& orbitals, const df_mp2_options& options) {
  check_mp2_threads(options.on.threads);
  const orbital_set<T> set("", orbitals, options.frozen_core);
  std::vector<pair_energy_problem> problems;
  if (!set.is_empty()) problems.push_back(closed_shell_of(set.b().extents(), 0, real_type_of<T>));
  if (accelerator* const device = place_of<T>(problems, options.on))
    return finished<T>(closed_shell_on(*device, operand_of(set), 0, options.on.precision), problems,
                       options);
  record_host_mp2();
  check_auxiliaries(set);
  pair_energy<T> pairs(pair_spins::closed_shell, set, set);
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
  check_mp2_threads(options.on.threads);
  const std::size_t naux = alpha.b.extent(2);
  if (!alpha.b.empty() && !beta.b.empty() && beta.b.extent(2) != naux)
    throw shape_error(message("df_mp2: alpha.b has naux ", naux, ", so must beta.b, which has ",
                              beta.b.extent(2)));
  const orbital_set<T> up("alpha.", alpha, options.frozen_core);
  const orbital_set<T> down("beta.", beta, options.frozen_core);
  const std::vector<pair_energy_problem> problems =
      open_shell_of(up.b().extents(), down.b().extents(), 0, real_type_of<T>);
  if (accelerator* const device = place_of<T>(problems, options.on))
    return finished<T>(
        open_shell_on(*device, operand_of(up), operand_of(down), 0, options.on.precision), problems,
        options);
  record_host_mp2();
  check_auxiliaries(up);
  check_auxiliaries(down);
  pair_energy<T> both(pair_spins::opposite_spin, up, down);
  pair_energy<T> alphas(pair_spins::same_spin, up, up);
  pair_energy<T> betas(pair_spins::same_spin, down, down);
  const std::array all{&both, &alphas, &betas};
  run_all<T>(all, options);
  const mp2_energies energies{.opposite_spin = 0 - both.total().squares,
                              .alpha_alpha = 0 - alphas.total().differences,
                              .beta_beta = 0 - betas.total().differences};
  require_finite<T>(energies);
  return energies;
}

mp2_energies df_mp2(const shared_tensor& b, std::span<const double> eps_occupied,
                    std::span<const double> eps_virtual, const df_mp2_options& options) {
  const extents_type<3> extents = extents_of(*b);
  const orbital_energies energies("", extents, eps_occupied, eps_virtual, options.frozen_core);
  accelerator& on = place_device_array("df_mp2", b->on("df_mp2"), options.on);
  const std::array problems{
      closed_shell_of(extents, options.frozen_core, real_type::single_precision)};
  return finished<float>(closed_shell_on(on, {device_input(b), extents, &energies},
                                         options.frozen_core, options.on.precision),
                         problems, options);
}

mp2_energies df_mp2(const orbitals_on_device& alpha, const orbitals_on_device& beta,
                    const df_mp2_options& options) {
  const shared_tensor &up = alpha.b.tensor("df_mp2"), &down = beta.b.tensor("df_mp2");
  const extents_type<3> of_up = extents_of(*up), of_down = extents_of(*down);
  if (of_up[2] != of_down[2])
    throw shape_error(
        message("df_mp2: alpha.b has naux ", of_up[2], ", so must beta.b, which has ", of_down[2]));
  const std::size_t frozen = options.frozen_core;
  const orbital_energies alphas("alpha.", of_up, alpha.eps_occupied, alpha.eps_virtual, frozen),
      betas("beta.", of_down, beta.eps_occupied, beta.eps_virtual, frozen);
  accelerator& on = place_device_array("df_mp2", up->on("df_mp2"), options.on);
  return finished<float>(
      open_shell_on(on, {device_input(up), of_up, &alphas}, {device_input(down), of_down, &betas},
                    frozen, options.on.precision),
      open_shell_of(of_up, of_down, frozen, real_type::single_precision), options);
}

shared_tensor df_mp2(const shared_tensor& b, const shared_tensor& eps_occupied,
                     const shared_tensor& eps_virtual, const df_mp2_options& options) {
  const extents_type<3> e = extents_of(*b);
  const auto require = [&](const char* name, const device_tensor& energies, std::size_t count) {
    if (energies.shape().extents != std::vector{count})
      throw shape_error(message("df_mp2: b is ", e[0], " x ", e[1], " x ", e[2], ", so ", name,
                                " must have ", count, " energies, got ", energies.shape().count()));
  };
  require("eps_occupied", *eps_occupied, e[0]);
  require("eps_virtual", *eps_virtual, e[1]);
  if (options.frozen_core >= e[0])
    throw invalid_argument(message("df_mp2: frozen_core must be less than the ", e[0],
                                   " occupied orbitals of b, got ", options.frozen_core));
  accelerator& on = place_device_array("df_mp2", b->on("df_mp2"), options.on);
  const pair_energy_problem p =
      closed_shell_of(e, options.frozen_core, real_type::single_precision);
  shared_tensor energies = new_tensor(on, shapes_of(p).out[0], "df_mp2");
  const std::array in{device_input(b), device_input(eps_occupied), device_input(eps_virtual)};
  const device_output out(energies);
  run_on("df_mp2", on, p, options.on.precision, in, {&out, 1});
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

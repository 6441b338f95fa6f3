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
#include "chem/correlated_spins.hpp"
#include "chem/pair_energy.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;

// Reports finished pairs, one thread at a time.
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

// Returns the number of threads for which there is work and memory.
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

mp2_block_range checked_blocks(const mp2_block_range& asked, std::size_t count) {
  const std::size_t last = asked.last == mp2_block_range{}.last ? count : asked.last;
  if (asked.first > last || last > count)
    throw invalid_argument(message("df_mp2: blocks must be 0 <= first <= last <= ", count, ", got ",
                                   asked.first, " and ", last));
  return {asked.first, last};
}

// Returns the energies of a block of a closed shell, or else of opposite spins, alphas or betas
// (`which` is 0, 1 or 2).
mp2_energies energies_of(const pair_sums& sums, bool is_closed, std::size_t which) {
  if (is_closed)
    return {.opposite_spin = 0 - sums.squares,
            .alpha_alpha = 0 - sums.differences / 2,
            .beta_beta = 0 - sums.differences / 2};
  return {.opposite_spin = which == 0 ? 0 - sums.squares : 0,
          .alpha_alpha = which == 1 ? 0 - sums.differences : 0,
          .beta_beta = which == 2 ? 0 - sums.differences : 0};
}

// Runs the blocks that options.blocks selects, numbered through all sums, and passes the energies
// of each to `take`, in order.
template <class T, class Take>
void run_all(std::span<pair_energy<T>* const> sums, const df_mp2_options& options,
             const Take& take) {
  struct place {
    std::size_t which, block;
  };
  std::vector<place> blocks;
  std::size_t elements = 0, pairs = 0, list_bytes = 0;
  for (std::size_t which = 0; which < sums.size(); ++which) {
    for (std::size_t block = 0; block < sums[which]->block_count(); ++block)
      blocks.push_back({which, block});
    elements = std::max(elements, sums[which]->workspace_elements());
    list_bytes += sums[which]->list_bytes();
  }
  list_bytes += blocks.size() * sizeof(place);
  const mp2_block_range range = checked_blocks(options.blocks, blocks.size());
  blocks = {blocks.begin() + static_cast<std::ptrdiff_t>(range.first),
            blocks.begin() + static_cast<std::ptrdiff_t>(range.last)};
  if (blocks.empty()) return;
  double work = 0;
  for (const auto& [which, block] : blocks) {
    pairs += sums[which]->pairs_of(block);
    work += sums[which]->work_of(block);
  }
  const std::size_t bytes = checked_multiply(elements, sizeof(T), "df_mp2: bytes of a block");
  const int team = team_of(work, bytes, list_bytes, options);
  blas_detail::use_serial_blas();
  blas_detail::buffer_pool<T> workspaces(std::min(blocks.size(), static_cast<std::size_t>(team)),
                                         elements);
  progress_report report(options, pairs);
  parallel_for(blocks.size(), team, [&](std::size_t k) {
    const auto [which, block] = blocks[k];
    typename blas_detail::buffer_pool<T>::lease workspace(workspaces);
    sums[which]->run(block, workspace.data());
    report.add(sums[which]->pairs_of(block));
  });
  for (const auto& [which, block] : blocks)
    take(energies_of(sums[which]->sums_of(block), sums.size() == 1, which));
}

template <class T>
void require_finite(const mp2_energies& energies) {
  if (!std::isfinite(energies.correlation()))
    throw invalid_argument(message("df_mp2: integrals or their quotients exceed the range of ",
                                   sizeof(T) == sizeof(float) ? "float" : "double"));
}

// Checks energies that an accelerator computed, and reports all pairs as finished at once.
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

mp2_energies energies_of(accelerator& on, std::span<const device_orbitals> spins,
                         std::size_t frozen, const execution& how) {
  return energies_on(
      on, {.function = "df_mp2", .orbitals = spins, .frozen = frozen, .precision = how.precision},
      pair_function::energies);
}

device_orbitals operand_of(const shared_tensor& b, const extents_type<3>& extents,
                           const orbital_energies& energies, std::size_t frozen) {
  return {device_input(b), extents, graph_floats(energies.occupied_floats(frozen)),
          graph_floats(energies.virtual_floats())};
}

extents_type<3> extents_of(const device_tensor& b) {
  const std::vector<std::size_t>& e = b.shape().extents;
  return {e[0], e[1], e[2]};
}

template <class T, class Take>
void run_on_host(const correlated_spins<T>& spins, const df_mp2_options& options,
                 const Take& take) {
  for (std::size_t spin = 0; spin < spins.size(); ++spin) check_auxiliaries(spins[spin]);
  if (spins.is_closed()) {
    pair_energy<T> pairs(pair_spins::closed_shell, spins[0], spins[0]);
    return run_all<T>(std::array{&pairs}, options, take);
  }
  pair_energy<T> both(pair_spins::opposite_spin, spins[0], spins[1]),
      alphas(pair_spins::same_spin, spins[0], spins[0]),
      betas(pair_spins::same_spin, spins[1], spins[1]);
  run_all<T>(std::array{&both, &alphas, &betas}, options, take);
}

bool has_all_blocks(const df_mp2_options& options) { return options.blocks == mp2_block_range{}; }

// Returns options for the host, which alone computes blocks of pairs.
execution on_host(const df_mp2_options& options) {
  if (options.on.where == policy::device)
    throw invalid_argument("df_mp2: blocks of pairs are computed by the host, got policy::device");
  execution on = options.on;
  on.where = policy::host;
  return on;
}

void refuse_blocks(const df_mp2_options& options) {
  if (!has_all_blocks(options))
    throw invalid_argument(
        "df_mp2: blocks of pairs are computed by the host, got orbitals on an accelerator");
}

// Computes the energies of a closed shell, or of alpha and beta orbitals.
template <class T>
mp2_energies energies_of(std::span<const mp2_orbitals<T>> orbitals, const df_mp2_options& options) {
  constexpr pair_function what = pair_function::energies;
  const execution on = has_all_blocks(options) ? options.on : on_host(options);
  const correlated_spins<T> spins("df_mp2", orbitals, options.frozen_core, on);
  if (accelerator* const device = spins.place(what))
    return finished<T>(energies_of(*device, spins.operands(), 0, on), spins.problems(what),
                       options);
  mp2_energies energies;
  run_on_host<T>(spins, options, [&](const mp2_energies& block) { energies += block; });
  require_finite<T>(energies);
  return energies;
}

template <class T>
std::vector<mp2_energies> blocks_of(std::span<const mp2_orbitals<T>> orbitals,
                                    const df_mp2_options& options) {
  const execution on = on_host(options);
  const correlated_spins<T> spins("df_mp2", orbitals, options.frozen_core, on);
  spins.place(pair_function::energies);
  std::vector<mp2_energies> energies;
  run_on_host<T>(spins, options, [&](const mp2_energies& block) {
    require_finite<T>(block);
    energies.push_back(block);
  });
  return energies;
}

// Returns the extents of B without the frozen orbitals.
extents_type<3> without_core(const extents_type<3>& b, std::size_t frozen_core) {
  return {b[0] - std::min(b[0], frozen_core), b[1], b[2]};
}

std::size_t block_count(pair_spins kind, const extents_type<3>& rows,
                        const extents_type<3>& columns) {
  if (std::ranges::count(rows, std::size_t{0}) + std::ranges::count(columns, std::size_t{0}) > 0)
    return 0;
  return blocks_of(kind, cut_pairs(rows[1], columns[1]), rows[0], columns[0]).size();
}

}  // namespace

template <class T>
mp2_energies df_mp2(const mp2_orbitals<T>& orbitals, const df_mp2_options& options) {
  return energies_of<T>({&orbitals, 1}, options);
}

template <class T>
mp2_energies df_mp2(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                    const df_mp2_options& options) {
  return energies_of<T>(std::array{alpha, beta}, options);
}

template <class T>
std::vector<mp2_energies> df_mp2_by_block(const mp2_orbitals<T>& orbitals,
                                          const df_mp2_options& options) {
  return blocks_of<T>({&orbitals, 1}, options);
}

template <class T>
std::vector<mp2_energies> df_mp2_by_block(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                                          const df_mp2_options& options) {
  return blocks_of<T>(std::array{alpha, beta}, options);
}

mp2_energies df_mp2(const shared_tensor& b, std::span<const double> eps_occupied,
                    std::span<const double> eps_virtual, const df_mp2_options& options) {
  refuse_blocks(options);
  const extents_type<3> extents = extents_of(*b);
  const orbital_energies energies("df_mp2", "", extents, eps_occupied, eps_virtual,
                                  options.frozen_core);
  require_core("df_mp2", {extents.data(), 1}, options.frozen_core);
  accelerator& on = place_device_array("df_mp2", b->on("df_mp2"), options.on);
  const std::array problems{
      closed_shell_of(extents, options.frozen_core, real_type::single_precision)};
  const std::array spins{operand_of(b, extents, energies, options.frozen_core)};
  return finished<float>(energies_of(on, spins, options.frozen_core, options.on), problems,
                         options);
}

mp2_energies df_mp2(const orbitals_on_device& alpha, const orbitals_on_device& beta,
                    const df_mp2_options& options) {
  refuse_blocks(options);
  const shared_tensor &up = alpha.b.tensor("df_mp2"), &down = beta.b.tensor("df_mp2");
  const extents_type<3> of_up = extents_of(*up), of_down = extents_of(*down);
  if (of_up[2] != of_down[2])
    throw shape_error(
        message("df_mp2: alpha.b has naux ", of_up[2], ", so must beta.b, which has ", of_down[2]));
  const std::size_t frozen = options.frozen_core;
  const orbital_energies alphas("df_mp2", "alpha.", of_up, alpha.eps_occupied, alpha.eps_virtual,
                                frozen),
      betas("df_mp2", "beta.", of_down, beta.eps_occupied, beta.eps_virtual, frozen);
  require_core("df_mp2", std::array{of_up[0], of_down[0]}, frozen);
  accelerator& on = place_device_array("df_mp2", up->on("df_mp2"), options.on);
  const std::array spins{operand_of(up, of_up, alphas, frozen),
                         operand_of(down, of_down, betas, frozen)};
  return finished<float>(energies_of(on, spins, frozen, options.on),
                         open_shell_of(of_up, of_down, frozen, real_type::single_precision),
                         options);
}

namespace {

// Returns the problem of a closed shell whose operands are all on an accelerator, after checks.
pair_energy_problem checked_problem(const char* function, const shared_tensor& b,
                                    const shared_tensor& eps_occupied,
                                    const shared_tensor& eps_virtual, std::size_t frozen) {
  const extents_type<3> e = extents_of(*b);
  const auto require = [&](const char* name, const device_tensor& energies, std::size_t count) {
    if (energies.shape().extents != std::vector{count})
      throw shape_error(message(function, ": b is ", e[0], " x ", e[1], " x ", e[2], ", so ", name,
                                " must have ", count, " energies, got ", energies.shape().count()));
  };
  require("eps_occupied", *eps_occupied, e[0]);
  require("eps_virtual", *eps_virtual, e[1]);
  if (frozen >= e[0])
    throw invalid_argument(message(function, ": frozen_core must be less than the ", e[0],
                                   " occupied orbitals of b, got ", frozen));
  return closed_shell_of(e, frozen, real_type::single_precision);
}

// Runs a problem on device arrays; results stay on the accelerator.
std::vector<shared_tensor> run_there(const char* function, const pair_energy_problem& p,
                                     const std::vector<device_input>& in, const execution& how) {
  accelerator& on = place_device_array(function, in[0].tensor->on(function), how);
  return run_to_new(function, on, p, how.precision, in, shapes_of(p).out);
}

}  // namespace

shared_tensor df_mp2(const shared_tensor& b, const shared_tensor& eps_occupied,
                     const shared_tensor& eps_virtual, const df_mp2_options& options) {
  refuse_blocks(options);
  const pair_energy_problem p =
      checked_problem("df_mp2", b, eps_occupied, eps_virtual, options.frozen_core);
  return run_there("df_mp2", p, {b, eps_occupied, eps_virtual}, options.on)[0];
}

#define PAPILIO_INSTANTIATE(T)                                                             \
  template PAPILIO_API mp2_energies df_mp2(const mp2_orbitals<T>&, const df_mp2_options&); \
  template PAPILIO_API mp2_energies df_mp2(const mp2_orbitals<T>&, const mp2_orbitals<T>&, \
                                           const df_mp2_options&);                         \
  template PAPILIO_API std::vector<mp2_energies> df_mp2_by_block(const mp2_orbitals<T>&,   \
                                                                 const df_mp2_options&);   \
  template PAPILIO_API std::vector<mp2_energies> df_mp2_by_block(                          \
      const mp2_orbitals<T>&, const mp2_orbitals<T>&, const df_mp2_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::chem_detail

namespace papilio {

std::size_t df_mp2_block_count(const extents_type<3>& b, std::size_t frozen_core) {
  chem_detail::require_core("df_mp2_block_count", {b.data(), 1}, frozen_core);
  const extents_type<3> own = chem_detail::without_core(b, frozen_core);
  return chem_detail::block_count(pair_spins::closed_shell, own, own);
}

std::size_t df_mp2_block_count(const extents_type<3>& alpha, const extents_type<3>& beta,
                               std::size_t frozen_core) {
  chem_detail::require_core("df_mp2_block_count", std::array{alpha[0], beta[0]}, frozen_core);
  const extents_type<3> up = chem_detail::without_core(alpha, frozen_core),
                        down = chem_detail::without_core(beta, frozen_core);
  return chem_detail::block_count(pair_spins::opposite_spin, up, down) +
         chem_detail::block_count(pair_spins::same_spin, up, up) +
         chem_detail::block_count(pair_spins::same_spin, down, down);
}

mp2_gradients_on_device df_mp2_vjp(const device_array<float, 3>& b,
                                   const device_array<float, 1>& eps_occupied,
                                   const device_array<float, 1>& eps_virtual,
                                   const device_array<float, 1>& gradient,
                                   const mp2_gradient_options& options) {
  constexpr const char* name = "df_mp2_vjp";
  pair_energy_problem p =
      chem_detail::checked_problem(name, b.tensor(name), eps_occupied.tensor(name),
                                   eps_virtual.tensor(name), options.frozen_core);
  p.function = pair_function::vjp;
  if (gradient.tensor(name)->shape().count() != 2)
    throw shape_error(
        base_detail::message(name, ": gradient must have 2 elements, got ", gradient.extent(0)));
  const std::vector<shared_tensor> by = chem_detail::run_there(
      name, p,
      {b.tensor(name), eps_occupied.tensor(name), eps_virtual.tensor(name), gradient.tensor(name)},
      options.on);
  return {device_array<float, 3>(by[0]), device_array<float, 1>(by[1]),
          device_array<float, 1>(by[2])};
}

}  // namespace papilio

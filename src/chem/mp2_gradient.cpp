// Gradients of MP2 energies, and their changes along changes of the orbitals: for each i and some j at
// a time from v = (ia|jb) and, of one spin, (ib|ja) of the same block, with a second product: dL/dv
// with B, or the change of B of i with B of j.
#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "chem/device_energy.hpp"
#include "chem/finite.hpp"
#include "chem/ordered_pairs.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;

constexpr const char* vjp_name = "df_mp2_vjp";
constexpr const char* jvp_name = "df_mp2_jvp";

// dL/dE of opposite spins, and the mean of those of equal ones.
struct spin_weights {
  double opposite, same;
};

struct energy_gradients {
  double occupied = 0;
  std::vector<double> virtuals;
};

// Gradients by the orbitals i and a of one set of sums over pairs with j and b of another, or of the
// same: then each number is i's and j's, and counts twice.
template <class T>
struct pair_gradients {
  ordered_pairs<T> pairs;
  spin_weights w;
  double count;

  // For one pair of occupied orbitals, from v(a, b) = (ia|jb).
  void differentiate(double depths, const view<const T, 2>& v, const view<T, 2>& by_v,
                     energy_gradients& sums) const {
    const T own = static_cast<T>(w.opposite + w.same), other = static_cast<T>(w.same);
    for (std::size_t a = 0; a < v.extent(0); ++a) {
      double sum = 0;
      for (std::size_t b = 0; b < v.extent(1); ++b) {
        const double denominator = depths + pairs.mine.set.height(a) + pairs.others.set.height(b);
        const T exchanged = w.same != 0 ? other * v(b, a) : T(0);
        const T quotient = (own * v(a, b) - exchanged) / static_cast<T>(denominator);
        by_v(a, b) = -2 * quotient;
        sum += static_cast<double>(quotient * v(a, b)) / denominator;
      }
      sums.occupied -= count * sum;
      sums.virtuals[a] += count * sum;
    }
  }

  void add_to(mp2_gradients<T>& result, std::size_t frozen, int threads) const {
    const orbital_set<T>&mine = pairs.mine.set, &others = pairs.others.set;
    std::vector<energy_gradients> sums(mine.occupied(), {0, std::vector<double>(mine.virtuals())});
    pairs.for_each_occupied(threads, [&](std::size_t i, const auto& each_block) {
      each_block([&](const ordered_block<T>& block) {
        for (std::size_t j = 0; j < block.some; ++j)
          differentiate(mine.depth(i) + others.depth(block.first + j), block.part(block.v, j),
                        block.part(block.other, j), sums[i]);
        gemm(static_cast<T>(count), view<const T, 2>(block.other), block.of_j, T(1),
             result.b[frozen + i], {.threads = 1});
      });
    });
    for (std::size_t i = 0; i < sums.size(); ++i) {
      result.eps_occupied[frozen + i] += sums[i].occupied;
      for (std::size_t a = 0; a < mine.virtuals(); ++a)
        result.eps_virtual[a] += sums[i].virtuals[a];
    }
  }
};

// A change of the orbitals of a set, frozen ones left out, checked.
template <class T>
class orbital_change {
 public:
  orbital_change(const char* name, const mp2_orbitals<T>& orbitals, const mp2_orbitals<T>& change,
                 std::size_t frozen)
      : b_(of_correlated(name, orbitals, change, frozen)),
        occupied_(change.eps_occupied.subspan(frozen)),
        virtuals_(change.eps_virtual) {}

  const view<const T, 3>& b() const { return b_; }
  /// Of the difference of the energies of i and a.
  double gap(std::size_t i, std::size_t a) const { return virtuals_[a] - occupied_[i]; }

  device_orbitals operand() const {
    const auto floats = [](std::span<const double> of) {
      array<float, 1> all({of.size()});
      std::ranges::transform(of, all.begin(), [](double e) { return static_cast<float>(e); });
      return graph_floats(std::move(all));
    };
    return {device_input(untyped_view<const void>(b_), false), b_.extents(), floats(occupied_),
            floats(virtuals_)};
  }

 private:
  static view<const T, 3> of_correlated(const char* name, const mp2_orbitals<T>& orbitals,
                                        const mp2_orbitals<T>& change, std::size_t frozen) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (change.b.extent(axis) != orbitals.b.extent(axis))
        throw shape_error(message(jvp_name, ": ", name, "b must have ", orbitals.b.extent(axis),
                                  " elements along axis ", axis, " as the orbitals', got ",
                                  change.b.extent(axis)));
    const auto check = [&](const char* what, std::span<const double> of, std::size_t count) {
      if (of.size() != count)
        throw shape_error(
            message(jvp_name, ": ", name, what, " must have ", count, " changes, got ", of.size()));
      for (std::size_t i = 0; i < count; ++i)
        if (!std::isfinite(of[i]))
          throw invalid_argument(
              message(jvp_name, ": ", name, what, "[", i, "] must be finite, is ", of[i]));
    };
    check("eps_occupied", change.eps_occupied, orbitals.b.extent(0));
    check("eps_virtual", change.eps_virtual, orbitals.b.extent(1));
    const view<const T, 3> b = change.b.slice(0, frozen, change.b.extent(0) - frozen);
    if (const auto place = b.empty() ? std::nullopt : first_not_finite(b))
      throw invalid_argument(message(jvp_name, ": ", name, "b[", (*place)[0] + frozen, ", ",
                                     (*place)[1], ", ", (*place)[2], "] must be finite, is ",
                                     b((*place)[0], (*place)[1], (*place)[2])));
    return b;
  }

  view<const T, 3> b_;
  std::span<const double> occupied_, virtuals_;
};

// Changes of the sums over all pairs of -v^2 / D, and of -v (v - v') / D.
struct energy_changes {
  double squares = 0, differences = 0;
};

// Those by the changes of i's orbitals alone.
template <class T>
struct pair_changes {
  ordered_pairs<T> pairs;
  const orbital_change<T>& change;

  // For one pair of occupied orbitals, from v and u, v with the change of i's B.
  energy_changes sums(std::size_t i, std::size_t j, const view<const T, 2>& v,
                      const view<const T, 2>& u) const {
    const orbital_set<T>&mine = pairs.mine.set, &others = pairs.others.set;
    const bool exchanges = &mine == &others;
    const double depths = mine.depth(i) + others.depth(j);
    energy_changes sum;
    for (std::size_t a = 0; a < v.extent(0); ++a) {
      const double by_gap = change.gap(i, a);
      for (std::size_t b = 0; b < v.extent(1); ++b) {
        const double denominator = depths + mine.height(a) + others.height(b),
                     own = static_cast<double>(v(a, b)),
                     factor = (by_gap * own / denominator - 2 * static_cast<double>(u(a, b))) /
                              denominator;
        sum.squares += own * factor;
        if (exchanges) sum.differences += (own - static_cast<double>(v(b, a))) * factor;
      }
    }
    return sum;
  }

  energy_changes total(int threads) const {
    const std::size_t nvir = pairs.mine.set.virtuals();
    const orbital_matrix<T> changes(change.b());
    std::vector<energy_changes> of_i(pairs.mine.set.occupied());
    pairs.for_each_occupied(threads, [&](std::size_t i, const auto& each_block) {
      each_block([&](const ordered_block<T>& block) {
        gemm(T(1), changes.rows.slice(0, i * nvir, nvir), block.of_j, T(0), block.other,
             {.b = matrix_op::transpose, .threads = 1});
        for (std::size_t j = 0; j < block.some; ++j) {
          const energy_changes sum =
              sums(i, block.first + j, block.part(block.v, j), block.part(block.other, j));
          of_i[i].squares += sum.squares;
          of_i[i].differences += sum.differences;
        }
      });
    });
    energy_changes all;
    for (const energy_changes& sum : of_i) {
      all.squares += sum.squares;
      all.differences += sum.differences;
    }
    return all;
  }
};

template <class T>
mp2_gradients<T> no_gradients(const mp2_orbitals<T>& of) {
  return {array<T, 3>(of.b.extents()), std::vector<double>(of.eps_occupied.size()),
          std::vector<double>(of.eps_virtual.size())};
}

// What an accelerator returned for orbitals that are not frozen.
template <class T>
void copy_to(mp2_gradients<T>& result, const std::array<tensor<float>, 3>& from,
             std::size_t frozen) {
  std::ranges::copy(from[0].flat(),
                    result.b.data() + frozen * result.b.extent(1) * result.b.extent(2));
  std::ranges::copy(from[1].flat(), result.eps_occupied.begin() + std::ptrdiff_t(frozen));
  std::ranges::copy(from[2].flat(), result.eps_virtual.begin());
}

void check_threads(const char* function, const execution& on) {
  if (on.threads < 0)
    throw invalid_argument(message(function, ": threads must be at least 0, got ", on.threads));
}

template <class T>
void check_naux(const char* function, const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta) {
  if (!alpha.b.empty() && !beta.b.empty() && alpha.b.extent(2) != beta.b.extent(2))
    throw shape_error(message(function, ": alpha.b has naux ", alpha.b.extent(2),
                              ", so must beta.b, which has ", beta.b.extent(2)));
}

accelerator* place_all(const char* function, pair_function what,
                       std::vector<pair_energy_problem> problems, real_type type,
                       const execution& on) {
  for (pair_energy_problem& p : problems) p.function = what;
  return place_pairs(function, problems, type, on);
}

void record_host(const char* function) {
  dispatch_detail::record_host_run(
      "host", std::shared_ptr<const void>(std::shared_ptr<const void>(), function),
      [](const void* name) { return std::string(static_cast<const char*>(name)); }, nullptr);
}

template <class T>
std::vector<pair_energy_problem> problems_of(const orbital_set<T>& set) {
  if (set.is_empty()) return {};
  return {closed_shell_of(set.b().extents(), 0, real_type_of<T>)};
}
template <class T>
std::vector<pair_energy_problem> problems_of(const orbital_set<T>& up, const orbital_set<T>& down) {
  return open_shell_of(up.b().extents(), down.b().extents(), 0, real_type_of<T>);
}

}  // namespace

template <class T>
mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& orbitals, const mp2_energies& gradient,
                            const mp2_gradient_options& options) {
  check_threads(vjp_name, options.on);
  const orbital_set<T> set("", orbitals, options.frozen_core);
  mp2_gradients<T> result = no_gradients<T>(orbitals);
  if (accelerator* const device =
          place_all(vjp_name, pair_function::vjp, problems_of(set), real_type_of<T>, options.on)) {
    const device_orbitals operand = operand_of(set);
    const std::array spins{&operand};
    const auto by = gradients_on(*device, {.function = vjp_name,
                                           .orbitals = spins,
                                           .weights = gradient,
                                           .precision = options.on.precision});
    copy_to(result, by[0], options.frozen_core);
    return result;
  }
  record_host(vjp_name);
  const spin_rows<T> rows{set};
  const spin_weights w{gradient.opposite_spin, (gradient.alpha_alpha + gradient.beta_beta) / 2};
  pair_gradients<T>{{rows, rows}, w, 2}.add_to(result, options.frozen_core, options.on.threads);
  return result;
}

// Same-spin energies are half of a closed shell's, whose numbers are summed over both spins.
template <class T>
open_shell_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                                   const mp2_energies& gradient,
                                   const mp2_gradient_options& options) {
  check_threads(vjp_name, options.on);
  check_naux(vjp_name, alpha, beta);
  const orbital_set<T> up("alpha.", alpha, options.frozen_core),
      down("beta.", beta, options.frozen_core);
  open_shell_gradients<T> result{no_gradients<T>(alpha), no_gradients<T>(beta)};
  if (accelerator* const device = place_all(vjp_name, pair_function::vjp, problems_of(up, down),
                                            real_type_of<T>, options.on)) {
    const device_orbitals alphas = operand_of(up), betas = operand_of(down);
    const std::array spins{&alphas, &betas};
    const auto by = gradients_on(*device, {.function = vjp_name,
                                           .orbitals = spins,
                                           .weights = gradient,
                                           .precision = options.on.precision});
    copy_to(result.alpha, by[0], options.frozen_core);
    copy_to(result.beta, by[1], options.frozen_core);
    return result;
  }
  record_host(vjp_name);
  const spin_rows<T> ups{up}, downs{down};
  const auto add = [&](const ordered_pairs<T>& pairs, spin_weights w, double count,
                       mp2_gradients<T>& to) {
    pair_gradients<T>{pairs, w, count}.add_to(to, options.frozen_core, options.on.threads);
  };
  add({ups, ups}, {0, gradient.alpha_alpha / 2}, 2, result.alpha);
  add({downs, downs}, {0, gradient.beta_beta / 2}, 2, result.beta);
  add({ups, downs}, {gradient.opposite_spin, 0}, 1, result.alpha);
  add({downs, ups}, {gradient.opposite_spin, 0}, 1, result.beta);
  return result;
}

template <class T>
mp2_energies df_mp2_jvp(const mp2_orbitals<T>& orbitals, const mp2_orbitals<T>& change,
                        const mp2_gradient_options& options) {
  check_threads(jvp_name, options.on);
  const orbital_set<T> set("", orbitals, options.frozen_core);
  const orbital_change<T> changes("change.", orbitals, change, options.frozen_core);
  if (accelerator* const device =
          place_all(jvp_name, pair_function::jvp, problems_of(set), real_type_of<T>, options.on)) {
    const device_orbitals operand = operand_of(set), of_changes = changes.operand();
    const std::array spins{&operand}, along{&of_changes};
    return energies_on(*device,
                       {.function = jvp_name,
                        .orbitals = spins,
                        .changes = along,
                        .precision = options.on.precision},
                       pair_function::jvp);
  }
  record_host(jvp_name);
  const spin_rows<T> rows{set};
  const energy_changes sum = pair_changes<T>{{rows, rows}, changes}.total(options.on.threads);
  // Pairs are symmetric: j's part is as large. Same spin, alpha and beta: half of the differences.
  return {.opposite_spin = 2 * sum.squares,
          .alpha_alpha = sum.differences,
          .beta_beta = sum.differences};
}

template <class T>
mp2_energies df_mp2_jvp(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                        const mp2_orbitals<T>& change_of_alpha,
                        const mp2_orbitals<T>& change_of_beta,
                        const mp2_gradient_options& options) {
  check_threads(jvp_name, options.on);
  check_naux(jvp_name, alpha, beta);
  const std::size_t frozen = options.frozen_core;
  const orbital_set<T> up("alpha.", alpha, frozen), down("beta.", beta, frozen);
  const orbital_change<T> of_up("change_of_alpha.", alpha, change_of_alpha, frozen),
      of_down("change_of_beta.", beta, change_of_beta, frozen);
  if (accelerator* const device = place_all(jvp_name, pair_function::jvp, problems_of(up, down),
                                            real_type_of<T>, options.on)) {
    const device_orbitals alphas = operand_of(up), betas = operand_of(down),
                          of_alphas = of_up.operand(), of_betas = of_down.operand();
    const std::array spins{&alphas, &betas}, along{&of_alphas, &of_betas};
    return energies_on(*device,
                       {.function = jvp_name,
                        .orbitals = spins,
                        .changes = along,
                        .precision = options.on.precision},
                       pair_function::jvp);
  }
  record_host(jvp_name);
  const spin_rows<T> ups{up}, downs{down};
  const auto changes = [&](const ordered_pairs<T>& pairs, const orbital_change<T>& of) {
    return pair_changes<T>{pairs, of}.total(options.on.threads);
  };
  return {.opposite_spin =
              changes({ups, downs}, of_up).squares + changes({downs, ups}, of_down).squares,
          .alpha_alpha = changes({ups, ups}, of_up).differences,
          .beta_beta = changes({downs, downs}, of_down).differences};
}

#define PAPILIO_INSTANTIATE(T)                                                                  \
  template PAPILIO_API mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>&, const mp2_energies&, \
                                                   const mp2_gradient_options&);                \
  template PAPILIO_API open_shell_gradients<T> df_mp2_vjp(                                      \
      const mp2_orbitals<T>&, const mp2_orbitals<T>&, const mp2_energies&,                      \
      const mp2_gradient_options&);                                                             \
  template PAPILIO_API mp2_energies df_mp2_jvp(const mp2_orbitals<T>&, const mp2_orbitals<T>&,  \
                                               const mp2_gradient_options&);                    \
  template PAPILIO_API mp2_energies df_mp2_jvp(const mp2_orbitals<T>&, const mp2_orbitals<T>&,  \
                                               const mp2_orbitals<T>&, const mp2_orbitals<T>&,  \
                                               const mp2_gradient_options&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::chem_detail

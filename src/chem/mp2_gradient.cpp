// Gradients of MP2 energies, and their changes along changes of the orbitals. For each i and a
// block of j at a time, one product gives v = (ia|jb), whose transposed blocks (ib|ja) are the
// exchange integrals of one spin. A second product gives dL/dB_i = dL/dv B_j, or the change of v,
// which is (change of B_i) B_j.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "chem/correlated_spins.hpp"
#include "chem/finite.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;

constexpr const char* vjp_name = "df_mp2_vjp";
constexpr const char* jvp_name = "df_mp2_jvp";

// Weights of the integrals: dL/dE of opposite spins, and half of dL/dE of equal spins, which in a
// closed shell is summed over both.
struct spin_weights {
  double opposite, same;
};

struct energy_gradients {
  double occupied = 0;
  std::vector<double> virtuals;
};

// Gradients by the orbitals i and a of one set, of a sum over pairs with j and b of another set. If
// both are the same set, each orbital also stands as j or b, so that gradients count twice.
template <class T>
struct pair_gradients {
  ordered_pairs<T> pairs;
  spin_weights w;
  double count;

  // Differentiates the terms of one pair of occupied orbitals i, j, given v(a, b) = (ia|jb).
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

  void add_to(mp2_gradients<T>& result, int threads) const {
    const orbital_set<T>&mine = pairs.mine.set, &others = pairs.others.set;
    const std::size_t frozen = mine.frozen();
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
  /// Returns the change of eps_a - eps_i.
  double gap(std::size_t i, std::size_t a) const { return virtuals_[a] - occupied_[i]; }

  device_orbitals operand() const {
    const auto floats = [](std::span<const double> of) {
      array<float, 1> all({of.size()});
      std::ranges::transform(of, all.begin(), [](double e) { return static_cast<float>(e); });
      return graph_floats(std::move(all));
    };
    return {device_input(b_), b_.extents(), floats(occupied_), floats(virtuals_)};
  }

 private:
  static view<const T, 3> of_correlated(const char* name, const mp2_orbitals<T>& orbitals,
                                        const mp2_orbitals<T>& change, std::size_t frozen) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (change.b.extent(axis) != orbitals.b.extent(axis))
        throw shape_error(message(jvp_name, ": ", name, "b must have ", orbitals.b.extent(axis),
                                  " elements along axis ", axis, " as the orbitals', got ",
                                  change.b.extent(axis)));
    const auto check = [&](const char* what, std::span<const double> of, std::size_t count,
                           std::size_t first) {
      if (of.size() != count)
        throw shape_error(
            message(jvp_name, ": ", name, what, " must have ", count, " changes, got ", of.size()));
      for (std::size_t i = first; i < count; ++i)
        if (!std::isfinite(of[i]))
          throw invalid_argument(
              message(jvp_name, ": ", name, what, "[", i, "] must be finite, is ", of[i]));
    };
    check("eps_occupied", change.eps_occupied, orbitals.b.extent(0), frozen);
    check("eps_virtual", change.eps_virtual, orbitals.b.extent(1), 0);
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

// Changes of the sums over all pairs of -v^2 / D, and of -v (v - v') / D, where v' is v with a and
// b exchanged.
struct energy_changes {
  double squares = 0, differences = 0;
};

// Computes energy changes along the change of the orbitals i, a alone; j, b do not change.
template <class T>
struct pair_changes {
  ordered_pairs<T> pairs;
  const orbital_change<T>& change;

  // Sums over one pair of occupied orbitals i, j, given v and u, which is v with the change of B_i.
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

// Copies gradients that an accelerator returned for the orbitals that are not frozen.
template <class T>
void copy_to(mp2_gradients<T>& result, const std::array<tensor<float>, 3>& from,
             std::size_t frozen) {
  std::ranges::copy(from[0].flat(),
                    result.b.data() + frozen * result.b.extent(1) * result.b.extent(2));
  std::ranges::copy(from[1].flat(), result.eps_occupied.begin() + std::ptrdiff_t(frozen));
  std::ranges::copy(from[2].flat(), result.eps_virtual.begin());
}

// Throws if integrals, weights or their quotients were too large for T.
template <class T>
void require_range(const char* function, bool is_finite) {
  if (!is_finite)
    throw invalid_argument(message(function, ": integrals or their quotients exceed the range of ",
                                   sizeof(T) == sizeof(float) ? "float" : "double"));
}

template <class T>
std::vector<mp2_gradients<T>> in_range(std::vector<mp2_gradients<T>> all) {
  const auto is = [](double e) { return std::isfinite(e); };
  for (const mp2_gradients<T>& by : all)
    require_range<T>(vjp_name, std::ranges::all_of(by.eps_occupied, is) &&
                                   std::ranges::all_of(by.eps_virtual, is) &&
                                   std::ranges::all_of(by.b, is));
  return all;
}

template <class T>
mp2_energies in_range(const mp2_energies& changes) {
  require_range<T>(jvp_name, std::isfinite(changes.correlation()));
  return changes;
}

// Computes the gradients by each set. The orbitals of a closed shell are those of both spins, so
// that the weights of its two same-spin energies are added.
template <class T>
std::vector<mp2_gradients<T>> gradients_of(std::span<const mp2_orbitals<T>> orbitals,
                                           const mp2_energies& by,
                                           const mp2_gradient_options& options) {
  const correlated_spins<T> spins(vjp_name, orbitals, options.frozen_core, options.on);
  std::vector<mp2_gradients<T>> results;
  for (const mp2_orbitals<T>& of : orbitals) results.push_back(no_gradients<T>(of));
  if (accelerator* const device = spins.place(pair_function::vjp)) {
    const std::vector<device_orbitals> operands = spins.operands();
    const auto there = gradients_on(*device, {.function = vjp_name,
                                              .orbitals = operands,
                                              .weights = by,
                                              .precision = options.on.precision});
    for (std::size_t spin = 0; spin < spins.size(); ++spin)
      copy_to(results[spin], there[spin], spins[spin].frozen());
    return results;
  }
  spins.for_each_pair([&](std::size_t mine, std::size_t others, const ordered_pairs<T>& pairs) {
    const double same = spins.is_closed() ? by.alpha_alpha + by.beta_beta
                        : mine == 0       ? by.alpha_alpha
                                          : by.beta_beta;
    const spin_weights w{spins.is_closed() || mine != others ? by.opposite_spin : 0,
                         mine == others ? same / 2 : 0};
    pair_gradients<T>{pairs, w, mine == others ? 2.0 : 1.0}.add_to(results[mine],
                                                                   options.on.threads);
  });
  return results;
}

// Computes the changes of the energies. Pairs of one spin are symmetric in i and j, so that the
// change of j, b adds as much as that of i, a. This factor 2 cancels the 1/2 in the same-spin
// energy -1/2 sum v (v - v') / D of each spin.
template <class T>
mp2_energies changes_of(std::span<const mp2_orbitals<T>> orbitals,
                        std::span<const mp2_orbitals<T>> along,
                        const mp2_gradient_options& options) {
  const correlated_spins<T> spins(jvp_name, orbitals, options.frozen_core, options.on);
  std::vector<orbital_change<T>> changes;
  for (std::size_t spin = 0; spin < spins.size(); ++spin) {
    constexpr const char* names[] = {"change_of_alpha.", "change_of_beta."};
    changes.emplace_back(spins.is_closed() ? "change." : names[spin], orbitals[spin], along[spin],
                         spins[spin].frozen());
  }
  if (accelerator* const device = spins.place(pair_function::jvp)) {
    const std::vector<device_orbitals> operands = spins.operands();
    std::vector<device_orbitals> of_changes;
    for (const orbital_change<T>& change : changes) of_changes.push_back(change.operand());
    return energies_on(*device,
                       {.function = jvp_name,
                        .orbitals = operands,
                        .changes = of_changes,
                        .precision = options.on.precision},
                       pair_function::jvp);
  }
  mp2_energies sum;
  spins.for_each_pair([&](std::size_t mine, std::size_t others, const ordered_pairs<T>& pairs) {
    const energy_changes change = pair_changes<T>{pairs, changes[mine]}.total(options.on.threads);
    if (mine != others) sum.opposite_spin += change.squares;
    if (spins.is_closed()) sum.opposite_spin = 2 * change.squares;
    if (mine == others) (mine == 0 ? sum.alpha_alpha : sum.beta_beta) = change.differences;
  });
  if (spins.is_closed()) sum.beta_beta = sum.alpha_alpha;
  return sum;
}

}  // namespace

template <class T>
mp2_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& orbitals, const mp2_energies& gradient,
                            const mp2_gradient_options& options) {
  return std::move(in_range(gradients_of<T>({&orbitals, 1}, gradient, options))[0]);
}

template <class T>
open_shell_gradients<T> df_mp2_vjp(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                                   const mp2_energies& gradient,
                                   const mp2_gradient_options& options) {
  const std::array both{alpha, beta};
  std::vector<mp2_gradients<T>> by = in_range(gradients_of<T>(both, gradient, options));
  return {std::move(by[0]), std::move(by[1])};
}

template <class T>
mp2_energies df_mp2_jvp(const mp2_orbitals<T>& orbitals, const mp2_orbitals<T>& change,
                        const mp2_gradient_options& options) {
  return in_range<T>(changes_of<T>({&orbitals, 1}, {&change, 1}, options));
}

template <class T>
mp2_energies df_mp2_jvp(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                        const mp2_orbitals<T>& change_of_alpha,
                        const mp2_orbitals<T>& change_of_beta,
                        const mp2_gradient_options& options) {
  const std::array both{alpha, beta}, changes{change_of_alpha, change_of_beta};
  return in_range<T>(changes_of<T>(both, changes, options));
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

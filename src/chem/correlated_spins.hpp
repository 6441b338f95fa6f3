#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chem/device_energy.hpp"
#include "chem/ordered_pairs.hpp"
#include "papilio/base/error.hpp"

namespace papilio::chem_detail {

/// Correlated orbitals of a closed shell, or of alpha and beta spins, which have been checked.
template <class T>
class correlated_spins {
 public:
  correlated_spins(const char* function, std::span<const mp2_orbitals<T>> orbitals,
                   std::size_t frozen_core, const execution& on)
      : function_(function), on_(on) {
    if (on.threads < 0)
      throw invalid_argument(
          base_detail::message(function, ": threads must be at least 0, got ", on.threads));
    if (orbitals.size() > 1 && !orbitals[0].b.empty() && !orbitals[1].b.empty() &&
        orbitals[0].b.extent(2) != orbitals[1].b.extent(2))
      throw shape_error(
          base_detail::message(function, ": alpha.b has naux ", orbitals[0].b.extent(2),
                               ", so must beta.b, which has ", orbitals[1].b.extent(2)));
    sets_.reserve(orbitals.size());
    for (const mp2_orbitals<T>& of : orbitals) {
      constexpr const char* names[] = {"alpha.", "beta."};
      sets_.emplace_back(function, orbitals.size() > 1 ? names[sets_.size()] : "", of, frozen_core);
    }
    std::vector<std::size_t> occupied;
    for (const mp2_orbitals<T>& of : orbitals) occupied.push_back(of.b.extent(0));
    require_core(function, occupied, frozen_core);
  }

  std::size_t size() const { return sets_.size(); }
  bool is_closed() const { return size() == 1; }
  const orbital_set<T>& operator[](std::size_t spin) const { return sets_[spin]; }

  /// Returns the energies to compute, of a closed shell or of each combination of spins;
  /// combinations without pairs are left out.
  std::vector<pair_energy_problem> problems(pair_function what) const {
    std::vector<pair_energy_problem> all;
    if (!is_closed())
      all = open_shell_of(sets_[0].b().extents(), sets_[1].b().extents(), 0, real_type_of<T>);
    else if (!sets_[0].is_empty())
      all.push_back(closed_shell_of(sets_[0].b().extents(), 0, real_type_of<T>));
    for (pair_energy_problem& p : all) p.function = what;
    return all;
  }

  /// Returns the accelerator that computes all of them, or null for the host, whose run is
  /// recorded.
  accelerator* place(pair_function what) const {
    accelerator* const device = place_pairs(function_, problems(what), real_type_of<T>, on_);
    if (device == nullptr) dispatch_detail::record_host_run(to_string(what));
    return device;
  }

  std::vector<device_orbitals> operands() const {
    std::vector<device_orbitals> all;
    for (const orbital_set<T>& set : sets_) all.push_back(operand_of(set));
    return all;
  }

  /// Calls body(mine, others) for each spin with itself, then with the other one.
  template <class Body>
  void for_each_pair(const Body& body) const {
    std::vector<spin_rows<T>> rows;
    for (const orbital_set<T>& set : sets_) rows.push_back({set});
    for (std::size_t mine = 0; mine < size(); ++mine)
      for (std::size_t i = 0; i < size(); ++i) {
        const std::size_t others = (mine + i) % size();
        body(mine, others, ordered_pairs<T>{rows[mine], rows[others]});
      }
  }

 private:
  const char* function_;
  const execution& on_;
  std::vector<orbital_set<T>> sets_;
};

}  // namespace papilio::chem_detail

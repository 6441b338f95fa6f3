#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/chem.hpp"

namespace papilio::chem_detail {

/// Throws invalid_argument if `frozen_core` exceeds the occupied orbitals of a closed shell, or of both
/// alpha and beta.
void require_core(const char* function, std::span<const std::size_t> occupied,
                  std::size_t frozen_core);

/// Energies of one spin's orbitals that are correlated, checked; relative to the middle of the gap,
/// so that no difference of them cancels.
class orbital_energies {
 public:
  /// Messages begin with the function; `name` is the argument's prefix in them, "" or "alpha.". B
  /// has the extents [nocc, nvir, naux]. A core of more orbitals than are occupied takes all of
  /// them.
  orbital_energies(const char* function, const char* name, const extents_type<3>& b,
                   std::span<const double> occupied, std::span<const double> virtuals,
                   std::size_t frozen_core);

  /// Minus the energy of occupied orbital i, positive.
  double depth(std::size_t i) const { return depths_[i]; }
  /// Energy of virtual orbital a, positive.
  double height(std::size_t a) const { return heights_[a]; }
  const std::vector<double>& heights() const { return heights_; }
  /// Energies for an accelerator: of the occupied orbitals, behind `frozen` entries that it does
  /// not read, and of the virtual ones.
  array<float, 1> occupied_floats(std::size_t frozen) const;
  array<float, 1> virtual_floats() const;

 private:
  std::vector<double> depths_, heights_;
};

/// The orbitals of one spin that are correlated, checked.
template <class T>
class orbital_set {
 public:
  orbital_set(const char* function, const char* name, const mp2_orbitals<T>& orbitals,
              std::size_t frozen_core);

  const view<const T, 3>& b() const { return b_; }
  std::size_t occupied() const { return b_.extent(0); }
  std::size_t virtuals() const { return b_.extent(1); }
  std::size_t auxiliaries() const { return b_.extent(2); }
  bool is_empty() const { return b_.empty(); }
  /// Occupied orbitals before those that are correlated.
  std::size_t frozen() const { return frozen_; }

  const orbital_energies& energies() const { return energies_; }
  double depth(std::size_t i) const { return energies_.depth(i); }
  double height(std::size_t a) const { return energies_.height(a); }
  /// Energies of the virtual orbitals from a on, in T, with zeros after the last.
  const T* heights(std::size_t a) const { return padded_heights_.data() + a; }

 private:
  std::size_t frozen_;
  orbital_energies energies_;
  view<const T, 3> b_;
  array<T, 1> padded_heights_;
};

}  // namespace papilio::chem_detail

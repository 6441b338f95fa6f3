#pragma once

#include <cstddef>
#include <vector>

#include "papilio/base/array.hpp"
#include "papilio/chem/df_mp2.hpp"

namespace papilio::chem_detail {

/// The orbitals of one spin that are correlated, checked. Energies are relative to the middle of
/// the gap, so that no difference of them cancels.
template <class T>
class orbital_set {
 public:
  /// `name` is of the argument, in messages: "" or "alpha.".
  orbital_set(const char* name, const mp2_orbitals<T>& orbitals, std::size_t frozen_core);

  const view<const T, 3>& b() const { return b_; }
  std::size_t occupied() const { return b_.extent(0); }
  std::size_t virtuals() const { return b_.extent(1); }
  std::size_t auxiliaries() const { return b_.extent(2); }
  bool is_empty() const { return b_.empty(); }

  /// Minus the energy of occupied orbital i, positive.
  double depth(std::size_t i) const { return depths_[i]; }
  /// Of virtual orbital a, positive.
  double height(std::size_t a) const { return heights_[a]; }
  /// The same in T from orbital a on, with zeros after the last.
  const T* heights(std::size_t a) const { return padded_heights_.data() + a; }

 private:
  view<const T, 3> b_;
  std::vector<double> depths_, heights_;
  array<T, 1> padded_heights_;
};

}  // namespace papilio::chem_detail

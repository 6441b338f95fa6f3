#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "papilio/chem.hpp"

// Made orbitals and their energies by the definition, shared by the tests of chem.
namespace papilio::test {

/// Orbitals of one spin: normally distributed integrals, energies in order with a gap between.
template <class T>
struct made_orbitals {
  array<T, 3> b;
  std::vector<double> occupied, virtuals;

  made_orbitals(const extents_type<3>& extents, unsigned seed, double scale = 1);
  mp2_orbitals<T> orbitals() const { return {b, occupied, virtuals}; }
};

/// In long double, by four loops over all i, j, a and b; and what the rounding of one operation in
/// T can change of it, which is to be multiplied by how many there are.
struct exact_energies {
  long double opposite = 0, alpha = 0, beta = 0, magnitude = 0;
};
template <class T>
exact_energies exact_closed(const mp2_orbitals<T>& orbitals, std::size_t frozen = 0);
template <class T>
exact_energies exact_open(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                          std::size_t frozen = 0);

/// A sum of naux products has an error of about sqrt(naux) roundings of its size, since they are
/// of either sign; the squares, the exchange, the gap and the quotient some more. Energies are sums
/// of such terms, 4 times which is allowed.
template <class T>
long double energy_tolerance(const exact_energies& found, std::size_t naux);

template <class T>
void expect_energies(const mp2_energies& got, const exact_energies& found, std::size_t naux);

}  // namespace papilio::test

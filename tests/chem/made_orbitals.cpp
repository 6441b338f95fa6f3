#include "chem/made_orbitals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "support/oracle.hpp"

namespace papilio::test {
namespace {

std::vector<double> energies_between(std::size_t count, double low, double high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> energies(count);
  for (double& e : energies) e = uniform(generator);
  std::ranges::sort(energies);
  return energies;
}

// (ia|jb) of two spins, [i, a, j, b].
template <class T>
class integrals {
 public:
  integrals(const mp2_orbitals<T>& left, const mp2_orbitals<T>& right)
      : extents_{left.b.extent(0), left.b.extent(1), right.b.extent(0), right.b.extent(1)} {
    for (std::size_t i = 0; i < extents_[0]; ++i)
      for (std::size_t a = 0; a < extents_[1]; ++a)
        for (std::size_t j = 0; j < extents_[2]; ++j)
          for (std::size_t b = 0; b < extents_[3]; ++b) {
            long double sum = 0;
            for (std::size_t q = 0; q < left.b.extent(2); ++q)
              sum += static_cast<long double>(left.b(i, a, q)) * right.b(j, b, q);
            values_.push_back(sum);
          }
  }
  long double operator()(std::size_t i, std::size_t a, std::size_t j, std::size_t b) const {
    return values_[((i * extents_[1] + a) * extents_[2] + j) * extents_[3] + b];
  }

 private:
  std::size_t extents_[4];
  std::vector<long double> values_;
};

// term((ia|jb), (ib|ja) if there is one, gap) over all i, j, a, b beyond the core.
template <class T, class Term>
void for_all(const mp2_orbitals<T>& left, const mp2_orbitals<T>& right, std::size_t frozen,
             bool has_exchange, const Term& term) {
  const integrals<T> values(left, right);
  for (std::size_t i = frozen; i < left.b.extent(0); ++i)
    for (std::size_t j = frozen; j < right.b.extent(0); ++j)
      for (std::size_t a = 0; a < left.b.extent(1); ++a)
        for (std::size_t b = 0; b < right.b.extent(1); ++b) {
          const long double gap = static_cast<long double>(left.eps_occupied[i]) +
                                  right.eps_occupied[j] - left.eps_virtual[a] -
                                  right.eps_virtual[b];
          term(values(i, a, j, b), has_exchange ? values(i, b, j, a) : 0, gap);
        }
}

template <class T>
long double same_spin(const mp2_orbitals<T>& o, std::size_t frozen, long double& magnitude) {
  long double energy = 0;
  for_all(o, o, frozen, true, [&](long double x, long double y, long double gap) {
    energy += x * (x - y) / gap / 2;
    magnitude += (x * x + std::abs(x * y)) / std::abs(gap) / 2;
  });
  return energy;
}

template <class T>
long double opposite_spin(const mp2_orbitals<T>& left, const mp2_orbitals<T>& right,
                          std::size_t frozen, long double& magnitude) {
  long double energy = 0;
  for_all(left, right, frozen, false, [&](long double x, long double, long double gap) {
    energy += x * x / gap;
    magnitude += x * x / std::abs(gap);
  });
  return energy;
}

}  // namespace

template <class T>
made_orbitals<T>::made_orbitals(const extents_type<3>& extents, unsigned seed, double scale)
    : b(extents),
      occupied(energies_between(extents[0], -20, -0.4, seed + 1)),
      virtuals(energies_between(extents[1], 0.1, 4, seed + 2)) {
  const std::vector<T> values = random_real<T>(b.size(), seed);
  std::ranges::transform(values, b.data(), [&](T x) { return x * static_cast<T>(scale); });
}

template <class T>
exact_energies exact_closed(const mp2_orbitals<T>& o, std::size_t frozen) {
  exact_energies found;
  found.opposite = opposite_spin(o, o, frozen, found.magnitude);
  found.alpha = found.beta = same_spin(o, frozen, found.magnitude);
  return found;
}

template <class T>
exact_energies exact_open(const mp2_orbitals<T>& alpha, const mp2_orbitals<T>& beta,
                          std::size_t frozen) {
  exact_energies found;
  found.opposite = opposite_spin(alpha, beta, frozen, found.magnitude);
  found.alpha = same_spin(alpha, frozen, found.magnitude);
  found.beta = same_spin(beta, frozen, found.magnitude);
  return found;
}

template <class T>
long double energy_tolerance(const exact_energies& found, std::size_t naux) {
  const long double unit = std::numeric_limits<T>::epsilon() / 2;
  return 4 * unit * std::sqrt(static_cast<long double>(naux) + 4) * found.magnitude;
}

template <class T>
void expect_energies(const mp2_energies& got, const exact_energies& found, std::size_t naux) {
  const long double bound = energy_tolerance<T>(found, naux);
  EXPECT_LE(std::abs(got.opposite_spin - found.opposite), bound) << got.opposite_spin;
  EXPECT_LE(std::abs(got.alpha_alpha - found.alpha), bound) << got.alpha_alpha;
  EXPECT_LE(std::abs(got.beta_beta - found.beta), bound) << got.beta_beta;
}

#define PAPILIO_INSTANTIATE(T)                                                                     \
  template struct made_orbitals<T>;                                                                \
  template exact_energies exact_closed(const mp2_orbitals<T>&, std::size_t);                       \
  template exact_energies exact_open(const mp2_orbitals<T>&, const mp2_orbitals<T>&, std::size_t); \
  template long double energy_tolerance<T>(const exact_energies&, std::size_t);                    \
  template void expect_energies<T>(const mp2_energies&, const exact_energies&, std::size_t)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::test

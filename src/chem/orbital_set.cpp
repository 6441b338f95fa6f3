#include "chem/orbital_set.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "chem/energy_pass.hpp"
#include "chem/finite.hpp"
#include "papilio/base/error.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;

void check_energies(const char* function, const char* spin, const char* name,
                    std::span<const double> energies, std::size_t wanted,
                    const extents_type<3>& extents) {
  if (energies.size() != wanted)
    throw shape_error(message(function, ": ", spin, "b is ", extents[0], " x ", extents[1], " x ",
                              extents[2], ", so ", spin, name, " must have ", wanted,
                              " energies, got ", energies.size()));
  for (std::size_t i = 0; i < energies.size(); ++i)
    if (!std::isfinite(energies[i]))
      throw invalid_argument(
          message(function, ": ", spin, name, "[", i, "] must be finite, is ", energies[i]));
}

void check_core(const char* function, const char* spin, std::span<const double> energies,
                std::size_t frozen) {
  if (frozen == 0 || frozen == energies.size()) return;
  const auto highest = std::ranges::max_element(energies.first(frozen));
  const auto lowest = std::ranges::min_element(energies.subspan(frozen));
  if (*lowest < *highest)
    throw invalid_argument(message(function, ": frozen_core = ", frozen, " leaves ", spin,
                                   "eps_occupied[", lowest - energies.begin(), "] = ", *lowest,
                                   " below the frozen ", *highest,
                                   "; the lowest orbitals must come first"));
}

// The middle of the gap.
double checked_middle(const char* function, const char* spin, std::span<const double> occupied,
                      std::span<const double> virtuals) {
  const double highest = std::ranges::max(occupied), lowest = std::ranges::min(virtuals);
  if (!(highest < lowest))
    throw invalid_argument(message(function, ": the gap must be positive, but the lowest of ", spin,
                                   "eps_virtual is ", lowest, " and the highest of ", spin,
                                   "eps_occupied ", highest));
  return highest + (lowest - highest) / 2;
}

}  // namespace

void require_core(const char* function, std::span<const std::size_t> occupied,
                  std::size_t frozen_core) {
  const auto most = std::ranges::max_element(occupied);
  if (frozen_core <= *most) return;
  const char* const spin = occupied.size() == 1       ? ""
                           : most == occupied.begin() ? "alpha."
                                                      : "beta.";
  throw invalid_argument(message(function, ": frozen_core must be at most the ", *most,
                                 " occupied orbitals of ", spin, "b, got ", frozen_core));
}

orbital_energies::orbital_energies(const char* function, const char* name, const extents_type<3>& b,
                                   std::span<const double> occupied,
                                   std::span<const double> virtuals, std::size_t frozen_core) {
  check_energies(function, name, "eps_occupied", occupied, b[0], b);
  check_energies(function, name, "eps_virtual", virtuals, b[1], b);
  const std::size_t frozen = std::min(frozen_core, b[0]);
  check_core(function, name, occupied, frozen);
  if (frozen == b[0] || b[1] == 0 || b[2] == 0) return;
  const auto correlated = occupied.subspan(frozen);
  const double middle = checked_middle(function, name, correlated, virtuals);
  for (const double e : correlated) depths_.push_back(middle - e);
  for (const double e : virtuals) heights_.push_back(e - middle);
}

array<float, 1> orbital_energies::occupied_floats(std::size_t frozen) const {
  array<float, 1> all({frozen + depths_.size()});
  if (!depths_.empty()) std::fill_n(all.data(), frozen, static_cast<float>(-depths_.front()));
  std::ranges::transform(depths_, all.data() + frozen,
                         [](double depth) { return static_cast<float>(-depth); });
  return all;
}

array<float, 1> orbital_energies::virtual_floats() const {
  array<float, 1> all({heights_.size()});
  std::ranges::transform(heights_, all.data(), [](double h) { return static_cast<float>(h); });
  return all;
}

template <class T>
orbital_set<T>::orbital_set(const char* function, const char* name, const mp2_orbitals<T>& orbitals,
                            std::size_t frozen_core)
    : frozen_(std::min(frozen_core, orbitals.b.extent(0))),
      energies_(function, name, orbitals.b.extents(), orbitals.eps_occupied, orbitals.eps_virtual,
                frozen_),
      b_(orbitals.b.slice(0, frozen_, orbitals.b.extent(0) - frozen_)) {
  if (is_empty()) return;
  if (const auto place = first_not_finite(b_))
    throw invalid_argument(message(function, ": ", name, "b[", (*place)[0] + frozen_, ", ",
                                   (*place)[1], ", ", (*place)[2], "] must be finite, is ",
                                   b_((*place)[0], (*place)[1], (*place)[2])));
  const std::vector<double>& heights = energies_.heights();
  padded_heights_ = array<T, 1>(heights.size() + row_padding);
  std::ranges::transform(heights, padded_heights_.data(),
                         [](double e) { return static_cast<T>(e); });
}

template class orbital_set<float>;
template class orbital_set<double>;

}  // namespace papilio::chem_detail

#pragma once

#include <cstddef>

namespace papilio::chem_detail {

/// Elements to a multiple of which rows of integrals are padded: quotients are computed in vectors,
/// which may read beyond the last column.
inline constexpr std::size_t row_padding = 16;

/// Integrals of one pair of occupied orbitals: x(a, b) = (ia|jb) of some a and b, and y(b, a) =
/// (ia|jb) with i and j exchanged, which is (ib|ja) at the place of a and b exchanged.
template <class T>
struct pair_tile {
  const T* x = nullptr;  ///< [rows, columns]
  std::ptrdiff_t x_pitch = 0;
  const T* y = nullptr;  ///< [columns, rows]
  std::ptrdiff_t y_pitch = 0;
  std::size_t rows = 0, columns = 0;
  const T* row_gap = nullptr;     ///< eps_a - eps_i - eps_j + c, positive
  const T* column_gap = nullptr;  ///< eps_b - c, not negative; padded with zeros
  /// Rows and columns are the same orbitals and x is y: each a, b and b, a is taken once.
  bool is_diagonal = false;
};

struct pair_sums {
  double squares = 0;      ///< sum of x^2 / D and y^2 / D
  double differences = 0;  ///< sum of (x - y)^2 / D
};

/// Functions that sum over a tile. Over a diagonal tile they sum where a > b, and add half of the
/// terms with a = b.
template <class T>
struct energy_pass {
  pair_sums (*both_spins)(const pair_tile<T>&);
  double (*squares)(const pair_tile<T>&);  ///< sum of x^2 / D over all a, b; y is not read
  bool (*all_finite)(const T*, std::size_t);
};

/// Returns the functions for the best instruction set of this processor.
template <class T>
const energy_pass<T>& find_energy_pass();
template <>
const energy_pass<float>& find_energy_pass<float>();
template <>
const energy_pass<double>& find_energy_pass<double>();

}  // namespace papilio::chem_detail

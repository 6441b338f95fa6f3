#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "base/roots_of_unity.hpp"
#include "papilio/base/tensor.hpp"
#include "papilio/fft/distribution.hpp"
#include "papilio/fft/options.hpp"

// One axis of n = n1 n2 points among ranks (four-step): with W = exp(-2 pi i / n),
//   X[k1 + n1 k2] = sum over j2 of W^(n1 j2 k2) W^(j2 k1) sum over j1 of W^(n2 j1 k1) x[n2 j1 + j2]
// x is a matrix [n1, n2] at (j1, j2), and so is X at (k1, k2), whose columns are parts of it.
namespace papilio::mpi {

/// Returns {n1, n2}, n1 <= n2 as near to each other as divisors of n are, whatever the ranks.
/// Throws invalid_argument in the name of `function` if some ranks had no row.
std::vector<std::size_t> matrix_of(const char* function, std::size_t n, int ranks);

/// Returns the matrix cut by rows, and by columns.
distribution rows_of(const std::vector<std::size_t>& matrix, int ranks);
distribution columns_of(const std::vector<std::size_t>& matrix, int ranks);

/// Designs the way from x, cut by rows, to X or back. X is cut by columns, which are parts of the
/// vector, in natural order, and by rows in transposed order.
fft_design design_one_axis(const std::vector<std::size_t>& matrix, int ranks, order output,
                           direction dir);

/// Multiplies by W^(j2 k1) between the transforms of columns and of rows. Memory: O(sqrt n).
template <class T>
class matrix_twiddles {
 public:
  matrix_twiddles(std::size_t n, direction dir);

  /// Returns the axis whose transform the factors follow.
  std::size_t after() const { return dir_ == direction::forward ? 0 : 1; }
  /// Multiplies a part of the matrix, from this row and column on; axis after() is whole.
  void multiply(const base_detail::strided<std::complex<T>>& part, std::size_t first_row,
                std::size_t first_column) const;

 private:
  std::complex<T> factor(std::size_t k) const;

  direction dir_;
  base_detail::roots_of_unity<T> root_;
};

}  // namespace papilio::mpi

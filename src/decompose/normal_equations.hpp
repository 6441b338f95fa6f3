#pragma once

#include <cstddef>

#include "papilio/base/array.hpp"

namespace papilio::decompose_detail {

/// Solves V S = M for S in place of M: V [rank, rank] symmetric and positive semidefinite, M
/// [rank, columns]. By Cholesky where V, with its diagonal scaled to ones, is well enough
/// conditioned for `cutoff`; else the least norm solution over the eigenvalues above `cutoff` times
/// the largest.
class normal_equations {
 public:
  normal_equations(std::size_t rank, double cutoff);

  void solve(const double* v, double* m, std::size_t columns);

 private:
  void scale(const double* v);
  bool factorize();
  void substitute(double* m, std::size_t columns) const;
  void project(double* m, std::size_t columns) const;

  std::size_t rank_;
  double cutoff_;
  array<double, 2> scaled_, factor_;
  array<double, 1> scales_;
};

/// Passes of coordinate descent over the rows of S [rank, columns] for min |F S^T - x|^2 with S >=
/// 0: each row in turn becomes the best one >= 0 for the others. V, M as above; V's diagonal is
/// positive, or the row stays.
void descend_nonnegative(const double* v, const double* m, double* s, std::size_t rank,
                         std::size_t columns);

}  // namespace papilio::decompose_detail

#pragma once

#include <cstdint>

#include "papilio/engine/core.hpp"
#include "papilio/kernels/triangular.hpp"

// Square matrices in HBM of which one triangle is given, completed for products. The other triangle
// passes by in blocks on the diagonal, where it is masked, so that it may hold anything.
namespace papilio::kernels_detail {

/// A's symmetric matrix, whole. a: [n, n].
engine::hbm_view symmetric_matrix(engine::core& nc, const engine::hbm_view& a,
                                  kernels::triangle part);

/// A's triangle, with zeros beside it within blocks of `strip` on the diagonal, made strip by
/// strip. What the other blocks of the other triangle hold is not written.
class triangular_matrix {
 public:
  /// a: [n, n]; `strip` is a multiple of array_side. `unit`: ones on the diagonal. `by_columns`:
  /// strips are of columns.
  triangular_matrix(engine::core& nc, const engine::hbm_view& a, kernels::triangle part, bool unit,
                    bool by_columns, std::int64_t strip);
  /// What it takes of each partition of SBUF, at most.
  static std::int64_t bytes(std::int64_t strip, const engine::machine_spec& machine);

  const engine::hbm_view& whole() const { return whole_; }
  /// The strip from `first` on, a multiple of `strip`. Each once.
  void make(std::int64_t first);

 private:
  static constexpr int depth = 4;

  engine::core& nc_;
  engine::hbm_view a_, whole_;
  kernels::triangle part_;
  bool unit_, by_columns_;
  std::int64_t n_, side_, strip_;
  engine::tile identity_;
  engine::tile_pool blocks_;
};

}  // namespace papilio::kernels_detail

#pragma once

#include <cstdint>
#include <functional>

#include "papilio/engine/core.hpp"
#include "papilio/engine/lowering.hpp"

namespace papilio::kernels_detail {

/// C = A B of views in HBM, A [m, k] or, transposed already, [k, m].
struct hbm_product {
  engine::hbm_view c, a, b;
  bool a_is_transposed = false;

  std::int64_t m() const { return c.extent(0); }
  std::int64_t n() const { return c.extent(1); }
  std::int64_t k() const { return b.extent(0); }
};

/// The tile loop of the published products: for each tile of m and n a sum over the tiles of k,
/// each of which loads its tiles of A (transposed on the way) and of B anew; the sum is copied out
/// of PSUM and stored. The loads of a tile of k are issued before the product of the one before.
class tile_products {
 public:
  explicit tile_products(engine::core& nc);

  /// Products 0 ... count - 1 in this order. `which` is called twice for each.
  void run(std::int64_t count, const std::function<hbm_product(std::int64_t)>& which);

 private:
  struct step;
  struct walk;

  step load(const hbm_product& of, std::int64_t i, std::int64_t j, std::int64_t t);
  void multiply(step& one);
  void finish(const step& one);

  engine::core& nc_;
  std::int64_t tile_rows_, columns_;
  engine::transposing_loader transposed_;
  engine::tile_pool stationary_, moving_, sums_, results_;
  engine::tile_view sum_;
};

}  // namespace papilio::kernels_detail

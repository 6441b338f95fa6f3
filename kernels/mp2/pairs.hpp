#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/mp2/design.hpp"
#include "kernels/mp2/panels.hpp"
#include "kernels/mp2/sums.hpp"
#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// What of one spin is given: B, and energies [nocc] and [nvir].
struct mp2_operands {
  engine::hbm_view b, occupied, virtuals;
};

/// The energies of all pairs of the design, to `out`.
void run_mp2(engine::core& nc, const mp2_design& design, const mp2_operands& of_left,
             const mp2_operands& of_right, const engine::hbm_view& out);

/// T, its transpose and the sums, strip by strip. While a strip is multiplied, the one before is
/// squared, and of the block before one strip's difference to its transpose is made.
class mp2_pairs {
 public:
  mp2_pairs(engine::core& nc, const mp2_design& design, mp2_panels& left, mp2_panels& right,
            const mp2_operands& of_left, const mp2_operands& of_right);

  /// The energies, [1, 1] or [1, 2].
  engine::tile_view run();

 private:
  /// B_i of rows of block `a` times B_j of columns of block `b`, j in [j, j + count).
  struct block {
    std::int64_t i = 0, j = 0, count = 1, a = 0, b = 0;
    engine::tile_view gaps = {};  ///< e_b - e_j by columns
    engine::tile_view bias = {};  ///< e_a - e_i by strips
  };
  struct kept_block {
    block of;
    std::vector<engine::tile_view> strips = {}, partners = {};  ///< T; the transposed block's
    std::size_t next = 0;
    bool is_open() const { return next < strips.size(); }
  };
  struct square {
    engine::tile_view of;
    mp2_sums::kind kind;
  };

  void load_energies(const mp2_operands& left, const mp2_operands& right);
  void begin_orbitals(std::int64_t i, std::int64_t count);
  void begin_group(std::int64_t j, std::int64_t count);
  void item(std::int64_t i, std::int64_t j, std::int64_t count);
  std::vector<engine::tile_view> make(const block& one);
  void multiply(const block& one, std::int64_t strip, std::span<const engine::tile_view> banks);
  void finish(const block& one, std::int64_t strip, const engine::tile_view& bank,
              std::vector<engine::tile_view>& kept);
  void difference(kept_block& from);
  void finish_differences();
  void square_all();

  engine::tile_view gaps_of(std::int64_t j, std::int64_t b);
  engine::tile_view inverse_root(const block& one, std::int64_t strip);
  std::int64_t rows_of(const block& one, std::int64_t strip) const;
  std::int64_t width_of(const block& one) const {
    return one.count * design_.right.block_size(one.b);
  }
  bool is_diagonal(const block& one) const { return design_.symmetric && one.i == one.j; }

  engine::core& nc_;
  const mp2_design& design_;
  mp2_panels &left_, &right_;
  mp2_sums sums_;
  engine::tile energies_a_, energies_b_, energies_i_, energies_j_;
  engine::tile_pool strips_, roots_, products_, differences_, squares_, gaps_, biases_, banks_,
      transposes_;
  std::optional<engine::tile_pool> panels_i_, panels_j_, tiles_i_, tiles_j_;
  std::vector<mp2_panels::panel> of_i_;
  mp2_panels::panel of_j_;
  engine::tile_view bias_, group_gaps_;
  std::int64_t first_i_ = 0, first_j_ = 0;
  kept_block before_;
  std::vector<square> pending_;
};

}  // namespace papilio::kernels_detail

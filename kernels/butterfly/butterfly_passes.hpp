#pragma once

#include <optional>

#include "kernels/butterfly/butterfly_arithmetic.hpp"
#include "kernels/butterfly/butterfly_plan.hpp"

namespace papilio::kernels_detail {

/// Rows of intermediates out of one tile, taken and given back in order.
class butterfly_arena {
 public:
  void begin(const engine::tile_view& whole) { whole_ = whole, used_ = 0; }
  engine::tile_view take(std::int64_t count) {
    used_ += count;
    return whole_.columns(used_ - count, count);
  }
  std::int64_t mark() const { return used_; }
  void release(std::int64_t mark) { used_ = mark; }

 private:
  engine::tile_view whole_ = {};
  std::int64_t used_ = 0;
};

/// The passes of a plan, on data in SBUF as [plane][item][point].
class butterfly_passes {
 public:
  /// `table`: the twiddle factors in HBM; loaded here if they are to stay.
  butterfly_passes(engine::core& nc, const butterfly_plan& plan, const engine::hbm_view& table);

  /// Transforms `items` of each partition of `in`; the result is in the one that is returned.
  engine::tile_view run(const engine::tile_view& in, const engine::tile_view& other,
                        std::int64_t items);
  void load_table();

 private:
  void run_chunk(const butterfly_chunk& chunk);
  void begin_chunk();
  engine::tile_view row();
  engine::tile_view parked_row();
  butterfly_value value();
  butterfly_value parked_value();
  butterfly_value input(std::int64_t j) const;
  butterfly_value parked_input(std::int64_t j);
  butterfly_value output(std::int64_t k, std::int64_t count) const;
  butterfly_value branch(std::int64_t k) const;
  butterfly_value mixed(std::int64_t re_of, std::int64_t im_of) const;
  void two();
  void four();
  void odd();
  void quarter_turn(std::int64_t k1, std::int64_t k2, const butterfly_value& a,
                    const butterfly_value& b);
  void twiddles();
  engine::tile_view factors_here();
  butterfly_factor factor(const engine::tile_view& table, std::int64_t column, int part,
                          std::int64_t k, std::int64_t count) const;

  engine::core& nc_;
  const butterfly_plan& plan_;
  engine::hbm_view table_;
  butterfly_arithmetic arithmetic_;
  engine::tile resident_, work_, parked_, low_[2];
  std::optional<engine::tile_pool> passing_;
  butterfly_arena here_, there_;

  // Of the pass and the chunk under way.
  const butterfly_stage* stage_ = nullptr;
  butterfly_chunk chunk_ = {};
  std::int64_t items_ = 0;
  butterfly_value x_ = {}, y_ = {}, others_ = {};
};

/// out = scale times the transform of `in`, both [2, batch, n] in HBM. `table`: the plan's twiddle
/// factors, as fill_butterfly_table writes them; of no use where table_size is 0.
void run_butterfly(engine::core& nc, const butterfly_plan& plan, float scale,
                   const engine::hbm_view& in, const engine::hbm_view& out,
                   const engine::hbm_view& table);

}  // namespace papilio::kernels_detail

#pragma once

#include <cstdint>

#include "papilio/engine/core.hpp"

namespace papilio::kernels_detail {

/// The index of the first of n numbers, none below 0, that is largest, int32; NaN counts as the
/// largest. They come in blocks of runs of `width` numbers, one on each partition and at last what
/// is left; beyond what fp32 holds width is a power of two.
class largest_index {
 public:
  largest_index(engine::core& nc, std::int64_t n, std::int64_t width, std::int64_t blocks);

  void add(const engine::tile_view& block);
  void store(const engine::hbm_view& out);

 private:
  void pick(const engine::tile_view& keys, const engine::tile_view& key,
            const engine::tile_view& values, const engine::tile_view& out);
  engine::tile as_row(const engine::tile_view& column);
  void combine(const engine::tile& number, const engine::tile& place, const engine::tile& index);

  engine::core& nc_;
  std::int64_t n_, width_, blocks_, partitions_, added_ = 0;
  // A column for each block, and room for seven more: max8 writes eight.
  engine::tile largest_, places_;
};

}  // namespace papilio::kernels_detail

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/storage.hpp"

namespace papilio::engine_detail {

/// Where the tensor engine is summing: in a bank of PSUM a partition has one accumulation group
/// (A1: up to 8 are open, one a bank). What begins another ends it.
class psum_groups {
 public:
  /// A product, or a transpose, to `bytes` of the view, which are in one bank. False if it adds to
  /// what is of a group that another has ended; sums that no product has begun may be added to.
  bool take(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes,
            bool accumulates);

 private:
  struct group {
    const tile_storage* storage;
    std::uint32_t generation;
    region bytes;
  };
  static constexpr std::size_t banks_max = 32;
  std::array<std::vector<group>, banks_max> banks_;
};

}  // namespace papilio::engine_detail

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/storage.hpp"

namespace papilio::engine_detail {

/// Where the tensor engine is summing: in a bank of PSUM a partition has one accumulation group
/// (A1: up to 8 are open, one a bank). What begins another ends it, and so does another engine that
/// writes there.
class psum_groups {
 public:
  /// Whether a product may add to what is there: it is within a group, there is none, or it is of a
  /// group that another has ended.
  enum class onto : std::uint8_t { group, nothing, ended };

  /// A product, or a transpose, that writes `bytes` of the view, which are in one bank.
  void begin(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes);
  /// A product that adds to `bytes` of the view, likewise.
  onto add_to(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes);
  /// Another engine writes `bytes` of the view.
  void overwrite(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes);

 private:
  struct group {
    const tile_storage* storage;
    std::uint32_t generation;
    region bytes;
    std::vector<region> overwritten = {};  // by other engines since it began
  };
  /// The groups of a bank whose tiles are still given out.
  std::vector<group>& live(std::size_t bank);

  static constexpr std::size_t banks_max = 32;
  std::array<std::vector<group>, banks_max> banks_;
};

}  // namespace papilio::engine_detail

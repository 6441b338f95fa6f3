#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/storage.hpp"

namespace papilio::engine_detail {

/// The accumulation groups of the tensor engine. In a bank of PSUM a partition has at most one open
/// group (A1: up to 8 are open, one a bank). A product that begins another group there ends it, and
/// so does another engine that writes to its bytes.
class psum_groups {
 public:
  /// Tells what a product would add to: an open group, no group, or a place whose group has ended
  /// because another has begun.
  enum class onto : std::uint8_t { group, nothing, ended };

  /// Begins a group by a product or a transpose that writes `bytes` of the view, all in one bank.
  void begin(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes);
  /// Returns what a product that adds to `bytes` of the view finds there; all are in one bank.
  onto add_to(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes);
  /// Notes that another engine writes `bytes` of the view.
  void overwrite(const engine::tile_view& out, const region& bytes, std::int64_t bank_bytes);

 private:
  struct group {
    const tile_storage* storage;
    std::uint32_t generation;
    region bytes;
    std::vector<region> overwritten = {};  // bytes that other engines wrote since it began
  };
  /// Drops the groups of a bank whose tiles were freed, and returns the others.
  std::vector<group>& live(std::size_t bank);

  static constexpr std::size_t banks_max = 32;
  std::array<std::vector<group>, banks_max> banks_;
};

}  // namespace papilio::engine_detail

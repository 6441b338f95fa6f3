#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "papilio/engine/isa/synchronization.hpp"

namespace papilio::engine_detail {

/// The registers of all sequencers of a core. A dry run notes which are written, but no values.
class register_file {
 public:
  explicit register_file(int each) : each_(each) {}

  static bool exist_on(engine::unit on) {
    return on != engine::unit::dma && on != engine::unit::collective;
  }
  /// Returns the index of a new register; -1 if all registers of the engine are taken.
  int make(engine::unit on) {
    std::vector<entry>& own = of(on);
    if (int(own.size()) >= each_) return -1;
    own.emplace_back();
    return int(own.size()) - 1;
  }
  bool exists(const engine::engine_register& r) const {
    return r.index >= 0 && r.index < int(of(r.on).size());
  }
  bool written(const engine::engine_register& r) const { return at(r).written; }
  void mark_written(const engine::engine_register& r) {
    of(r.on)[std::size_t(r.index)].written = true;
  }
  std::int32_t value(const engine::engine_register& r) const { return at(r).value; }
  void set(const engine::engine_register& r, std::int32_t value) {
    of(r.on)[std::size_t(r.index)].value = value;
  }

 private:
  struct entry {
    std::int32_t value = 0;
    bool written = false;
  };
  std::vector<entry>& of(engine::unit on) { return entries_[std::size_t(on)]; }
  const std::vector<entry>& of(engine::unit on) const { return entries_[std::size_t(on)]; }
  const entry& at(const engine::engine_register& r) const { return of(r.on)[std::size_t(r.index)]; }

  int each_;
  std::array<std::vector<entry>, engine::unit_count> entries_;
};

}  // namespace papilio::engine_detail

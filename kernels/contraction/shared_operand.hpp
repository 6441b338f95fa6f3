#pragma once

#include <cstdint>
#include <vector>

#include "papilio/engine/device_group.hpp"

namespace papilio::kernels_detail {

/// Operand of a contraction, [count], or [2, count] of complex numbers, that every core of a group
/// reads whole. Where that is faster than a copy to each core, the host copies each core one piece
/// of a plane, and the cores exchange them (all_gather).
class shared_operand {
 public:
  shared_operand() = default;  ///< is not gathered
  shared_operand(engine::device_group& group, const engine::tensor_shape& operand, bool is_complex);

  bool is_gathered() const { return !pieces_.empty(); }
  /// Brings an array of the host, or a shape in a dry run, to all cores.
  void distribute(engine::device_group& group, const engine::launch_input& operand,
                  engine::run_mode mode) const;
  /// A core's buffer, which whole() takes: pieces next to each other, each plane's last one padded.
  const engine::device_buffer& of_core(std::size_t core) const { return gathered_[core]; }
  engine::hbm_view whole(const engine::hbm_view& gathered) const;

 private:
  std::int64_t planes_ = 1, count_ = 0, pieces_of_plane_ = 0, piece_ = 0;
  std::vector<engine::device_buffer> pieces_, gathered_;  // of each core
};

}  // namespace papilio::kernels_detail

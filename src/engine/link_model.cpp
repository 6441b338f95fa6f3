#include <algorithm>

#include "papilio/base/error.hpp"
#include "papilio/engine/device_group.hpp"

namespace papilio::engine {

link_model::link_model(const machine_spec& machine, int cores) : machine_(&machine), cores_(cores) {
  if (cores < 1)
    throw invalid_argument(
        base_detail::message("link_model: cores must be at least 1, got ", cores));
}

double link_model::message_ns(int from, int to, std::int64_t bytes) const {
  for (const int core : {from, to})
    if (core < 0 || core >= cores_)
      throw invalid_argument(base_detail::message("link_model::message_ns: core must be in [0, ",
                                                  cores_, "), got ", core));
  if (bytes < 0)
    throw invalid_argument(
        base_detail::message("link_model::message_ns: bytes must be at least 0, got ", bytes));
  if (from == to) return 0;
  const link_spec& link = machine_->link;
  const int per_chip = machine_->cores_per_chip, per_node = link.chips_per_node;
  const int chip_from = from / per_chip, chip_to = to / per_chip;
  const auto size = double(bytes);
  if (chip_from == chip_to) return link.core_hop_ns + size / link.core_bytes_per_ns;
  const int node = chip_from / per_node;
  if (node != chip_to / per_node) return link.node_hop_ns + size / link.node_bytes_per_ns;
  const int chips = std::min((cores_ - 1) / per_chip + 1 - node * per_node, per_node);
  const int distance = std::abs(chip_from - chip_to);
  const int hops = link.switched ? 1 : std::min(distance, chips - distance);
  return hops * link.chip_hop_ns + size / link.chip_bytes_per_ns;
}

double link_model::shift_ns(int distance, std::int64_t bytes) const {
  double slowest = 0;
  for (int from = 0; from < cores_; ++from) {
    const auto to = int(((std::int64_t(from) + distance) % cores_ + cores_) % cores_);
    slowest = std::max(slowest, message_ns(from, to, bytes));
  }
  return slowest;
}

}  // namespace papilio::engine

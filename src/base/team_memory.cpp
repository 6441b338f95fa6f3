#include "base/team_memory.hpp"

namespace papilio::base_detail {
namespace {

constexpr std::size_t most_kept_bytes = std::size_t{4} << 20;

struct kept_memory {
  array<std::byte, 1> block;
  bool in_use = false;
};
thread_local kept_memory kept;

}  // namespace

call_memory::call_memory(std::size_t bytes) {
  if (bytes == 0) return;
  if (kept.in_use || bytes > most_kept_bytes) {
    own_ = array<std::byte, 1>(bytes, uninitialized);
    data_ = own_.data();
    return;
  }
  if (kept.block.size() < bytes) kept.block = array<std::byte, 1>(bytes, uninitialized);
  kept.in_use = true;
  data_ = kept.block.data();
}

call_memory::~call_memory() {
  if (data_ != nullptr && own_.size() == 0) kept.in_use = false;
}

}  // namespace papilio::base_detail

#include "engine/program_cache.hpp"

namespace papilio::engine_detail {

void program_cache::use(const std::string& key) {
  if (const auto found = places_.find(key); found != places_.end()) {
    keys_.splice(keys_.begin(), keys_, found->second);
    return;
  }
  keys_.push_front(key);
  places_.emplace(key, keys_.begin());
  if (places_.size() <= programs_max_) return;
  places_.erase(keys_.back());
  keys_.pop_back();
}

}  // namespace papilio::engine_detail

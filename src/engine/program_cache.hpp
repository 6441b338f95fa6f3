#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>

namespace papilio::engine_detail {

/// The programs that a device holds, by what they were made from; the one used longest ago goes
/// when there are too many.
class program_cache {
 public:
  explicit program_cache(std::size_t programs_max) : programs_max_(programs_max) {}

  bool holds(const std::string& key) const { return places_.contains(key); }
  /// Makes it the latest.
  void use(const std::string& key);

 private:
  std::size_t programs_max_;
  std::list<std::string> keys_;  // the latest first
  std::unordered_map<std::string, std::list<std::string>::iterator> places_;
};

}  // namespace papilio::engine_detail

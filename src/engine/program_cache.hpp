#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/lru_cache.hpp"

namespace papilio::engine_detail {

/// The programs that a device holds, by a key of everything they were made from. The program used
/// longest ago is dropped when there are too many.
class program_cache {
 public:
  explicit program_cache(std::size_t programs_max) : programs_({programs_max, programs_max}) {}

  bool holds(const std::string& key) const { return programs_.holds(key); }
  /// Marks a program as the one used last, and adds it if it is new.
  void use(const std::string& key) {
    if (!programs_.find(key)) programs_.keep(key, std::make_shared<const loaded>(), 1);
  }

 private:
  struct loaded {};
  base_detail::lru_cache<std::string, std::string, loaded, std::hash<std::string>,
                         std::equal_to<std::string>>
      programs_;
};

}  // namespace papilio::engine_detail

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/lru_cache.hpp"
#include "engine/loops.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// How a program is issued.
struct issue_plan {
  std::int64_t items_at_once = 0;  // of its kernels' loops; 0: all
  looped_program loops = {};       // none: unrolled
  engine::program_form form = {};
};

template <class Value>
using value_cache = base_detail::lru_cache<std::string, std::string, Value, std::hash<std::string>,
                                           std::equal_to<std::string>>;

/// Those found by dry runs, by the programs and what they read and write.
using issue_plans = value_cache<issue_plan>;
inline constexpr std::size_t issue_plan_bytes_max = std::size_t{64} << 20;

/// The programs that a device holds, by what they were made from; the one used longest ago goes
/// when there are too many.
class program_cache {
 public:
  explicit program_cache(std::size_t programs_max) : programs_({programs_max, programs_max}) {}

  bool holds(const std::string& key) const { return programs_.holds(key); }
  /// Makes it the latest.
  void use(const std::string& key) {
    if (!programs_.find(key)) programs_.keep(key, std::make_shared<const loaded>(), 1);
  }

 private:
  struct loaded {};
  value_cache<loaded> programs_;
};

}  // namespace papilio::engine_detail

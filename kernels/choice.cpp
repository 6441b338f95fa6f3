#include "kernels/choice.hpp"

#include <fmt/format.h>

namespace papilio::kernels_detail {

price price_of(const engine::profile& dry_run, double scale) {
  return {dry_run.value("total_time") * scale,
          fmt::format("bound by {}, active {:.1f} %", to_string(dry_run.verdict.bound_by),
                      dry_run.verdict.active_fraction * 100)};
}

std::string time_text(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }

}  // namespace papilio::kernels_detail

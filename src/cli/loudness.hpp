#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/report.hpp"
#include "papilio/signal/loudness.hpp"

namespace papilio::cli {

/// Flags of verbs that measure loudness where it is asked for.
struct loudness_flags {
  bool is_wanted = false;
  std::string weights;

  /// --loudness and --channel-weights.
  void add_to(command& verb);
  /// usage_error where weights are given and no loudness is wanted.
  void require_use() const;
  /// Weights of so many channels, checked. Throws bad_file, which names the flag.
  loudness_options options(const std::string& file, int channels) const;
};

/// Whether sounds of the rate have a loudness; what is said of those that have none.
bool has_loudness_rate(int rate_hz);
[[noreturn]] void refuse_loudness_rate(const std::string& file, int rate_hz);

/// Lines and fields of a loudness: "integrated_lufs" and its neighbours, null where there is none.
void add_loudness(report& to, const loudness_summary& of);

/// "-23.0 LUFS, range 5.2 LU, true peak -1.0 dBTP", as far as there are such.
std::string loudness_text(const loudness_summary& of);

}  // namespace papilio::cli

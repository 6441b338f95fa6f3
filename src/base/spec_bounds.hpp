#pragma once

#include <string>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// Bounds of a number's field: its value must be above `least` (`open`) or from it, to `most`.
struct bounds {
  double least = 0;
  double most = 0;
  bool open = false;

  /// False for NaN.
  constexpr bool hold(double value) const {
    return (open ? value > least : value >= least) && value <= most;
  }
};

namespace limits {

// The ends are far beyond any machine and keep products and quotients of a few fields finite, and
// products of two whole ones within std::int64_t.
inline constexpr bounds count{1, 65536};
inline constexpr bounds count_or_none{0, 65536};
inline constexpr bounds partition_count{1, 128};
// With fewer points, lengths of small factors would have no stages; more do not fit the largest
// array, which has 128 rows.
inline constexpr bounds stage_points{32, 128};
inline constexpr bounds sweep_points{64, 4096};
inline constexpr bounds mask_bits{1, 32};  // banks and queues, of which masks are kept
inline constexpr bounds byte_count{1, 1125899906842624.0};  // 2^50
inline constexpr bounds rate{1e-6, 1e18};                   // Hz, bytes or operations a time
inline constexpr bounds rate_or_none{0, 1e18};
inline constexpr bounds duration{0, 1e12};   // cycles, ns, us or seconds
inline constexpr bounds cost{0, 1e6, true};  // a unit of work
inline constexpr bounds factor{1, 1e6};
inline constexpr bounds share{0, 1};
inline constexpr bounds magnitude{0, 1e38, true};

}  // namespace limits

/// "must be a number > 0 and <= 1e+06"; `whole`: "must be a whole number from 1 to 128".
PAPILIO_INTERNAL std::string expectation(const bounds& where, bool whole);

/// The name of a machine or runtime: 1 to 64 printable ASCII characters.
PAPILIO_INTERNAL bool is_name(const std::string& text);
inline constexpr const char* name_expectation = "must be 1 to 64 printable ASCII characters";

}  // namespace papilio::base_detail

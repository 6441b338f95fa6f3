#pragma once

#include <fmt/format.h>

#include <string>

#include "dispatch/figure_text.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/kernels/catalog.hpp"

namespace papilio::cli {

/// Synchronous and asynchronous calls that follow one another, as lines; no text where the runtime
/// has no asynchronous ones.
inline std::string repeated_calls_text(const comparison& c, const accelerator* on) {
  const auto has = [&](bool device_arrays) {
    return kernels::asynchronous_seconds(c.device, device_arrays, on).has_value();
  };
  if (!c.device_can() || !(has(false) || has(true))) return "";
  std::string text = fmt::format("  {:<30}{:>12}{:>14}\n", "device, a call after another",
                                 "synchronous", "asynchronous");
  for (const bool device_arrays : {false, true}) {
    const auto seconds = kernels::asynchronous_seconds(c.device, device_arrays, on);
    text += fmt::format("  {:<30}{:>12}{:>14}\n", to_string(situation{false, device_arrays}),
                        dispatch_detail::seconds_text(seconds_in(c.device, {false, device_arrays})),
                        seconds ? dispatch_detail::seconds_text(*seconds) : "cannot");
  }
  return text;
}

}  // namespace papilio::cli

#pragma once

#include <string>

#include "cli/flags.hpp"
#include "papilio/dispatch.hpp"

namespace papilio::cli {

/// What estimates of the host rest on, and how they are checked.
struct calibration_flags {
  bool measures = false, checks = false, even_if_busy = false;
  double seconds = 3;
  std::string file;

  /// --calibrate, --calibrate-seconds, --even-if-busy, --calibration and --check-estimates.
  void add_to(command& verb);
  /// usage_error where EXPR is missing, or an argument is given that would do nothing.
  void require_sense(const command& verb) const;
  /// Lets estimates rest on --calibration, where that is given; else io_error where the usual file
  /// is there and is not good.
  void use_file() const;
};

/// Measures this computer, saves it, and prints each figure beside the one that was supposed.
/// usage_error where there is no folder to save it in. Where the computer was busy meanwhile
/// nothing is saved or printed, and the reason is a resource_error; with even_if_busy, a warning.
int run_calibration(const calibration_flags& flags, bool json);

/// Measures transforms, or the one of an expression, in float and double, and prints what estimates
/// from CPU features and from the calibration, if there is one, are of them. usage_error where the
/// expression is none of a transform, or one that is too large to be run.
int run_estimate_check(const std::string& expression, bool json);

}  // namespace papilio::cli

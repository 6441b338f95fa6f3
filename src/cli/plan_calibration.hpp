#pragma once

#include "cli/report.hpp"

namespace papilio::cli {

/// What estimates of the host rest on, and how they are checked.
struct calibration_flags {
  bool measures = false, checks = false, even_if_busy = false;
  double seconds = 3;
  std::string file;
  const command* verb = nullptr;  ///< that they are of

  /// --calibrate, --calibrate-seconds, --even-if-busy, --calibration and --check-estimates.
  void add_to(command& of);
  /// usage_error where EXPR is missing, or an argument is given that would do nothing.
  void require_sense() const;
  /// Lets estimates rest on --calibration, where that is given; else io_error where the usual file
  /// is there and is not good.
  void use_file() const;
};

/// Measures this computer, saves it, and tells each figure beside the one that was supposed.
/// usage_error where there is no folder to save it in. Where the computer was busy meanwhile
/// nothing is saved, and the reason is a resource_error; with even_if_busy, a warning.
report calibrated(const calibration_flags& flags);

/// Measures transforms, or the one of an expression, in float and double, and tells what estimates
/// from CPU features and from the calibration, if there is one, are of them. usage_error where the
/// expression is none of a transform, or one that is too large to be run.
report checked_estimates(const std::string& expression);

}  // namespace papilio::cli

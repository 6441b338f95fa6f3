#pragma once

#include <string>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// A step of a program before and after a change. Seconds.
struct amdahl_step {
  std::string name;
  double before_seconds = 0;
  double after_seconds = 0;
};

/// What a change to some steps does to the whole: f, the share that the changed steps had of the
/// time before; s, how many times as fast these steps are together; 1 / (1 - f + f / s), how many
/// times as fast the whole is. Steps run one after the other. A step has changed if its two times
/// differ.
class PAPILIO_API amdahl_report {
 public:
  /// invalid_argument without steps, and unless every time is finite and above 0.
  explicit amdahl_report(std::vector<amdahl_step> steps);

  const std::vector<amdahl_step>& steps() const { return steps_; }
  double before_seconds() const { return before_seconds_; }
  double after_seconds() const { return after_seconds_; }
  double changed_fraction() const;  ///< f; 0 if nothing changed
  double changed_speedup() const;   ///< s; 1 if nothing changed
  double speedup() const;           ///< of the whole
  /// The whole's speed-up if the changed steps took no time at all, 1 / (1 - f); infinity if all
  /// changed.
  double speedup_limit() const;

  /// A table of the steps and a line such as "f = 0.35, s = 13.5, 1.48x".
  std::string to_text() const;
  /// {"steps": [{"name", "before_seconds", "after_seconds"}], "before_seconds", "after_seconds",
  /// "f", "s", "speedup"}
  std::string to_json() const;

 private:
  std::vector<amdahl_step> steps_;
  double before_seconds_ = 0, after_seconds_ = 0;
  double changed_before_seconds_ = 0, changed_after_seconds_ = 0;
};

}  // namespace papilio::engine

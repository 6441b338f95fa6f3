#include "papilio/engine/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/quantity_text.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

void require_time(const amdahl_step& step, const char* which, double seconds) {
  if (std::isfinite(seconds) && seconds > 0) return;
  throw invalid_argument(base_detail::message("amdahl_report: step '", step.name, "': ", which,
                                              " must be finite and > 0, got ", seconds));
}

// The text has three digits, but at most two decimals, and no exponent.
std::string three_digits(double value) {
  const int after = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", value, after);
}

}  // namespace

amdahl_report::amdahl_report(std::vector<amdahl_step> steps) : steps_(std::move(steps)) {
  if (steps_.empty()) throw invalid_argument("amdahl_report: needs at least 1 step, got 0");
  for (const amdahl_step& s : steps_) {
    require_time(s, "before_seconds", s.before_seconds);
    require_time(s, "after_seconds", s.after_seconds);
    before_seconds_ += s.before_seconds;
    after_seconds_ += s.after_seconds;
    if (s.before_seconds == s.after_seconds) continue;
    changed_before_seconds_ += s.before_seconds;
    changed_after_seconds_ += s.after_seconds;
  }
  if (!std::isfinite(before_seconds_) || !std::isfinite(after_seconds_))
    throw invalid_argument("amdahl_report: the sum of the times must be finite, is not");
}

double amdahl_report::changed_fraction() const { return changed_before_seconds_ / before_seconds_; }

double amdahl_report::changed_speedup() const {
  return changed_before_seconds_ > 0 ? changed_before_seconds_ / changed_after_seconds_ : 1;
}

double amdahl_report::speedup() const { return before_seconds_ / after_seconds_; }

double amdahl_report::speedup_limit() const {
  double unchanged_seconds = 0;
  for (const amdahl_step& s : steps_)
    if (s.before_seconds == s.after_seconds) unchanged_seconds += s.before_seconds;
  return before_seconds_ / unchanged_seconds;
}

std::string amdahl_report::to_text() const {
  std::size_t width = 5;
  for (const amdahl_step& s : steps_) width = std::max(width, s.name.size());
  const auto row = [&](std::string_view name, double before, double after) {
    return fmt::format("{:<{}}  {:>10}  {:>10}  {:>8}  {:>8}\n", name, width, seconds_text(before),
                       seconds_text(after), three_digits(before / after) + "x",
                       fraction_text(before / before_seconds_));
  };
  std::string text = fmt::format("{:<{}}  {:>10}  {:>10}  {:>8}  {:>8}\n", "step", width, "before",
                                 "after", "speed-up", "share");
  for (const amdahl_step& s : steps_) text += row(s.name, s.before_seconds, s.after_seconds);
  text += row("whole", before_seconds_, after_seconds_);
  return text + fmt::format("f = {:.2f}, s = {}, {}x\n", changed_fraction(),
                            three_digits(changed_speedup()), three_digits(speedup()));
}

std::string amdahl_report::to_json() const {
  nlohmann::ordered_json object;
  object["steps"] = nlohmann::ordered_json::array();
  for (const amdahl_step& s : steps_) {
    nlohmann::ordered_json step;
    step["name"] = s.name;
    step["before_seconds"] = s.before_seconds;
    step["after_seconds"] = s.after_seconds;
    object["steps"].push_back(std::move(step));
  }
  object["before_seconds"] = before_seconds_;
  object["after_seconds"] = after_seconds_;
  object["f"] = changed_fraction();
  object["s"] = changed_speedup();
  object["speedup"] = speedup();
  return object.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace papilio::engine

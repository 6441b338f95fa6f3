#pragma once

#include <array>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {

/// What decides between host and accelerator beside the operation itself.
struct situation {
  bool is_cold = false;      ///< the program was never compiled: it is, and its tables are copied
  bool is_resident = false;  ///< operands lie on the device already, and results stay there
  bool operator==(const situation&) const = default;
};
inline constexpr std::array<situation, 4> situations{
    {{false, false}, {false, true}, {true, false}, {true, true}}};
/// For example "warm, operands on the host".
PAPILIO_API std::string to_string(situation s);

/// Modelled seconds of an accelerator in a situation.
PAPILIO_API double seconds_in(const device_estimate& e, situation s);

/// An operation on either side, reckoned: nothing has run, nothing was measured. The host is
/// compared as one whose operands are in its memory, and has no situations: its plans are made in
/// much less than a program's compilation. It has native precision alone: where
/// execution::precision asks for what it does not have, its estimate is still there to compare
/// with, and host_refusal says why it may not run.
struct PAPILIO_API comparison {
  operation what = {};
  policy where = policy::host;
  host_estimate host = {};
  std::string host_refusal = {};  ///< empty: the host can
  std::string machine = {};       ///< the accelerator's name; empty: none is named
  std::string runtime = {};       ///< that of its launches and copies
  device_estimate device = {};
  std::string device_refusal = {};  ///< empty: the device can
  /// "host", "device", or, where the policy cannot be met, empty: what execution::where would run
  /// with operands on the host, and why.
  std::string runs = {}, why = {};
  /// The same of policy::automatic.
  std::string automatic = {};

  bool host_can() const { return host_refusal.empty(); }
  bool device_can() const { return device_refusal.empty(); }
  bool host_is_estimated() const { return host.seconds > 0; }
  /// "host" or "device": the faster one of those that have an estimate; empty: none has.
  std::string faster_in(situation s) const;

  /// Lines of text: both sides with what they take, part by part, and the verdict of each
  /// situation. Says that the device's times are modelled.
  std::string to_text() const;
};

/// Compares the sides. Pure. A backend in `on` asks for its side: the other is compared all the
/// same, and does not run. A policy that cannot be met is said, not thrown. invalid_argument:
/// threads below 0, an unknown backend; as the operation's own checks where it is malformed.
PAPILIO_API comparison explain(const operation& what, const execution& on, const host_row& host);

/// The same of what has no row of its own; transforms and short-time transforms have theirs beside
/// host_transforms() and host_signals().
template <roofline_problem Problem>
comparison explain(const Problem& what, const execution& on = {}) {
  return explain(operation(what), on, host_roofline());
}

}  // namespace papilio

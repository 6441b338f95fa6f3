#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
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

/// An operation on the host and on the device, estimated: nothing has run, nothing was measured. The host is
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

  /// Report in lines of text: times of host and device by part, and the faster one in each
  /// situation. Says that the device's times are modelled.
  std::string to_text() const;
};

/// Compares host and device. Pure. A backend in `on` selects one of them: the other is compared all
/// the same, but does not run. A policy that cannot be met is reported, not thrown.
/// invalid_argument: threads below 0, an unknown backend; as the operation's own checks.
PAPILIO_API comparison explain(const operation& what, const execution& on, const host_row& host);

/// The same of what has no row of its own; transforms and short-time transforms have theirs beside
/// host_transforms() and host_signals().
template <roofline_problem Problem>
comparison explain(const Problem& what, const execution& on = {}) {
  return explain(operation(what), on, host_roofline());
}

/// An operation at other sizes.
struct growth : problem_size {
  std::function<operation(std::size_t)> at = {};
};

/// How an operation grows, as its problem says. Empty for arrangement_problem and contractions.
PAPILIO_API std::optional<growth> growth_of(const operation& what);

/// The sizes at which the verdict turns from the host to the device.
struct PAPILIO_API crossover {
  struct turn {
    situation when = {};
    /// A size at which the device is faster while it is not at `host_wins`, the next smaller one
    /// that was looked at: within 1 %, or the power of two before. Empty: the device is not faster
    /// at any size up to `host_wins`.
    std::optional<std::size_t> device_wins = {};
    std::size_t host_wins = 0;  ///< 0: the device is faster from the smallest size on
  };
  std::string parameter = {};
  std::size_t size = 1;            ///< of the operation itself
  std::array<turn, 4> turns = {};  ///< as `situations`
  std::size_t dry_runs = 0;        ///< that it took
  /// Sizes whose floor is above 10 ms are not run dry: they take the floor times what it was over
  /// the floor at this size, the largest below that was run. 0: there were none.
  std::size_t scaled_from = 0;
  std::string refusal = {};  ///< why there is none: host or device cannot do it at all

  /// Lines of text, a turn each.
  std::string to_text() const;
};

/// Doubles the size as long as operands fit into the accelerator's memory, then bisects; for a size
/// one dry run serves all situations, and none is made where the device's bound already loses.
/// At most 40 dry runs; when they are used up, what is known stands in the turns. Assumes that the
/// verdict turns once. The host is that of comparison: in native precision, whatever is asked.
/// Errors as explain.
PAPILIO_API crossover crossover_of(const operation& what, const execution& on,
                                   const host_row& host);

template <roofline_problem Problem>
crossover crossover_of(const Problem& what, const execution& on = {}) {
  return crossover_of(operation(what), on, host_roofline());
}

/// The same against another host: its seconds for an operation.
PAPILIO_API crossover crossover_of(const operation& what, const execution& on,
                                   const std::function<double(const operation&)>& host_seconds);

}  // namespace papilio

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio {

/// Situation that decides between host and accelerator besides the operation itself.
struct situation {
  bool is_cold = false;  ///< the program is not compiled yet: it is, and its tables are copied
  bool has_device_arrays = false;  ///< operands are device arrays, and so are the results
  bool operator==(const situation&) const = default;
};
/// Situations in the order of crossover::turns.
inline constexpr std::array<situation, 4> situations{
    {{false, false}, {false, true}, {true, false}, {true, true}}};
/// Returns for example "warm, operands on the host".
PAPILIO_API std::string to_string(situation s);

/// Returns the modelled seconds of an accelerator in a situation.
PAPILIO_API double seconds_in(const device_estimate& e, situation s);

/// Comparison of an operation on the host and on the device by estimates; nothing is run or
/// measured. The host is compared with operands in its memory, and has no situations: its plans are
/// made in much less than a program's compilation. It has native precision alone: if
/// execution::precision asks for another, its estimate is still there to compare with, and
/// host_refusal says why it may not run.
struct PAPILIO_API comparison {
  operation what = {};    ///< the first of several
  std::string name = {};  ///< of the operation, or of a call that is made of several
  double nominal_flops = 0;
  std::size_t operations = 1;
  bool is_sum = false;  ///< the figures are sums over operations and copies of their own
  policy where = policy::host;
  host_estimate host = {};
  std::string host_refusal = {};  ///< empty: the host can
  std::string machine = {};       ///< the accelerator's name; empty: none is named
  std::string runtime = {};       ///< the runtime of its launches and copies
  device_estimate device = {};
  std::string device_refusal = {};  ///< empty: the device can
  /// Side that execution::where would run with operands on the host, "host", "device" or, if the
  /// policy cannot be met, empty; and why.
  std::string runs = {}, why = {};
  /// Side that policy::automatic would run.
  std::string automatic = {};

  bool host_can() const { return host_refusal.empty(); }
  bool device_can() const { return device_refusal.empty(); }
  bool host_is_estimated() const { return host.seconds > 0; }
  /// Returns "host" or "device", the faster one of those that have an estimate; empty: none has.
  std::string faster_in(situation s) const;

  /// Returns a report in lines of text: times of host and device by part, and the faster one in
  /// each situation. It says that the device's times are modelled.
  std::string to_text() const;
};

/// Compares host and device by estimates. A backend in `on` selects one of them: the other is
/// compared too, but does not run. A policy that cannot be met is reported, not thrown.
/// Throws invalid_argument for threads below 0 or an unknown backend, or as require_valid.
PAPILIO_API comparison explain(const operation& what, const execution& on, const host_row& host);

/// Compares host and device for several submissions by the sums of their estimates, as place() does;
/// steps that are equal are dry-run once. Errors are not stated for a sum. `name` is that of the
/// report.
PAPILIO_API comparison explain(std::string name, std::span<const submission> submissions,
                               const execution& on, const host_row& host);

/// Compares host and device for whatever `call` would have placed first: an einsum, welch, cp_als,
/// fftconvolve, a BLAS product, anything that takes an execution. It gets `on` with the policy
/// automatic, and is left when it asks where to run: nothing is read, uploaded or run, so that
/// arrays of the host need extents alone, but it may have allocated its result. Empty if the call
/// asked for no place: what no accelerator computes with its options (welch that detrends, cp_als
/// with a mask, MP2 in blocks) runs on the host as it is, so needs its arrays.
///
///   const auto sides = explain_call({.on = &dev}, [&](const execution& on) {
///     cp_als(x, 16, {.on = on});
///   });
///
/// Throws what the call throws before that, as explain, and invalid_argument if transforms of
/// several steps are to be compared and `on` names no accelerator.
PAPILIO_API std::optional<comparison> explain_call(const execution& on,
                                                   function_ref<void(const execution&)> call);

/// Compares operations of host_roofline(); transforms and short-time transforms have overloads
/// beside host_transforms() and host_signals().
template <roofline_problem Problem>
comparison explain(const Problem& what, const execution& on = {}) {
  return explain(operation(what), on, host_roofline());
}

/// Operation at other sizes.
struct growth {
  std::string parameter = {};  ///< what grows, in words: "lines of 1024 points"
  std::size_t size = 1;        ///< size of the operation itself
  std::size_t smallest = 1;
  bool is_power_of_two = false;  ///< only powers of two are tried
  std::function<operation(std::size_t)> at = {};
};

/// Returns how an operation grows, with its other sizes as they are or in their ratio; empty for
/// arrangements and contractions.
///   transforms      the number of lines; one line, and all transformed extents of an array, in
///                   powers of two
///   short-time      samples of each channel
///   gemm            m, with k and n in their ratio
///   triangles       rows of A, with the other size in its ratio
///   integrals       basis functions, with all else in its ratio
///   pair energies   virtual orbitals, with naux in its ratio
///   numbers, layers numbers, or rows of layers that have a number for each feature
PAPILIO_API std::optional<growth> growth_of(const operation& what);

/// Sizes at which the device becomes faster than the host.
struct PAPILIO_API crossover {
  struct turn {
    situation when = {};
    /// Size at which the device is faster while it is not at `host_wins`, the next smaller one that
    /// was tried: within 1 %, or the power of two before. Empty: the device is not faster at any
    /// size up to `host_wins`.
    std::optional<std::size_t> device_wins = {};
    std::size_t host_wins = 0;  ///< 0: the device is faster from the smallest size on
  };
  std::string parameter = {};
  std::size_t size = 1;            ///< size of the operation itself
  std::array<turn, 4> turns = {};  ///< as `situations`
  std::size_t dry_runs = 0;        ///< number of dry runs that were needed
  /// Largest size that was dry-run below those whose floor is above 10 ms. These are not run: their
  /// time is the floor times the ratio of time and floor at this size. 0: there were none.
  std::size_t scaled_from = 0;
  std::string refusal = {};  ///< why there is none: host or device cannot do it at all

  /// Returns lines of text, one for each situation.
  std::string to_text() const;
};

/// Finds the crossover: doubles the size as long as operands fit into the accelerator's memory,
/// then bisects. For a size one dry run serves all situations, and none is made if the device's
/// bound is already slower. At most 40 dry runs; when they are used up, the turns hold what is
/// known. Assumes that the faster side changes once. The host has native precision.
/// Throws as explain.
PAPILIO_API crossover crossover_of(const operation& what, const execution& on,
                                   const host_row& host);

template <roofline_problem Problem>
crossover crossover_of(const Problem& what, const execution& on = {}) {
  return crossover_of(operation(what), on, host_roofline());
}

/// Finds the crossover against another host, given by its seconds for an operation.
PAPILIO_API crossover crossover_of(const operation& what, const execution& on,
                                   const std::function<double(const operation&)>& host_seconds);

}  // namespace papilio

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/dispatch/comparison.hpp"

namespace papilio {

/// An operation at other sizes.
struct growth : problem_size {
  std::function<operation(std::size_t)> at = {};
};

/// How an operation grows, as its problem says. Nothing of arrangements and contractions.
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
  std::string refusal = {};  ///< why there is none: one side cannot do it at all

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

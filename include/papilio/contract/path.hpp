#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// Describes a sum of products of several operands by the labels of each operand's axes, those of
/// the result, and the extent of each label.
/// - Labels are 0 ... sizes.size() - 1; those that the result lacks are summed.
/// - A label may occur on any number of operands, and several times on one (its diagonal).
/// - It occurs at most once in the result, and there only if some operand has it.
struct contraction_network {
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
  std::vector<std::size_t> sizes;  ///< by label
  std::vector<std::string> names;  ///< by label, for messages and reports; empty: the numbers

  bool operator==(const contraction_network&) const = default;
};

/// Checks a network: at least one operand, and what contraction_network states. A size may be 0; a
/// label that occurs nowhere changes nothing.
/// Throws invalid_argument, naming operand and label.
PAPILIO_API void validate(const contraction_network& network);

/// Selects the search for an order of pairwise contractions.
///   automatic      optimal where there are few operands or their graph allows it in time, else
///                  random_greedy
///   optimal        dynamic programming: over all subsets of up to 16 operands, and of up to 64
///                  over connected subsets and outer products where they can pay. Groups that no
///                  label connects are searched separately, then multiplied by size. Refused if it
///                  takes over 4e8 comparisons, keeps over 2e6 partial orders (some seconds and
///                  300 MB), or takes longer than path_options::seconds.
///   greedy         repeatedly the pair that shrinks the remaining operands most
///   random_greedy  many greedy orders with random weights; the best improved by random rotations
///                  and by optimal search of subtrees
/// With a limit on intermediates, every search improves its order while it chooses labels to slice.
enum class path_search { automatic, optimal, greedy, random_greedy };

/// Returns the enumerator's name.
PAPILIO_API const char* to_string(path_search search);
/// Returns the search of that name. Throws invalid_argument, naming the four words, for any other.
PAPILIO_API path_search path_search_of(const std::string& word);

/// Selects what an order minimises.
///   flops           of all steps and slices
///   device_seconds  modelled seconds on the accelerator that the execution of einsum,
///                   plan_contraction or contract_many names: of the orders that several searches
///                   find (all of them, for up to four operands) the one whose program is the
///                   fastest in a dry run
enum class path_cost { flops, device_seconds };

/// Options of `find_path`.
struct path_options {
  path_search search = path_search::automatic;
  path_cost cost = path_cost::flops;
  /// Time limit of every search, above 0, slicing included; it holds to about half a second. A
  /// random search ends after its trials (whose number the network decides) or at this time,
  /// whichever is first; in the first case the order depends only on network and seed. The first
  /// greedy order is always found.
  double seconds = 1;
  std::uint64_t seed = 0;
  /// If above 0, no intermediate has more elements. Labels are sliced until that holds: the network
  /// is contracted once for each of their values, and the results are summed, or put side by side
  /// for labels of the result.
  std::size_t largest_intermediate = 0;

  bool operator==(const path_options&) const = default;
};

/// Holds an order of pairwise contractions and its cost.
struct contraction_path {
  /// Positions in the current list of operands: both are removed and their product is appended
  /// (opt_einsum's linear form). Empty for one operand.
  std::vector<std::array<std::size_t, 2>> pairs;
  /// Labels that are looped over, in the order of the loops; empty without a limit.
  std::vector<int> sliced;
  double slices = 1;   ///< product of their sizes
  double macs = 0;     ///< over steps and slices, products of the sizes of a step's labels
  double flops = 0;    ///< the same, doubled in steps that sum over a label
  double largest = 0;  ///< elements of the largest result of a step, in one slice
  double seconds = 0;  ///< wall time of the search
  path_search search = path_search::automatic;  ///< the one that found it; never automatic

  bool operator==(const contraction_path&) const = default;
};

/// Returns the order with the fewest FLOPs that the search finds. Thread-safe. Greedy is O(p log p)
/// for p pairs of operands that share a label; the others as path_search states.
/// Throws invalid_argument for a network that `validate` refuses, path_cost::device_seconds (no
/// accelerator is named here), seconds that are not positive, and where `optimal` exceeds its
/// bounds or the time; resource_error if the result alone is above the limit.
PAPILIO_API contraction_path find_path(const contraction_network& network,
                                       const path_options& options = {});

/// Returns the cost of a given order.
/// Throws invalid_argument, naming the step, unless each step takes two different positions of the
/// current list, one result is left, and each of `sliced` is a label of an operand, once.
PAPILIO_API contraction_path path_of(const contraction_network& network,
                                     std::span<const std::array<std::size_t, 2>> pairs,
                                     std::span<const int> sliced = {});

}  // namespace papilio

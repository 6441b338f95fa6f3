#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// A sum of products of several operands: the labels of each operand's axes, those of the result,
/// and the extent of each. Labels are 0 ... sizes.size() - 1; those that the result has not are
/// summed. A label may occur on any number of operands, and several times on one (its diagonal);
/// at most once in the result, and there only if some operand has it.
struct contraction_network {
  std::vector<std::vector<int>> inputs;
  std::vector<int> output;
  std::vector<std::size_t> sizes;  ///< by label
  std::vector<std::string> names;  ///< by label, for messages and reports; empty: the numbers

  bool operator==(const contraction_network&) const = default;
};

/// invalid_argument, that names operand and label, unless the network is as it says above and has
/// at least one operand. A size may be 0, and a label that occurs nowhere changes nothing.
PAPILIO_API void validate(const contraction_network& network);

/// How an order of pairwise contractions is looked for.
///   automatic      optimal where there are few operands or their graph allows it in time, else
///                  random_greedy
///   optimal        dynamic programming: over all subsets of up to 16 operands, and beyond that,
///                  up to 64, over connected subsets and outer products where they can pay (parts
///                  that no label connects: each its own, then their products by size). Refused
///                  where that takes over 4e8 comparisons or keeps over 2e6 partial orders, which
///                  is some seconds and 300 MB.
///   greedy         repeatedly the pair that shrinks what is left most
///   random_greedy  many greedy orders with random weights; the best improved by random rotations
///                  and by optimal search of subtrees
/// With a limit, and whatever the search, its order is improved while labels are chosen to slice.
enum class path_search { automatic, optimal, greedy, random_greedy };

PAPILIO_API const char* to_string(path_search search);
/// invalid_argument that names the four words.
PAPILIO_API path_search path_search_of(const std::string& word);

/// What of an order is to be least.
///   flops           of all steps and slices
///   device_seconds  modelled, of the accelerator that the execution of einsum, plan_contraction or
///                   contract_many names: of the orders that several searches find (all of them, of
///                   up to four operands) the one whose program is the fastest in a dry run
enum class path_cost { flops, device_seconds };

struct path_options {
  path_search search = path_search::automatic;
  path_cost cost = path_cost::flops;
  /// Of random_greedy (and of automatic where it comes to that): the search ends when it has made
  /// its trials (whose number the network decides) or at this time, whichever is first. In the
  /// first case the order depends on network and seed alone.
  double seconds = 1;
  std::uint64_t seed = 0;
  /// Above 0: no intermediate has more elements than this; labels are sliced (the network is
  /// contracted once for each of their values, and the results are summed, or put side by side for
  /// labels of the result) until it holds.
  std::size_t largest_intermediate = 0;

  bool operator==(const path_options&) const = default;
};

/// An order of pairwise contractions, with what it costs.
struct contraction_path {
  /// Positions in the list of what is there: both are taken out, and their product is appended
  /// (the linear form of opt_einsum). Empty for one operand.
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

/// The best order that the search finds, by flops. invalid_argument for a network that `validate`
/// refuses, path_cost::device_seconds (no accelerator is named here), seconds that are not
/// positive, and where `optimal` has too much to look at; resource_error where the result alone,
/// which is the least that can be reached, is above the limit. Cost: greedy O(p log p) for p pairs
/// of operands that share a label; the others as above. Safe to call from several threads.
PAPILIO_API contraction_path find_path(const contraction_network& network,
                                       const path_options& options = {});

/// What an order costs that is given. invalid_argument, that names the step, unless each step takes
/// two different positions of what is there and one result is left, and unless each of `sliced` is
/// a label that is summed or in the result, once.
PAPILIO_API contraction_path path_of(const contraction_network& network,
                                     std::span<const std::array<std::size_t, 2>> pairs,
                                     std::span<const int> sliced = {});

}  // namespace papilio

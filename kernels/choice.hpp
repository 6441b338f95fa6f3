#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/lru_cache.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// How designs are chosen: candidates are values, a dry run of each gives its price, and what was
// chosen is kept by problem and machine.
namespace papilio::kernels_detail {

/// Modelled seconds of a candidate, and what bounds it.
struct price {
  double seconds = 0;
  std::string bound = {};
};
/// The price of a dry run; where that is of a part of the problem, with `scale` times its time.
price price_of(const engine::profile& dry_run, double scale = 1);

/// Device seconds of a dry run of a kernel; of an equal design on an equal machine, those of before.
double modelled_seconds(const kernels::sized_kernel& kernel, const engine::machine_spec& machine);

/// "12.3 us".
std::string time_text(double seconds);

template <class Candidate>
struct choice {
  Candidate best;
  price at;
  std::vector<std::pair<Candidate, price>> compared;

  /// For sized_kernel::compared; `describe` gives a candidate's text.
  template <class Describe>
  std::vector<kernels::compared_design> texts(const Describe& describe) const {
    std::vector<kernels::compared_design> all;
    for (const auto& [candidate, p] : compared)
      all.push_back({std::invoke(describe, candidate), p.seconds, p.bound});
    return all;
  }
};

/// The candidate of the least price, the first of equal ones. `price_of(candidate)` is empty where
/// it cannot be made; if none can be, the first is taken, unpriced. Where `is_enough(best price)`
/// after a new best, the others are not priced. Throws invalid_argument if there is no candidate.
template <class Candidate, class PriceOf, class IsEnough>
choice<Candidate> cheapest(const std::vector<Candidate>& all, const PriceOf& price_of,
                           const IsEnough& is_enough) {
  if (all.empty()) throw invalid_argument("no design to choose from");
  choice<Candidate> found{all.front(), {}, {}};
  bool is_priced = false;
  for (const Candidate& candidate : all) {
    std::optional<price> p = price_of(candidate);
    if (!p) continue;
    found.compared.emplace_back(candidate, *p);
    if (is_priced && p->seconds >= found.at.seconds) continue;
    is_priced = true;
    found.best = candidate;
    found.at = *std::move(p);
    if (is_enough(found.at)) break;
  }
  return found;
}
template <class Candidate, class PriceOf>
choice<Candidate> cheapest(const std::vector<Candidate>& all, const PriceOf& price_of) {
  return cheapest(all, price_of, [](const price&) { return false; });
}

/// make(), or what it returned before for the same problem (its key, key_writer::text) on an equal
/// machine, of the last ones that were asked for. Each place that calls it, with a lambda of its
/// own, has a cache of its own. Pure functions only.
template <class Make>
auto made_once(std::string problem, const engine::machine_spec& machine, const Make& make) {
  using value = decltype(make());
  struct key {
    std::string problem;
    engine::machine_spec machine;
    bool operator==(const key&) const = default;
  };
  struct key_hash {
    std::size_t operator()(const key& k) const { return std::hash<std::string>{}(k.problem); }
  };
  using cache = base_detail::lru_cache<key, key, value, key_hash, std::equal_to<key>>;
  static cache known({.entries = 512, .bytes = 512});
  const key query{std::move(problem), machine};
  if (auto there = known.find(query)) return there;
  return known.keep(query, std::make_shared<const value>(make()), 1);
}

}  // namespace papilio::kernels_detail

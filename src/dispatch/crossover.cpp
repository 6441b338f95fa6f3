#include "papilio/dispatch/comparison.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <map>

#include "dispatch/sides.hpp"
#include "papilio/base/error.hpp"

namespace papilio {

using namespace dispatch_detail;

namespace {

constexpr std::size_t most_dry_runs = 40;
// Bisection ends where the sizes below and above the crossover differ by 1 %, or by 1.
constexpr std::size_t resolution = 100;

// Sizes whose floor on the device is longer are not run dry: it would take too long to wait for.
constexpr double most_floor_seconds = 0.01;
// No larger size is run dry once an estimate is longer than this, whatever the machine's constants.
constexpr double most_estimated_seconds = 1;

// The verdicts by size, each computed once.
class verdicts {
 public:
  verdicts(const growth& how, const execution& on, const accelerator& device,
           const std::function<double(const operation&)>& host_seconds)
      : how_(how), on_(on), device_(device), host_seconds_(host_seconds) {}

  std::size_t dry_runs() const { return dry_runs_; }
  std::size_t scaled_from() const { return scaled_from_; }
  bool is_within_memory(std::size_t size) {
    const point& p = at(size);
    return p.bound && p.bound->bytes_in + p.bound->bytes_out <= p.bound->memory_bytes;
  }
  /// Whether the device is faster; empty where that would take more than `most_dry_runs`.
  std::optional<bool> device_wins(std::size_t size, situation s) {
    point& p = at(size);
    if (!p.bound) return false;
    if (seconds_in(*p.bound, s) >= p.host) return false;
    if (size >= refused_from_) return false;
    if (!p.is_run && !is_scaled(size, p)) {
      if (dry_runs_ == most_dry_runs) return std::nullopt;
      ++dry_runs_;
      p.is_run = true;
      if (device_answer answer = device_answer_of(how_.at(size), on_, device_);
          answer.refusal.empty())
        p.estimate = std::move(answer.estimate);
      else
        refused_from_ = size;
    }
    return p.estimate && seconds_in(*p.estimate, s) < p.host;
  }

 private:
  struct point {
    double host = 0;
    std::optional<device_estimate> bound = {}, estimate = {};
    bool is_run = false;
  };

  static device_estimate scaled(device_estimate bound, const device_estimate& known_bound,
                                const device_estimate& known) {
    bound.device_seconds *=
        (known.device_seconds + known.link_seconds) / known_bound.device_seconds;
    bound.cold_seconds = known.cold_seconds;
    if (bound.of_device_arrays != nullptr)
      bound.of_device_arrays = std::make_shared<const device_estimate>(scaled(
          *bound.of_device_arrays, known_bound.with_device_arrays(), known.with_device_arrays()));
    return bound;
  }

  // Estimates a large size without a dry run: its floor times the ratio of estimate and floor at
  // the largest size that was run.
  bool is_scaled(std::size_t size, point& p) {
    for (auto smaller = std::make_reverse_iterator(points_.find(size)); smaller != points_.rend();
         ++smaller) {
      const point& known = smaller->second;
      if (!known.is_run || !known.estimate) continue;
      if (p.bound->device_seconds <= most_floor_seconds &&
          known.estimate->device_seconds <= most_estimated_seconds)
        return false;
      p.estimate = scaled(*p.bound, *known.bound, *known.estimate);
      scaled_from_ = smaller->first;
      return true;
    }
    return false;
  }

  point& at(std::size_t size) {
    const auto [found, is_new] = points_.try_emplace(size);
    if (!is_new) return found->second;
    try {
      const operation what = how_.at(size);
      found->second.host = host_seconds_(what);
      if (device_refusal(what, on_, device_).empty())
        found->second.bound = backend_of("crossover_of", device_).bound(what, device_);
    } catch (const resource_error&) {
      // A size that no memory holds has no bound, and the host wins it.
    }
    return found->second;
  }

  const growth& how_;
  const execution& on_;
  const accelerator& device_;
  const std::function<double(const operation&)>& host_seconds_;
  std::map<std::size_t, point> points_;
  std::size_t dry_runs_ = 0, scaled_from_ = 0;
  // The smallest size that was refused. Refusals are for the error or the memory of a design, and
  // both grow with the size, so that larger ones are refused too.
  std::size_t refused_from_ = std::numeric_limits<std::size_t>::max();
};

crossover::turn turn_of(verdicts& all, const growth& how, situation when) {
  crossover::turn t{.when = when};
  for (std::size_t size = how.smallest; all.is_within_memory(size); size *= 2) {
    const auto wins = all.device_wins(size, when);
    if (!wins) return t;
    if (*wins) {
      t.device_wins = size;
      break;
    }
    t.host_wins = size;
    if (size > std::numeric_limits<std::size_t>::max() / 2) break;
  }
  if (!t.device_wins || t.host_wins == 0 || how.is_power_of_two) return t;
  while (*t.device_wins - t.host_wins > std::max<std::size_t>(1, t.host_wins / resolution)) {
    const std::size_t middle = t.host_wins + (*t.device_wins - t.host_wins) / 2;
    const auto wins = all.device_wins(middle, when);
    if (!wins) break;
    (*wins ? *t.device_wins : t.host_wins) = middle;
  }
  return t;
}

}  // namespace

crossover crossover_of(const operation& what, const execution& on,
                       const std::function<double(const operation&)>& host_seconds) {
  crossover c;
  const auto how = growth_of(what);
  const accelerator* const device = on.on;
  c.refusal = !how ? "it has no size" : device == nullptr ? "no accelerator is named" : "";
  if (how) {
    c.parameter = how->parameter;
    c.size = how->size;
  }
  if (c.refusal.empty() && device != nullptr)
    if (c.refusal = device_refusal(what, on, *device); !c.refusal.empty())
      c.refusal = "the device cannot: " + c.refusal;
  if (!c.refusal.empty()) return c;
  verdicts all(*how, on, *device, host_seconds);
  for (std::size_t i = 0; i < situations.size(); ++i)
    c.turns[i] = turn_of(all, *how, situations[i]);
  c.dry_runs = all.dry_runs();
  c.scaled_from = all.scaled_from();
  return c;
}

crossover crossover_of(const operation& what, const execution& on, const host_row& row) {
  if (on.threads < 0)
    throw invalid_argument(
        base_detail::message("crossover_of: threads must be at least 0, got ", on.threads));
  if (!on.backend.empty()) require_known_backend("crossover_of", on.backend, row);
  require_valid("crossover_of", what);
  if (const host_answer host = host_answer_of(what, on, row); host.estimate.seconds == 0) {
    crossover c = crossover_of(what, on, [](const operation&) { return 0.0; });
    c.refusal = "the host cannot: " + host.refusal;
    return c;
  }
  execution of_host = on;
  if (is_device_backend(on.backend)) of_host.backend.clear();
  return crossover_of(
      what, on, [&](const operation& at) { return estimate_on_host(at, of_host, row).seconds; });
}

std::string crossover::to_text() const {
  if (!refusal.empty()) return fmt::format("no crossover: {}\n", refusal);
  std::string text = fmt::format("crossover in {}; here {}\n", parameter, size);
  for (const turn& t : turns) {
    const std::string where =
        !t.device_wins     ? fmt::format("never up to {}", t.host_wins)
        : t.host_wins == 0 ? fmt::format("from the smallest on, {}", *t.device_wins)
                           : fmt::format("{}, the host still at {}", *t.device_wins, t.host_wins);
    text += fmt::format("  {:<30}  {}\n", papilio::to_string(t.when), where);
  }
  if (scaled_from > 0)
    text += fmt::format("  the largest sizes were not run dry: their floor, scaled as at {}\n",
                        scaled_from);
  return text;
}

}  // namespace papilio

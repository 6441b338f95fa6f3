#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/loops.hpp"

namespace papilio::engine_detail {
namespace {

using program_view = std::span<const recorded_instruction>;

/// Looks for repetitions in a stretch of a program.
class repetition_search {
 public:
  repetition_search(program_view program, std::uint64_t begin, std::uint64_t end)
      : program_(program.subspan(begin, end - begin)), begin_(begin), taken_(end - begin, false) {}

  std::vector<repetition> find() {
    std::vector<repetition> chosen;
    for (bool found = true; found;) {
      found = false;
      std::vector<repetition> all;
      for (const std::uint64_t distance : frequent_distances()) add_repetitions(distance, all);
      // Of equal gain that with the shorter period.
      std::ranges::sort(all, [](const repetition& a, const repetition& b) {
        const std::uint64_t x = saved(a), y = saved(b);
        return x != y ? x > y : a.period < b.period;
      });
      for (const repetition& one : all) {
        const auto from = taken_.begin() + std::ptrdiff_t(one.first),
                   to = taken_.begin() + std::ptrdiff_t(one.end());
        if (std::find(from, to, true) != to) continue;
        std::fill(from, to, true);
        chosen.push_back({begin_ + one.first, one.period, one.turns});
        found = true;
      }
    }
    std::ranges::sort(chosen, {}, &repetition::first);
    return chosen;
  }

 private:
  static std::uint64_t saved(const repetition& r) { return r.period * (r.turns - 1); }

  /// The distances at which instructions recur most often.
  std::vector<std::uint64_t> frequent_distances() const {
    constexpr std::size_t most = 32;
    std::unordered_map<std::uint64_t, std::uint64_t> last, count;
    for (std::uint64_t i = 0; i < program_.size(); ++i) {
      if (taken_[i]) continue;
      const auto [at, is_new] = last.try_emplace(program_[i].same, i);
      if (!is_new) ++count[i - at->second];
      at->second = i;
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const auto& [distance, times] : count) all.emplace_back(times * distance, distance);
    std::ranges::sort(all, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::uint64_t> distances;
    for (std::size_t i = 0; i < std::min(all.size(), most); ++i) distances.push_back(all[i].second);
    return distances;
  }

  void add_repetitions(std::uint64_t period, std::vector<repetition>& to) const {
    std::uint64_t equal = 0;  // instructions before this one that recur
    for (std::uint64_t i = 0; i + period <= program_.size(); ++i) {
      const bool recurs = i + period < program_.size() && !taken_[i] && !taken_[i + period] &&
                          program_[i].same == program_[i + period].same;
      if (recurs) {
        ++equal;
      } else {
        if (equal >= period) to.push_back({i - equal, period, equal / period + 1});
        equal = 0;
      }
    }
  }

  program_view program_;
  std::uint64_t begin_;
  std::vector<bool> taken_;
};

std::vector<repetition> repetitions_in(program_view program, std::uint64_t begin,
                                       std::uint64_t end) {
  std::vector<repetition> found = repetition_search(program, begin, end).find();
  for (repetition& one : found)
    one.inner = repetitions_in(program, one.first, one.first + one.period);
  return found;
}

}  // namespace

std::vector<repetition> repetitions_of(program_view program) {
  return repetitions_in(program, 0, program.size());
}

}  // namespace papilio::engine_detail

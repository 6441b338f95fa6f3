#include <algorithm>
#include <limits>
#include <utility>

#include "engine/loops.hpp"

namespace papilio::engine_detail {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// Copies of a period that are loaded if a loop's body is `unrolled` of them: those of the body, and
/// the rest behind the loop; 0: no loop, all turns one after the other.
std::uint64_t copies(std::uint64_t turns, std::uint64_t unrolled) {
  return unrolled == 0 ? turns : unrolled + turns % unrolled;
}

class folded_stretch;

/// For each budget of products the least iterations of a repetition's loops, and how.
struct folded_repetition {
  folded_repetition(std::span<const std::uint64_t> tiles_before, const repetition& of,
                    std::uint64_t budget_max);

  const repetition& of;
  std::vector<folded_stretch> inner;  // one: of a period
  std::vector<std::uint64_t> iterations, unrolled;

  void append(std::uint64_t budget, std::vector<program_part>& to) const;
};

/// The same of a stretch with several repetitions: a knapsack over products.
class folded_stretch {
 public:
  folded_stretch(std::span<const std::uint64_t> tiles_before, std::uint64_t first,
                 std::uint64_t end, std::span<const repetition> repetitions,
                 std::uint64_t budget_max)
      : first_(first), end_(end) {
    std::uint64_t plain = tiles_before[end] - tiles_before[first];
    for (const repetition& r : repetitions) plain -= tiles_before[r.end()] - tiles_before[r.first];
    iterations_.assign(budget_max + 1, never);
    for (std::uint64_t b = plain; b <= budget_max; ++b) iterations_[b] = 0;
    for (const repetition& r : repetitions) add({tiles_before, r, budget_max});
  }

  std::uint64_t iterations(std::uint64_t budget) const { return iterations_[budget]; }

  void append(std::uint64_t budget, std::vector<program_part>& to) const {
    std::vector<std::uint64_t> shares(parts_.size());
    for (std::size_t i = parts_.size(); i-- > 0;) {
      shares[i] = shares_[i][budget];
      budget -= shares[i];
    }
    std::uint64_t at = first_;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].of.first > at) to.push_back({.instructions = parts_[i].of.first - at});
      parts_[i].append(shares[i], to);
      at = parts_[i].of.end();
    }
    if (end_ > at) to.push_back({.instructions = end_ - at});
  }

 private:
  void add(folded_repetition part) {
    const std::uint64_t most = iterations_.size();
    std::vector<std::uint64_t> next(most, never), share(most, 0);
    for (std::uint64_t b = 0; b < most; ++b)
      for (std::uint64_t own = 0; own <= b; ++own) {
        const std::uint64_t before = iterations_[b - own], with = part.iterations[own];
        if (before == never || with == never || before + with >= next[b]) continue;
        next[b] = before + with;
        share[b] = own;
      }
    iterations_ = std::move(next);
    shares_.push_back(std::move(share));
    parts_.push_back(std::move(part));
  }

  std::uint64_t first_, end_;
  std::vector<std::uint64_t> iterations_;
  std::vector<std::vector<std::uint64_t>> shares_;
  std::vector<folded_repetition> parts_;
};

folded_repetition::folded_repetition(std::span<const std::uint64_t> tiles_before,
                                     const repetition& r, std::uint64_t budget_max)
    : of(r), iterations(budget_max + 1, never), unrolled(budget_max + 1, 0) {
  inner.emplace_back(tiles_before, r.first, r.first + r.period, r.inner, budget_max);
  const std::uint64_t most = tiles_before[r.end()] == tiles_before[r.first] ? 0 : r.turns / 2;
  for (std::uint64_t b = 0; b <= budget_max; ++b)
    for (std::uint64_t u = 0; u <= most; ++u) {
      const std::uint64_t within = inner.front().iterations(b / copies(r.turns, u));
      if (within == never) {
        if (u > b) break;
        continue;
      }
      const std::uint64_t all = r.turns * within + (u == 0 ? 0 : r.turns / u);
      if (all >= iterations[b]) continue;
      iterations[b] = all;
      unrolled[b] = u;
    }
}

void folded_repetition::append(std::uint64_t budget, std::vector<program_part>& to) const {
  const std::uint64_t u = unrolled[budget], each = budget / copies(of.turns, u);
  const auto add = [&](std::uint64_t turns, std::vector<program_part>& parts) {
    for (std::uint64_t i = 0; i < turns; ++i) inner.front().append(each, parts);
  };
  if (u > 0) {
    program_part loop{.iterations = of.turns / u};
    add(u, loop.body);
    to.push_back(std::move(loop));
  }
  add(u > 0 ? of.turns % u : of.turns, to);
}

/// Gives each instruction its place among those that are loaded.
class placing {
 public:
  placing(std::uint64_t count, looped_program& made) : slots(count), made_(made) {}

  std::vector<std::uint64_t> slots;
  std::uint64_t slot = 0;

  void add(const program_part& part) {
    for (std::uint64_t k = 0; k < part.instructions; ++k) slots[at_++] = slot++;
    if (part.iterations == 0) return;
    ++made_.loops;
    const std::uint64_t first = slot, loops = made_.loops;
    for (std::uint64_t i = 0; i < part.iterations; ++i) {
      slot = first;
      made_.loops = loops;
      for (const program_part& inner : part.body) add(inner);
      ++made_.iterations;
      if (made_.ends.empty() || made_.ends.back().before != at_) made_.ends.push_back({at_, 0});
      ++made_.ends.back().ends;
    }
  }

 private:
  looped_program& made_;
  std::uint64_t at_ = 0;
};

/// How the places of a loaded instruction differ from its first ones.
struct place_sequence {
  std::array<std::int64_t, 2> first = {};
  std::array<std::uint64_t, 2> hash = {};
  std::array<bool, 2> moves = {};
  bool seen = false;

  void add(const recorded_instruction& i) {
    if (!std::exchange(seen, true)) first = i.places;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::int64_t by = i.places[side] - first[side];
      moves[side] = moves[side] || by != 0;
      hash[side] = (hash[side] ^ std::uint64_t(by)) * 0x9E3779B97F4A7C15u;
      hash[side] ^= hash[side] >> 29;
    }
  }
};

}  // namespace

std::vector<program_part> fold_program(std::span<const recorded_instruction> program,
                                       std::span<const repetition> repetitions,
                                       std::uint64_t tiles_max) {
  std::vector<std::uint64_t> tiles_before{0};
  for (const recorded_instruction& i : program)
    tiles_before.push_back(tiles_before.back() + (i.is_tile ? 1 : 0));
  const folded_stretch all(tiles_before, 0, program.size(), repetitions, tiles_max);
  std::vector<program_part> parts;
  if (all.iterations(tiles_max) != never) all.append(tiles_max, parts);
  return parts;
}

looped_program place_loops(std::span<const recorded_instruction> program,
                           std::span<const program_part> parts) {
  looped_program made;
  placing places(program.size(), made);
  std::vector<std::uint64_t> part_slots{0};
  for (const program_part& part : parts) {
    places.add(part);
    part_slots.push_back(places.slot);
  }
  made.instructions = places.slot;
  std::vector<place_sequence> sequences(places.slot);
  for (std::size_t i = 0; i < program.size(); ++i) {
    place_sequence& own = sequences[places.slots[i]];
    if (!own.seen) made.tiles += program[i].is_tile ? 1 : 0;
    own.add(program[i]);
  }
  for (std::size_t p = 0; p + 1 < part_slots.size(); ++p) {
    std::vector<std::uint64_t> ways;
    for (std::uint64_t s = part_slots[p]; s < part_slots[p + 1]; ++s)
      for (std::size_t side = 0; side < 2; ++side)
        if (sequences[s].moves[side]) ways.push_back(sequences[s].hash[side]);
    std::ranges::sort(ways);
    const auto repeated = std::ranges::unique(ways);
    const auto own = ways.size() - repeated.size();
    if (parts[p].iterations > 0) made.registers = std::max(made.registers, int(own) + 1);
  }
  made.moves.resize(program.size());
  for (std::size_t i = 0; i < program.size(); ++i) {
    const place_sequence& own = sequences[places.slots[i]];
    made.moves[i] = own.moves[0] || own.moves[1];
  }
  return made;
}

}  // namespace papilio::engine_detail

// Subsets of the operands are visited in order of their number of operands, each with its cheapest
// order (as in Pfeifer, Haegeman, Verstraete, "Faster identification of optimal contraction
// sequences for tensor networks", 2014). An outer product (a, b) that c follows is worth its place
// only where neither ((a, c), b) nor ((b, c), a) costs less; the cost of the first of these limits
// how large it may be at all.
#include "path_connected.hpp"

#include <algorithm>

namespace papilio::path_detail {

connected_search::connected_search(const search_network& network)
    : network_(network),
      words_(network.words),
      holders_(network.labels),
      result_(words_),
      inner_(words_),
      last_(words_) {
  for (std::size_t i = 0; i < network.operands; ++i)
    for_each_bit(network.input(i), words_,
                 [&](std::size_t label) { holders_[label] |= word(1) << i; });
}

// Returns whether each of these labels is on exactly one operand outside `members` and not in the
// result, so that a part that shares some of them can sum them.
bool connected_search::ordinary(const word* labels, word members) const {
  bool all = true;
  for_each_bit(labels, words_, [&](std::size_t label) {
    const bool kept = network_.output[label / 64] >> label % 64 & 1;
    all &= !kept && std::popcount(holders_[label] & ~members) == 1;
  });
  return all;
}

connected_search::step connected_search::combine(const word* x, const word* y, word members,
                                                 word* result) const {
  double all = 1, kept = 1;
  bool sums = false;
  for (std::size_t w = 0; w < words_; ++w) {
    word out = 0;
    for (word rest = x[w] | y[w]; rest; rest &= rest - 1) {
      const std::size_t label = w * 64 + std::size_t(std::countr_zero(rest));
      all *= network_.sizes[label];
      if (!(holders_[label] & ~members) && !(network_.output[w] >> label % 64 & 1)) {
        sums = true;
        continue;
      }
      kept *= network_.sizes[label];
      out |= rest & (~rest + 1);
    }
    result[w] = out;
  }
  return {step_flops(all, sums), std::min(kept, largest_cost)};
}

void connected_search::start(word members) {
  members_ = members;
  parts_.clear();
  labels_.clear();
  found_.clear();
  too_much_ = false;
  const auto count = std::size_t(std::popcount(members));
  levels_.assign(count + 1, {});
  levels_by_label_.assign(count + 1, {});
  for (word rest = members; rest; rest &= rest - 1) {
    const auto i = std::size_t(std::countr_zero(rest));
    const word* const labels = network_.input(i);
    levels_[1].push_back(int(parts_.size()));
    parts_.push_back({.members = word(1) << i,
                      .cost = 0,
                      .size = network_.size_of(labels),
                      .a = -1,
                      .b = -1,
                      .outer = false,
                      .ordinary = ordinary(labels, word(1) << i)});
    labels_.insert(labels_.end(), labels, labels + words_);
  }
  finish_level(1);
}

// Sorts the parts of a level, the smallest first, and lists them by their labels.
void connected_search::finish_level(std::size_t count) {
  level& all = levels_[count];
  std::ranges::stable_sort(all, {}, [&](int p) { return parts_[std::size_t(p)].size; });
  levels_by_label_[count].assign(network_.labels, {});
  for (const int p : all)
    for_each_bit(set(p), words_,
                 [&](std::size_t label) { levels_by_label_[count][label].push_back(p); });
}

// Whether an outer product, followed by a step of `flops` with another part, is cheaper than the
// two orders in which that part comes between.
bool connected_search::exchange_pays(int outer, int other, double flops) const {
  const part& product = parts_[std::size_t(outer)];
  const part& third = parts_[std::size_t(other)];
  const int a = product.a, b = product.b;
  const double own = product.cost - parts_[std::size_t(a)].cost - parts_[std::size_t(b)].cost;
  const auto otherwise = [&](int first, int second) {
    const word members = parts_[std::size_t(first)].members | third.members;
    const step inner = combine(set(first), set(other), members, inner_.data());
    const step last = combine(inner_.data(), set(second),
                              members | parts_[std::size_t(second)].members, last_.data());
    return inner.flops + last.flops;
  };
  const double now = (own + flops) * (1 - 1e-12);
  return now <= otherwise(a, b) && now <= otherwise(b, a);
}

// Counts the work, and returns whether it or the time is used up.
bool connected_search::is_too_much(double work) {
  constexpr double between_looks = 1e5;
  limits_->work -= work;
  if (limits_->work > work_at_next_look_) return false;
  work_at_next_look_ = limits_->work - between_looks;
  return limits_->work < 0 || clock::now() >= limits_->end;
}

void connected_search::join(int a, int b, bool outer) {
  // A join costs as much as many comparisons.
  limits_->work -= 20;
  const part& x = parts_[std::size_t(a)];
  const part& y = parts_[std::size_t(b)];
  const word members = x.members | y.members;
  const step made = combine(set(a), set(b), members, result_.data());
  const double cost = x.cost + y.cost + made.flops;
  // Steps that are still to come take at least one multiplication for each element of the result.
  if (cost + (members == members_ ? 0 : made.size) >= bound_) return;
  if (x.outer && !exchange_pays(a, b, made.flops)) return;
  if (y.outer && !exchange_pays(b, a, made.flops)) return;
  const auto [at, inserted] = found_.try_emplace(members, int(parts_.size()));
  part found{.members = members,
             .cost = cost,
             .size = made.size,
             .a = a,
             .b = b,
             .outer = outer,
             .ordinary = false};
  if (!inserted) {
    part& known = parts_[std::size_t(at->second)];
    if (cost >= known.cost) return;
    found.ordinary = known.ordinary;
    known = found;
    return;
  }
  found.ordinary = ordinary(result_.data(), members);
  levels_[std::size_t(std::popcount(members))].push_back(int(parts_.size()));
  parts_.push_back(found);
  labels_.insert(labels_.end(), result_.begin(), result_.end());
  too_much_ |= parts_.size() > limits_->kept;
}

void connected_search::join_connected(const level& small, std::size_t other_count) {
  std::vector<word> own;
  for (const int a : small) {
    own.assign(set(a), set(a) + words_);  // `labels_` grows where a pair is joined
    for_each_bit(own.data(), words_, [&](std::size_t label) {
      const level& others = levels_by_label_[other_count][label];
      if ((too_much_ |= is_too_much(double(others.size())))) return;
      for (const int b : others) {
        const part &x = parts_[std::size_t(a)], &y = parts_[std::size_t(b)];
        if (x.members & y.members || x.cost + y.cost >= bound_) continue;
        if (std::popcount(x.members) == std::popcount(y.members) && b < a) continue;
        // Pairs that share several labels are met at the first of them.
        std::size_t w = 0;
        while (!(own[w] & set(b)[w])) ++w;
        const auto first = w * 64 + std::size_t(std::countr_zero(own[w] & set(b)[w]));
        if (first == label) join(a, b, false);
      }
    });
    if (too_much_) return;
  }
}

// Returns the least cost, in units of |a| |b|, of an order in which the outer product of a and b
// can pay. Where all labels of both are summed with c, as in ((a, b), c), c has all of them and the
// last step takes 2 |c|. Then |a| |b| max(|a|, |b|) < 2 |c|, since ((a, c), b) would otherwise be
// as cheap.
double connected_search::apart_factor(const part& a, const part& b) const {
  if (!a.ordinary || !b.ordinary || a.size <= 1 || b.size <= 1) return 1;
  return 1 + std::max({a.size, b.size, 2.0});
}

void connected_search::join_apart(const level& small, const level& large) {
  for (const int a : small) {
    for (const int b : large) {
      const part &x = parts_[std::size_t(a)], &y = parts_[std::size_t(b)];
      if (x.cost + x.size * y.size >= bound_) break;
      if ((too_much_ |= is_too_much(1))) return;
      if (x.members & y.members) continue;
      if (std::popcount(x.members) == std::popcount(y.members) && b < a) continue;
      if (x.cost + y.cost + x.size * y.size * apart_factor(x, y) >= bound_) continue;
      bool shares = false;
      for (std::size_t w = 0; w < words_; ++w) shares |= (set(a)[w] & set(b)[w]) != 0;
      if (!shares) join(a, b, true);
      if (too_much_) return;
    }
  }
}

connected_outcome connected_search::run(word members, double bound, connected_limits& limits) {
  bound_ = bound;
  limits_ = &limits;
  work_at_next_look_ = limits.work;
  start(members);
  const auto count = std::size_t(std::popcount(members));
  for (std::size_t c = 2; c <= count; ++c) {
    for (std::size_t i = 1; i <= c / 2; ++i) {
      join_connected(levels_[i], c - i);
      if (!too_much_) join_apart(levels_[i], levels_[c - i]);
      if (too_much_) return connected_outcome::too_much;
    }
    finish_level(c);
  }
  return levels_[count].empty() ? connected_outcome::no_better : connected_outcome::found;
}

int connected_search::name_steps(int p, named_path& path) const {
  const part& at = parts_[std::size_t(p)];
  if (at.a < 0) return std::countr_zero(at.members);
  const int a = name_steps(at.a, path), b = name_steps(at.b, path);
  path.push_back({a, b});
  return int(network_.operands + path.size()) - 1;
}

void connected_search::append_path(named_path& path) const { name_steps(levels_.back()[0], path); }

}  // namespace papilio::path_detail

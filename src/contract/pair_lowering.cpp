#include "contract/pair_lowering.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

namespace papilio::contract_detail {
namespace {

using stride_of = std::ptrdiff_t step_axis::*;

// Least time to copy an element, in units of one multiply-add of a large product of matrices.
constexpr double copied_element = 18;

struct copied {
  bool left = false, right = false, out = false;
};

// Axes of a group, in one order for all three arrays; segments are neighbours that can be joined to
// one axis. Copied arrays are laid out afterwards and so follow any order.
struct ordered_group {
  struct segment {
    std::size_t first = 0, last = 0;
    bool operator==(const segment&) const = default;
  };
  step_axes axes = {};    // as given
  step_axes placed = {};  // with the strides of the copies
  std::vector<segment> segments = {};

  ordered_group(const step_axes& group, stride_of by, const copied& c) : axes(group) {
    std::ranges::stable_sort(axes, [&](const step_axis& x, const step_axis& y) {
      return std::abs(x.*by) > std::abs(y.*by);
    });
    placed = axes;
    for (step_axis& a : placed) {
      if (c.left) a.left = 0;
      if (c.right) a.right = 0;
      if (c.out) a.out = 0;
    }
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (i > 0 && are_one(placed[i - 1], placed[i]))
        segments.back().last = i + 1;
      else
        segments.push_back({i, i + 1});
    }
  }

  step_axis joined(const segment& s) const {
    step_axis a = placed[s.last - 1];
    for (std::size_t i = s.first; i + 1 < s.last; ++i) a.extent *= placed[i].extent;
    return a;
  }
  step_axis joined(const std::optional<segment>& s) const { return s ? joined(*s) : step_axis{}; }

  // Returns segments that may be a side of the matrices; the others become loops.
  std::vector<std::optional<segment>> candidates() const {
    constexpr std::size_t most = 5;
    if (segments.empty()) return {std::nullopt};
    std::vector<std::optional<segment>> result(segments.begin(), segments.end());
    if (result.size() <= most) return result;
    std::ranges::stable_sort(result, [&](const auto& x, const auto& y) {
      return joined(*x).extent > joined(*y).extent;
    });
    result.resize(most);
    for (const segment& s : segments) {
      const step_axis a = joined(s);
      if (a.left == 1 || a.right == 1 || a.out == 1) result.emplace_back(s);
    }
    return result;
  }
};

// Lays a copy out, from its fastest axis on.
class placement {
 public:
  explicit placement(stride_of field) : field_(field) {}
  void add(ordered_group& group, const ordered_group::segment& s) {
    for (std::size_t i = s.last; i-- > s.first;) {
      group.placed[i].*field_ = static_cast<std::ptrdiff_t>(size_);
      size_ *= group.placed[i].extent;
    }
  }
  void add(ordered_group& group, const std::optional<ordered_group::segment>& s) {
    if (s) add(group, *s);
  }
  void add_rest(ordered_group& group, const std::optional<ordered_group::segment>& inner) {
    for (std::size_t s = group.segments.size(); s-- > 0;)
      if (!inner || group.segments[s] != *inner) add(group, group.segments[s]);
  }
  std::size_t size() const { return size_; }

 private:
  stride_of field_;
  std::size_t size_ = 1;
};

// One choice of what is copied, and the best sides of the matrices for it.
class attempt {
 public:
  attempt(const step_groups& g, const copied& c)
      : given_(g),
        copied_(c),
        batch_(g.batch, c.out ? &step_axis::left : &step_axis::out, c),
        m_(g.m, c.out ? &step_axis::left : &step_axis::out, c),
        n_(g.n, c.out ? &step_axis::right : &step_axis::out, c),
        k_(g.k, c.left && !c.right ? &step_axis::right : &step_axis::left, c) {
    choose_sides();
  }

  // Lower bound of the cost; infinite if BLAS cannot express an array that is not copied.
  double cost() const { return cost_; }

  // Returns the cheapest lowering over row-major and column-major copies.
  pair_lowering lowered() {
    pair_lowering best = lowered({});
    for (unsigned choice = 1; choice < 8; ++choice) {
      const copied by_columns{(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0};
      if ((by_columns.left && !copied_.left) || (by_columns.right && !copied_.right) ||
          (by_columns.out && !copied_.out))
        continue;
      pair_lowering other = lowered(by_columns);
      if (other.cost + other.products.cost_of_form() < best.cost + best.products.cost_of_form())
        best = std::move(other);
    }
    return best;
  }

 private:
  using side = std::optional<ordered_group::segment>;

  static void add_loops(step_axes& to, const ordered_group& group, const side& inner) {
    for (const auto& s : group.segments)
      if (!inner || s != *inner) to.push_back(group.joined(s));
  }

  gemm_nest nest(const side& m, const side& n, const side& k) const {
    gemm_nest result{.m = m_.joined(m), .n = n_.joined(n), .k = k_.joined(k)};
    add_loops(result.outer, batch_, std::nullopt);
    add_loops(result.outer, m_, m);
    add_loops(result.outer, n_, n);
    add_loops(result.summed, k_, k);
    return result;
  }

  pair_lowering lowered(const copied& by_columns) {
    pair_lowering result;
    result.is_loops = false;
    if (copied_.left)
      result.left = copy_of(m_, m_side_, k_, k_side_, &step_axis::left, by_columns.left);
    if (copied_.right)
      result.right = copy_of(k_, k_side_, n_, n_side_, &step_axis::right, by_columns.right);
    if (copied_.out)
      result.out = copy_of(m_, m_side_, n_, n_side_, &step_axis::out, by_columns.out);
    result.products = nest(m_side_, n_side_, k_side_);
    result.cost = result.products.cost();
    for (const step_copy* copy : {&result.left, &result.right, &result.out})
      if (copy->size != 0) result.cost += copy->nest.cost();
    return result;
  }

  void choose_sides() {
    for (const side& m : m_.candidates())
      for (const side& n : n_.candidates())
        for (const side& k : k_.candidates()) {
          const gemm_nest tried = nest(m, n, k);
          if ((!copied_.left && !tried.is_left_expressible()) ||
              (!copied_.right && !tried.is_right_expressible()) ||
              (!copied_.out && !tried.is_out_expressible()))
            continue;
          const double cost = tried.cost();
          if (cost >= cost_) continue;
          cost_ = cost;
          m_side_ = m, n_side_ = n, k_side_ = k;
        }
    cost_ += copies();
  }

  double copies() const {
    const auto size = [](const step_axes& x, const step_axes& y, const step_axes& z) {
      double count = 1;
      for (const step_axes* axes : {&x, &y, &z})
        for (const step_axis& a : *axes) count *= static_cast<double>(a.extent);
      return count * copied_element;
    };
    double sum = 0;
    if (copied_.left) sum += size(given_.batch, given_.m, given_.k);
    if (copied_.right) sum += size(given_.batch, given_.k, given_.n);
    if (copied_.out) sum += size(given_.batch, given_.m, given_.n);
    return sum;
  }

  // Lays out a copy as matrices one after another, row-major or column-major.
  step_copy copy_of(ordered_group& rows, const side& row, ordered_group& columns,
                    const side& column, stride_of field, bool by_columns) {
    return by_columns ? laid_out(columns, column, rows, row, field)
                      : laid_out(rows, row, columns, column, field);
  }

  step_copy laid_out(ordered_group& rows, const side& row, ordered_group& columns,
                     const side& column, stride_of field) {
    placement place(field);
    place.add(columns, column);
    place.add(rows, row);
    place.add_rest(columns, column);
    place.add_rest(rows, row);
    place.add_rest(batch_, std::nullopt);
    step_axes kept;
    const bool is_result = field == &step_axis::out;
    for (const ordered_group* g : {&batch_, &rows, &columns})
      for (std::size_t i = 0; i < g->axes.size(); ++i) {
        const std::ptrdiff_t given = g->axes[i].*field, copy = g->placed[i].*field;
        kept.push_back({.extent = g->axes[i].extent,
                        .left = is_result ? copy : given,
                        .out = is_result ? given : copy});
      }
    const step_axes alone = summed_alone(field);
    return {place.size(), strided_nest(kept, alone), !alone.empty()};
  }

  step_axes summed_alone(stride_of field) const {
    step_axes result;
    if (field == &step_axis::left) result = given_.left_only;
    if (field == &step_axis::right) result = given_.right_only;
    for (step_axis& a : result) a = {.extent = a.extent, .left = a.*field};
    return result;
  }

  const step_groups& given_;
  copied copied_;
  ordered_group batch_, m_, n_, k_;
  side m_side_, n_side_, k_side_;
  double cost_ = std::numeric_limits<double>::infinity();
};

// Copies an operand into the order of another array, with the axes summed that only it has.
step_copy reordered(std::vector<step_axis*> axes, const step_axes& summed, stride_of field,
                    stride_of by) {
  const auto key = [&](const step_axis* a) {
    const std::ptrdiff_t stride = a->*by;  // axes that the other has not are outermost
    return std::pair(stride == 0 ? std::numeric_limits<std::ptrdiff_t>::max() : std::abs(stride),
                     std::abs(a->*field));
  };
  std::ranges::stable_sort(axes, [&](const auto* x, const auto* y) { return key(x) > key(y); });
  step_copy copy{.size = 1, .must_sum = !summed.empty()};
  step_axes kept, alone;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const auto step = static_cast<std::ptrdiff_t>(copy.size);
    kept.push_back({.extent = axes[i]->extent, .left = axes[i]->*field, .out = step});
    axes[i]->*field = step;
    copy.size *= axes[i]->extent;
  }
  for (const step_axis& a : summed) alone.push_back({.extent = a.extent, .left = a.*field});
  copy.nest = strided_nest(kept, alone);
  return copy;
}

std::vector<step_axis*> all_of(step_axes& x, step_axes& y, step_axes& z) {
  std::vector<step_axis*> result;
  for (step_axes* axes : {&x, &y, &z})
    for (step_axis& a : *axes) result.push_back(&a);
  return result;
}

// Lowers a step to loops. Operands that have sums of their own are copied first, and operands that
// `c` names are copied into the order of the other.
pair_lowering by_loops(step_groups g, const copied& c) {
  constexpr stride_of left = &step_axis::left, right = &step_axis::right;
  pair_lowering result;
  if (c.left || !g.left_only.empty())
    result.left = reordered(all_of(g.batch, g.m, g.k), g.left_only, left, c.left ? right : left);
  if (c.right || !g.right_only.empty())
    result.right =
        reordered(all_of(g.batch, g.k, g.n), g.right_only, right, c.right ? left : right);
  step_axes kept = g.batch;
  kept.insert(kept.end(), g.m.begin(), g.m.end());
  kept.insert(kept.end(), g.n.begin(), g.n.end());
  result.loops = strided_nest(std::move(kept), std::move(g.k));
  result.cost = result.loops.cost();
  for (const step_copy* copy : {&result.left, &result.right})
    if (copy->size != 0) result.cost += copy->nest.cost();
  return result;
}

bool is_expressible(const gemm_nest& nest) {
  return nest.is_left_expressible() && nest.is_right_expressible() && nest.is_out_expressible();
}

}  // namespace

pair_lowering lower(const step_groups& groups, int copies) {
  pair_lowering best = by_loops(groups, {});
  // Loops write products without sums as fast as anything can.
  if (size_of(groups.k) == 0 || (groups.k.empty() && copies == any_copies)) return best;
  if (copies == any_copies)
    for (const copied& c : {copied{.left = true}, copied{.right = true}}) {
      pair_lowering loops = by_loops(groups, c);
      if (loops.cost < best.cost) best = std::move(loops);
    }
  else
    best.cost = std::numeric_limits<double>::infinity();
  for (int choice = 0; choice < 8; ++choice) {
    if (copies != any_copies && choice != copies) continue;
    const copied c{.left = (choice & 1) != 0, .right = (choice & 2) != 0, .out = (choice & 4) != 0};
    if ((!c.left && !groups.left_only.empty()) || (!c.right && !groups.right_only.empty()))
      continue;
    attempt tried(groups, c);
    if (tried.cost() >= best.cost) continue;
    pair_lowering lowered = tried.lowered();
    if (!is_expressible(lowered.products) || lowered.cost >= best.cost) continue;
    lowered.loops = std::move(best.loops);
    best = std::move(lowered);
  }
  return best;
}

}  // namespace papilio::contract_detail

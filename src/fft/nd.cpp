// N-D transforms run depth first: a block of an array is transformed over its trailing axes by
// transforming its parts, and then over its leading axis by columns (or the other way round where
// the axes rise), so that a block that fits the cache is read from memory once for all the axes
// within it.
#include "fft/nd.hpp"

#include <algorithm>

#include "fft/blocks.hpp"

namespace papilio::fft_detail {
namespace {

// Bytes of a block: half of the L2 cache of a current server core (2 MiB), so that an out-of-place
// block and the scratch of a tile stay in it together. Cores with 1 MiB keep the other half in the
// L3 cache.
constexpr std::size_t block_bytes = std::size_t{1024} * 1024;

template <class In, class Out>
class lines_step final : public axis_step<real_component<In>> {
 public:
  using real = real_component<In>;
  lines_step(const line_transform<In, Out>& line, strided<const In> in, strided<Out> out,
             std::size_t axis)
      : axis_step<real>(axis), line_(line), in_(in), out_(out) {}

  std::size_t memory_reals() const override {
    const std::size_t axis = this->axis();
    return tile_memory(line_, way_of<In, Out>(line_, in_, out_, axis, axis + 1));
  }

  void run(const block& part, real* memory) const override {
    std::vector<std::size_t> in_extents, out_extents;
    const strided<const In> in = part_of(in_, part, in_extents);
    const strided<Out> out = part_of(out_, part, out_extents);
    // Lines may be columns only along a later axis, which every part holds whole.
    const std::size_t axis = this->axis() - part.prefix.size();
    const axis_lines<In, Out> lines(line_, in, out, axis, axis + 1);
    lines.run(0, lines.tiles(), memory);
  }

  std::size_t workers(base_detail::team team) const override {
    return team.at_most(lines().tiles()).workers;
  }

  void run(base_detail::team team, int line_threads,
           base_detail::team_memory<real>& memory) const override {
    run_lines(lines(), team, line_threads, memory);
  }

 private:
  axis_lines<In, Out> lines() const {
    return axis_lines<In, Out>(line_, in_, out_, this->axis(), this->axis() + 1);
  }

  template <class T>
  strided<T> part_of(const strided<T>& whole, const block& part,
                     std::vector<std::size_t>& extents) const {
    const std::size_t depth = part.prefix.size();
    T* data = whole.data + static_cast<std::ptrdiff_t>(part.first) * whole.strides[depth];
    for (std::size_t level = 0; level < depth; ++level)
      data += static_cast<std::ptrdiff_t>(part.prefix[level]) * whole.strides[level];
    // The extents of the two operands differ along the axis itself, which is always whole.
    if (this->axis() == depth || part.count == whole.extents[depth])
      return {data, whole.extents.subspan(depth), whole.strides.subspan(depth)};
    extents.assign(whole.extents.begin() + static_cast<std::ptrdiff_t>(depth), whole.extents.end());
    extents[0] = part.count;
    return {data, extents, whole.strides.subspan(depth)};
  }

  const line_transform<In, Out>& line_;
  strided<const In> in_;
  strided<Out> out_;
};

template <class Real>
class depth_first {
 public:
  depth_first(const axis_steps<Real>& steps, std::span<const std::size_t> extents,
              std::size_t element_bytes)
      : steps_(steps), extents_(extents), rising_(steps.front()->axis() < steps.back()->axis()) {
    const std::size_t last = (rising_ ? steps.back() : steps.front())->axis();
    const auto part_bytes = [&](std::size_t depth) {
      return product(extents.subspan(depth)) * element_bytes;
    };
    while (leaf_depth_ < last && part_bytes(leaf_depth_) > block_bytes) ++leaf_depth_;
    if (leaf_depth_ > 0) chunk_ = std::max<std::size_t>(1, block_bytes / part_bytes(leaf_depth_));
    for (const auto& step : steps) memory_reals_ = std::max(memory_reals_, step->memory_reals());
  }

  std::size_t memory_reals() const { return memory_reals_; }

  std::size_t workers(base_detail::team team) const {
    if (team.workers == 1) return 1;
    const units shared = shared_units(team.workers);
    std::size_t most = team.at_most(shared.count()).workers;
    for (const auto& step : steps_)
      if (shared.depth == 0 || step->axis() < shared.depth)
        most = std::max(most, step->workers(team));
    return most;
  }

  void run(base_detail::team team, int line_threads, base_detail::team_memory<Real>& memory) const {
    if (team.workers == 1) {
      block at;
      visit(at, memory.of(0));
      return;
    }
    const units shared = shared_units(team.workers);
    const auto run_whole = [&](std::size_t depth) {
      for (const auto& step : steps_)
        if (step->axis() < depth) step->run(team, line_threads, memory);
    };
    if (shared.depth == 0) return run_whole(extents_.size());
    if (rising_) run_whole(shared.depth);
    run_units(shared, team, memory);
    if (!rising_) run_whole(shared.depth);
  }

 private:
  // Units that threads share: the parts below every index of `depth` leading axes, the last of
  // which is cut into `pieces`. With depth 0 there is nothing to share but the lines of each axis.
  struct units {
    std::size_t depth = 0, parents = 1, pieces = 1;
    std::size_t count() const { return parents * pieces; }
  };

  units shared_units(std::size_t team) const {
    if (leaf_depth_ == 0) return {};
    const std::size_t least = 4 * team;  // so that a thread has several
    for (std::size_t depth = 1; depth < leaf_depth_; ++depth)
      if (product(extents_.first(depth)) >= least)
        return {depth, product(extents_.first(depth - 1)), extents_[depth - 1]};
    const std::size_t extent = extents_[leaf_depth_ - 1];
    const std::size_t parents = product(extents_.first(leaf_depth_ - 1));
    const std::size_t wanted =
        std::max((extent + chunk_ - 1) / chunk_, (least + parents - 1) / parents);
    return {leaf_depth_, parents, std::min(extent, wanted)};
  }

  // Returns the indices of the axes in front of the last shared one.
  std::vector<std::size_t> position(std::size_t parent, std::size_t axes) const {
    std::vector<std::size_t> index(axes);
    for (std::size_t axis = axes; axis-- > 0; parent /= extents_[axis])
      index[axis] = parent % extents_[axis];
    return index;
  }

  void run_units(const units& shared, base_detail::team team,
                 base_detail::team_memory<Real>& memory) const {
    const auto run = [&](std::size_t first, std::size_t last, std::size_t worker) {
      for (std::size_t u = first; u < last; ++u) {
        block at{position(u / shared.pieces, shared.depth - 1), 0, 0};
        const std::size_t piece = u % shared.pieces, extent = extents_[shared.depth - 1];
        if (shared.depth == leaf_depth_) {
          at.first = extent * piece / shared.pieces;
          at.count = extent * (piece + 1) / shared.pieces - at.first;
          run_leaf(at, memory.of(worker));
        } else {
          at.prefix.push_back(piece);
          visit(at, memory.of(worker));
        }
      }
    };
    base_detail::share(shared.count(), team, run);
  }

  void visit(block& at, Real* memory) const {
    const std::size_t depth = at.prefix.size();
    if (leaf_depth_ == 0) {
      at.count = extents_[0];
      for (const auto& step : steps_) step->run(at, memory);
      return;
    }
    if (rising_) run_columns(at, memory);
    if (depth + 1 == leaf_depth_) {
      for (at.first = 0; at.first < extents_[depth]; at.first += at.count) {
        at.count = std::min(chunk_, extents_[depth] - at.first);
        run_leaf(at, memory);
      }
    } else {
      for (std::size_t i = 0; i < extents_[depth]; ++i) {
        at.prefix.push_back(i);
        visit(at, memory);
        at.prefix.pop_back();
      }
    }
    if (!rising_) run_columns(at, memory);
  }

  // Runs the step along the axis behind the block's prefix, if there is one.
  void run_columns(block& at, Real* memory) const {
    const std::size_t depth = at.prefix.size();
    at.first = 0;
    at.count = extents_[depth];
    for (const auto& step : steps_)
      if (step->axis() == depth) step->run(at, memory);
  }

  // Runs the steps along the axes from leaf_depth_ on, for some indices of the axis before.
  void run_leaf(const block& at, Real* memory) const {
    for (const auto& step : steps_)
      if (step->axis() >= leaf_depth_) step->run(at, memory);
  }

  const axis_steps<Real>& steps_;
  std::span<const std::size_t> extents_;
  bool rising_;
  std::size_t leaf_depth_ = 0;  // below this many indices parts fit the cache
  std::size_t chunk_ = 1;       // number of such parts that are done together
  std::size_t memory_reals_ = 0;
};

}  // namespace

template <class In, class Out>
axis_step_from<In> make_step(const line_transform<In, Out>& line, strided<const In> in,
                             strided<Out> out, std::size_t axis) {
  return std::make_unique<const lines_step<In, Out>>(line, in, out, axis);
}

template <class Real>
void run_steps(const std::vector<axis_steps<Real>>& groups, std::span<const std::size_t> extents,
               std::size_t element_bytes, int threads) {
  std::size_t steps_in_all = 0;
  for (const axis_steps<Real>& steps : groups) steps_in_all += steps.size();
  const std::size_t points = product(extents);
  const base_detail::team team =
      steps_in_all == 1 ? points_team(points, threads) : steps_team(points, threads);
  std::vector<depth_first<Real>> runs;
  runs.reserve(groups.size());
  std::size_t workers = 1, reals = 0;
  for (const axis_steps<Real>& steps : groups) {
    if (steps.empty()) continue;
    const auto& run = runs.emplace_back(steps, extents, element_bytes);
    workers = std::max(workers, run.workers(team));
    reals = std::max(reals, run.memory_reals());
  }
  base_detail::team_memory<Real> memory(workers, reals);
  // A line that threads share may allocate, and so fail: not after another step has written.
  const int line_threads = steps_in_all == 1 ? team.offered : 1;
  for (const auto& run : runs) run.run(team, line_threads, memory);
}

std::vector<std::size_t> normalized_axes(const char* function, std::size_t rank,
                                         std::span<const std::ptrdiff_t> axes) {
  const auto signed_rank = static_cast<std::ptrdiff_t>(rank);
  std::vector<std::size_t> found;
  for (const std::ptrdiff_t axis : axes) {
    if (axis < -signed_rank || axis >= signed_rank)
      throw invalid_argument(base_detail::message(function, ": axes must be at least ",
                                                  -signed_rank, " and below ", signed_rank,
                                                  ", got ", axis));
    const auto position = static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
    if (std::ranges::find(found, position) != found.end())
      throw invalid_argument(
          base_detail::message(function, ": axes must differ, got ", axis, " again"));
    found.push_back(position);
  }
  return found;
}

batch_layout row_major_lines(std::span<const std::size_t> extents, std::size_t axis) {
  const std::size_t step = product(extents.subspan(axis + 1));
  return {.count = product(extents) / extents[axis],
          .line_stride = step == 1 ? static_cast<std::ptrdiff_t>(extents[axis]) : 1,
          .element_stride = static_cast<std::ptrdiff_t>(step)};
}

std::vector<std::ptrdiff_t> all_axes(std::size_t rank) {
  std::vector<std::ptrdiff_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::ptrdiff_t{0});
  return axes;
}

void require_array(const char* function, std::span<const std::size_t> extents,
                   std::size_t element_bytes) {
  if (extents.empty())
    throw invalid_argument(base_detail::message(function, ": extents must not be empty"));
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (extents[axis] == 0)
      throw invalid_argument(base_detail::message(function, ": extents must be at least 1, got 0 ",
                                                  "for axis ", axis));
  element_count(extents, element_bytes, function);
}

#define PAPILIO_STEP(In, Out)                                                              \
  template axis_step_from<In> make_step(const line_transform<In, Out>&, strided<const In>, \
                                        strided<Out>, std::size_t);
#define PAPILIO_STEPS(T)                                                                   \
  PAPILIO_STEP(std::complex<T>, std::complex<T>)                                           \
  PAPILIO_STEP(T, std::complex<T>)                                                         \
  PAPILIO_STEP(std::complex<T>, T)                                                         \
  template void run_steps(const std::vector<axis_steps<T>>&, std::span<const std::size_t>, \
                          std::size_t, int);
PAPILIO_STEPS(float)
PAPILIO_STEPS(double)
PAPILIO_STEPS(long double)

}  // namespace papilio::fft_detail

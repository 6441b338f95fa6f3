// Layouts of formulas: tiles for the values of a program's steps, and how rows of features lie on
// partitions.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/ceil_div.hpp"
#include "kernels/elementwise/pointwise.hpp"

namespace papilio::kernels_detail {
namespace {

using engine::alu_op;
using engine::machine_spec;
using kind = pointwise_step::kind;

class placing {
 public:
  placing(const pointwise_program& p, int parked_most, bool has_gpsimd)
      : p_(p), parked_most_(parked_most), last_use_(p.steps.size(), 0) {
    all_.place.assign(p.steps.size(), -1);
    all_.is_parked.assign(p.steps.size(), false);
    all_.is_of_gpsimd.assign(p.steps.size(), false);
    if (has_gpsimd) share_steps();
    const int end = int(p.steps.size());
    // A value that is computed once stays for all rows.
    const auto use = [&](int value, int at) {
      int& last = last_use_[std::size_t(value)];
      last = std::max(last, is_element(at) && !is_element(value) ? end : at);
    };
    for (int at = 0; at < end; ++at) {
      const pointwise_step& s = step(at);
      if (s.what == kind::load) continue;
      use(s.left, at);
      if (s.what == kind::combine) use(s.right, at);
    }
    for (const pointwise_tensor& t : p.outputs)
      for (const int plane : t.planes) last_use_[std::size_t(plane)] = end;
    assign(false);
    assign(true);
  }

  value_places result() && { return std::move(all_); }

 private:
  struct room {
    int& count;
    std::vector<int> free = {};
  };

  const pointwise_step& step(int at) const { return p_.steps[std::size_t(at)]; }
  bool is_element(int at) const { return step(at).each == one_for::element; }

  bool is_of_vector(int at) const {
    const pointwise_step& s = step(at);
    return (s.what == kind::combine && !all_.is_of_gpsimd[std::size_t(at)]) ||
           (s.what == kind::constant && !s.is_of_scalar_engine());
  }

  // Gpsimd, where it has a port of its own, takes steps of two inputs while it has less to do than
  // the vector engine: they wait for nothing else.
  void share_steps() {
    int vector = 0, gpsimd = 0;
    const auto is_input = [&](int at) { return is_element(at) && step(at).what == kind::load; };
    for (int at = 0; at < int(p_.steps.size()); ++at) {
      const pointwise_step& s = step(at);
      if (!is_element(at) || s.what != kind::combine) continue;
      const bool is_shared = gpsimd < vector && is_input(s.left) && is_input(s.right);
      all_.is_of_gpsimd[std::size_t(at)] = is_shared;
      ++(is_shared ? gpsimd : vector);
    }
  }

  // Whether a value may lie in PSUM and that saves time: the vector engine makes and reads it, once
  // or more beside an operand in SBUF, and never beside one in PSUM. The scalar engine has the same
  // port; DMA and gpsimd cannot reach it.
  bool may_park(int value) const {
    if (!is_element(value) || !is_of_vector(value) ||
        last_use_[std::size_t(value)] == int(p_.steps.size()))
      return false;
    bool saves = false;
    for (int at = value + 1; at <= last_use_[std::size_t(value)]; ++at) {
      const pointwise_step& s = step(at);
      const bool is_right = s.what == kind::combine && s.right == value;
      if (s.what == kind::load || (s.left != value && !is_right)) continue;
      if (!is_of_vector(at)) return false;
      if (s.what != kind::combine) continue;
      const int other = is_right ? s.left : s.right;
      if (other == value || all_.is_parked[std::size_t(other)]) return false;
      saves = saves || step(other).each == one_for::element || step(other).each == one_for::feature;
    }
    return saves;
  }

  // Inputs are loaded before anything is computed. An operand keeps its tile until its last step is
  // done, whose result is in another: a view of the operand may repeat it.
  void assign(bool of_elements) {
    room in_sbuf{of_elements ? all_.elements : all_.features}, in_psum{all_.parked};
    std::vector<int> live;
    for (const bool loads : {true, false})
      for (int at = 0; at < int(p_.steps.size()); ++at) {
        const pointwise_step& s = step(at);
        const auto value = std::size_t(at);
        if ((s.what == kind::load) != loads) continue;
        if (s.what == kind::sum) {
          if (of_elements) all_.place[value] = all_.sums++;
        } else if (s.each == one_for::row) {
          if (of_elements) all_.place[value] = all_.rows++;
        } else if (is_element(at) == of_elements) {
          const bool has_room = !in_psum.free.empty() || in_psum.count < parked_most_;
          all_.is_parked[value] = has_room && may_park(at);
          room& to = all_.is_parked[value] ? in_psum : in_sbuf;
          if (to.free.empty()) to.free.push_back(to.count++);
          all_.place[value] = to.free.back();
          to.free.pop_back();
          live.push_back(at);
        }
        if (loads) continue;
        std::erase_if(live, [&](int one) {
          if (last_use_[std::size_t(one)] > at) return false;
          (all_.is_parked[std::size_t(one)] ? in_psum : in_sbuf)
              .free.push_back(all_.place[std::size_t(one)]);
          return true;
        });
      }
  }

  const pointwise_program& p_;
  int parked_most_;
  std::vector<int> last_use_;
  value_places all_;
};

// Tiles of which there is one, with what sums need in the end; and each of its pools' tiles.
struct tile_counts {
  std::int64_t once, pooled;

  explicit tile_counts(const value_places& tiles)
      : once(tiles.features + 3 * tiles.sums + 3),
        pooled(std::max(1, tiles.elements + tiles.rows)) {}
};

// Elements of a partition that fit, at most so many.
std::int64_t widest(const value_places& tiles, std::int64_t most, const machine_spec& m) {
  const tile_counts count(tiles);
  const std::int64_t step = m.sbuf.alignment_bytes, room = m.sbuf.bytes_per_partition /
                                                           (count.once + 2 * count.pooled) / step *
                                                           step / 4;
  return std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(1, room));
}

// Blocks of sets, so that one is loaded while another is computed.
constexpr std::int64_t blocks_least = 8;

// Tiles of a pool, one for each block up to eight, if they fit: what is hidden is the start of
// transfers.
int depth_of(const value_places& tiles, std::int64_t width, std::int64_t blocks,
             std::int64_t taken_bytes, const machine_spec& m) {
  const std::int64_t most = std::clamp<std::int64_t>(blocks, 2, 8);
  const std::int64_t step = m.sbuf.alignment_bytes, row = ceil_div(4 * width, step) * step;
  const tile_counts count(tiles);
  return int(std::clamp<std::int64_t>(
      ((m.sbuf.bytes_per_partition - taken_bytes) / row - count.once) / count.pooled, 2, most));
}

}  // namespace

value_places places_of(const pointwise_program& program, int parked_most, bool has_gpsimd) {
  return placing(program, parked_most, has_gpsimd).result();
}

namespace {

// Elements of a partition on which an instruction of one operand costs as much as on fewer.
std::int64_t shortest(const machine_spec& m) { return std::int64_t(m.vector.min_cycles); }

// Rows of a partition, at most so many, in blocks of the same number; few of them on few partitions.
std::int64_t rows_together(std::int64_t rows, std::int64_t features, std::int64_t most,
                           std::int64_t partitions, const machine_spec& m) {
  return std::max(ceil_div(rows, partitions * ceil_div(rows, partitions * most)),
                  std::min({rows, most, shortest(m) / 2 / features}));
}

// Parts of rows of features on partitions of at most `most` elements each.
std::vector<feature_part> feature_parts(std::int64_t rows, std::int64_t features, std::int64_t most,
                                        const machine_spec& machine) {
  const std::int64_t partitions = machine.sbuf.partitions, f = features;
  const std::int64_t least = std::min(shortest(machine), most);
  const std::int64_t each =
      f <= most && rows * f >= partitions * shortest(machine)
          ? f
          : std::min(f, std::clamp(ceil_div(rows * f, partitions), least, most));
  if (each == f) return {{0, 1, f, rows_together(rows, f, most / f, partitions, machine)}};
  std::vector<feature_part> parts;
  for (std::int64_t p = 0, whole = f / each; p < whole; p += partitions)
    parts.push_back({p * each, std::min(partitions, whole - p), each, 1});
  if (f % each > 0) parts.push_back({f - f % each, 1, f % each, 1});
  return parts;
}

}  // namespace

std::vector<feature_block> feature_blocks(std::int64_t rows, const feature_part& part,
                                          bool is_left_together, const machine_spec& machine) {
  const std::int64_t most = machine.sbuf.partitions / part.pieces;
  std::vector<feature_block> all;
  for (std::int64_t row = 0, together = part.together; row < rows;) {
    const std::int64_t groups = std::min(most, (rows - row) / together);
    if (groups == 0) {
      together = is_left_together
                     ? rows - row
                     : rows_together(rows - row, part.each, together - 1, most, machine);
      continue;
    }
    all.push_back({row, groups, together});
    row += groups * together;
  }
  return all;
}

// Rows that saturate a transfer are enough, but for an index. With sums each partition has whole
// rows, or the same piece of all; a bank of PSUM is theirs.
void pointwise_design::lay_out(const machine_spec& m) {
  const bool is_reduced = program.is_reduced();
  std::int64_t most = program.has(kind::largest) ? m.thresholds.vector_run_elements_max
                                                 : m.dma.saturating_row_bytes / 4;
  const std::int64_t banks = m.psum.banks - (is_reduced ? 1 : 0);
  places = places_of(program, int(banks / ceil_div(4 * most, m.psum.bank_bytes)),
                     !m.sbuf.gpsimd_shares_vector_port);
  most = widest(places, most, m);
  // An index beyond fp32 is a run's number and a place in it, side by side in its bits.
  if (program.has(kind::largest)) most = std::int64_t(std::bit_floor(std::uint64_t(most)));
  if (!is_reduced) {
    parts = feature_parts(rows, features, most, m);
  } else if (features <= most) {
    const std::int64_t together = most / features;
    parts = {{0, 1, features,
              program.has(kind::largest)
                  ? std::min(together, ceil_div(rows, m.sbuf.partitions))
                  : rows_together(rows, features, together, m.sbuf.partitions, m)}};
  } else {
    for (std::int64_t first = 0; first < features; first += most)
      parts.push_back({first, 1, std::min(most, features - first), 1});
  }
  const std::int64_t width = parts.front().width();
  const auto is_element = [](const pointwise_step& s) { return s.each == one_for::element; };
  if (std::ranges::all_of(program.steps, is_element))
    sets_together = std::clamp<std::int64_t>(most / width, 1, ceil_div(sets, blocks_least));
  const std::int64_t blocks =
      ceil_div(rows, m.sbuf.partitions / parts.front().pieces * parts.front().together) *
      std::int64_t(parts.size()) * sets;
  // largest_index has two words a block while it runs and two more at its end, beside short rows.
  const std::int64_t taken = program.has(kind::largest) ? 16 * blocks + 2048 : 0;
  depth = depth_of(places, width * sets_together, blocks, taken, m);
}

}  // namespace papilio::kernels_detail

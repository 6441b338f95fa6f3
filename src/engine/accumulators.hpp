#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "engine/checker.hpp"
#include "papilio/engine/isa/field.hpp"

namespace papilio::engine_detail {

/// The reduce registers of the vector and the scalar engine, an fp32 number for each lane. A lane
/// is the partition that an instruction reads. A dry run notes which are set, but no values.
class accumulators {
 public:
  explicit accumulators(int lanes) : vector_(std::size_t(lanes)), scalar_(std::size_t(lanes)) {}

  float& value(engine::unit on, int lane) { return of(on)[std::size_t(lane)].value; }
  /// Notes that an instruction sets, or leaves undefined, the registers of some lanes.
  void mark(engine::unit on, int first, int count, bool set) {
    for (int lane = first; lane < first + count; ++lane) {
      entry& e = of(on)[std::size_t(lane)];
      e.set = set;
      if (!set) e.value = std::numeric_limits<float>::quiet_NaN();
    }
  }
  /// Leaves all of them undefined, as a program finds them.
  void clear() {
    std::ranges::fill(vector_, entry{});
    std::ranges::fill(scalar_, entry{});
  }
  bool are_set(engine::unit on, int first, int count) const {
    const std::vector<entry>& all = on == engine::unit::scalar ? scalar_ : vector_;
    return std::all_of(all.begin() + first, all.begin() + first + count,
                       [](const entry& e) { return e.set; });
  }

 private:
  struct entry {
    float value = std::numeric_limits<float>::quiet_NaN();
    bool set = false;
  };
  std::vector<entry>& of(engine::unit on) { return on == engine::unit::scalar ? scalar_ : vector_; }

  std::vector<entry> vector_, scalar_;
};

/// Returns the tile whose partitions are an instruction's lanes: the first that it reads.
template <class Instruction>
const engine::tile_view& lanes_of(const Instruction& i) {
  if constexpr (requires { i.in; })
    return i.in;
  else
    return i.on_true;
}

/// Refuses a command that reads registers which no instruction has set, and notes which are set
/// after it. On the vector engine idle leaves them undefined [K:exponential].
template <class Instruction>
void follow_command(const checker& check, accumulators& registers, const Instruction& i,
                    bool strict) {
  using engine::reduce_command;
  const engine::tile_view& lanes = lanes_of(i);
  const engine::unit on = i.runs_on();
  const int first = lanes.partition(), count = lanes.partitions();
  const bool is_idle = i.command == reduce_command::idle;
  if (is_idle && on == engine::unit::vector) registers.mark(on, first, count, false);
  bool reads = i.command == reduce_command::reduce;
  if constexpr (requires { i.reduced; }) reads = reads || (is_idle && !i.reduced.empty());
  check.that(!strict || !reads || registers.are_set(on, first, count), "command",
             "reads reduce registers of ", to_string(on), " that nobody has set: partitions ",
             first, " to ", first + count - 1);
  if (!is_idle) registers.mark(on, first, count, true);
}

}  // namespace papilio::engine_detail

#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/register_file.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/isa/data_movement.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

class checker;
class instruction_run;

/// Rows of one partition as fp32, in memory of the thread that works on it.
class row_access {
 public:
  explicit row_access(const instruction_run& run) : run_(run) {}

  /// Elements of partition `partition` of the view (counted from its first), in the pattern's
  /// order. Where they lie as fp32 with unit stride, the tile itself. `slot` (0 ... 7) tells rows
  /// that are in use at once apart.
  const float* read(int slot, const engine::tile_view& view, int partition);
  /// Room for as many results; `commit` brings them, rounded to the view's type, where they belong.
  float* result(int slot, const engine::tile_view& view, int partition);
  void commit(const engine::tile_view& view, int partition, const float* values);

  /// The same for int32 and uint8 without a trip through fp32.
  const std::int32_t* read_bits(int slot, const engine::tile_view& view, int partition);
  std::int32_t* result_bits(int slot, const engine::tile_view& view);
  void commit_bits(const engine::tile_view& view, int partition, const std::int32_t* values);

  /// The element of a (P, 1) tile.
  float scalar(const engine::tile_view& view, int partition);
  /// Room for `count` values.
  float* scratch(int slot, std::size_t count);

 private:
  const instruction_run& run_;
};

/// How values are computed: what an instruction's execute() works with.
class instruction_run {
 public:
  instruction_run(const engine::machine_spec& machine, int threads, const checker& check)
      : registers(machine.sequencer.registers),
        machine_(machine),
        threads_(threads),
        check_(check) {}

  const engine::machine_spec& machine() const { return machine_; }
  /// Refuses what only values show.
  const checker& check() const { return check_; }
  int threads() const { return threads_; }
  const engine::rounding& rounding() const { return rounding_; }
  std::uint64_t instruction() const { return instruction_; }

  void round_by(const engine::rounding& how) { rounding_ = how; }
  void begin(std::uint64_t instruction) { instruction_ = instruction; }

  register_file registers;
  engine::exchange_function exchange;  // with the cores of a group; none: alone

  /// Calls body(partition, rows) for 0 ... partitions - 1, on several threads where there is
  /// `elements` a partition of work enough. Partitions must not depend on one another.
  void for_each_partition(int partitions, std::int64_t elements,
                          function_ref<void(int, row_access&)> body) const;
  /// Calls body(i) for 0 ... count - 1, on several threads if `work` (in elements) is enough.
  void for_each(std::size_t count, std::int64_t work, function_ref<void(std::size_t)> body) const;

 private:
  const engine::machine_spec& machine_;
  int threads_;
  const checker& check_;
  engine::rounding rounding_;
  std::uint64_t instruction_ = 0;
};

/// Where element (partition, 0) of a view lies in host memory; partitions count from its first.
std::byte* address(const engine::tile_view& view, int partition);

/// Whether the elements of a partition lie one after the other.
bool is_dense(const engine::tile_view& view);

}  // namespace papilio::engine_detail

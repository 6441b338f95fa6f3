#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/accumulators.hpp"
#include "engine/register_file.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/isa/data_movement.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"

namespace papilio::engine_detail {

class checker;
class instruction_run;

/// Gives an instruction's code the rows of one partition as fp32 arrays. Rows that need converting
/// are held in buffers of the thread that works on the partition.
class row_access {
 public:
  explicit row_access(const instruction_run& run) : run_(run) {}

  /// Returns the elements of partition `partition` of the view (counted from its first), in the
  /// pattern's order. Elements that are fp32 with unit stride are not copied: the pointer is to the
  /// tile itself. Rows in use at once need different slots, 0 ... 7.
  const float* read(int slot, const engine::tile_view& view, int partition);
  /// Returns room for as many results as the view has elements a partition; commit() rounds them to
  /// the view's type and stores them in the view.
  float* result(int slot, const engine::tile_view& view, int partition);
  void commit(const engine::tile_view& view, int partition, const float* values);

  /// read(), result() and commit() for int32 and uint8: fp32 would not hold all 32 bits.
  const std::int32_t* read_bits(int slot, const engine::tile_view& view, int partition);
  std::int32_t* result_bits(int slot, const engine::tile_view& view);
  void commit_bits(const engine::tile_view& view, int partition, const std::int32_t* values);

  /// Returns the elements in the type of a row that compute() gives: int32 or fp32.
  const float* read_as(const float*, int slot, const engine::tile_view& view, int partition) {
    return read(slot, view, partition);
  }
  const std::int32_t* read_as(const std::int32_t*, int slot, const engine::tile_view& view,
                              int partition) {
    return read_bits(slot, view, partition);
  }
  /// Has fill(row) compute a partition's elements, as int32 where `as_bits`, else as fp32, and
  /// stores them in the view.
  template <class Fill>
  void compute(int slot, const engine::tile_view& view, int partition, bool as_bits,
               const Fill& fill) {
    if (as_bits) {
      std::int32_t* const row = result_bits(slot, view);
      fill(row);
      return commit_bits(view, partition, row);
    }
    float* const row = result(slot, view, partition);
    fill(row);
    commit(view, partition, row);
  }

  /// Returns a partition's only element in a (P, 1) tile.
  float scalar(const engine::tile_view& view, int partition);
  /// Returns room for `count` values.
  float* scratch(int slot, std::size_t count);

 private:
  const instruction_run& run_;
};

/// The core as an instruction's execute() sees it: registers, rounding, threads, and the checker
/// for faults that only values show.
class instruction_run {
 public:
  instruction_run(const engine::machine_spec& machine, int threads, const checker& check)
      : registers(machine.sequencer.registers),
        reduced(std::max(machine.sbuf.partitions, machine.psum.partitions)),
        machine_(machine),
        threads_(threads),
        check_(check) {}

  const engine::machine_spec& machine() const { return machine_; }
  /// Returns the checker, for faults that only values show.
  const checker& check() const { return check_; }
  int threads() const { return threads_; }
  const engine::rounding& rounding() const { return rounding_; }
  std::uint64_t instruction() const { return instruction_; }

  void round_by(const engine::rounding& how) { rounding_ = how; }
  void begin(std::uint64_t instruction) { instruction_ = instruction; }

  register_file registers;
  accumulators reduced;
  engine::exchange_function exchange;  // with the cores of a group; empty where the core is alone

  /// Calls body(partition, rows) for 0 ... partitions - 1, on several threads if `elements` a
  /// partition are work enough. Partitions must not depend on one another.
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

/// Returns the host address of element (partition, 0) of a view; partitions count from its first.
std::byte* address(const engine::tile_view& view, int partition);

/// Returns whether the elements of a partition lie one after the other.
bool is_dense(const engine::tile_view& view);

}  // namespace papilio::engine_detail

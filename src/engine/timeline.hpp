#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/dma_engines.hpp"
#include "engine/intervals.hpp"
#include "papilio/engine/isa/operands.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine_detail {

/// The times of one instruction.
struct placement {
  interval run{0, 0};
  interval load{0, 0};         // LoadStationary, on the tensor engine
  interval descriptors{0, 0};  // the time in which gpsimd writes a transfer's descriptors
  int port_held_by = -1;       // the unit that held a shared port until the start; -1: none
};

/// Tells where in the array a multiply runs: in one of its row tiles 0, 1 ... or all rows, in one
/// of its column tiles or all columns. A transpose runs beside what has the whole array on machines
/// that have background transposes.
struct array_place {
  int row_tile = -1, column_tile = -1;  // -1: all
  bool is_transpose = false;
};

/// The shared ports that an instruction needs.
struct port_use {
  bool sbuf = false;
  std::uint32_t psum_banks = 0;  // one bit a bank
};

/// The times at which the engines of one core are free. An instruction starts when its engine has
/// done everything issued to it before, its operands are ready, and the port it needs has a gap.
class timeline {
 public:
  explicit timeline(const engine::machine_spec& machine);

  /// Places an instruction of a compute engine other than the tensor engine.
  placement compute(engine::unit on, double length_ns, double ready_ns, const port_use& ports);
  /// Places LoadStationary and its multiply. The load overlaps the multiply before, and starts no
  /// earlier than that; the machine's exposed part of the load follows the multiply before. A
  /// multiply waits for those that use its tiles of the array, which `where` says.
  placement multiply(double load_ns, double length_ns, double stationary_ready_ns, double ready_ns,
                     const array_place& where);
  /// Places a transfer whose buffers take `buffer_ns` each.
  placement transfer(const engine::instruction_cost& cost, double buffer_ns, int queue,
                     double ready_ns);
  /// Places a barrier: it starts when everything is done, and nothing issued later starts before
  /// its end.
  placement barrier(double length_ns);
  /// Delays everything issued later to the unit (for DMA: to the queue) to `until_ns`.
  void hold(engine::unit on, int queue, double until_ns);

  double free_ns(engine::unit on) const { return free_ns_[std::size_t(on)]; }
  /// Returns when the latest instruction of a compute engine other than the tensor engine starts.
  double start_ns(engine::unit on) const { return start_ns_[std::size_t(on)]; }
  double queue_free_ns(int queue) const;
  /// Returns the earliest start of the next LoadStationary.
  double load_from_ns() const { return std::max(load_free_ns_, multiply_start_ns_); }
  /// Returns the earliest start of a multiply there.
  double multiply_from_ns(const array_place& where) const;
  /// Returns until when a DMA queue waits for a semaphore or a barrier.
  double held_ns(int queue) const { return held_ns_[std::size_t(queue)]; }
  const dma_engines& dma() const { return dma_; }
  double end_ns() const { return end_ns_; }

 private:
  double from_port(engine::unit on, double ready_ns, double length_ns, const port_use& ports,
                   int& held_by);
  double throttled(double start_ns, double length_ns);
  std::vector<double>::const_iterator background() const;
  bool is_background(const array_place& where) const;
  /// Calls use(tile) with the time from which each tile of the place is free.
  template <class Tiles, class Use>
  static void for_each_tile(Tiles& free_ns, std::size_t columns, const array_place& where,
                            const Use& use);

  const engine::machine_spec& machine_;
  std::array<double, engine::unit_count> free_ns_{}, start_ns_{};
  double multiply_start_ns_ = 0, load_free_ns_ = 0;
  std::size_t column_tiles_;
  std::vector<double> tiles_free_ns_;       // for each tile of the array, row by row
  std::vector<double> background_free_ns_;  // for each background transpose
  double tensor_busy_since_ns_ = 0;  // throttling: since when the array has not idled for long
  dma_engines dma_;
  std::vector<double> held_ns_;  // for each DMA queue
  port_schedule sbuf_port_;
  std::vector<port_schedule> psum_ports_;  // one for all of PSUM, or one for each bank
  double end_ns_ = 0;
};

}  // namespace papilio::engine_detail

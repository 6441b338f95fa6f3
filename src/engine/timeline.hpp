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

/// When an instruction runs.
struct placement {
  interval run{0, 0};
  interval load{0, 0};         // tensor engine: LoadStationary
  interval descriptors{0, 0};  // of a transfer: when they were written
  int port_held_by = -1;       // the unit whose use of a shared port came before, if one did
};

/// Where in the array a multiply runs, if not in one of its row tiles 0, 1 ...: in all rows, or as a
/// transpose, beside what has all rows on machines that have background transposes.
inline constexpr int all_rows = -1, as_transpose = -2;

/// Which shared ports an instruction goes through.
struct port_use {
  bool sbuf = false;
  std::uint32_t psum_banks = 0;  // one bit a bank
};

/// When the engines of one core are free. An instruction starts when its engine has done all that
/// was issued to it before, its operands are ready, and the port it needs has a gap.
class timeline {
 public:
  explicit timeline(const engine::machine_spec& machine);

  /// An instruction of a compute engine other than the tensor engine.
  placement compute(engine::unit on, double length_ns, double ready_ns, const port_use& ports);
  /// The stationary operand is loaded while the multiply before still runs, not earlier, but for the
  /// machine's exposed part, which follows it. `where` is where the multiply waits for those before.
  placement multiply(double load_ns, double length_ns, double stationary_ready_ns, double ready_ns,
                     int where);
  /// `buffer_ns` for each of its buffers.
  placement transfer(const engine::instruction_cost& cost, double buffer_ns, int queue,
                     double ready_ns);
  /// Starts when everything is done; nothing issued from here on starts before its end.
  placement barrier(double length_ns);
  /// Nothing issued to the unit from here on starts before this.
  void hold(engine::unit on, int queue, double until_ns);

  double free_ns(engine::unit on) const { return free_ns_[std::size_t(on)]; }
  /// When the latest instruction of a compute engine other than the tensor engine has started.
  double start_ns(engine::unit on) const { return start_ns_[std::size_t(on)]; }
  double queue_free_ns(int queue) const;
  /// LoadStationary starts no earlier.
  double load_from_ns() const { return std::max(load_free_ns_, multiply_start_ns_); }
  /// A multiply there starts no earlier.
  double multiply_from_ns(int where) const;
  /// Until when a DMA queue waits for a semaphore.
  double held_ns(int queue) const { return held_ns_[std::size_t(queue)]; }
  const dma_engines& dma() const { return dma_; }
  double end_ns() const { return end_ns_; }

 private:
  double from_port(engine::unit on, double ready_ns, double length_ns, const port_use& ports,
                   int& held_by);
  double throttled(double start_ns, double length_ns);
  std::vector<double>::const_iterator background() const;
  bool is_background(int where) const;

  const engine::machine_spec& machine_;
  std::array<double, engine::unit_count> free_ns_{}, start_ns_{};
  double multiply_start_ns_ = 0, load_free_ns_ = 0;
  std::vector<double> rows_free_ns_;        // of each row tile of the array
  std::vector<double> background_free_ns_;  // of each background transpose
  double tensor_busy_since_ns_ = 0;  // throttling: since when the array has not idled for long
  dma_engines dma_;
  std::vector<double> held_ns_;  // of each DMA queue
  port_schedule sbuf_port_;
  std::vector<port_schedule> psum_ports_;  // one, or one a bank
  double end_ns_ = 0;
};

}  // namespace papilio::engine_detail

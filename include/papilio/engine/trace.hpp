#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/unit.hpp"

namespace papilio::engine {

/// One instruction of a run. Times count from the program's start.
struct traced_instruction {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t index = 0;
  std::string_view opcode;  ///< of static duration
  unit on = unit::tensor;
  int queue = 0;  ///< of DMA
  double start_ns = 0, end_ns = 0;
  /// The instruction whose end it had to wait for last, or none.
  std::uint64_t waited_for = none;
  std::string operands;
};

/// A stretch of time on one track: an instruction on its engine, one engine's part of a transfer,
/// a LoadStationary, or the time that gpsimd writes a transfer's descriptors.
struct traced_slice {
  static constexpr int stationary = 1;    ///< lane of a LoadStationary
  static constexpr int descriptors = -1;  ///< lane of descriptors

  std::size_t instruction = 0;  ///< position in trace::instructions()
  int lane = 0;                 ///< DMA: the engine, or `descriptors`; tensor engine: `stationary`
  double start_ns = 0, end_ns = 0;
};

/// Every instruction of a run, with when and why then: core::timeline_trace() of a core with
/// core_options::trace.
class PAPILIO_API trace {
 public:
  std::span<const traced_instruction> instructions() const { return instructions_; }
  /// At least one an instruction, in the order of the instructions.
  std::span<const traced_slice> slices() const { return slices_; }
  const std::string& kernel() const { return kernel_; }
  const std::string& machine() const { return machine_; }

  /// Trace events as JSON, for Perfetto (ui.perfetto.dev) and chrome://tracing. One process, the
  /// core; a track for each compute engine in use, one for the tensor engine's LoadStationary, one
  /// for each DMA engine, and further ones ("dma 3 (2)") where transfers of several queues share an
  /// engine, since slices of a track may not overlap. Complete events in whole nanoseconds; args
  /// are index, operands, and waited_for; an arrow from the instruction that was waited for.
  /// O(n log n).
  void to_chrome_json(std::ostream& to) const;
  std::string to_chrome_json() const;
  /// The same as one atomic_file. io_error if it cannot be written.
  void save(const std::string& path) const;

  /// One line an instruction: index, start and duration in microseconds, unit (DMA with its
  /// queue), opcode, operands, and "after N", the instruction it waited for.
  std::string listing() const;

  // What follows is for the engine.
  void describe(const std::string& kernel, const std::string& machine) {
    kernel_ = kernel;
    machine_ = machine;
  }
  void add(traced_instruction next) { instructions_.push_back(std::move(next)); }
  /// Of the instruction added last.
  void add_slice(int lane, double start_ns, double end_ns) {
    slices_.push_back({instructions_.size() - 1, lane, start_ns, end_ns});
  }

 private:
  std::string kernel_, machine_;
  std::vector<traced_instruction> instructions_;
  std::vector<traced_slice> slices_;
};

}  // namespace papilio::engine

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
#include "papilio/engine/isa/operands.hpp"

namespace papilio::engine {

/// Selects the kind of a profile's number, for printing.
enum class quantity : std::uint8_t { seconds, fraction, count, bytes, flops, ratio };

/// Holds one number of a profile under the name in the vendor's profiler.
struct profile_field {
  std::string_view name;  ///< of static duration
  double value = 0;
  quantity of = quantity::count;
};

/// Counts the instructions of one kind on one unit. A LoadStationary of the tensor engine and
/// descriptors written by gpsimd are separate kinds.
struct profile_opcode {
  unit on = unit::tensor;
  std::string_view opcode;  ///< of static duration
  std::uint64_t count = 0;
  double seconds = 0;  ///< plain sum, overlaps counted twice
};

/// Sums all occurrences of a step that the kernel named (core::step).
struct profile_step {
  std::string name;
  double seconds = 0;  ///< union of the spans from an occurrence's first start to its last end
  std::uint64_t instructions = 0;
};

/// Holds the numbers that say what bounds a run.
struct profile_verdict {
  /// The unit that was active longest, and its active time over total_time.
  unit bound_by = unit::vector;
  double active_fraction = 0;
  /// Fraction of DMA's active time in which an engine moved data, averaged over the engines: low if
  /// transfers have few or short rows.
  double dma_engine_fraction = 0;
  /// Seconds that the bounding unit waited between its instructions for another's results or port,
  /// or for the memory of a tile in use; and what it waited for most ("dma", "room on chip"; empty:
  /// it never waited).
  double waited_seconds = 0;
  std::string waited_for;
  double waited_for_seconds = 0;
  /// Seconds for inputs and outputs once at the rate of all DMA engines, or as stated by
  /// core::state_floor.
  double hbm_floor_seconds = 0;
  /// Seconds for products (without transposes) at their types' passes on a full array; likewise.
  double tensor_floor_seconds = 0;
  bool floor_was_stated = false;  ///< by core::state_floor
  /// Size of the program with all loops unrolled: instructions, tensor-engine products and
  /// transposes among them, and how many of these are known to run (lowering.unrolled_tiles_max).
  std::uint64_t instructions = 0, unrolled_tiles = 0, loadable_tiles = 0;
  /// The larger of the two floors, and divided by total_time.
  double floor_seconds = 0;
  double floor_fraction = 0;
};

/// Summarises a run on one core under the names of the vendor's profiler and in its order. Fields
/// without a meaning in the model (trace_count, spill_*, hardware_dynamic_dma_*, mfu_hlo_* ...) are
/// absent. Times are in seconds, *_percent are fractions 0 ... 1. Copies between host and device
/// are not included.
///
///   total_time               from the program's start to the end of its last instruction, and to
///                            the last byte that DMA moves
///   *_instruction_time       plain sum of durations, so that it can exceed total_time
///   *_active_time            union of the intervals with at least one instruction (DMA: with at
///                            least one engine that moves data, whichever transfer's; where
///                            queues share engines that is longer than the union of a trace's
///                            slices, which show each transfer as it was placed); waiting is no
///                            activity
///   *_active_time_percent    over total_time
///   *_instruction_count      a product or transpose on the tensor engine is two: LoadStationary,
///                            multiply
///   matmul_instruction_count products and transposes of the tensor engine, each one
///   neuroncore_cycle_count, dma_active_cycles   total_time and dma_active_time in cycles of
///                            machine_spec::base_clock_hz
///   hardware_flops           2 a multiply-add of the tensor engine, transposes included
///   transpose_flops          those of transposes alone (a product with an identity)
///   adjusted_*_flops         each multiplied by the passes it takes: fp32 4 (2 where flagged as
///                            zeros and ones, and for transposes), 16-bit types 1, fp8 1, or 0.5
///                            where the array can take two rows at once; packed types 0.25
///   mm_arithmetic_intensity  hardware_flops less transpose_flops over the HBM bytes read and
///                            written; absent where none were
///   peak_flops_bandwidth_ratio  the array's one-pass peak over the core's share of HBM's rate
///                            (hbm.bandwidth_bytes_per_s / cores_per_chip)
///   mbu_estimated_percent    HBM bytes read and written over that share of the rate times
///                            total_time
///   hfu_estimated_percent    adjusted_hardware_flops over the one-pass peak times total_time
///   mfu_estimated_percent, mfu_inst_estimated_percent  the same less adjusted_transpose_flops: of
///                            the products that were issued, since a program is no graph whose
///                            FLOPs could be counted
///   mfu_max_achievable_estimated_percent, mfu_inst_max_achievable_estimated_percent  the roofline:
///                            the smaller of 1 and the products' adjusted FLOPs an HBM byte over
///                            peak_flops_bandwidth_ratio; absent as mm_arithmetic_intensity
///   dma_transfer_time        plain sum over transfers, first byte to last
///   dma_packet_time          time that the engines moved data, summed over engines
///   dma_transfer_total_bytes bytes written by transfers; dma_transfer_average_bytes over their
///                            number (absent without any)
///   dma_queue_count          queues in use
///   static_dma_*             transfers whose descriptors were there before the program ran;
///                            packets are descriptors, size is bytes written, and their
///                            percentages are of all transfers'
///   dynamic_dma_*, software_dynamic_dma_*  those whose descriptors gpsimd writes meanwhile, which
///                            are instructions of gpsimd too
///   inputs_and_weights_size_bytes, inputs_outputs_weights_size_bytes  tensors that the program is
///                            given, and those with its outputs; of a core's scratch tensors those
///                            read and never written, and those written and never read
///   hbm_*, sbuf_*, psum_*    bytes of the operands, as often as they are read or written
///   psum_read_sbuf_write_*   instructions from PSUM to SBUF, bytes written
///   activate_instruction_*   the scalar engine's activations
///   cc_op_*                  collective operations
///   total_active_time        union over all units
///
/// Source: schema 7.4.0 of the vendor's profiler; where it says less, the above is the definition.
struct PAPILIO_API profile {
  std::string kernel, machine;
  std::vector<profile_field> summary;
  std::vector<profile_opcode> opcodes;  ///< those that occur, by unit
  std::vector<profile_step> steps;      ///< in the order of their first occurrence
  profile_verdict verdict;

  /// Returns a field's value. Throws invalid_argument with the nearest names if there is no such
  /// field.
  double value(std::string_view field) const;
  bool has(std::string_view field) const;

  /// Returns the verdict as two to four lines of text.
  std::string verdict_text() const;
  /// Returns one aligned field per line, opcodes and steps. Fields that are zero are left out
  /// unless all are asked for.
  std::string numbers_text(bool all = false) const;
  /// Returns kernel and machine, the verdict, and the numbers that are not zero.
  std::string to_text() const;
  /// Returns one object: field -> number, in order, in the units above.
  std::string to_json() const;
};

/// Holds the times of a program's step before and after a change, in seconds.
struct amdahl_step {
  std::string name;
  double before_seconds = 0;
  double after_seconds = 0;
};

/// Computes what a change to some steps does to the whole: f, the changed steps' fraction of the
/// time before; s, their joint speed-up; and the whole's speed-up 1 / (1 - f + f / s). Steps run
/// one after the other. A step has changed if its two times differ.
class PAPILIO_API amdahl_report {
 public:
  /// Throws invalid_argument without steps, and unless every time is finite and above 0.
  explicit amdahl_report(std::vector<amdahl_step> steps);

  const std::vector<amdahl_step>& steps() const { return steps_; }
  double before_seconds() const { return before_seconds_; }
  double after_seconds() const { return after_seconds_; }
  double changed_fraction() const;  ///< f; 0 if nothing changed
  double changed_speedup() const;   ///< s; 1 if nothing changed
  double speedup() const;           ///< of the whole
  /// Returns 1 / (1 - f), the whole's speed-up if the changed steps took no time; infinity if all
  /// changed.
  double speedup_limit() const;

  /// Returns a table of the steps and a line such as "f = 0.35, s = 13.5, 1.48x".
  std::string to_text() const;
  /// Returns {"steps": [{"name", "before_seconds", "after_seconds"}], "before_seconds",
  /// "after_seconds", "f", "s", "speedup"}.
  std::string to_json() const;

 private:
  std::vector<amdahl_step> steps_;
  double before_seconds_ = 0, after_seconds_ = 0;
  double changed_before_seconds_ = 0, changed_after_seconds_ = 0;
};

/// Describes one instruction of a run. Times count from the program's start.
struct traced_instruction {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t index = 0;
  std::string_view opcode;  ///< of static duration
  unit on = unit::tensor;
  int queue = 0;  ///< of DMA
  double start_ns = 0, end_ns = 0;
  /// Index of the instruction whose end it waited for last, or none.
  std::uint64_t waited_for = none;
  std::string operands;
};

/// Describes a time span on one track: an instruction on its engine, one engine's share of a
/// transfer, a LoadStationary, or gpsimd's writing of a transfer's descriptors.
struct traced_slice {
  static constexpr int stationary = 1;    ///< lane value of a LoadStationary
  static constexpr int descriptors = -1;  ///< lane value of descriptors

  std::size_t instruction = 0;  ///< position in trace::instructions()
  int lane = 0;                 ///< DMA: the engine, or `descriptors`; tensor engine: `stationary`
  double start_ns = 0, end_ns = 0;
};

/// Lists every instruction of a run with its times and what it waited for: core::timeline_trace()
/// of a core with core_options::trace.
class PAPILIO_API trace {
 public:
  std::span<const traced_instruction> instructions() const { return instructions_; }
  /// Returns at least one slice per instruction, in the order of the instructions.
  std::span<const traced_slice> slices() const { return slices_; }
  const std::string& kernel() const { return kernel_; }
  const std::string& machine() const { return machine_; }

  /// Writes trace events as JSON for Perfetto (ui.perfetto.dev) and chrome://tracing, in whole
  /// nanoseconds. O(n log n). One process, the core, with
  /// - a track for each compute engine in use, one for LoadStationary, one for each DMA engine, and
  ///   further ones ("dma 3 (2)") where transfers of several queues share an engine, since slices
  ///   of a track may not overlap;
  /// - complete events with index, operands and waited_for as args, and an arrow from the
  ///   instruction that was waited for.
  void to_chrome_json(std::ostream& to) const;
  std::string to_chrome_json() const;
  /// Writes the JSON of to_chrome_json() as one atomic_file. Throws io_error if it cannot be
  /// written.
  void save(const std::string& path) const;

  /// Returns one line per instruction: index, start and duration in microseconds, unit (DMA with
  /// its queue), opcode, operands, and "after N", the instruction it waited for.
  std::string listing() const;

  // The engine records a trace by these members.
  void describe(const std::string& kernel, const std::string& machine) {
    kernel_ = kernel;
    machine_ = machine;
  }
  void add(traced_instruction next) { instructions_.push_back(std::move(next)); }
  /// Adds a slice to the instruction added last.
  void add_slice(int lane, double start_ns, double end_ns) {
    slices_.push_back({instructions_.size() - 1, lane, start_ns, end_ns});
  }

 private:
  std::string kernel_, machine_;
  std::vector<traced_instruction> instructions_;
  std::vector<traced_slice> slices_;
};

/// Selects the state in which a launch found its program.
enum class program_state : std::uint8_t { compiled, loaded, assumed_warm, hit };
/// Returns "compiled", "loaded", "assumed warm" or "hit".
PAPILIO_API const char* to_string(program_state state);

/// Sums copies between host and device: tensors, their bytes on the device, and the host's seconds.
struct PAPILIO_API copy_record {
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;

  void add(const copy_record& other);
  bool operator==(const copy_record&) const = default;
};

/// Times of an asynchronous call on the clock of its device's host: modelled seconds since the first
/// of them, in which only asynchronous calls and waiting for them pass. Steps that a call does not
/// take start and end at once.
struct call_times {
  double called = 0;     ///< the submission begins
  double submitted = 0;  ///< the host goes on
  double upload_start = 0, upload_end = 0;
  double run_start = 0, run_end = 0;
  double fetch_start = 0;
  double done = 0;
};

/// Describes one dispatch. All seconds but wall_seconds are modelled.
struct PAPILIO_API launch_result {
  std::string kernel = {};
  program_state program = program_state::hit;
  std::uint64_t instructions = 0;
  double device_seconds = 0;   ///< of the program, from start to end
  double compile_seconds = 0;  ///< compilation, loading, first call
  double launch_seconds = 0;
  copy_record upload = {};
  copy_record fetch = {};
  /// Device time that the call waited for: if it fetches, that of all launches not waited for
  /// before; else 0.
  double wait_seconds = 0;
  double wall_seconds = 0;  ///< of the emulation
  profile summary = {};
  trace events = {};  ///< empty without device_options::trace

  /// Returns the time from call to return: compile + upload + launch + wait + fetch.
  double total_seconds() const {
    return compile_seconds + upload.seconds + launch_seconds + wait_seconds + fetch.seconds;
  }
};

/// Sums a device's launches and copies. The runtime's costs and the device's time add up, as in the
/// fits of the runtime's constants.
struct PAPILIO_API device_record {
  std::uint64_t launches = 0;
  std::uint64_t compiles = 0;  ///< programs compiled
  std::uint64_t loads = 0;     ///< programs loaded, those just compiled among them
  std::uint64_t hits = 0;      ///< launches of a program that had been launched before
  copy_record upload = {};
  copy_record fetch = {};
  double launch_seconds = 0;
  double compile_seconds = 0;
  double device_seconds = 0;   ///< waited for
  double pending_seconds = 0;  ///< device time not waited for yet
  /// Host's clock during asynchronous calls, of which the others have only numbers and bytes.
  double asynchronous_seconds = 0;
  double wall_seconds = 0;  ///< of the emulation

  /// Returns the modelled time on the host's clock: all but pending and wall.
  double total_seconds() const {
    return launch_seconds + upload.seconds + fetch.seconds + device_seconds + compile_seconds +
           asynchronous_seconds;
  }
  /// Returns aligned lines, one per number.
  std::string to_text() const;
  std::string to_json() const;
};

}  // namespace papilio::engine

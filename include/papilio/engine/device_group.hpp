#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::engine {

enum class phase_kind : std::uint8_t { compute, communication };

/// Describes one step of a group, which all cores begin and end together. Modelled seconds.
struct PAPILIO_API group_phase {
  std::string name = {};
  phase_kind kind = phase_kind::compute;
  double compile_seconds = 0;
  double launch_seconds = 0;  ///< one dispatch, whatever the number of cores
  copy_record upload = {};    ///< of all cores: the host copies them one by one
  copy_record fetch = {};     ///< of all cores: one that waits
  double device_seconds = 0;  ///< of the slowest core
  double link_seconds = 0;
  std::uint64_t link_bytes = 0;  ///< sent by all cores together

  double seconds() const {
    return compile_seconds + launch_seconds + upload.seconds + fetch.seconds + device_seconds +
           link_seconds;
  }
};

struct PAPILIO_API group_report {
  std::vector<group_phase> phases = {};

  double seconds() const;
  /// Returns the seconds of the phases of the kind.
  double seconds(phase_kind kind) const;
  /// Returns seconds(kind) / seconds(), 0 without phases.
  double share(phase_kind kind) const;
  std::string to_text() const;
  std::string to_json() const;
};

/// Models the time of messages between the cores of a group, from machine.link. Core c is on chip
/// c / cores_per_chip, which is in node chip / chips_per_node.
///
/// A message of b bytes from core i to core j takes [C1: hops * hop time + bytes / rate]
///   i = j            0
///   same chip        core_hop_ns + b / core_bytes_per_ns
///   same node        h chip_hop_ns + b / chip_bytes_per_ns, h the shorter way round the node's
///                    ring of chips (ours)
///   other node       node_hop_ns + b / node_bytes_per_ns
/// Links are full duplex, and cores that share one do not slow each other (ours).
class PAPILIO_API link_model {
 public:
  static constexpr int cores_max = group_cores_max;

  /// The spec must outlive the model. Throws invalid_argument for cores < 1.
  link_model(const machine_spec& machine, int cores);

  /// Returns the nanoseconds of a message. Throws invalid_argument for a core that is not in the
  /// group.
  double message_ns(int from, int to, std::int64_t bytes) const;
  /// Returns the nanoseconds of one step of a collective: the slowest of the messages that all
  /// cores send at once to the core `distance` further on (modulo the number of cores).
  double shift_ns(int distance, std::int64_t bytes) const;

 private:
  const machine_spec* machine_;
  int cores_;
};

/// Call of a group that does not wait, of device_group::call_async. Copies are the same call.
class PAPILIO_API pending_group_call {
 public:
  pending_group_call() = default;  ///< no call

  bool empty() const { return state_ == nullptr; }
  /// As those of pending_call; a run is what cores and links do, one phase after the other.
  const call_times& times() const;
  bool is_done() const;
  /// Waits until the call is done, and returns its phases, whose launches take submit_us. Throws as
  /// pending_call::wait.
  group_report wait();
  /// Returns the modelled seconds from one such call to the next where many alike follow one
  /// another, without compilation: on the same arrays of the host, or in a dry run on shapes, which
  /// stand for arrays of their own. Throws invalid_argument if empty.
  double pace_seconds() const;

  explicit pending_group_call(std::shared_ptr<engine_detail::call_state> state)
      : state_(std::move(state)) {}
  // The library uses this member; programs do not need it.
  const std::shared_ptr<engine_detail::call_state>& state() const { return state_; }

 private:
  std::shared_ptr<engine_detail::call_state> state_;
};

/// Sets how a device_group runs.
struct group_options {
  bool strict = true;
  /// Sets the host threads, which emulate cores in parallel, at least 0; 0 takes one per processor.
  /// No result depends on it.
  int threads = 1;
  program_start start = program_start::warm;
};

/// Emulates p cores of one kind that work together, filling chips and nodes in order, each with its
/// own memory. As the accelerator of an operation it divides the work among the cores where that is
/// estimated to be faster than core 0 alone (docs/dispatch.md); its device arrays lie on core 0.
///
/// Collectives work on one buffer of each core, in rings in the order of cores, without launch
/// time; in dry_run no data are touched. They throw device_error for a buffer of another core and,
/// if strict, for an unwritten one; invalid_argument unless there is a buffer for each core;
/// shape_error if the buffers of one list differ in shape or the lists do not fit.
class PAPILIO_API device_group : public accelerator {
 public:
  /// Throws invalid_argument for cores outside 1 ... link_model::cores_max, and as device's
  /// constructor.
  device_group(const machine_spec& machine, const runtime_spec& runtime, int cores,
               const group_options& options = {});
  /// Makes a group of the first `cores` of `whole`, whose report has its phases. Throws
  /// invalid_argument for cores outside 1 ... whole.cores().
  device_group(device_group& whole, int cores);
  ~device_group() override;

  std::string name() const override;  ///< for example "trainium1, 16 cores"
  const device_backend* operations() const override;
  int cores() const;
  const machine_spec& machine() const;
  const runtime_spec& runtime() const;
  const link_model& links() const;
  /// Returns one core, to allocate, upload and download. Throws invalid_argument beyond the cores.
  device& core(int index);
  const device& core(int index) const;

  /// Allocates a buffer of the shape on each core.
  std::vector<device_buffer> allocate(const tensor_shape& shape);
  /// Uploads the same array to each core, one copy each.
  std::vector<device_buffer> upload(const launch_input& array);

  /// Runs the kernel on all cores at once in one phase and one dispatch, inputs[c] and outputs[c]
  /// on core c, connected for send_receive. The phase lasts as long as the slowest core. Returns
  /// each core's result in order; each core's record counts a launch.
  /// Throws invalid_argument unless there are operands for each core, and within an asynchronous
  /// call of a part of the group; device_error if a core waits for what none sends; else the error
  /// of the first core that fails. There is then no phase, and what other cores wrote remains.
  std::vector<launch_result> run(const kernel& program,
                                 const std::vector<std::vector<launch_input>>& inputs,
                                 const std::vector<std::vector<launch_output>>& outputs,
                                 run_mode mode = run_mode::execute);

  /// Runs a program of its own on each core.
  std::vector<launch_result> run(std::span<const kernel> programs,
                                 const std::vector<std::vector<launch_input>>& inputs,
                                 const std::vector<std::vector<launch_output>>& outputs,
                                 run_mode mode = run_mode::execute);

  /// Calls `work`, whose phases of this group, or of one of its first cores, are one asynchronous
  /// call. Values are there when it returns; in modelled time the call overlaps others as
  /// device::launch_async says: it passes the host, with one submission for each run of `work`, all
  /// its copies up, then what its cores and links do, then all its copies back. It takes the queues
  /// of all cores of the group at once. Each core has queues of its own, and one host submits to
  /// all of them, whose clock is core 0's record: core(c).launch_async takes those of core c alone.
  /// Phases of the call are not in report(); all other phases wait for everything.
  /// Throws device_error if the runtime has no asynchronous calls, invalid_argument inside another
  /// call; what `work` throws is thrown by wait, or by synchronize if nobody waits.
  ///
  ///   pending_group_call first = group.call_async([&] { fft.run({x0}, {y0}); });
  ///   pending_group_call second = group.call_async([&] { fft.run({x1}, {y1}); });
  ///   first.wait();
  pending_group_call call_async(function_ref<void()> work);

  /// Copies arrays[c] into to[c], a buffer on core c, one after the other. Throws invalid_argument
  /// unless there are an array and a buffer for each core, else as device::write.
  const group_phase& write(std::span<const device_buffer> to, std::span<const launch_input> arrays);

  /// Copies one core's buffer to the host: a blocking fetch. Throws as device::download.
  const group_phase& download(int from, const device_buffer& source, const launch_output& to);

  /// Copies a buffer to one of the same shape on another core, in message_ns. Throws shape_error
  /// for unequal shapes.
  const group_phase& point_to_point(int from, const device_buffer& source, int to,
                                    const device_buffer& target, run_mode mode = run_mode::execute);

  /// Replaces every buffer by the sum of all: in fp32, core 0 first, then 1, 2 ..., rounded once to
  /// the type at the end; int32 modulo 2^32. Ring: 2 (p - 1) steps of shift_ns(1,
  /// ceil(elements / p) * size). Throws invalid_argument for uint8.
  const group_phase& all_reduce(std::span<const device_buffer> buffers,
                                run_mode mode = run_mode::execute);

  /// Fills every target with all sources, one after the other: targets have p times the elements of
  /// a source. Ring: p - 1 steps of shift_ns(1, bytes of a source).
  const group_phase& all_gather(std::span<const device_buffer> sources,
                                std::span<const device_buffer> targets,
                                run_mode mode = run_mode::execute);

  /// Fills target c with the c-th of p equal pieces of the sum of the sources (as all_reduce).
  /// Ring: p - 1 steps of shift_ns(1, bytes of a target). A source has p times the elements of a
  /// target. Throws invalid_argument for uint8.
  const group_phase& reduce_scatter(std::span<const device_buffer> sources,
                                    std::span<const device_buffer> targets,
                                    run_mode mode = run_mode::execute);

  /// Copies piece c of source d to piece d of target c: a transpose of pieces. Steps d = 1 ...
  /// p - 1, each shift_ns(d, bytes of a piece). All have equal numbers of elements, a multiple of
  /// p. Throws invalid_argument if a target is its core's source.
  const group_phase& all_to_all(std::span<const device_buffer> sources,
                                std::span<const device_buffer> targets,
                                run_mode mode = run_mode::execute);

  /// Returns the phases so far. References to phases are valid until the next phase.
  const group_report& report() const;
  void reset_report();

 private:
  void wait_for_all() override;
  void take_asynchronous(bool asynchronous) override;

  struct members;
  std::unique_ptr<members> members_;
};

}  // namespace papilio::engine

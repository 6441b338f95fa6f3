#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/device.hpp"

namespace papilio::engine {

enum class phase_kind : std::uint8_t { compute, communication };

/// One step of a group, which all cores begin and end together. Modelled seconds.
struct PAPILIO_API group_phase {
  std::string name = {};
  phase_kind kind = phase_kind::compute;
  double compile_seconds = 0;
  double launch_seconds = 0;  ///< one dispatch, whatever the number of cores
  copy_record upload = {};    ///< of all cores: the host copies one after the other
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
  /// Of the phases of the kind.
  double seconds(phase_kind kind) const;
  /// seconds(kind) / seconds(), 0 where there are none.
  double share(phase_kind kind) const;
  std::string to_text() const;
  std::string to_json() const;
};

/// Time of messages between the cores of a group, from machine.link. Core c is on chip
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
  static constexpr int cores_max = 4096;  ///< of groups: what a process can hold, each a thread

  /// The spec must outlive the model. invalid_argument for cores < 1.
  link_model(const machine_spec& machine, int cores);

  /// Nanoseconds. invalid_argument for a core that is not in the group.
  double message_ns(int from, int to, std::int64_t bytes) const;
  /// The slowest of the messages that all cores send to the core `distance` further on (modulo the
  /// number of cores) at the same time: one step of a collective.
  double shift_ns(int distance, std::int64_t bytes) const;

 private:
  const machine_spec* machine_;
  int cores_;
};

struct group_options {
  bool strict = true;
  /// Of the host: cores are emulated in parallel. No result depends on it. 0: one for each
  /// processor.
  int threads = 1;
  program_start start = program_start::warm;
};

/// Cores of one kind that work together, filling chips and nodes in order, each with its own
/// memory. p is the number of cores below.
///
/// Collectives work on one buffer of each core, in order of cores; a buffer that is not its core's
/// is a device_error, one that nobody wrote too (strict). Their rings are in order of cores. They
/// are done by what moves data and take no time of launches. In dry_run no data is touched.
class PAPILIO_API device_group {
 public:
  /// invalid_argument for cores < 1, and as device's constructor.
  device_group(const machine_spec& machine, const runtime_spec& runtime, int cores,
               const group_options& options = {});
  ~device_group();

  int cores() const;
  const machine_spec& machine() const;
  const link_model& links() const;
  /// One of the cores, to allocate, upload and download. invalid_argument beyond the cores.
  device& core(int index);

  /// A buffer of the shape on each core.
  std::vector<device_buffer> allocate(const tensor_shape& shape);
  /// The same array on each core, a copy each.
  std::vector<device_buffer> upload(const launch_input& array);

  /// One phase: the kernel on all cores at once, inputs[c] and outputs[c] on core c, joined for
  /// send_receive (device_error where no core sends what one waits for). One dispatch;
  /// lasts as long as the slowest core. Results of each core in order; each core's own record
  /// counts its part as a launch. invalid_argument unless there are operands for each core; else
  /// the error of the first core that fails, and no phase: what other cores wrote stays.
  std::vector<launch_result> run(const kernel& program,
                                 const std::vector<std::vector<launch_input>>& inputs,
                                 const std::vector<std::vector<launch_output>>& outputs,
                                 run_mode mode = run_mode::execute);

  /// The same with a program for each core.
  std::vector<launch_result> run(std::span<const kernel> programs,
                                 const std::vector<std::vector<launch_input>>& inputs,
                                 const std::vector<std::vector<launch_output>>& outputs,
                                 run_mode mode = run_mode::execute);

  /// One core's buffer to the host: a fetch that waits. Errors as device::download.
  const group_phase& download(int from, const device_buffer& source, const launch_output& to);

  /// Copies a buffer to one of the same shape on another core: message_ns. shape_error for unequal
  /// shapes.
  const group_phase& point_to_point(int from, const device_buffer& source, int to,
                                    const device_buffer& target, run_mode mode = run_mode::execute);

  /// Every buffer becomes the sum of all: in fp32, core 0 first, then 1, 2 ..., rounded once to the
  /// type at the end; int32 modulo 2^32. invalid_argument for uint8, shape_error for unequal
  /// shapes. Ring: 2 (p - 1) steps of shift_ns(1, ceil(elements / p) * size).
  const group_phase& all_reduce(std::span<const device_buffer> buffers,
                                run_mode mode = run_mode::execute);

  /// Every target becomes all sources, one after the other: targets have p times the elements of a
  /// source. Ring: p - 1 steps of shift_ns(1, bytes of a source).
  const group_phase& all_gather(std::span<const device_buffer> sources,
                                std::span<const device_buffer> targets,
                                run_mode mode = run_mode::execute);

  /// Target c becomes part c, of p equal ones, of the sum of the sources (as all_reduce).
  /// shape_error unless a source has p times the elements of a target. Ring: p - 1 steps of
  /// shift_ns(1, bytes of a target).
  const group_phase& reduce_scatter(std::span<const device_buffer> sources,
                                    std::span<const device_buffer> targets,
                                    run_mode mode = run_mode::execute);

  /// Part c of source d becomes part d of target c: a transpose of parts. shape_error unless all
  /// have equal numbers of elements, a multiple of p. Steps d = 1 ... p - 1, each
  /// shift_ns(d, bytes of a part).
  const group_phase& all_to_all(std::span<const device_buffer> sources,
                                std::span<const device_buffer> targets,
                                run_mode mode = run_mode::execute);

  /// The phases so far. References to phases are good until the next phase.
  const group_report& report() const;
  void reset_report();

 private:
  struct members;
  std::unique_ptr<members> members_;
};

}  // namespace papilio::engine

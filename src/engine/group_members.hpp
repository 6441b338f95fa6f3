#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/device_state.hpp"
#include "engine/program.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/device_group.hpp"

namespace papilio::engine {

struct device_group::members {
  members(const machine_spec& spec, const runtime_spec& times, int cores, const group_options& how);
  members(const members& whole, int cores);

  int cores() const { return int(devices.size()); }
  /// Returns one core's device. Throws invalid_argument if there is no core `index`.
  device& core(int index) const;
  engine_detail::device_state& state(int core) const { return devices[std::size_t(core)]->state(); }
  /// Refuses a list that does not have one buffer on each core, in the order of the cores and all
  /// of one shape and type. The message names `list`.
  void require_buffers(const char* function, const char* list,
                       std::span<const device_buffer> buffers) const;
  /// Refuses buffers that the cores cannot read, and touches the others.
  void require_readable(const char* function, const char* list,
                        std::span<const device_buffer> buffers, run_mode mode) const;
  /// Returns the memory of each buffer.
  static std::vector<std::byte*> bytes_of(std::span<const device_buffer> buffers);
  void mark_written(std::span<const device_buffer> buffers, run_mode mode) const;
  /// Adds buffers that cores or links use to what the open call touches.
  void touch(std::span<const device_buffer> buffers, bool writes) const;
  /// Makes a phase that ends now the report's last, or the open call's.
  const group_phase& add_phase(group_phase phase);
  /// Calls run_core for each core, in parallel; throws the fault of the first core that has one.
  void run_apart(function_ref<void(std::size_t)> run_core) const;
  /// Calls run_core for each core, in parallel, where cores exchange messages. A core that fails
  /// leaves others without the messages they wait for; the error thrown is that of the first core
  /// that failed for a reason of its own.
  void run_connected(function_ref<void(std::size_t)> run_core) const;
  /// Runs one phase of the group: on each core the program that program_of(core) returns.
  std::vector<launch_result> run(function_ref<const kernel&(std::size_t)> program_of,
                                 const std::vector<std::vector<launch_input>>& inputs,
                                 const std::vector<std::vector<launch_output>>& outputs,
                                 run_mode mode);
  /// Adds a core's run to its record, or to the open call, which keeps the memory of its arrays.
  void count_run(std::size_t core, const engine_detail::program& what,
                 engine_detail::memory_claim claim, launch_result& result);
  /// Adds a phase to the report in which the links carry `link_bytes` for `link_ns`.
  const group_phase& communicate(const char* name, double link_ns, std::uint64_t link_bytes);

  machine_spec machine;
  runtime_spec runtime;
  group_options options;
  link_model links;
  // Groups made of the first cores of this one share its devices.
  std::vector<std::shared_ptr<device>> devices;
  std::shared_ptr<group_report> report = std::make_shared<group_report>();

  /// The call that is open on all cores; null: none.
  const std::shared_ptr<engine_detail::call_state>& open() const { return state(0).open; }
  engine_detail::call_queue& calls() const { return *state(0).calls; }
};

}  // namespace papilio::engine

#pragma once

#include <memory>
#include <string>

#include "engine/call_queue.hpp"
#include "engine/device_memory.hpp"
#include "engine/program_cache.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/isa/data_movement.hpp"

namespace papilio::engine_detail {

/// The state behind a device: machine, memory, programs in its cache, and the record of its time.
class device_state {
 public:
  device_state(const engine::machine_spec& spec, const engine::runtime_spec& times,
               const engine::device_options& how);

  /// Throws device_error, which names both devices, if the buffer is on another device, and
  /// invalid_argument if it is empty. `argument` is the buffer's name in messages, as "inputs[2]".
  void require_own(const std::string& function, const std::string& argument,
                   const engine::device_buffer& buffer) const;
  /// Throws device_error if a strict device would read a buffer that was never written, or if the
  /// buffer has no data.
  void require_readable(const std::string& function, const std::string& argument,
                        const engine::device_buffer& buffer, engine::run_mode mode) const;

  /// Throws unless an array of the host, or a shape, can be copied to or from the buffer.
  void require_copy(const char* function, const char* argument, const engine::device_buffer& buffer,
                    const engine::launch_operand& array) const;

  /// Adds to `result` the time to find, load or compile the program, and keeps it in the cache.
  void start_program(const std::string& key, engine::launch_result& result);
  /// Advances the device by the program's time in `result`. If `waits`, the host waits until it and
  /// everything before it is done.
  void run_for(bool waits, engine::launch_result& result);
  /// Adds one dispatch to the record.
  void count(const engine::launch_result& result);
  /// Adds one whose seconds are on the clock of asynchronous calls.
  void count_asynchronous(const engine::launch_result& result);
  void wait();

  /// Throws device_error in the name of `function` unless the runtime has asynchronous calls.
  void require_asynchronous(const std::string& function) const;
  /// Begins a call on this core and the next ones of its group once there is room for it.
  std::shared_ptr<call_state> begin_call(std::size_t cores = 1);
  /// Hands the time of launches that were not waited for to the queue.
  void queue_pending();
  /// Ends a call by placing its steps in time.
  engine::pending_call end_call(const std::shared_ptr<call_state>& call);

  /// Copy as device::write and device::download do, or as a part of the group's open call.
  engine::copy_record write(const char* function, const engine::device_buffer& to,
                            const engine::launch_input& array);
  engine::copy_record download(const char* function, const engine::device_buffer& from,
                               const engine::launch_output& array);
  /// Begin copies of arrays that may have another shape of as many elements as the buffer.
  /// `touched` is the memory of the host that counts as read or written.
  engine::pending_call begin_write(const engine::device_buffer& to,
                                   const engine::launch_input& array,
                                   const engine::launch_operand& touched);
  engine::pending_call begin_download(const char* function, const engine::device_buffer& from,
                                      const engine::launch_output& array,
                                      const engine::launch_operand& touched);
  /// Returns the result of `claim`, which may refuse: as long as it does, waits for calls that hold
  /// memory and asks again.
  memory_claim claim_when_free(function_ref<memory_claim()> claim);
  void reset_record();

  engine::machine_spec machine;
  engine::runtime_spec runtime;
  engine::device_options options;
  std::string machine_key;  // all fields of the machine as text: part of a program's key
  std::shared_ptr<device_memory> memory;
  program_cache programs;
  engine::device_record record;
  std::shared_ptr<call_queue> calls;  // of all cores of a group
  std::size_t core = 0;               // in the group
  /// The call of the group that is open, of which copies and launches on this core are parts.
  std::shared_ptr<call_state> open;
  engine::exchange_function exchange;  // with the other cores of a group, while they run

 private:
  double pending_seconds_ = 0;  // reset_record does not make the device idle
  bool called_ = false;
};

}  // namespace papilio::engine_detail

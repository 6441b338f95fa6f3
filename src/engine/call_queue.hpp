#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/device_memory.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/device_group.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// An array or a buffer that one step of a call reads or writes.
struct operand_use {
  engine::launch_operand operand;
  bool writes;
};

/// One step of a call: its seconds, and what it touches. A call passes by steps that it does not
/// take.
struct call_step {
  double seconds = 0;
  std::vector<operand_use> uses = {};
  bool is_taken = true;

  /// Adds what another part of the call does in this step.
  void add(call_step more);
};

/// Steps of a call: the host submits it, then its arrays are copied up, it runs, and results are
/// copied back. Compilation is the host's too, and only the first of many calls alike has it.
struct call_steps {
  double submit_seconds = 0, compile_seconds = 0;
  call_step upload = {.is_taken = false}, run = {.is_taken = false}, fetch = {.is_taken = false};
};

/// Consecutive cores of a group; of a single device there is core 0.
struct core_range {
  std::size_t first = 0, count = 1;

  bool meets(const core_range& other) const {
    return first < other.first + other.count && other.first < first + count;
  }
};

/// The state of an asynchronous call, which its pending_call shares with the queue.
struct call_state {
  engine::call_times times = {};
  engine::launch_result result = {};
  std::vector<engine::group_phase> phases = {};  // of a group's call
  std::exception_ptr error = {};
  bool is_delivered = false;              // the error, if there is one
  std::vector<memory_claim> claims = {};  // of its arrays' copies on the cores, until it is done
  core_range cores = {};
  call_steps steps = {};    // until it is placed
  double pace_seconds = 0;  // of a group's call
  int inflight_max = 0;     // of its runtime
  std::weak_ptr<class call_queue> queue = {};
};

/// The modelled time of calls that do not wait. Each core has one queue of uploads, one of runs and
/// one of fetches, each in order, and one host submits. A step starts when the queues of its cores,
/// the call's step before and whatever conflicts with its operands have ended.
class call_queue {
 public:
  /// `host_seconds` is raised by what passes on the host's clock.
  call_queue(int inflight_max, double& host_seconds, std::size_t cores = 1)
      : inflight_max_(inflight_max), host_seconds_(host_seconds), cores_(cores) {}

  /// Returns the seconds from one call to the next of many alike, with so many under way at most.
  static double pace(const call_steps& steps, int inflight_max);

  double now() const { return now_; }
  /// Waits until another call may begin; false: none was under way.
  bool wait_for_next();
  /// Waits until fewer calls than the most are under way on each of the cores.
  void make_room(const core_range& cores);
  /// Keeps a core busy for so long with launches that came before, which may use any buffer.
  void add_pending(std::size_t core, double seconds);
  /// Bytes of a memory that hold arrays of calls under way, and buffers that nobody but they use.
  std::int64_t claimed_bytes(const device_memory& memory) const;
  /// Places a call, whose steps and cores are known, and whose submission begins now.
  void add(const std::shared_ptr<call_state>& call);
  /// Makes the host wait until this time, or for everything.
  void wait_until(double seconds);
  void wait_for_all();
  /// Throws the error of the first call that has failed, if nobody has seen it.
  void throw_undelivered();

 private:
  struct core_queues {
    double upload_free = 0, run_free = 0, fetch_free = 0;
    double pending_until = 0;  // of launches that came before asynchronous calls
  };
  struct past_use {
    operand_use use;
    double until;
  };
  struct buffer_use {
    engine::device_buffer buffer;  // holds it, so that no other has its address
    double written_until = 0, used_until = 0;
  };
  /// When nothing conflicts with the step's uses any more.
  double free_of(const call_step& step, const core_range& cores) const;
  double place(const call_step& step, const core_range& cores, double ready,
               double core_queues::*queue_free, double& start);
  void keep(const call_step& step, double until);
  void retire();

  int inflight_max_;
  double& host_seconds_;
  double now_ = 0;
  std::vector<core_queues> cores_;
  std::vector<past_use> arrays_;
  std::unordered_map<const buffer_state*, buffer_use> buffers_;
  std::vector<std::shared_ptr<call_state>> under_way_, failed_;
};

/// Waits for a call. Throws as pending_call::wait, in the name of `function`.
void wait_for(const char* function, const std::shared_ptr<call_state>& call);
/// Whether the host's clock has passed the call's end. Throws as wait_for, but for its error.
bool has_passed(const char* function, const std::shared_ptr<call_state>& call);

}  // namespace papilio::engine_detail

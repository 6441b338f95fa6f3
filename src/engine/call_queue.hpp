#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "engine/device_memory.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

/// An array or a buffer that one step of a call reads or writes.
struct operand_use {
  engine::launch_operand operand;
  bool writes;
};

/// One step of a call: its seconds, and what it touches. A step that touches nothing is not taken.
struct call_step {
  double seconds = 0;
  std::vector<operand_use> uses = {};
};

/// The state of an asynchronous call, which its pending_call shares with the queue.
struct call_state {
  engine::call_times times = {};
  engine::launch_result result = {};
  std::exception_ptr error = {};
  bool is_delivered = false;  // the error, if there is one
  memory_claim claim = {};    // of its arrays' copies on the device, until it is done
  std::weak_ptr<class call_queue> queue = {};
};

/// The modelled time of calls that do not wait. A device has one queue of uploads, one of runs and
/// one of fetches, each in order, and the host submits. A step starts when its queue, the call's
/// step before and whatever conflicts with its operands have ended.
class call_queue {
 public:
  /// `host_seconds` is raised by what passes on the host's clock.
  call_queue(int inflight_max, double& host_seconds)
      : inflight_max_(inflight_max), host_seconds_(host_seconds) {}

  /// Waits until another call may begin; false: none was under way.
  bool wait_for_next();
  /// Waits until fewer calls than the most are under way.
  void make_room();
  /// Keeps the core busy for so long with launches that came before, which may use any buffer.
  void add_pending(double seconds);
  /// Bytes of the device that hold arrays of calls under way.
  std::int64_t claimed_bytes() const;
  /// Places a call whose submission begins now.
  void add(const std::shared_ptr<call_state>& call, double submit_seconds, const call_step& upload,
           const call_step& run, const call_step& fetch);
  /// Makes the host wait until this time, or for everything.
  void wait_until(double seconds);
  void wait_for_all();
  /// Returns the first call that has failed and whose error nobody has seen; null: none.
  std::shared_ptr<call_state> undelivered();

 private:
  struct past_use {
    operand_use use;
    double until;
  };
  /// When nothing conflicts with the uses any more.
  double free_of(const std::vector<operand_use>& uses) const;
  double place(const call_step& step, double ready, double& queue_free, double& start);
  void retire();

  int inflight_max_;
  double& host_seconds_;
  double now_ = 0, upload_free_ = 0, run_free_ = 0, fetch_free_ = 0;
  double pending_until_ = 0;  // of launches that came before asynchronous calls
  std::vector<past_use> past_;
  std::vector<std::shared_ptr<call_state>> under_way_, failed_;
};

}  // namespace papilio::engine_detail

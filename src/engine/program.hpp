#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/call_queue.hpp"
#include "engine/device_state.hpp"
#include "papilio/engine/kernel.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {

class core_state;

/// The work of one dispatch to a device: kernels in order and the tensors they share. A launch is a
/// program of one kernel, a graph is a program of many.
class program {
 public:
  /// A `packed` program recognizes host arrays that several kernels use and gives each array one
  /// tensor; all arrays travel in one copy to the device and one back.
  program(device_state& on, bool packed) : device_(&on), packed_(packed) {}

  void add(const std::string& function, const engine::kernel& body,
           const std::vector<engine::launch_input>& inputs,
           const std::vector<engine::launch_output>& outputs);
  std::size_t size() const { return nodes_.size(); }

  /// Runs the kernels, and adds the run to the device's record if none has failed.
  engine::launch_result run(const std::string& function, engine::run_mode mode);
  /// Runs them as an asynchronous call, which delivers its error when it is waited for.
  engine::pending_call run_async(const std::string& function, engine::run_mode mode);

  /// These are what run is made of, for a group, whose cores compute at the same time.
  /// who() is the name of the program in messages; require_runnable() and claim_arrays() throw.
  std::string who(const std::string& function) const { return function + "(" + title() + ")"; }
  void require_runnable(const std::string& who, engine::run_mode mode) const;
  memory_claim claim_arrays(const std::string& who) const;
  /// Runs without any time of its own, in memory that is there.
  engine::launch_result compute(engine::run_mode mode);
  /// Adds the steps of a run, and what it touches, to those of a call.
  void add_steps(const engine::launch_result& result, call_steps& to) const;

  /// Returns the cost of the copies to the device if each kernel were launched by itself;
  /// separate_fetch() returns that of the copies back.
  const engine::copy_record& separate_upload() const { return separate_upload_; }
  const engine::copy_record& separate_fetch() const { return separate_fetch_; }

 private:
  struct tensor {
    engine::launch_operand operand;
    std::string name;
    std::int64_t bytes;
    bool read_first;  // it has a value before the first kernel
    bool written;     // a kernel writes it
  };
  struct node {
    engine::kernel body;
    std::vector<std::size_t> in, out;
  };
  struct memory;  // host memory that one run needs

  std::size_t input_tensor(const std::string& function, const std::string& argument,
                           const engine::launch_operand& operand);
  std::size_t output_tensor(const std::string& function, const std::string& argument,
                            const engine::launch_operand& operand);
  std::size_t add_tensor(const engine::launch_operand& operand, const std::string& argument,
                         bool is_output);
  void count_separate(const std::vector<engine::launch_input>& inputs,
                      const std::vector<engine::launch_output>& outputs);
  std::string title() const;
  void extend_key(const node& n);
  void prepare(core_state& core, engine::run_mode mode, memory& host,
               std::vector<engine::hbm_view>& views) const;
  void run_nodes(engine::core& core, std::vector<engine::hbm_view>& views) const;
  void publish(engine::run_mode mode, const memory& host) const;
  call_step copy_step(bool to_host, double seconds) const;
  engine::copy_record copies(bool to_host) const;
  std::int64_t array_bytes(bool to_host) const;

  device_state* device_;
  bool packed_;
  std::vector<tensor> tensors_;
  std::vector<node> nodes_;
  std::string key_;
  engine::copy_record separate_upload_, separate_fetch_;
};

}  // namespace papilio::engine_detail

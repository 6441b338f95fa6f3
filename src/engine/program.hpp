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

/// What a dispatch carries: kernels in order and the tensors they share. A launch is a program of
/// one kernel; a graph is one of many.
class program {
 public:
  /// packed: arrays are told apart, each is a tensor once, and copies are gathered into one.
  program(device_state& on, bool packed) : device_(&on), packed_(packed) {}

  void add(const std::string& function, const engine::kernel& body,
           const std::vector<engine::launch_input>& inputs,
           const std::vector<engine::launch_output>& outputs);
  std::size_t size() const { return nodes_.size(); }

  /// Runs, and counts in the device's record when all went well.
  engine::launch_result run(const std::string& function, engine::run_mode mode);
  /// The same as a call that does not wait, whose error waits for it.
  engine::pending_call run_async(const std::string& function, engine::run_mode mode);

  /// What the same launches would cost one by one.
  const engine::copy_record& separate_upload() const { return separate_upload_; }
  const engine::copy_record& separate_fetch() const { return separate_fetch_; }

 private:
  struct tensor {
    engine::launch_operand operand;
    std::string name;
    std::int64_t bytes;
    bool read_first;  // holds something before the first kernel
    bool written;     // by a kernel
  };
  struct node {
    engine::kernel body;
    std::vector<std::size_t> in, out;
  };
  struct memory;  // of the host, for one run

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
  void require_runnable(const std::string& function, engine::run_mode mode) const;
  void prepare(core_state& core, engine::run_mode mode, memory& host,
               std::vector<engine::hbm_view>& views) const;
  void run_nodes(engine::core& core, std::vector<engine::hbm_view>& views) const;
  void publish(engine::run_mode mode, const memory& host) const;
  /// Runs without any time of its own, in memory that is there.
  engine::launch_result compute(engine::run_mode mode);
  memory_claim claim_arrays(const std::string& who) const;
  call_step copy_step(bool to_host, double seconds) const;
  call_step run_step(double seconds) const;
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

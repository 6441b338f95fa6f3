#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/base/export.hpp"
#include "papilio/engine/dtype.hpp"
#include "papilio/engine/instruction.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/engine/operand.hpp"
#include "papilio/engine/profile.hpp"

namespace papilio::engine_detail {
class core_state;
}

namespace papilio::engine {

/// Selects what a run computes. execute: values and time. dry_run: time only, without data, so that
/// shapes may exceed the host's memory.
enum class run_mode { execute, dry_run };

/// Sets how a core runs and what it checks.
struct core_options {
  run_mode mode = run_mode::execute;
  /// Refuses reads of unwritten memory, unfinished outputs, and conflicting accesses without an
  /// order in a kernel that orders by hand.
  bool strict = true;
  /// Keeps every instruction for trace and listing.
  bool trace = false;
  /// Sets the host threads for execute, at least 0; 0 takes one per processor. No result depends on
  /// it.
  int threads = 1;
};

/// Represents one core of the machine to a kernel, which issues instructions. Each is validated,
/// put on the timeline and, in execute, computed at once by the calling host thread; only the
/// timeline models how engines overlap.
class PAPILIO_API core {
 public:
  core(const machine_spec& machine, const core_options& options);
  ~core();
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  const machine_spec& machine() const;
  run_mode mode() const;

  /// Allocates a tile of `partitions` x `columns` elements, which holds NaN (integers: 4) until
  /// written. PSUM is allocated in whole banks. Throws kernel_error if it does not fit: its message
  /// lists the largest tiles and pools, with their names where they have one.
  tile sbuf(int partitions, std::int64_t columns, dtype type = dtype::fp32,
            std::string_view name = {});
  tile psum(int partitions, std::int64_t columns, dtype type = dtype::fp32,
            std::string_view name = {});
  tile_pool sbuf_pool(int depth, int partitions, std::int64_t columns, dtype type = dtype::fp32,
                      std::string_view name = {});
  tile_pool psum_pool(int depth, int partitions, std::int64_t columns, dtype type = dtype::fp32,
                      std::string_view name = {});
  /// Returns the free bytes of each partition; they may not be contiguous.
  std::int64_t sbuf_free_bytes() const;
  std::int64_t psum_free_bytes() const;
  /// Returns the bytes of each partition that the largest tile could take.
  std::int64_t sbuf_gap_bytes() const;
  std::int64_t psum_gap_bytes() const;
  /// Allocates a tensor in HBM that lives until the program ends. Throws shape_error unless it has
  /// 1 to 6 extents, each at least 1; kernel_error if it exceeds the core's memory.
  hbm_view hbm(std::span<const std::int64_t> extents, dtype type = dtype::fp32);
  hbm_view hbm(std::initializer_list<std::int64_t> extents, dtype type = dtype::fp32) {
    return hbm(std::span(extents.begin(), extents.size()), type);
  }
  /// Writes or reads all elements of a tensor from the host, row by row, in execute mode only. The
  /// copy is not part of the program and takes no modelled time.
  /// Throws shape_error unless the size is the tensor's; invalid_argument for writing an input of
  /// the kernel; in strict mode device_error for reading a tensor that is not fully written.
  void write_tensor(const hbm_view& tensor, std::span<const std::byte> bytes);
  void read_tensor(const hbm_view& tensor, std::span<std::byte> bytes) const;

  /// Issues an instruction. Throws kernel_error if the machine refuses it; nothing is then
  /// computed.
  template <one_instruction One>
  void issue(const One& i) {
    issue_kind(kind_of<One>, &i);
  }
  void issue(const instruction& i);

  /// Sets the rounding of the conversions that follow.
  void round_by(const rounding& how);

  /// Stops waiting for operands from here on: the kernel orders its engines with semaphores. In
  /// strict mode unordered conflicting accesses are refused. Memory that is allocated again is
  /// still waited for.
  void order_by_hand();
  semaphore make_semaphore();
  /// Allocates a register of the engine's sequencer. Throws kernel_error beyond the machine's
  /// number per engine; invalid_argument for DMA and the collective unit, which have none.
  engine_register make_register(unit on);
  /// Connects the other cores of a group, for send_receive.
  void connect(exchange_function exchange);

  /// Assigns the instructions that follow to the step of this name, in profiles. After the first
  /// step with `of_all`, calls without it are ignored: a program that is made of other programs
  /// names its own steps by `of_all`, and theirs are merged into them.
  void step(const std::string& name, bool of_all = false);

  /// States the least that the kernel's result needs, for the profile's floor, where "inputs and
  /// outputs once and the products as issued" is wrong: constant inputs count nothing, data that no
  /// chip holds pass HBM more than once, a transform needs no products. `hbm_bytes` are loads and
  /// stores together, `tensor_cycles` cycles of the tensor engine's clock. Calls add up. Throws
  /// invalid_argument below 0.
  void state_floor(double hbm_bytes, double tensor_cycles);

  /// Returns a summary of what was issued so far; later instructions do not change it.
  profile summary() const;
  /// Returns every instruction issued so far. Throws invalid_argument unless core_options::trace
  /// was set.
  trace timeline_trace() const;

  engine_detail::core_state& state() { return *state_; }

 private:
  void issue_kind(std::size_t kind, const void* one);

  std::unique_ptr<engine_detail::core_state> state_;
};

/// Issues a loop's items through stages so that they overlap: stage s of item i is issued at step
/// i + skew * s, and within a step the last stage first, so that an item frees a buffer before
/// another takes it. Engines work in order of issue.
///
/// The first stage is called with the item's index, each other one with what the previous stage
/// returned for the item; the last may return anything. What a stage returns lives for skew steps:
/// a pool that holds it must be at least skew + 1 deep.
/// Throws invalid_argument for a skew below 1 and items below 0.
template <class... Stages>
void pipeline(std::int64_t items, std::int64_t skew, Stages... stages);

namespace pipeline_detail {

/// Holds the stages from one on; `Input` is what the previous stage returns.
template <class Input, class... Stages>
class line;

template <class Input>
class line<Input> {
 public:
  explicit line(std::int64_t) {}
  void step(std::int64_t) {}
  void push(std::int64_t, Input) {}
};

template <class Input, class Stage, class... Rest>
class line<Input, Stage, Rest...> {
 public:
  using output = std::invoke_result_t<Stage&, Input>;
  static constexpr bool returns = !std::is_void_v<output>;
  using handed = std::conditional_t<returns, output, int>;

  line(std::int64_t skew, Stage stage, Rest... rest)
      : skew_(skew), stage_(std::move(stage)), rest_(skew, std::move(rest)...) {}

  void push(std::int64_t step, Input input) {
    waiting_.emplace_back(step + skew_, std::move(input));
  }

  void step(std::int64_t now) {
    rest_.step(now);
    while (!waiting_.empty() && waiting_.front().first <= now) {
      Input input = std::move(waiting_.front().second);
      waiting_.pop_front();
      if constexpr (returns)
        rest_.push(now, stage_(std::move(input)));
      else
        stage_(std::move(input));
    }
  }

 private:
  std::int64_t skew_;
  Stage stage_;
  std::deque<std::pair<std::int64_t, Input>> waiting_;
  line<handed, Rest...> rest_;
};

}  // namespace pipeline_detail

template <class... Stages>
void pipeline(std::int64_t items, std::int64_t skew, Stages... stages) {
  if (skew < 1)
    throw invalid_argument(base_detail::message("pipeline: skew must be at least 1, got ", skew));
  if (items < 0)
    throw invalid_argument(base_detail::message("pipeline: items must be at least 0, got ", items));
  pipeline_detail::line<std::int64_t, Stages...> all(skew, std::move(stages)...);
  const auto steps = items + skew * (std::int64_t(sizeof...(Stages)) - 1);
  for (std::int64_t now = 0; now < steps; ++now) {
    if (now < items) all.push(now - skew, now);
    all.step(now);
  }
}

}  // namespace papilio::engine

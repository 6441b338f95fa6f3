#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
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

/// execute: values and time. dry_run: time only; no data, so that shapes may exceed the host's
/// memory.
enum class run_mode { execute, dry_run };

struct core_options {
  run_mode mode = run_mode::execute;
  /// Refuses reads of what nobody wrote, unfinished outputs, and conflicting accesses that nothing
  /// orders where a kernel orders by hand.
  bool strict = true;
  /// Keeps every instruction for trace and listing.
  bool trace = false;
  /// Of the host, for execute; no result depends on it. 0: one for each processor.
  int threads = 1;
};

/// One core of the machine, as a kernel sees it: it issues instructions, which are validated, put
/// on the timeline and (in execute) computed at once. The host thread that calls is the only one;
/// the engines' overlap is the timeline's.
class PAPILIO_API core {
 public:
  core(const machine_spec& machine, const core_options& options);
  ~core();
  core(const core&) = delete;
  core& operator=(const core&) = delete;

  const machine_spec& machine() const;
  run_mode mode() const;

  /// A tile of `partitions` x `columns` elements; holds NaN (integers: 4) until written.
  /// PSUM is given out in whole banks. kernel_error where it does not fit.
  tile sbuf(int partitions, std::int64_t columns, dtype type = dtype::fp32);
  tile psum(int partitions, std::int64_t columns, dtype type = dtype::fp32);
  tile_pool sbuf_pool(int depth, int partitions, std::int64_t columns, dtype type = dtype::fp32);
  tile_pool psum_pool(int depth, int partitions, std::int64_t columns, dtype type = dtype::fp32);
  /// Bytes of each partition that are not taken; they may lie in pieces.
  std::int64_t sbuf_free_bytes() const;
  std::int64_t psum_free_bytes() const;
  /// A tensor in HBM that lives until the program ends. shape_error unless it has 1 to 6 extents,
  /// each at least 1; kernel_error beyond what the core has.
  hbm_view hbm(std::span<const std::int64_t> extents, dtype type = dtype::fp32);
  hbm_view hbm(std::initializer_list<std::int64_t> extents, dtype type = dtype::fp32) {
    return hbm(std::span(extents.begin(), extents.size()), type);
  }
  /// What the host puts into a tensor, and finds there: all its elements, row by row. Not part of
  /// the program: takes no time. Only in execute mode; shape_error unless the size is the tensor's;
  /// invalid_argument for writing an input of the kernel, and in strict mode device_error for
  /// reading what was not written whole.
  void write_tensor(const hbm_view& tensor, std::span<const std::byte> bytes);
  void read_tensor(const hbm_view& tensor, std::span<std::byte> bytes) const;

  /// kernel_error if the machine refuses it; nothing has then been computed.
  template <one_instruction One>
  void issue(const One& i) {
    issue_kind(kind_of<One>, &i);
  }
  void issue(const instruction& i);

  /// How the conversions that follow round.
  void round_by(const rounding& how);

  /// From here on nothing waits for its operands: the kernel orders its engines with semaphores.
  /// In strict mode conflicting accesses that nothing orders are refused. Memory that is given out
  /// again is waited for as ever.
  void order_by_hand();
  semaphore make_semaphore();
  /// A register of the engine's sequencer. kernel_error beyond the machine's number an engine;
  /// invalid_argument for DMA and the collective unit, which have none.
  engine_register make_register(unit on);
  /// The other cores of a group, for send_receive.
  void connect(exchange_function exchange);

  /// Everything that follows belongs to the step of this name, in profiles.
  void step(const std::string& name);

  /// What the kernel's result needs at least, for the profile's floor, where inputs and outputs
  /// once and the products as issued do not say it: inputs that are constants count nothing, data
  /// that no chip holds pass HBM more than once, a transform needs no products at all. `hbm_bytes`
  /// are loads and stores together, `tensor_cycles` of the tensor engine's clock. Calls add up;
  /// invalid_argument below 0.
  void state_floor(double hbm_bytes, double tensor_cycles);

  /// What was issued so far, in numbers; no instruction changes it later.
  profile summary() const;
  /// What was issued so far, instruction by instruction. invalid_argument unless
  /// core_options::trace was set.
  trace timeline_trace() const;

  engine_detail::core_state& state() { return *state_; }

 private:
  void issue_kind(std::size_t kind, const void* one);

  std::unique_ptr<engine_detail::core_state> state_;
};

/// Issues the stages of a loop's items one behind the other, so that while an item is in one stage
/// the next is in the stage before: stage s of item i is issued at step i + skew * s. Engines are
/// in order, so that the order of issue is what overlaps.
///
/// The first stage is called with the item's index, each other one with what the stage before
/// returned for the item; the last may return anything. What a stage hands on lives for skew steps:
/// a pool that holds it must be at least skew + 1 deep.
/// invalid_argument for a skew below 1.
/// Calls are by step, the last stage first, so that an item leaves a buffer before another takes
/// it.
template <class... Stages>
void pipeline(std::int64_t items, std::int64_t skew, Stages... stages);

namespace pipeline_detail {

/// The stages from one on; `Input` is what the stage before returns.
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
  pipeline_detail::line<std::int64_t, Stages...> all(skew, std::move(stages)...);
  const auto steps = items + skew * (std::int64_t(sizeof...(Stages)) - 1);
  for (std::int64_t now = 0; now < steps; ++now) {
    if (now < items) all.push(now - skew, now);
    all.step(now);
  }
}

}  // namespace papilio::engine

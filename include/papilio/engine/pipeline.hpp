#pragma once

#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::engine {

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

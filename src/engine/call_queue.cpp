#include "engine/call_queue.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::engine_detail {
namespace {

using source = engine::launch_operand::source;

bool conflict(const operand_use& a, const operand_use& b) {
  return (a.writes || b.writes) && share_bytes(a.operand, b.operand);
}

}  // namespace

void call_step::add(call_step more) {
  seconds += more.seconds;
  std::ranges::move(more.uses, std::back_inserter(uses));
  is_taken = is_taken || more.is_taken;
}

// A shape stands for an array that nothing else uses.
double call_queue::free_of(const call_step& step, const core_range& cores) const {
  double until = 0;
  for (const operand_use& own : step.uses) {
    if (own.operand.from() == source::host) {
      for (const past_use& before : arrays_)
        if (conflict(own, before.use)) until = std::max(until, before.until);
    } else if (own.operand.from() == source::buffer) {
      for (std::size_t c = 0; c < cores.count; ++c)
        until = std::max(until, cores_[cores.first + c].pending_until);
      const auto before = buffers_.find(own.operand.buffer().state());
      if (before == buffers_.end()) continue;
      const buffer_use& use = before->second;
      until = std::max(until, own.writes ? use.used_until : use.written_until);
    }
  }
  return until;
}

void call_queue::keep(const call_step& step, double until) {
  for (const operand_use& use : step.uses) {
    if (use.operand.from() == source::host) arrays_.push_back({use, until});
    if (use.operand.from() != source::buffer) continue;
    buffer_use& kept = buffers_[use.operand.buffer().state()];
    kept.buffer = use.operand.buffer();
    kept.used_until = std::max(kept.used_until, until);
    if (use.writes) kept.written_until = std::max(kept.written_until, until);
  }
}

double call_queue::place(const call_step& step, const core_range& cores, double ready,
                         double core_queues::*queue_free, double& start) {
  start = ready;
  if (!step.is_taken) return ready;
  const std::span<core_queues> own(cores_.begin() + std::ptrdiff_t(cores.first), cores.count);
  for (const core_queues& core : own) start = std::max(start, core.*queue_free);
  start = std::max(start, free_of(step, cores));
  const double end = start + step.seconds;
  for (core_queues& core : own) core.*queue_free = end;
  keep(step, end);
  return end;
}

void call_queue::add(const std::shared_ptr<call_state>& call) {
  engine::call_times& t = call->times;
  const call_steps& steps = call->steps;
  const core_range& cores = call->cores;
  t.called = now_;
  wait_until(now_ + steps.submit_seconds + steps.compile_seconds);
  t.submitted = now_;
  t.upload_end = place(steps.upload, cores, t.submitted, &core_queues::upload_free, t.upload_start);
  t.run_end = place(steps.run, cores, t.upload_end, &core_queues::run_free, t.run_start);
  t.done = place(steps.fetch, cores, t.run_end, &core_queues::fetch_free, t.fetch_start);
  under_way_.push_back(call);
  retire();
}

// Four steps never need more than four calls under way, and with one to four of them the pattern of
// starts repeats after 12 calls at most.
double call_queue::pace(const call_steps& steps, int inflight_max) {
  constexpr int period = 12;
  double host_seconds = 0;
  call_queue queue(std::min(inflight_max, 4), host_seconds);
  call_steps alike = steps;
  alike.compile_seconds = 0;
  double before = 0, last = 0;
  for (int i = 0; i < 3 * period; ++i) {
    const auto call = std::make_shared<call_state>(call_state{.steps = alike});
    queue.make_room(call->cores);
    queue.add(call);
    if (i == 2 * period - 1) before = call->times.done;
    last = call->times.done;
  }
  return (last - before) / period;
}

void call_queue::add_pending(std::size_t core, double seconds) {
  core_queues& own = cores_[core];
  if (seconds > 0) own.pending_until = own.run_free = std::max(own.run_free, now_) + seconds;
}

std::int64_t call_queue::claimed_bytes(const device_memory& memory) const {
  std::int64_t bytes = 0;
  for (const auto& call : under_way_)
    for (const memory_claim& claim : call->claims)
      if (claim.memory().get() == &memory) bytes += claim.bytes();
  for (const auto& [state, use] : buffers_)
    if (use.buffer.is_only_handle() && state->claim.memory().get() == &memory)
      bytes += state->claim.bytes();
  return bytes;
}

bool call_queue::wait_for_next() {
  if (under_way_.empty()) return false;
  const auto done = [](const auto& call) { return call->times.done; };
  wait_until((*std::ranges::min_element(under_way_, {}, done))->times.done);
  return true;
}

void call_queue::make_room(const core_range& cores) {
  const auto is_on_them = [&](const auto& call) { return call->cores.meets(cores); };
  while (std::ranges::count_if(under_way_, is_on_them) >= inflight_max_) wait_for_next();
}

void call_queue::wait_until(double seconds) {
  if (seconds > now_) host_seconds_ += seconds - now_;
  now_ = std::max(now_, seconds);
  retire();
}

void call_queue::wait_for_all() {
  double last = 0;
  for (const core_queues& core : cores_) last = std::max(last, core.run_free);
  for (const auto& call : under_way_) last = std::max(last, call->times.done);
  wait_until(last);
}

void call_queue::retire() {
  std::erase_if(arrays_, [&](const past_use& use) { return use.until <= now_; });
  std::erase_if(buffers_, [&](const auto& use) { return use.second.used_until <= now_; });
  std::erase_if(under_way_, [&](const std::shared_ptr<call_state>& call) {
    if (call->times.done > now_) return false;
    call->claims.clear();
    if (call->error && !call->is_delivered) failed_.push_back(call);
    return true;
  });
  std::erase_if(failed_, [](const auto& call) { return call->is_delivered; });
}

void call_queue::throw_undelivered() {
  retire();
  if (failed_.empty()) return;
  failed_.front()->is_delivered = true;
  std::rethrow_exception(failed_.front()->error);
}

namespace {

std::shared_ptr<call_queue> queue_of(const char* function,
                                     const std::shared_ptr<call_state>& call) {
  if (call == nullptr)
    throw invalid_argument(base_detail::message(function, ": no call was begun"));
  std::shared_ptr<call_queue> queue = call->queue.lock();
  if (queue == nullptr)
    throw device_error(base_detail::message(function, ": the device of the call is gone"));
  return queue;
}

}  // namespace

void wait_for(const char* function, const std::shared_ptr<call_state>& call) {
  queue_of(function, call)->wait_until(call->times.done);
  call->is_delivered = true;
  if (call->error) std::rethrow_exception(call->error);
}

bool has_passed(const char* function, const std::shared_ptr<call_state>& call) {
  return queue_of(function, call)->now() >= call->times.done;
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

const call_times& pending_call::times() const {
  if (empty()) throw invalid_argument("pending_call::times: no call was begun");
  return state_->times;
}

bool pending_call::is_done() const {
  return engine_detail::has_passed("pending_call::is_done", state_);
}

launch_result pending_call::wait() {
  engine_detail::wait_for("pending_call::wait", state_);
  return state_->result;
}

const call_times& pending_group_call::times() const {
  if (empty()) throw invalid_argument("pending_group_call::times: no call was begun");
  return state_->times;
}

bool pending_group_call::is_done() const {
  return engine_detail::has_passed("pending_group_call::is_done", state_);
}

group_report pending_group_call::wait() {
  engine_detail::wait_for("pending_group_call::wait", state_);
  return {.phases = state_->phases};
}

double pending_group_call::pace_seconds() const {
  if (empty()) throw invalid_argument("pending_group_call::pace_seconds: no call was begun");
  return state_->pace_seconds;
}

}  // namespace papilio::engine

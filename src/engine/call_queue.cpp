#include "engine/call_queue.hpp"

#include <algorithm>
#include <utility>

#include "papilio/base/error.hpp"

namespace papilio::engine_detail {
namespace {

using source = engine::launch_operand::source;

bool conflict(const operand_use& a, const operand_use& b) {
  if ((!a.writes && !b.writes) || a.operand.from() != b.operand.from()) return false;
  if (a.operand.from() == source::buffer) return a.operand.buffer() == b.operand.buffer();
  return a.operand.from() == source::host && share_bytes(a.operand, b.operand);
}

}  // namespace

double call_queue::free_of(const std::vector<operand_use>& uses) const {
  double until = 0;
  for (const operand_use& own : uses) {
    if (own.operand.from() == source::buffer) until = std::max(until, pending_until_);
    for (const past_use& before : past_)
      if (conflict(own, before.use)) until = std::max(until, before.until);
  }
  return until;
}

double call_queue::place(const call_step& step, double ready, double& queue_free, double& start) {
  start = ready;
  if (step.uses.empty()) return ready;
  start = std::max({ready, queue_free, free_of(step.uses)});
  queue_free = start + step.seconds;
  for (const operand_use& use : step.uses) past_.push_back({use, queue_free});
  return queue_free;
}

void call_queue::add(const std::shared_ptr<call_state>& call, double submit_seconds,
                     const call_step& upload, const call_step& run, const call_step& fetch) {
  engine::call_times& t = call->times;
  t.called = now_;
  wait_until(now_ + submit_seconds);
  t.submitted = now_;
  t.upload_end = place(upload, t.submitted, upload_free_, t.upload_start);
  t.run_end = place(run, t.upload_end, run_free_, t.run_start);
  t.done = place(fetch, t.run_end, fetch_free_, t.fetch_start);
  under_way_.push_back(call);
  retire();
}

void call_queue::add_pending(double seconds) {
  if (seconds > 0) pending_until_ = run_free_ = std::max(run_free_, now_) + seconds;
}

std::int64_t call_queue::claimed_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& call : under_way_) bytes += call->claim.bytes();
  return bytes;
}

bool call_queue::wait_for_next() {
  if (under_way_.empty()) return false;
  const auto done = [](const auto& call) { return call->times.done; };
  wait_until((*std::ranges::min_element(under_way_, {}, done))->times.done);
  return true;
}

void call_queue::make_room() {
  while (under_way_.size() >= std::size_t(inflight_max_)) wait_for_next();
}

void call_queue::wait_until(double seconds) {
  if (seconds > now_) host_seconds_ += seconds - now_;
  now_ = std::max(now_, seconds);
  retire();
}

void call_queue::wait_for_all() {
  double last = run_free_;
  for (const auto& call : under_way_) last = std::max(last, call->times.done);
  wait_until(last);
}

void call_queue::retire() {
  std::erase_if(past_, [&](const past_use& use) { return use.until <= now_; });
  std::erase_if(under_way_, [&](const std::shared_ptr<call_state>& call) {
    if (call->times.done > now_) return false;
    call->claim = {};
    if (call->error && !call->is_delivered) failed_.push_back(call);
    return true;
  });
  std::erase_if(failed_, [](const auto& call) { return call->is_delivered; });
}

std::shared_ptr<call_state> call_queue::undelivered() {
  retire();
  return failed_.empty() ? nullptr : failed_.front();
}

}  // namespace papilio::engine_detail

namespace papilio::engine {

const call_times& pending_call::times() const {
  if (empty()) throw invalid_argument("pending_call::times: no call was begun");
  return state_->times;
}

launch_result pending_call::wait() {
  if (empty()) throw invalid_argument("pending_call::wait: no call was begun");
  const auto queue = state_->queue.lock();
  if (!queue) throw device_error("pending_call::wait: the device of the call is gone");
  queue->wait_until(state_->times.done);
  state_->is_delivered = true;
  if (state_->error) std::rethrow_exception(state_->error);
  return state_->result;
}

}  // namespace papilio::engine

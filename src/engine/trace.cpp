#include "papilio/engine/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/record.hpp"
#include "engine/trace_tracks.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::engine {

using namespace engine_detail;

namespace {

using sink = function_ref<void(std::string_view)>;

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// The trace format counts in microseconds; three decimals hold whole nanoseconds exactly.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string_view name_of(const traced_slice& s, const traced_instruction& t) {
  if (t.on == unit::tensor && s.lane == traced_slice::stationary) return load_stationary_opcode;
  if (t.on == unit::dma && s.lane == traced_slice::descriptors) return descriptors_opcode;
  return t.opcode;
}

/// Writes the events of a trace as JSON, one event a line.
class chrome_writer {
 public:
  chrome_writer(const trace& from, sink to) : trace_(from), to_(to), plan_(plan_tracks(from)) {}

  void write() {
    to_(
        fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"kernel\":{},\"machine\":{}}},"
                    "\n\"traceEvents\":[\n",
                    json_text(trace_.kernel()), json_text(trace_.machine())));
    metadata();
    const auto slices = trace_.slices();
    for (std::size_t i = 0; i < slices.size(); ++i) slice(i);
    for (const traced_instruction& t : trace_.instructions()) arrow(t);
    to_(lines_ + "\n]}\n");
  }

 private:
  void line(const std::string& event) {
    if (!first_) lines_ += ",\n";
    first_ = false;
    lines_ += event;
    if (lines_.size() < 1u << 16) return;
    to_(lines_);
    lines_.clear();
  }

  void metadata() {
    line(
        fmt::format("{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
                    json_text(fmt::format("core of {}: {}", trace_.machine(), trace_.kernel()))));
    for (const track_plan::track& t : plan_.tracks) {
      line(
          fmt::format("{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\","
                      "\"args\":{{\"name\":{}}}}}",
                      t.id, json_text(t.name)));
      line(
          fmt::format("{{\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"name\":\"thread_sort_index\","
                      "\"args\":{{\"sort_index\":{0}}}}}",
                      t.id));
    }
  }

  void slice(std::size_t index) {
    const traced_slice& s = trace_.slices()[index];
    const traced_instruction& t = trace_.instructions()[s.instruction];
    const std::int64_t start = whole_ns(s.start_ns), end = whole_ns(s.end_ns);
    std::string args = fmt::format("\"index\":{},\"operands\":{}", t.index, json_text(t.operands));
    if (t.on == unit::dma) args += fmt::format(",\"queue\":{}", t.queue);
    if (t.waited_for != traced_instruction::none)
      args += fmt::format(",\"waited_for\":{}", t.waited_for);
    const std::string when =
        s.end_ns > s.start_ns
            ? fmt::format("\"ph\":\"X\",\"ts\":{},\"dur\":{}", microseconds(start),
                          microseconds(end - start))
            : fmt::format("\"ph\":\"i\",\"s\":\"t\",\"ts\":{}", microseconds(start));
    line(fmt::format("{{{},\"pid\":1,\"tid\":{},\"cat\":\"{}\",\"name\":\"{}\",\"args\":{{{}}}}}",
                     when, plan_.of_slice[index], to_string(t.on), name_of(s, t), args));
  }

  // Draws an arrow from the last slice of the instruction that was waited for to the first slice of
  // the one that waited. An instruction without duration has no slice to which an arrow could bind.
  void arrow(const traced_instruction& t) {
    if (t.waited_for == traced_instruction::none) return;
    const auto all = trace_.instructions();
    const auto source = std::ranges::lower_bound(all, t.waited_for, {}, &traced_instruction::index);
    if (source == all.end() || source->index != t.waited_for) return;
    const std::size_t from = slice_of(std::size_t(source - all.begin()), true);
    const std::size_t to = slice_of(std::size_t(&t - all.data()), false);
    const traced_slice &a = trace_.slices()[from], &b = trace_.slices()[to];
    if (a.end_ns <= a.start_ns || b.end_ns <= b.start_ns) return;
    // Viewers bind an arrow to the slice around its time, so that it leaves just before the end.
    const std::int64_t leaves = std::max(whole_ns(a.start_ns), whole_ns(a.end_ns) - 1);
    end_of_arrow("\"ph\":\"s\"", t.index, plan_.of_slice[from], leaves);
    end_of_arrow("\"ph\":\"f\",\"bp\":\"e\"", t.index, plan_.of_slice[to], whole_ns(b.start_ns));
  }

  void end_of_arrow(const char* phase, std::uint64_t id, int track, std::int64_t at_ns) {
    line(
        fmt::format("{{{},\"id\":{},\"pid\":1,\"tid\":{},\"ts\":{},\"cat\":\"dependency\","
                    "\"name\":\"waits for\"}}",
                    phase, id, track, microseconds(at_ns)));
  }

  // Returns the slice of an instruction that ends last, or the one that starts first. An
  // instruction of the tensor engine is represented by its multiply, never by its LoadStationary.
  std::size_t slice_of(std::size_t position, bool last) const {
    const auto slices = trace_.slices();
    const bool tensor = trace_.instructions()[position].on == unit::tensor;
    const auto begin = std::ranges::lower_bound(slices, position, {}, &traced_slice::instruction);
    auto best = begin;
    for (auto at = begin; at != slices.end() && at->instruction == position; ++at) {
      if (tensor && at->lane == 0) return std::size_t(at - slices.begin());
      if (last ? at->end_ns > best->end_ns : at->start_ns < best->start_ns) best = at;
    }
    return std::size_t(best - slices.begin());
  }

  const trace& trace_;
  sink to_;
  track_plan plan_;
  std::string lines_;
  bool first_ = true;
};

}  // namespace

void trace::to_chrome_json(std::ostream& to) const {
  chrome_writer(*this, [&](std::string_view text) { to << text; }).write();
}

std::string trace::to_chrome_json() const {
  std::string all;
  chrome_writer(*this, [&](std::string_view text) { all += text; }).write();
  return all;
}

void trace::save(const std::string& path) const {
  atomic_file file(path);
  chrome_writer(*this, [&](std::string_view text) {
    file.write(text.data(), text.size());
  }).write();
  file.commit();
}

std::string trace::listing() const {
  std::string text = fmt::format("{:>7} {:>12} {:>10}  {:<10} {:<20} {}\n", "index", "start us",
                                 "us", "unit", "opcode", "operands");
  for (const traced_instruction& t : instructions_) {
    const std::string on = t.on == unit::dma ? fmt::format("dma q{}", t.queue) : to_string(t.on);
    text += fmt::format("{:>7} {:>12.3f} {:>10.3f}  {:<10} {:<20} {}", t.index, t.start_ns / 1e3,
                        (t.end_ns - t.start_ns) / 1e3, on, t.opcode, t.operands);
    if (t.waited_for != traced_instruction::none) text += fmt::format("; after {}", t.waited_for);
    while (text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

}  // namespace papilio::engine

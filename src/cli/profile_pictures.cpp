#include <algorithm>
#include <cmath>
#include <map>

#include "cli/html_page.hpp"
#include "cli/profile_run.hpp"
#include "papilio/io.hpp"
#include "papilio/render.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli::profile_verb {
namespace {

using engine::unit;

constexpr std::size_t most_page_spans = 60000;
constexpr std::size_t roof_points = 161;

std::string lane_name(unit on, int lane) {
  if (on == unit::dma) return fmt::format("dma {}", lane);
  if (on == unit::tensor && lane == engine::traced_slice::stationary) return "tensor load";
  return engine::to_string(on);
}

/// Busy spans of one engine in microseconds, and the positions of their opcodes in a list.
struct track {
  std::string name;
  unit on;
  std::vector<value_range> spans;
  std::vector<std::size_t> opcodes;
};

struct timeline {
  std::vector<track> tracks;
  std::vector<std::string> opcodes;
};

/// The slices of a trace by engine; those of several DMA queues on one engine lie together.
timeline timeline_of(const engine::trace& events) {
  std::map<std::pair<unit, int>, track> by_engine;
  std::map<std::string_view, std::size_t> opcodes;
  timeline made;
  for (const engine::traced_slice& slice : events.slices()) {
    const engine::traced_instruction& i = events.instructions()[slice.instruction];
    const bool writes_descriptors =
        i.on == unit::dma && slice.lane == engine::traced_slice::descriptors;
    const std::pair key =
        writes_descriptors ? std::pair(unit::gpsimd, 0) : std::pair(i.on, slice.lane);
    track& at = by_engine[key];
    at.name = lane_name(key.first, key.second);
    at.on = key.first;
    at.spans.push_back({slice.start_ns / 1000, slice.end_ns / 1000});
    const auto [opcode, is_new] = opcodes.emplace(i.opcode, made.opcodes.size());
    if (is_new) made.opcodes.emplace_back(i.opcode);
    at.opcodes.push_back(opcode->second);
  }
  for (auto& [key, lane] : by_engine) made.tracks.push_back(std::move(lane));
  return made;
}

double end_us(const engine::launch_result& run) {
  double end = run.summary.value("total_time") * 1e6;
  for (const engine::traced_slice& slice : run.events.slices())
    end = std::max(end, slice.end_ns / 1000);
  return std::max(end, 1e-3);
}

std::string title_of(const engine::launch_result& run) {
  return fmt::format("{} on {}: {:.4g} us", run.summary.kernel, run.summary.machine,
                     run.summary.value("total_time") * 1e6);
}

bool is_page(const std::string& path) { return lower_case(path).ends_with(".html"); }

json_value page_index(const engine::launch_result& run, const char* kind) {
  return json_object("kind", kind, "title", title_of(run), "made_by", build_info(), "verdict",
                     run.summary.verdict_text(), "microseconds",
                     short_number(run.summary.value("total_time") * 1e6, 6));
}

/// A lane as JSON: start and duration in nanoseconds and the opcode, span by span. Spans with gaps
/// below `joined_us` between them are joined, which keeps pages of very long runs small.
json_value lane_json(const track& lane, double joined_us) {
  std::vector<std::size_t> order(lane.spans.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return lane.spans[i].low; });
  json_value spans = json_value::array();
  const auto add = [&](const value_range& span, std::size_t opcode) {
    spans.push_back(std::llround(span.low * 1000));
    spans.push_back(std::llround((span.high - span.low) * 1000));
    spans.push_back(opcode);
  };
  std::optional<value_range> held;
  std::size_t held_opcode = 0;
  for (const std::size_t i : order) {
    const value_range& span = lane.spans[i];
    if (held && span.low - held->high < joined_us) {
      held->high = std::max(held->high, span.high);
      continue;
    }
    if (held) add(*held, held_opcode);
    held = span;
    held_opcode = lane.opcodes[i];
  }
  if (held) add(*held, held_opcode);
  return json_object("name", lane.name, "color", static_cast<int>(lane.on), "spans", spans);
}

void write_timeline_page(const std::string& path, const engine::launch_result& run) {
  const timeline lanes = timeline_of(run.events);
  const bool is_long = run.events.slices().size() > most_page_spans;
  json_value tracks = json_value::array();
  for (const track& lane : lanes.tracks)
    tracks.push_back(lane_json(lane, is_long ? end_us(run) / 20000 : -1));
  html_page page(path, title_of(run), page_index(run, "timeline"));
  page.add(json_line(json_object("lanes", tracks, "opcodes", lanes.opcodes, "end_ns",
                                 std::llround(end_us(run) * 1000), "joined", is_long)));
  page.commit();
}

/// Rates that bound a run: products of one kind, and bytes.
struct roof {
  std::string name;
  double flops, bytes_per_s;
};

std::vector<roof> roofs_of(const engine::machine_spec& machine) {
  const double hbm = machine.hbm_bytes_per_ns() * 1e9, dma = machine.hbm_dma_bytes_per_ns() * 1e9,
               peak = machine.tensor.peak_flops();
  const auto named = [&](const char* type, double flops, const char* memory, double rate) {
    return roof{
        fmt::format("{} {:.0f} TFLOP/s, {} {:.0f} GB/s", type, flops * 1e-12, memory, rate * 1e-9),
        flops, rate};
  };
  return {named("16 bit", peak, "HBM", hbm), named("16 bit", peak, "DMA", dma),
          named("fp32", machine.tensor.peak_flops(machine.tensor.fp32_passes), "DMA", dma)};
}

struct roofline {
  std::vector<roof> roofs;
  double intensity, flops;
  std::vector<double> x;

  roofline(const std::string& path, const engine::launch_result& run,
           const engine::machine_spec& machine)
      : roofs(roofs_of(machine)) {
    const engine::profile& p = run.summary;
    intensity = p.has("mm_arithmetic_intensity") ? p.value("mm_arithmetic_intensity") : 0;
    flops = (p.value("hardware_flops") - p.value("transpose_flops")) / p.value("total_time");
    if (!(intensity > 0))
      throw io_error(path,
                     "no roofline: the run has no products on the tensor engine, or moves no "
                     "bytes of HBM");
    const double ridge = roofs[0].flops / roofs[1].bytes_per_s,
                 low = std::min(intensity, ridge) / 20, high = std::max(intensity, ridge) * 20;
    for (std::size_t i = 0; i < roof_points; ++i)
      x.push_back(low * std::pow(high / low, static_cast<double>(i) / (roof_points - 1)));
    for (const roof& each : roofs) x.push_back(each.flops / each.bytes_per_s);  // the corners
    std::ranges::sort(x);
  }

  /// In TFLOP/s.
  std::vector<double> curve(const roof& of) const {
    std::vector<double> y;
    for (const double at : x) y.push_back(1e-12 * std::min(of.flops, at * of.bytes_per_s));
    return y;
  }
};

void write_roofline_page(const std::string& path, const engine::launch_result& run,
                         const roofline& of) {
  const auto shortened = [](const std::vector<double>& all) {
    json_value list = json_value::array();
    for (const double value : all) list.push_back(short_number(value, 5));
    return list;
  };
  json_value roofs = json_value::array();
  for (const roof& each : of.roofs)
    roofs.push_back(json_object("name", each.name, "y", shortened(of.curve(each))));
  html_page page(path, title_of(run), page_index(run, "roofline"));
  page.add(json_line(json_object("x", shortened(of.x), "roofs", roofs, "intensity",
                                 short_number(of.intensity, 5), "tflops",
                                 short_number(of.flops * 1e-12, 5))));
  page.commit();
}

}  // namespace

void write_timeline(const std::string& path, const engine::launch_result& run) {
  if (is_page(path)) return write_timeline_page(path, run);
  line_plot plot{.x_range = value_range{0, end_us(run)},
                 .title = title_of(run),
                 .x_quantity = "Time",
                 .x_unit = "us",
                 .width = 1280,
                 .height = 160};
  for (track& lane : timeline_of(run.events).tracks) {
    plot.lanes.push_back({.name = lane.name,
                          .spans = std::move(lane.spans),
                          .color = static_cast<std::size_t>(lane.on)});
    plot.height += 26;
  }
  plot.height = std::max(plot.height, minimum_picture_height);
  write_line_plot(path, plot);
}

void write_roofline(const std::string& path, const engine::launch_result& run,
                    const engine::machine_spec& machine) {
  const roofline of(path, run, machine);
  if (is_page(path)) return write_roofline_page(path, run, of);
  line_plot plot{.x_scale = axis_scale::logarithmic,
                 .y_scale = axis_scale::logarithmic,
                 .title = title_of(run),
                 .x_quantity = "Operational intensity",
                 .x_unit = "FLOP per byte of HBM",
                 .y_quantity = "Products",
                 .y_unit = "TFLOP/s"};
  std::vector<std::vector<double>> curves;
  for (const roof& each : of.roofs) curves.push_back(of.curve(each));
  const double x = of.intensity, y = of.flops * 1e-12;
  plot.curves.push_back({.y = std::span(&y, 1),
                         .x = std::span(&x, 1),
                         .name = fmt::format("this run: {:.3g} TFLOP/s at {:.3g}", y, x)});
  for (std::size_t i = 0; i < curves.size(); ++i)
    plot.curves.push_back({.y = curves[i], .x = of.x, .name = of.roofs[i].name});
  write_line_plot(path, plot);
}

void write_sweep(const std::string& path, const std::string& kernel, const size_sweep& sweep,
                 const std::vector<sweep_point>& points) {
  std::vector<double> x, time, floor;
  for (const sweep_point& p : points) {
    x.push_back(p.size);
    time.push_back(p.seconds * 1e6);
    floor.push_back(p.floor_seconds * 1e6);
  }
  const axis_scale scale = sweep.doubles ? axis_scale::logarithmic : axis_scale::linear;
  write_line_plot(path, {.curves = {{.y = time, .x = x, .name = "modelled"},
                                    {.y = floor, .x = x, .name = "floor"}},
                         .x_scale = scale,
                         .y_scale = scale,
                         .title = kernel,
                         .x_quantity = sweep.name,
                         .y_quantity = "Time",
                         .y_unit = "us"});
}

void require_drawable(const char* flag, const std::string& path, bool html) {
  if (path.empty() || (html && is_page(path))) return;
  with_usage(std::string(flag) + ": ", [&] { picture_format_of(path); });
}

}  // namespace papilio::cli::profile_verb

#include "papilio/engine/profile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "engine/profile_context.hpp"

namespace papilio::engine_detail {

using engine::machine_spec;
using engine::profile;
using engine::quantity;
using engine::unit;

namespace {

constexpr double seconds_per_ns = 1e-9;

template <std::size_t... Kinds>
constexpr auto opcodes_of(std::index_sequence<Kinds...>) {
  return std::array<const char*, sizeof...(Kinds)>{
      std::variant_alternative_t<Kinds, engine::instruction>::opcode...};
}
constexpr auto opcode_names = opcodes_of(std::make_index_sequence<opcode_count>());

std::array<double, engine::unit_count> active_seconds_of(const run_record& record) {
  std::array<double, engine::unit_count> active;
  for (std::size_t i = 0; i < active.size(); ++i)
    active[i] = record.units[i].active.total_ns() * seconds_per_ns;
  interval_union dma = record.static_dma.active;
  dma.add(record.software_dma.active);
  active[std::size_t(unit::dma)] = dma.total_ns() * seconds_per_ns;
  return active;
}

/// Derives the sums of a profile from a record, in the profile's units.
struct totals {
  double seconds = 0;
  double flops = 0, transpose_flops = 0, adjusted_flops = 0, adjusted_transpose_flops = 0;
  std::uint64_t matmuls = 0, activations = 0;
  double activation_seconds = 0;
  double hbm_bytes = 0;
  double hbm_bytes_per_s = 0, peak_flops = 0;
};

totals totals_of(const run_record& record, const machine_spec& machine) {
  totals t;
  t.seconds = record.end_ns * seconds_per_ns;
  for (std::size_t kind = 0; kind < opcode_count; ++kind) {
    const std::string_view name = opcode_names[kind];
    const opcode_record& product = record.opcodes[kind][std::size_t(unit::tensor)];
    t.flops += 2 * product.multiply_adds;
    t.adjusted_flops += 2 * product.weighted_multiply_adds;
    if (product.multiply_adds > 0) t.matmuls += product.count;
    if (name == engine::transpose::opcode) {
      t.transpose_flops += 2 * product.multiply_adds;
      t.adjusted_transpose_flops += 2 * product.weighted_multiply_adds;
    }
    if (name == engine::activation::opcode || name == engine::activation_reduce::opcode ||
        name == engine::activate2::opcode) {
      const opcode_record& activation = record.opcodes[kind][std::size_t(unit::scalar)];
      t.activations += activation.count;
      t.activation_seconds += activation.ns * seconds_per_ns;
    }
  }
  t.hbm_bytes = double(record.hbm_read_bytes) + double(record.hbm_write_bytes);
  t.hbm_bytes_per_s = machine.hbm_bytes_per_ns() / seconds_per_ns;
  t.peak_flops = machine.tensor.peak_flops();
  return t;
}

/// Appends the fields of a summary in their order.
class summary_builder {
 public:
  summary_builder(const run_record& record, const machine_spec& machine)
      : record_(record),
        machine_(machine),
        t_(totals_of(record, machine)),
        active_(active_seconds_of(record)) {}

  std::vector<engine::profile_field> build(const profile_context& context) {
    whole_run();
    transfers(context);
    memories();
    dynamic_transfers();
    engines();
    return std::move(fields_);
  }

 private:
  struct unit_fields {
    const char *time, *active_time, *active_fraction, *count;
  };

  void add(std::string_view name, double value, quantity of) {
    fields_.push_back({name, value, of});
  }
  void add(std::string_view name, std::uint64_t value, quantity of = quantity::count) {
    add(name, double(value), of);
  }
  double of_run(double seconds) const { return t_.seconds > 0 ? seconds / t_.seconds : 0; }
  static double share(std::uint64_t part, std::uint64_t rest) {
    return part > 0 ? double(part) / double(part + rest) : 0;
  }
  double cycles(double seconds) const { return std::round(seconds * machine_.base_clock_hz); }
  double active_seconds(unit on) const { return active_[std::size_t(on)]; }

  void whole_run() {
    add("total_time", t_.seconds, quantity::seconds);
    add("neuroncore_cycle_count", cycles(t_.seconds), quantity::count);
    add("hardware_flops", t_.flops, quantity::flops);
    add("transpose_flops", t_.transpose_flops, quantity::flops);
    add("adjusted_hardware_flops", t_.adjusted_flops, quantity::flops);
    add("adjusted_transpose_flops", t_.adjusted_transpose_flops, quantity::flops);
    if (t_.hbm_bytes > 0)
      add("mm_arithmetic_intensity", (t_.flops - t_.transpose_flops) / t_.hbm_bytes,
          quantity::ratio);
    add("peak_flops_bandwidth_ratio", t_.peak_flops / t_.hbm_bytes_per_s, quantity::ratio);
  }

  void transfers(const profile_context& context) {
    const unit_record& dma = record_.units[std::size_t(unit::dma)];
    const double active = active_seconds(unit::dma);
    add("dma_active_cycles", cycles(active), quantity::count);
    add("dma_active_time", active, quantity::seconds);
    add("dma_active_time_percent", of_run(active), quantity::fraction);
    const dma_record &fixed = record_.static_dma, &dynamic = record_.software_dma;
    const double fixed_active = fixed.active.total_ns() * seconds_per_ns;
    add("static_dma_active_time", fixed_active, quantity::seconds);
    add("dynamic_dma_active_time_percent", of_run(dynamic.active.total_ns() * seconds_per_ns),
        quantity::fraction);
    add("static_dma_active_time_percent", of_run(fixed_active), quantity::fraction);
    const std::uint64_t bytes = fixed.bytes + dynamic.bytes;
    if (record_.dma_transfers > 0)
      add("dma_transfer_average_bytes", double(bytes) / double(record_.dma_transfers),
          quantity::bytes);
    add("dma_packet_time", record_.dma_engine_busy_ns * seconds_per_ns, quantity::seconds);
    add("dma_transfer_time", dma.instruction_ns * seconds_per_ns, quantity::seconds);
    add("dma_transfer_count", record_.dma_transfers);
    add("dma_transfer_total_bytes", bytes, quantity::bytes);
    add("dma_queue_count", std::uint64_t(std::popcount(record_.dma_queues)));
    add("inputs_and_weights_size_bytes", context.input_bytes, quantity::bytes);
    add("inputs_outputs_weights_size_bytes", context.input_bytes + context.output_bytes,
        quantity::bytes);
    add("static_dma_packet_count", fixed.packets);
    add("static_dma_size", fixed.bytes, quantity::bytes);
    add("dynamic_dma_packet_percent", share(dynamic.packets, fixed.packets), quantity::fraction);
    add("static_dma_packet_percent", share(fixed.packets, dynamic.packets), quantity::fraction);
    add("dynamic_dma_size_percent", share(dynamic.bytes, fixed.bytes), quantity::fraction);
    add("static_dma_size_percent", share(fixed.bytes, dynamic.bytes), quantity::fraction);
  }

  void dynamic_transfers() {
    const dma_record &fixed = record_.static_dma, &dynamic = record_.software_dma;
    const double active = dynamic.active.total_ns() * seconds_per_ns;
    add("software_dynamic_dma_active_time", active, quantity::seconds);
    add("software_dynamic_dma_active_time_percent", of_run(active), quantity::fraction);
    add("software_dynamic_dma_packet_count", dynamic.packets);
    add("software_dynamic_dma_size", dynamic.bytes, quantity::bytes);
    add("software_dynamic_dma_packet_percent", share(dynamic.packets, fixed.packets),
        quantity::fraction);
    add("software_dynamic_dma_size_percent", share(dynamic.bytes, fixed.bytes), quantity::fraction);
  }

  void memories() {
    add("mbu_estimated_percent", of_run(t_.hbm_bytes / t_.hbm_bytes_per_s), quantity::fraction);
    add("hbm_write_bytes", record_.hbm_write_bytes, quantity::bytes);
    add("hbm_read_bytes", record_.hbm_read_bytes, quantity::bytes);
    add("sbuf_write_bytes", record_.sbuf_write_bytes, quantity::bytes);
    add("sbuf_read_bytes", record_.sbuf_read_bytes, quantity::bytes);
    add("psum_write_bytes", record_.psum_write_bytes, quantity::bytes);
    add("psum_read_bytes", record_.psum_read_bytes, quantity::bytes);
    add("psum_read_sbuf_write_count", record_.psum_to_sbuf_count);
    add("psum_read_sbuf_write_bytes", record_.psum_to_sbuf_bytes, quantity::bytes);
  }

  void engines() {
    engine(unit::tensor, {"tensor_engine_instruction_time", "tensor_engine_active_time",
                          "tensor_engine_active_time_percent", "tensor_engine_instruction_count"});
    add("matmul_instruction_count", t_.matmuls);
    utilization();
    engine(unit::vector, {"vector_engine_instruction_time", "vector_engine_active_time",
                          "vector_engine_active_time_percent", "vector_engine_instruction_count"});
    engine(unit::scalar, {"scalar_engine_instruction_time", "scalar_engine_active_time",
                          "scalar_engine_active_time_percent", "scalar_engine_instruction_count"});
    add("activate_instruction_time", t_.activation_seconds, quantity::seconds);
    add("activate_instruction_count", t_.activations);
    engine(unit::sync, {"sync_engine_instruction_time", "sync_engine_active_time",
                        "sync_engine_active_time_percent", "sync_engine_instruction_count"});
    engine(unit::gpsimd, {"gpsimd_engine_instruction_time", "gpsimd_engine_active_time",
                          "gpsimd_engine_active_time_percent", "gpsimd_engine_instruction_count"});
    engine(unit::collective,
           {"cc_op_time", "cc_op_active_time", "cc_op_active_time_percent", "cc_op_count"});
    const double active = record_.active.total_ns() * seconds_per_ns;
    add("total_active_time", active, quantity::seconds);
    add("total_active_time_percent", of_run(active), quantity::fraction);
  }

  void engine(unit on, const unit_fields& names) {
    const unit_record& u = record_.units[std::size_t(on)];
    const double active = active_seconds(on);
    add(names.time, u.instruction_ns * seconds_per_ns, quantity::seconds);
    add(names.active_time, active, quantity::seconds);
    add(names.active_fraction, of_run(active), quantity::fraction);
    add(names.count, u.instructions);
  }

  void utilization() {
    const double products = t_.adjusted_flops - t_.adjusted_transpose_flops;
    const double mfu = of_run(products / t_.peak_flops);
    const bool bounded = t_.hbm_bytes > 0;
    const double bound =
        bounded ? std::min(1.0, products / t_.hbm_bytes * t_.hbm_bytes_per_s / t_.peak_flops) : 0;
    add("mfu_estimated_percent", mfu, quantity::fraction);
    if (bounded) add("mfu_max_achievable_estimated_percent", bound, quantity::fraction);
    add("mfu_inst_estimated_percent", mfu, quantity::fraction);
    if (bounded) add("mfu_inst_max_achievable_estimated_percent", bound, quantity::fraction);
    add("hfu_estimated_percent", of_run(t_.adjusted_flops / t_.peak_flops), quantity::fraction);
  }

  const run_record& record_;
  const machine_spec& machine_;
  totals t_;
  std::array<double, engine::unit_count> active_;
  std::vector<engine::profile_field> fields_;
};

std::string waited_for_name(std::size_t reason, unit waiting) {
  if (reason == waited_for_room) return "room on chip";
  if (unit(reason) == waiting) return waiting == unit::dma ? "the start of transfers" : "itself";
  return to_string(unit(reason));
}

engine::profile_verdict verdict_of(const run_record& record, const machine_spec& machine,
                                   const profile_context& context) {
  engine::profile_verdict v;
  const totals t = totals_of(record, machine);
  const auto active = active_seconds_of(record);
  v.bound_by = unit(std::ranges::max_element(active) - active.begin());
  if (t.seconds > 0) v.active_fraction = active[std::size_t(v.bound_by)] / t.seconds;
  const double dma_seconds = active[std::size_t(unit::dma)] * machine.dma.engines;
  if (dma_seconds > 0)
    v.dma_engine_fraction = record.dma_engine_busy_ns * seconds_per_ns / dma_seconds;
  const auto& waited = record.units[std::size_t(v.bound_by)].waited_ns;
  const std::size_t most = std::size_t(std::ranges::max_element(waited) - waited.begin());
  for (const double ns : waited) v.waited_seconds += ns * seconds_per_ns;
  if (waited[most] > 0) {
    v.waited_for = waited_for_name(most, v.bound_by);
    v.waited_for_seconds = waited[most] * seconds_per_ns;
  }
  v.floor_was_stated = context.least.has_value();
  const double bytes =
      context.least ? context.least->hbm_bytes : context.input_bytes + context.output_bytes;
  v.hbm_floor_seconds = bytes / machine.hbm_dma_bytes_per_ns() * seconds_per_ns;
  v.tensor_floor_seconds =
      context.least
          ? context.least->tensor_cycles / machine.tensor.clock_hz
          : machine.tensor.least_cycles((t.adjusted_flops - t.adjusted_transpose_flops) / 2) /
                machine.tensor.clock_hz;
  v.floor_seconds = std::max(v.hbm_floor_seconds, v.tensor_floor_seconds);
  v.instructions = record.instructions;
  v.unrolled_tiles = t.matmuls;
  v.loadable_tiles = std::uint64_t(machine.lowering.unrolled_tiles_max);
  if (t.seconds > 0) v.floor_fraction = v.floor_seconds / t.seconds;
  return v;
}

std::vector<engine::profile_opcode> opcodes_of(const run_record& record) {
  std::vector<engine::profile_opcode> result;
  for (std::size_t on = 0; on < engine::unit_count; ++on) {
    const auto add = [&](std::string_view name, const opcode_record& one) {
      if (one.count > 0) result.push_back({unit(on), name, one.count, one.ns * seconds_per_ns});
    };
    if (unit(on) == unit::tensor) add(load_stationary_opcode, record.stationary_loads);
    if (unit(on) == unit::gpsimd) add(descriptors_opcode, record.descriptor_writes);
    for (std::size_t kind = 0; kind < opcode_count; ++kind)
      add(opcode_names[kind], record.opcodes[kind][on]);
  }
  return result;
}

std::vector<engine::profile_step> steps_of(const run_record& record) {
  std::vector<engine::profile_step> result;
  std::vector<interval_union> spans;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const step_record& one : record.steps) {
    const auto [at, fresh] = places.emplace(one.name, result.size());
    if (fresh) {
      result.push_back({one.name, 0, 0});
      spans.emplace_back();
    }
    result[at->second].instructions += one.instructions;
    spans[at->second].add(one.span.start_ns, one.span.end_ns);
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].seconds = spans[i].total_ns() * seconds_per_ns;
  return result;
}

}  // namespace

profile make_profile(const run_record& record, const machine_spec& machine,
                     const profile_context& context) {
  profile result;
  result.kernel = context.kernel;
  result.machine = machine.name;
  result.summary = summary_builder(record, machine).build(context);
  result.opcodes = opcodes_of(record);
  result.steps = steps_of(record);
  result.verdict = verdict_of(record, machine, context);
  return result;
}

}  // namespace papilio::engine_detail

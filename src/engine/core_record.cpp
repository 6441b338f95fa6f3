#include <algorithm>

#include "engine/core_state.hpp"
#include "engine/profile_context.hpp"

// A core counts each instruction once it is placed in time: engine time, waiting, bytes and trace.
namespace papilio::engine_detail {

using engine::unit;

namespace {

std::uint64_t bytes_of(const named_operand& o) {
  if (o.tile != nullptr) {
    const int spanned = o.tile->partitions(), quadrant = engine::mx_quadrant_rows;
    const int rows = o.scales ? engine::mx_scale_rows * (spanned / quadrant + 1) : spanned;
    return std::uint64_t(o.touched > 0 ? o.touched : o.tile->elements()) * std::uint64_t(rows) *
           size_bytes(o.tile->type());
  }
  return std::uint64_t(o.touched > 0 ? o.touched : o.hbm->elements()) * size_bytes(o.hbm->type());
}

bool in_psum(const named_operand& o) {
  return o.tile != nullptr && o.tile->space() == engine::memory_space::psum;
}

// DMA engines are mostly busy at the same time, so that equal neighbours are added only once.
void add_all(interval_union& active, const std::vector<interval>& busy) {
  interval last{0, 0};
  for (const interval& b : busy) {
    if (b.start_ns == last.start_ns && b.end_ns == last.end_ns) continue;
    active.add(b.start_ns, b.end_ns);
    last = b;
  }
}

}  // namespace

// Accounts for the unit's idle time up to `until_ns`: until `reason` it waited for an operand, and
// after that for a shared port or, in a transfer, for the delay before the first byte.
void core_state::count_waiting(const issued& i, unit on, double until_ns,
                               const dependency& reason) {
  unit_record& u = record.units[std::size_t(on)];
  const double ready_ns = std::min(reason.ready_ns, until_ns);
  if (ready_ns > u.accounted_ns) {
    u.waited_ns[reason.queue >= 0 ? std::size_t(unit_of(reason.queue)) : waited_for_room] +=
        ready_ns - u.accounted_ns;
    u.accounted_ns = ready_ns;
  }
  if (until_ns <= u.accounted_ns) return;
  const int held_by = on == unit::dma ? int(unit::dma) : i.when.port_held_by;
  if (held_by >= 0) u.waited_ns[std::size_t(held_by)] += until_ns - u.accounted_ns;
  u.accounted_ns = until_ns;
}

void core_state::count_time(const issued& i) {
  unit_record& u = record.units[std::size_t(i.on)];
  const auto [start_ns, end_ns] = i.when.run;
  ++u.instructions;
  u.instruction_ns += end_ns - start_ns;
  const interval& load = i.when.load;
  if (load.end_ns > load.start_ns) {
    ++u.instructions;
    u.instruction_ns += load.end_ns - load.start_ns;
    ++record.stationary_loads.count;
    record.stationary_loads.ns += load.end_ns - load.start_ns;
    u.active.add(load.start_ns, load.end_ns);
    record.active.add(load.start_ns, load.end_ns);
    count_waiting(i, i.on, load.start_ns, i.load);
    u.accounted_ns = std::max(u.accounted_ns, load.end_ns);
  }
  const interval& descriptors = i.when.descriptors;
  if (descriptors.end_ns > descriptors.start_ns) {
    unit_record& writer = record.units[std::size_t(unit::gpsimd)];
    ++writer.instructions;
    writer.instruction_ns += descriptors.end_ns - descriptors.start_ns;
    writer.active.add(descriptors.start_ns, descriptors.end_ns);
    record.active.add(descriptors.start_ns, descriptors.end_ns);
    ++record.descriptor_writes.count;
    record.descriptor_writes.ns += descriptors.end_ns - descriptors.start_ns;
    count_waiting(i, unit::gpsimd, descriptors.start_ns, i.load);
    writer.accounted_ns = std::max(writer.accounted_ns, descriptors.end_ns);
  }
  if (i.on == unit::dma && end_ns > start_ns) {
    add_all(record.active, times.dma().busy());
    add_all(dma_of(i).active, times.dma().busy());
  } else {
    u.active.add(start_ns, end_ns);
    record.active.add(start_ns, end_ns);
  }
  count_waiting(i, i.on, start_ns, i.latest);
  u.accounted_ns = std::max(u.accounted_ns, end_ns);
}

dma_record& core_state::dma_of(const issued& i) {
  return i.cost.descriptor_cycles > 0 ? record.software_dma : record.static_dma;
}

void core_state::count_bytes(const issued& i) {
  bool from_psum = false, to_sbuf = false;
  std::uint64_t written = 0;
  for (const named_operand& o : i.operands) {
    const std::uint64_t bytes = bytes_of(o);
    const bool tile = o.tile != nullptr, is_psum = in_psum(o);
    std::uint64_t& reads = !tile     ? record.hbm_read_bytes
                           : is_psum ? record.psum_read_bytes
                                     : record.sbuf_read_bytes;
    std::uint64_t& writes = !tile     ? record.hbm_write_bytes
                            : is_psum ? record.psum_write_bytes
                                      : record.sbuf_write_bytes;
    if (o.reads) reads += bytes;
    if (o.writes) writes += bytes;
    from_psum = from_psum || (o.reads && is_psum);
    if (o.writes && tile && !is_psum) {
      to_sbuf = true;
      written += bytes;
    }
    if (i.on == unit::dma && o.writes) dma_of(i).bytes += bytes;
  }
  if (from_psum && to_sbuf) {
    ++record.psum_to_sbuf_count;
    record.psum_to_sbuf_bytes += written;
  }
}

void core_state::count(const issued& i) {
  count_time(i);
  count_bytes(i);
  const auto [start_ns, end_ns] = i.when.run;
  opcode_record& opcode = record.opcodes[i.kind][std::size_t(i.on)];
  ++opcode.count;
  opcode.ns += end_ns - start_ns;
  opcode.multiply_adds += i.cost.multiply_adds;
  opcode.weighted_multiply_adds += i.cost.multiply_adds * i.cost.passes;
  if (i.on == unit::dma && end_ns > start_ns) {
    ++record.dma_transfers;
    dma_of(i).packets += i.cost.dma_buffers;
    record.dma_engine_busy_ns = times.dma().busy_ns();
    record.dma_queues |= std::uint64_t{1} << i.queue;
  }
  if (!record.steps.empty()) {
    step_record& step = record.steps.back();
    const double first_ns = i.when.load.end_ns > i.when.load.start_ns
                                ? std::min(i.when.load.start_ns, start_ns)
                                : start_ns;
    if (step.instructions++ == 0) step.span.start_ns = first_ns;
    step.span.start_ns = std::min(step.span.start_ns, first_ns);
    step.span.end_ns = std::max(step.span.end_ns, end_ns);
  }
  record.end_ns = times.end_ns();
}

void core_state::keep_event(const issued& i, const std::string& settings) {
  engine::traced_instruction t;
  t.index = record.instructions;
  t.opcode = i.opcode;
  t.on = i.on;
  t.queue = i.queue;
  t.start_ns = i.when.run.start_ns;
  t.end_ns = i.when.run.end_ns;
  // A transfer with descriptors waits for them last, and they are part of the same instruction:
  // the trace names the instruction that the descriptors waited for.
  const bool own = i.latest.instruction == t.index;
  t.waited_for = own ? i.load.instruction : i.latest.instruction;
  for (const named_operand& o : i.operands) {
    if (!t.operands.empty()) t.operands += ", ";
    t.operands += o.name;
    t.operands += ' ';
    t.operands += o.tile != nullptr ? o.tile->describe() : o.hbm->describe();
  }
  t.operands += t.operands.empty() && settings.size() > 2 ? settings.substr(2) : settings;
  record.events.add(std::move(t));
  if (i.on == unit::dma && i.when.run.end_ns > i.when.run.start_ns) {
    if (i.when.descriptors.end_ns > i.when.descriptors.start_ns)
      record.events.add_slice(engine::traced_slice::descriptors, i.when.descriptors.start_ns,
                              i.when.descriptors.end_ns);
    for (const dma_span& s : times.dma().spans())
      record.events.add_slice(s.engine, s.time.start_ns, s.time.end_ns);
    return;
  }
  if (i.when.load.end_ns > i.when.load.start_ns)
    record.events.add_slice(engine::traced_slice::stationary, i.when.load.start_ns,
                            i.when.load.end_ns);
  record.events.add_slice(0, i.when.run.start_ns, i.when.run.end_ns);
}

engine::profile core_state::summary() const {
  profile_context context{kernel, 0, 0, least};
  for (const hbm_storage& s : tensors_) {
    const double bytes = double(s.elements) * double(size_bytes(s.type));
    if (s.is_input()) context.input_bytes += bytes;
    if (s.is_output()) context.output_bytes += bytes;
  }
  return make_profile(record, machine, context);
}

}  // namespace papilio::engine_detail

#include "engine/core_state.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/field_checks.hpp"
#include "engine/instruction_time.hpp"
#include "engine/settings_text.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/engine/kernel.hpp"

namespace papilio::engine_detail {

using engine::instruction_cost;
using engine::run_mode;
using engine::tile_view;
using engine::unit;

namespace {

std::uint32_t banks_of(const named_operand& o, const engine::psum_spec& psum) {
  const region& bytes = o.bytes;
  const std::int64_t base = o.tile->storage()->address_bytes;
  std::uint32_t banks = 0;
  for (std::int64_t b = (base + bytes.lo) / psum.bank_bytes;
       b <= (base + bytes.hi - 1) / psum.bank_bytes; ++b)
    banks |= 1u << b;
  return banks;
}

// The machine is checked here, before any member is sized by it.
const engine::machine_spec& valid(const engine::machine_spec& machine) {
  engine::require_valid(machine);
  return machine;
}

}  // namespace

core_state::core_state(const engine::machine_spec& spec, const engine::core_options& how)
    : machine(valid(spec)),
      options(how),
      sbuf(engine::memory_space::sbuf, machine, how.mode == run_mode::execute, how.strict, kernel),
      psum(engine::memory_space::psum, machine, how.mode == run_mode::execute, how.strict, kernel),
      times(machine),
      check(machine, kernel),
      run(machine, thread_count(how.threads), check) {}

template <std::size_t Kind>
void core_state::issue_alternative(core_state& core, const void* one) {
  core.issue_one(*static_cast<const std::variant_alternative_t<Kind, engine::instruction>*>(one),
                 Kind);
}

void core_state::issue(std::size_t kind, const void* one) {
  static constexpr auto table = []<std::size_t... Kinds>(std::index_sequence<Kinds...>) {
    return std::array{&core_state::issue_alternative<Kinds>...};
  }(std::make_index_sequence<std::variant_size_v<engine::instruction>>());
  table[kind](*this, one);
}

template <class Instruction>
void core_state::issue_one(const Instruction& i, std::size_t kind) {
  check.begin(Instruction::opcode, record.instructions);
  operand_list list;
  list_operands(i, list);
  const unit on = i.runs_on();
  check_operands(list, on);
  check_registers(list, on);
  check_fields(check, i);
  if (on != unit::dma) check.overlaps(list);
  if constexpr (requires { i.validate(check); }) i.validate(check);
  if constexpr (std::is_same_v<Instruction, engine::matmul> ||
                std::is_same_v<Instruction, engine::matmul_mx>)
    if (i.accumulate) check_sum(list);
  if constexpr (requires { i.command; }) follow_command(check, run.reduced, i, options.strict);
  note_sums(list, on);
  const instruction_cost cost = cost_of(i, machine);
  int queue = 0;
  if constexpr (requires { i.which; })
    check.that(i.which.index < order.semaphores(), "which", "is no semaphore of this core");
  if constexpr (requires { i.out.on_chip(); })
    queue = i.queue != engine::dma_copy::any_queue ? i.queue : next_queue(i.out.on_chip());
  else if constexpr (requires { i.queue; })
    queue = i.queue != engine::dma_copy::any_queue ? i.queue : next_queue(true);
  dependency load, latest;
  placement when;
  if constexpr (std::is_same_v<Instruction, engine::semaphore_wait>) {
    check.that(i.value <= order.signals(i.which.index), "value", "waits for ", i.value,
               " signals, of which ", order.signals(i.which.index), " have been issued");
    const auto [at_ns, signaller] = order.wait(i.which.index, i.value, queue_index(on, queue));
    times.hold(on, queue, at_ns + machine.semaphore_ns);
    when.run = {at_ns, at_ns};
    latest = {at_ns + machine.semaphore_ns, dependency::no_instruction, signaller};
  } else if constexpr (std::is_same_v<Instruction, engine::semaphore_signal>) {
    const double at_ns = on == unit::dma ? times.queue_free_ns(queue) : times.free_ns(on);
    order.signal(i.which.index, queue_index(on, queue), at_ns);
    when.run = {at_ns, at_ns};
  } else if constexpr (std::is_same_v<Instruction, engine::core_barrier>) {
    when = times.barrier(length_ns(list, cost, on, machine));
    for (unit_record& u : record.units) u.accounted_ns = when.run.end_ns;
    order.join();
  } else {
    when = place(list, cost, on, queue, load, latest);
  }
  if constexpr (requires { i.execute(run); })
    if (options.mode == run_mode::execute) {
      run.begin(record.instructions);
      i.execute(run);
    }
  log(list, when, on, queue);
  for (const named_register& r : list.registers())
    if (r.writes) run.registers.mark_written(*r.which);
  const issued one{kind, Instruction::opcode, list, cost, on, queue, when, load, latest};
  count(one);
  if (options.trace) keep_event(one, settings_text(i));
  ++record.instructions;
}

bool core_state::is_own(const named_operand& o) const {
  if (o.hbm != nullptr) return o.hbm->empty() || o.hbm->storage()->owner == this;
  if (o.tile->empty()) return true;
  const tile_memory* const memory = o.tile->storage()->memory;
  return memory == &sbuf || memory == &psum;
}

void core_state::check_operands(operand_list& list, unit on) {
  for (named_operand& o : list) {
    if (!is_own(o)) check.refuse(o.name, "is of another core");
    if (o.tile != nullptr)
      check.operand(o, on);
    else
      check.tensor(o);
    if (!options.strict || !o.reads) continue;
    bool written = true;
    if (o.tile == nullptr)
      written = o.hbm->storage()->written.covers(*o.hbm);
    else
      for_each_quadrant(o, [&](const tile_view& view, const region&) {
        written = written && view.storage()->written.covers(view);
      });
    if (!written)
      check.refuse(o.name, "reads what nobody wrote: " +
                               (o.tile != nullptr ? o.tile->describe() : o.hbm->describe()));
  }
}

void core_state::check_sum(const operand_list& list) {
  const named_operand& out = *list.begin();
  switch (groups.add_to(*out.tile, out.bytes, machine.psum.bank_bytes)) {
    case psum_groups::onto::group:
      return;
    case psum_groups::onto::nothing:
      return check.keeps(engine::isa_rule::accumulate_onto_product);
    case psum_groups::onto::ended:
      check.refuse(out.name,
                   base_detail::message("adds to ", *out.tile,
                                        ", where another accumulation group has begun since"));
  }
}

void core_state::note_sums(const operand_list& list, unit on) {
  for (const named_operand& o : list) {
    if (!o.writes || o.tile == nullptr || o.tile->space() != engine::memory_space::psum) continue;
    if (on != unit::tensor)
      groups.overwrite(*o.tile, o.bytes, machine.psum.bank_bytes);
    else if (!o.reads)
      groups.begin(*o.tile, o.bytes, machine.psum.bank_bytes);
  }
}

void core_state::check_registers(const operand_list& list, unit on) {
  for (const named_register& r : list.registers()) {
    check.that(register_file::exist_on(r.which->on) && run.registers.exists(*r.which), r.name,
               "is no register of this core");
    check.that(r.which->on == on, r.name, "is a register of ", to_string(r.which->on),
               ", the instruction is of ", to_string(on));
    check.that(!options.strict || !r.reads || run.registers.written(*r.which), r.name,
               "reads register ", r.which->index, " of ", to_string(on), ", which nobody wrote");
  }
}

int core_state::next_queue(bool loads) {
  const int queues = machine.dma.queues_per_engine, half = std::max(1, queues / 2);
  if (loads) return next_load_queue_++ % half;
  return (half + next_store_queue_++ % (queues - half > 0 ? queues - half : 1)) % queues;
}

void core_state::ready_times(const operand_list& list, unit on, int queue, double free_ns,
                             dependency& load, dependency& rest) const {
  const int own = queue_index(on, queue);
  for (const named_operand& o : list) {
    dependency& latest = o.loads ? load : rest;
    if (o.hbm != nullptr && o.hbm->storage()->constant) continue;
    const region& bytes = o.bytes;
    const access_log& log = o.tile != nullptr ? o.tile->storage()->log : o.hbm->storage()->log;
    // A transfer to a tile as small as a scalar operand waits until the vector engine, if it has
    // read the tile, has finished everything issued to it so far.
    const bool gated = o.tile != nullptr && o.writes && on == unit::dma &&
                       bytes.hi - bytes.lo <= machine.lowering.scalar_reload_gate_bytes;
    if (o.tile != nullptr)
      latest.take(o.tile->storage()->free_from_ns, dependency::no_instruction, -1);
    // Accesses that ended before the engine is free delay nothing. They are searched only for the
    // gate above, for the race check of hand-ordered kernels, and for the trace's waited_for.
    const double latest_ns = o.writes ? log.latest_ns() : log.latest_write_ns();
    const double from_ns = o.loads ? times.load_from_ns() : free_ns;
    const bool all = gated || order.by_hand || options.trace;
    if (latest_ns + machine.semaphore_ns <= from_ns && !all) continue;
    // One nanosecond less keeps accesses that rounding would put at the bound.
    const double after_ns = all ? -1 : from_ns - machine.semaphore_ns - 1;
    const auto wait_for = [&](const access& earlier) {
      if (order.by_hand) {
        if (options.strict && !order.is_past(earlier, own))
          check.refuse(o.name,
                       base_detail::message("conflicts with instruction ", earlier.instruction,
                                            " on ", to_string(unit_of(earlier.queue)),
                                            ", and no semaphore orders the two"));
        return;
      }
      double end_ns = earlier.end_ns;
      if (gated && !earlier.writes && unit_of(earlier.queue) == unit::vector)
        end_ns = std::max(end_ns, times.free_ns(unit::vector));
      if (earlier.queue != own) end_ns += machine.semaphore_ns;
      latest.take(end_ns, earlier.instruction, earlier.queue);
    };
    if (o.tile == nullptr)
      log.for_each_conflict(bytes, o.writes, after_ns, wait_for);
    else
      for_each_quadrant(o, [&](const tile_view&, const region& rows) {
        log.for_each_conflict(rows, o.writes, after_ns, wait_for);
      });
  }
}

void core_state::wait_for_last(const operand_list& list, unit on, dependency& latest) const {
  const double started_ns = times.start_ns(on),
               from_ns = started_ns + dependent_interval_ns(on, machine);
  if (from_ns <= times.free_ns(on)) return;  // the engine is busy for longer than the interval
  const int own = queue_index(on, 0);
  for (const named_operand& o : list) {
    if (!o.reads || o.tile == nullptr) continue;
    o.tile->storage()->log.for_each_conflict(
        o.bytes, false, started_ns, [&](const access& earlier) {
          if (earlier.queue == own && earlier.end_ns == times.free_ns(on))
            latest.take(from_ns, earlier.instruction, own);
        });
  }
}

placement core_state::place(const operand_list& list, const instruction_cost& cost, unit on,
                            int queue, dependency& load, dependency& latest) {
  double free_ns = times.free_ns(on);
  if (on == unit::dma) {
    free_ns = times.queue_free_ns(queue) - machine.dma.start_ns;
    if (cost.descriptor_cycles > 0) free_ns = std::min(free_ns, times.free_ns(unit::gpsimd));
  }
  // Semaphores order queues, not tiles of the array: in a hand-ordered kernel a product waits for
  // the product before it whatever rows and columns the two use.
  const array_place where = order.by_hand
                                ? array_place{}
                                : array_place{cost.row_tile, cost.column_tile, cost.is_transpose};
  if (on == unit::tensor) free_ns = times.multiply_from_ns(where);
  ready_times(list, on, queue, free_ns, load, latest);
  placement when;
  if (on == unit::dma) {
    interval descriptors{0, 0};
    if (cost.descriptor_cycles > 0) {
      load = latest;
      descriptors = times
                        .compute(unit::gpsimd, descriptors_ns(cost, machine),
                                 std::max(latest.ready_ns, times.held_ns(queue)), {})
                        .run;
      latest.take(descriptors.end_ns, record.instructions, int(unit::gpsimd));
    }
    when = times.transfer(cost, buffer_ns(list, cost, machine), queue, latest.ready_ns);
    when.descriptors = descriptors;
  } else if (on == unit::tensor) {
    const double loading_ns = load_ns(list, cost, machine);
    when = times.multiply(loading_ns, length_ns(list, cost, on, machine), load.ready_ns,
                          latest.ready_ns, where);
    // The multiply depends on the stationary operand through the load, which ends loading_ns later.
    latest.take(load.ready_ns + loading_ns, load.instruction, load.queue);
  } else {
    port_use ports;
    for (const named_operand& o : list) {
      if (o.tile == nullptr) continue;
      if (o.tile->space() == engine::memory_space::sbuf)
        ports.sbuf = true;
      else
        ports.psum_banks |= banks_of(o, machine.psum);
    }
    wait_for_last(list, on, latest);
    when = times.compute(on, length_ns(list, cost, on, machine), latest.ready_ns, ports);
  }
  return when;
}

void core_state::log(const operand_list& list, const placement& when, unit on, int queue) {
  const int own = queue_index(on, queue);
  access a;
  a.instruction = record.instructions;
  a.position = order.advance(own);
  a.queue = std::uint8_t(own);
  for (const named_operand& o : list) {
    a.end_ns = o.loads ? when.load.end_ns : when.run.end_ns;
    a.writes = o.writes;
    a.bytes = o.bytes;
    if (o.hbm != nullptr) o.hbm->storage()->used.note(o.reads, o.writes);
    if (o.tile != nullptr) {
      for_each_quadrant(o, [&](const tile_view& view, const region& rows) {
        a.bytes = rows;
        view.storage()->log.add(a);
        if (o.writes && options.strict) view.storage()->written.write(view);
      });
    } else if (!o.hbm->storage()->constant) {
      o.hbm->storage()->log.add(a);
      if (o.writes && options.strict) o.hbm->storage()->written.write(*o.hbm);
    }
  }
}

engine::hbm_view core_state::add_tensor(std::span<const std::int64_t> extents, engine::dtype type,
                                        const std::string& name, std::byte* data, bool constant,
                                        bool output) {
  hbm_storage& s = tensors_.emplace_back();
  s.owner = this;
  s.type = type;
  s.extents.assign(extents.begin(), extents.end());
  s.elements = 1;
  for (const std::int64_t e : extents)
    s.elements = checked_multiply(s.elements, e, "tensor in HBM: elements");
  checked_multiply(s.elements, std::int64_t(size_bytes(type)), "tensor in HBM: bytes");
  s.name = name;
  s.data = data;
  s.constant = constant;
  s.checked = output;
  s.written.reset(s.elements, constant || !options.strict);
  return engine::hbm_view::over(s, s.extents, type);
}

engine::hbm_view core_state::scratch_tensor(std::span<const std::int64_t> extents,
                                            engine::dtype type) {
  const engine::tensor_shape shape{{extents.begin(), extents.end()}, type};
  const std::int64_t bytes = shape.bytes();
  const std::int64_t all = checked_add(hbm_bytes_, bytes, "scratch tensors in HBM: bytes");
  if (all > machine.hbm.usable_bytes_per_core)
    throw engine::kernel_error(
        kernel, "", 0, "hbm",
        base_detail::message("tensors of ", all, " bytes are beyond the core's ",
                             machine.hbm.usable_bytes_per_core));
  hbm_bytes_ = all;
  std::byte* data = nullptr;
  if (options.mode == run_mode::execute) {
    data = tensor_memory_.emplace_back(extents_type<1>{std::size_t(bytes)}, uninitialized).data();
    if (!options.strict) engine::fill_poison(type, data, std::size_t(bytes) / size_bytes(type));
  }
  return add_tensor(extents, type, base_detail::message("scratch ", tensors_.size()), data, false,
                    false);
}

void core_state::begin_kernel(const std::string& name) {
  kernel = name;
  kernel_first_tensor_ = tensors_.size();
  // A hand-ordered kernel may end with accesses that no semaphore orders before the next kernel's.
  if (order.by_hand) join_queues();
  order.by_hand = false;
  run.reduced.clear();
}

void core_state::order_by_hand() {
  join_queues();
  order.by_hand = true;
}

void core_state::join_queues() {
  times.barrier(0);
  order.join();
}

void core_state::end_kernel() {
  if (!options.strict) return;
  for (const hbm_storage& s : tensors_)
    if (s.checked && !s.written.full())
      throw engine::kernel_error(
          kernel, "", 0, s.name,
          base_detail::message("is an output of ", s.elements, " elements, of which ",
                               s.written.missing(), " were never written"));
}

}  // namespace papilio::engine_detail

#include "engine/timeline.hpp"

#include <algorithm>
#include <utility>

namespace papilio::engine_detail {

using engine::unit;

namespace {

constexpr std::size_t max_ports = 1 + 32;  // of SBUF, and one for each bit of port_use::psum_banks

// Finds the engine that shares a port with this one.
unit other_user(unit on, bool sbuf_port) {
  if (on != unit::vector) return unit::vector;
  return sbuf_port ? unit::gpsimd : unit::scalar;
}

}  // namespace

timeline::timeline(const engine::machine_spec& machine)
    : machine_(machine),
      column_tiles_(
          std::size_t(std::max(1, machine.tensor.columns / machine.tensor.min_tile_rows))),
      tiles_free_ns_(std::size_t(machine.tensor.rows / machine.tensor.min_tile_rows) *
                     column_tiles_),
      background_free_ns_(std::size_t(machine.tensor.background_transposes)),
      dma_(machine.dma),
      held_ns_(std::size_t(machine.dma.queues_per_engine)),
      psum_ports_(machine.psum.scalar_shares_vector_port ? 1
                  : machine.psum.scalar_shares_vector_port_within_bank
                      ? std::size_t(machine.psum.banks)
                      : 0) {}

// Finds the first time from which every port that the instruction needs is free for all its length.
// The search goes from port to port until one time suits all of them; only then are they taken.
double timeline::from_port(unit on, double ready_ns, double length_ns, const port_use& ports,
                           int& held_by) {
  std::array<port_schedule*, max_ports> needed;
  std::size_t count = 0;
  if (machine_.sbuf.gpsimd_shares_vector_port && ports.sbuf &&
      (on == unit::vector || on == unit::gpsimd)) {
    sbuf_port_.forget_before(std::min(free_ns(unit::vector), free_ns(unit::gpsimd)));
    needed[count++] = &sbuf_port_;
  }
  if ((on == unit::vector || on == unit::scalar) && ports.psum_banks != 0) {
    const double both_past = std::min(free_ns(unit::vector), free_ns(unit::scalar));
    for (std::size_t bank = 0; bank < psum_ports_.size(); ++bank) {
      const bool used = psum_ports_.size() == 1 || (ports.psum_banks >> bank & 1) != 0;
      if (!used) continue;
      psum_ports_[bank].forget_before(both_past);
      needed[count++] = &psum_ports_[bank];
    }
  }
  for (bool agreed = false; !agreed;) {
    const double before_ns = ready_ns;
    for (std::size_t i = 0; i < count; ++i) {
      const double gap_ns = needed[i]->gap(ready_ns, length_ns);
      if (gap_ns > ready_ns) held_by = int(other_user(on, needed[i] == &sbuf_port_));
      ready_ns = gap_ns;
    }
    agreed = ready_ns == before_ns;
  }
  for (std::size_t i = 0; i < count; ++i) needed[i]->take(ready_ns, length_ns);
  return ready_ns;
}

placement timeline::compute(unit on, double length_ns, double ready_ns, const port_use& ports) {
  double& free = free_ns_[std::size_t(on)];
  placement p;
  const double start = from_port(on, std::max(free, ready_ns), length_ns, ports, p.port_held_by);
  start_ns_[std::size_t(on)] = start;
  free = start + length_ns;
  end_ns_ = std::max(end_ns_, free);
  p.run = {start, free};
  return p;
}

// Returns the time of a multiply of `length_ns` at full clock. After throttle_idle_ns without work
// the array runs at throttle_rate of its clock for the first throttle_ramp_ns.
double timeline::throttled(double start_ns, double length_ns) {
  const engine::tensor_engine_spec& tensor = machine_.tensor;
  if (tensor.throttle_rate <= 0) return length_ns;
  if (start_ns - free_ns(unit::tensor) > tensor.throttle_idle_ns) tensor_busy_since_ns_ = start_ns;
  const double slow_ns = std::max(0.0, tensor_busy_since_ns_ + tensor.throttle_ramp_ns - start_ns);
  const double done_slowly_ns = std::min(length_ns, slow_ns * tensor.throttle_rate);
  return done_slowly_ns / tensor.throttle_rate + (length_ns - done_slowly_ns);
}

std::vector<double>::const_iterator timeline::background() const {
  return std::ranges::min_element(background_free_ns_);
}

// A transpose runs in the background where that is free before the array.
bool timeline::is_background(const array_place& where) const {
  return where.is_transpose && !background_free_ns_.empty() &&
         *background() < std::ranges::max(tiles_free_ns_);
}

template <class Tiles, class Use>
void timeline::for_each_tile(Tiles& free_ns, std::size_t columns, const array_place& where,
                             const Use& use) {
  const std::size_t rows = free_ns.size() / columns;
  const auto span = [](int tile, std::size_t count) {
    return tile < 0 ? std::pair(std::size_t{0}, count)
                    : std::pair(std::size_t(tile), std::size_t(tile) + 1);
  };
  const auto [first_row, end_row] = span(where.row_tile, rows);
  const auto [first_column, end_column] = span(where.column_tile, columns);
  for (std::size_t row = first_row; row < end_row; ++row)
    for (std::size_t column = first_column; column < end_column; ++column)
      use(free_ns[row * columns + column]);
}

double timeline::multiply_from_ns(const array_place& where) const {
  if (is_background(where)) return *background();
  double latest_ns = 0;
  for_each_tile(tiles_free_ns_, column_tiles_, where,
                [&](double free_ns) { latest_ns = std::max(latest_ns, free_ns); });
  return latest_ns;
}

// Products are issued in order: also on another tile, the later of two products is loaded and
// starts after the start of the earlier one, and so does a transpose in the background.
placement timeline::multiply(double load_ns, double length_ns, double stationary_ready_ns,
                             double ready_ns, const array_place& where) {
  placement p;
  const double before_ns = multiply_from_ns(where),
               exposed_ns = load_ns * machine_.tensor.exposed_load_cycles /
                            machine_.tensor.fast_load_cycles_max;
  p.load.start_ns = std::max(load_from_ns(), stationary_ready_ns);
  if (exposed_ns > 0)
    p.load.start_ns = std::max(p.load.start_ns, before_ns - std::max(0.0, load_ns - exposed_ns));
  p.load.end_ns = load_free_ns_ = p.load.start_ns + load_ns;
  p.run.start_ns = std::max({before_ns + exposed_ns, p.load.end_ns, ready_ns});
  p.run.end_ns = p.run.start_ns + throttled(p.run.start_ns, length_ns);
  if (is_background(where))
    background_free_ns_[std::size_t(background() - background_free_ns_.begin())] = p.run.end_ns;
  else
    for_each_tile(tiles_free_ns_, column_tiles_, where,
                  [&](double& free_ns) { free_ns = p.run.end_ns; });
  double& free = free_ns_[std::size_t(unit::tensor)];
  free = std::max(free, p.run.end_ns);
  multiply_start_ns_ = p.run.start_ns;
  end_ns_ = std::max(end_ns_, free);
  return p;
}

placement timeline::transfer(const engine::instruction_cost& cost, double buffer_ns, int queue,
                             double ready_ns) {
  const double held = held_ns_[std::size_t(queue)];
  const interval run =
      dma_.place(cost.dma_buffers, buffer_ns, queue, std::max(ready_ns, held) + cost.fixed_ns);
  end_ns_ = std::max(end_ns_, dma_.end_ns());
  return {run, {}, {}, -1};
}

placement timeline::barrier(double length_ns) {
  const double start_ns = end_ns_;
  end_ns_ += length_ns;
  for (int u = 0; u < engine::unit_count; ++u)
    if (unit(u) != unit::dma) hold(unit(u), 0, end_ns_);
  for (std::size_t q = 0; q < held_ns_.size(); ++q) hold(unit::dma, int(q), end_ns_);
  return {{start_ns, end_ns_}, {}, {}, -1};
}

void timeline::hold(unit on, int queue, double until_ns) {
  double& from = on == unit::dma ? held_ns_[std::size_t(queue)] : free_ns_[std::size_t(on)];
  from = std::max(from, until_ns);
  if (on != unit::tensor) return;
  load_free_ns_ = std::max(load_free_ns_, until_ns);
  for (std::vector<double>* const all : {&tiles_free_ns_, &background_free_ns_})
    for (double& free : *all) free = std::max(free, until_ns);
}

double timeline::queue_free_ns(int queue) const {
  return std::max(held_ns_[std::size_t(queue)], dma_.queue_end_ns(queue));
}

}  // namespace papilio::engine_detail

// MP2 energies by the cores of a group: pairs in parts, B gathered over the links.
#include "papilio/kernels/mp2.hpp"

#include <algorithm>
#include <array>

#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/mp2/pairs.hpp"
#include "kernels/products/products.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;
using kernels_detail::mp2_design;
using kernels_detail::mp2_operands;

// What one spin's orbitals are on the cores: a record for each occupied orbital, with B_i (naux in
// front), the orbital's energy, and some of the virtual ones', so that one exchange brings all.
struct spin_plan {
  std::int64_t nocc, nvir, naux;
  std::int64_t rows;      // records of a core
  std::int64_t energies;  // of virtual orbitals in a record
  bool turned;            // B is given as [nocc, nvir, naux]

  auto fields() const { return std::tie(nocc, nvir, naux, rows, energies, turned); }

  std::int64_t integrals() const { return naux * nvir; }
  std::int64_t record() const { return integrals() + 1 + energies; }
  // Orbitals of a core, of `all`, of which each core but the last ones has `each`.
  static index_range own(int core, std::int64_t each, std::int64_t all) {
    const std::int64_t first = std::min(all, core * each);
    return {first, std::min(each, all - first)};
  }
  index_range occupied_of(int core) const { return own(core, rows, nocc); }
  index_range virtuals_of(int core) const { return own(core, rows * energies, nvir); }
  tensor_shape given(std::int64_t count) const {
    return turned ? tensor_shape{{count, nvir, naux}} : tensor_shape{{count, naux, nvir}};
  }
  hbm_view b_in(const hbm_view& records, std::int64_t count) const {
    return records.pattern(0, {{count, record()}, {naux, nvir}, {nvir, 1}});
  }
  hbm_view occupied_in(const hbm_view& records, std::int64_t count) const {
    return records.pattern(integrals(), {{count, record()}});
  }
  hbm_view virtuals_in(const hbm_view& records) const {
    return records.slice(1, integrals() + 1, energies);
  }
};

// How the pairs are divided.
struct pair_split {
  std::vector<spin_plan> spins;
  std::vector<std::optional<mp2_design>> parts;  // of each core; none: idle

  auto fields() const { return std::tie(spins, parts); }
  std::string describe() const {
    std::int64_t pairs = 0;
    for (const auto& part : parts) pairs += part ? part->pairs : 0;
    return message(pairs, " pairs in parts of up to ", parts[0]->pairs, ", B gathered from ",
                   spins[0].rows, " orbitals of each core\n", parts[0]->describe());
  }
};

// The first elements of a matrix, row by row, and as many of a vector: whole rows, then the rest.
template <class Copy>
void by_rows(const hbm_view& matrix, const hbm_view& vector, const Copy& copy) {
  const std::int64_t width = matrix.extent(1), rows = vector.extent(0) / width,
                     rest = vector.extent(0) % width;
  if (rows > 0)
    copy(matrix.slice(0, 0, rows), vector.slice(0, 0, rows * width).reshape({rows, width}));
  if (rest > 0)
    copy(matrix.slice(0, rows, 1).slice(1, 0, rest),
         vector.slice(0, rows * width, rest).reshape({1, rest}));
}

// A core's own records; zeros where it has none.
void prepare(core& nc, const spin_plan& plan, int core_index, const hbm_view& out,
             const kernel_arguments& t, std::size_t& in) {
  const std::int64_t rows = plan.occupied_of(core_index).count,
                     virtuals = plan.virtuals_of(core_index).count;
  if (virtuals < plan.rows * plan.energies) kernels_detail::fill_zeros(nc, plan.virtuals_in(out));
  if (rows < plan.rows)
    kernels_detail::fill_zeros(
        nc, out.slice(0, rows, plan.rows - rows).slice(1, 0, plan.integrals() + 1));
  if (rows > 0) {
    const hbm_view b = t.in(in++), to = plan.b_in(out, rows);
    if (plan.turned) {
      mp2_design design = kernels_detail::design_mp2({.nocc = std::size_t(rows),
                                                      .nvir = std::size_t(plan.nvir),
                                                      .naux = std::size_t(plan.naux)},
                                                     {}, nc.machine());
      design.home = kernels_detail::mp2_home::streamed;
      kernels_detail::mp2_panels(
          nc, design, design.left, b,
          to.pattern(
              0,
              {{rows, plan.record()}, {1, plan.record()}, {plan.naux, plan.nvir}, {plan.nvir, 1}}));
    } else {
      nc.issue(dma_copy{.out = to, .in = b});
    }
    nc.issue(dma_copy{.out = plan.occupied_in(out, rows), .in = t.in(in++)});
  }
  if (virtuals > 0)
    by_rows(plan.virtuals_in(out), t.in(in++), [&](const hbm_view& to, const hbm_view& from) {
      nc.issue(dma_copy{.out = to, .in = from});
    });
}

// What the energies need of all records; energies next to each other.
mp2_operands operands_of(core& nc, const spin_plan& plan, const hbm_view& records,
                         std::int64_t frozen) {
  const hbm_view occupied = nc.hbm({plan.nocc}), virtuals = nc.hbm({plan.nvir});
  nc.issue(dma_copy{.out = occupied, .in = plan.occupied_in(records, plan.nocc)});
  by_rows(plan.virtuals_in(records), virtuals, [&](const hbm_view& from, const hbm_view& to) {
    nc.issue(dma_copy{.out = to, .in = from});
  });
  const std::int64_t nocc = plan.nocc - frozen;
  return {.b = plan.b_in(records, plan.nocc).slice(0, frozen, nocc),
          .occupied = occupied.slice(0, frozen, nocc),
          .virtuals = virtuals};
}

}  // namespace

struct sharded_mp2::members {
  struct spin_buffers {
    std::vector<device_buffer> own, all;  // records of each core
  };

  static constexpr std::int64_t zero = 0;

  device_group* on;
  pair_energy_problem problem;
  run_mode mode;
  pair_split split;
  std::vector<spin_buffers> buffers;
  std::size_t count = 1;  // of energies

  members(device_group& group, const pair_energy_problem& of,
          const mp2_energy_kernel_options& options, run_mode how)
      : on(&group), problem(of), mode(how) {
    kernels_detail::require(options.first_pair == 0 && options.pairs == 0,
                            "sharded_mp2: takes all pairs, got ", options.pairs, " from ",
                            options.first_pair, " on");
    count = mp2_energy_kernel(of, group.machine(), options).outputs[0].elements();
    add_spin(of.nocc, of.nvir, options.layout);
    if (of.spins == pair_spins::opposite_spin)
      add_spin(of.nocc_other, of.nvir_other, options.layout);
    const std::int64_t pairs = kernels_detail::pairs_of(of);
    mp2_energy_kernel_options part = options;
    part.layout = integral_layout::ipa;
    for (const index_range& range : even_ranges(pairs, group.cores())) {
      std::optional<mp2_design>& mine = split.parts.emplace_back();
      part.first_pair = range.first;
      part.pairs = range.count;
      if (range.count > 0) mine = kernels_detail::design_mp2(of, part, group.machine());
    }
  }

  void add_spin(std::size_t occupied, std::size_t virtuals, integral_layout layout) {
    const auto nocc = std::int64_t(occupied), nvir = std::int64_t(virtuals);
    const std::int64_t cores = on->cores(), rows = kernels_detail::ceil_div(nocc, cores);
    const spin_plan& plan =
        split.spins.emplace_back(spin_plan{.nocc = nocc,
                                           .nvir = nvir,
                                           .naux = std::int64_t(problem.naux),
                                           .rows = rows,
                                           .energies = kernels_detail::ceil_div(nvir, rows * cores),
                                           .turned = layout == integral_layout::iap});
    spin_buffers& mine = buffers.emplace_back();
    mine.own = on->allocate({{rows, plan.record()}});
    mine.all = cores == 1 ? mine.own : on->allocate({{cores * rows, plan.record()}});
  }

  // Own records to each core, and from each to all.
  void distribute(std::span<const mp2_group_operands* const> operands) const {
    const std::vector<spin_plan>& spins = split.spins;
    const auto cores = std::size_t(on->cores());
    std::vector<kernel> programs;
    std::vector<std::vector<launch_input>> in(cores);
    std::vector<std::vector<launch_output>> out(cores);
    for (std::size_t c = 0; c < cores; ++c) {
      kernels_detail::key_writer key;
      kernels_detail::add_value(key, spins);
      for (std::size_t s = 0; s < spins.size(); ++s) {
        const index_range occupied = spins[s].occupied_of(int(c)),
                          virtuals = spins[s].virtuals_of(int(c));
        key.add(occupied.count);
        key.add(virtuals.count);
        if (occupied.count > 0) {
          in[c].push_back(operands[s]->b.part(std::array{occupied.first, zero, zero},
                                              spins[s].given(occupied.count).extents));
          in[c].push_back(operands[s]->occupied.part({&occupied.first, 1}, {&occupied.count, 1}));
        }
        if (virtuals.count > 0)
          in[c].push_back(operands[s]->virtuals.part({&virtuals.first, 1}, {&virtuals.count, 1}));
        out[c].push_back(buffers[s].own[c]);
      }
      programs.push_back({.name = "MP2 operands",
                          .parameters = key.text(),
                          .body = [this, c](core& nc, const kernel_arguments& t) {
                            std::size_t next = 0;
                            for (std::size_t s = 0; s < split.spins.size(); ++s)
                              prepare(nc, split.spins[s], int(c), t.out(s), t, next);
                          }});
    }
    on->run(programs, in, out, mode);
    if (cores == 1) return;
    for (const spin_buffers& b : buffers) on->all_gather(b.own, b.all, mode);
  }

  std::vector<std::vector<float>> run_parts() const {
    const auto cores = std::size_t(on->cores());
    std::vector<kernel> programs;
    std::vector<std::vector<launch_input>> in(cores);
    std::vector<std::vector<launch_output>> out(cores);
    std::vector<std::vector<float>> results(cores, std::vector<float>(count));
    for (std::size_t c = 0; c < cores; ++c) {
      programs.push_back({.name = "mp2_energy of a part",
                          .parameters = "idle",
                          .body = [](core&, const kernel_arguments&) {}});
      const std::optional<mp2_design>& part = split.parts[c];
      if (!part) continue;
      for (const spin_buffers& b : buffers) in[c].emplace_back(b.all[c]);
      const tensor_shape energies{{std::int64_t(count)}};
      if (mode == run_mode::execute)
        out[c].emplace_back(std::as_writable_bytes(std::span(results[c])), energies);
      else
        out[c].emplace_back(energies);
      kernels_detail::key_writer key;
      kernels_detail::add_value(key, std::tie(split.spins, *part));
      programs.back().parameters = key.text();
      programs.back().body = [&spins = split.spins, design = *part](core& nc,
                                                                    const kernel_arguments& t) {
        const std::int64_t frozen = design.frozen;
        const mp2_operands of_left = operands_of(nc, spins[0], t.in(0), frozen);
        kernels_detail::run_mp2(
            nc, design, of_left,
            design.symmetric ? of_left : operands_of(nc, spins[1], t.in(1), frozen), t.out(0));
      };
    }
    on->run(programs, in, out, mode);
    return results;
  }
};

sharded_mp2::sharded_mp2(device_group& on, const pair_energy_problem& problem,
                         const mp2_energy_kernel_options& options, run_mode mode)
    : members_(std::make_unique<members>(on, problem, options, mode)) {}
sharded_mp2::~sharded_mp2() = default;
sharded_mp2::sharded_mp2(sharded_mp2&&) noexcept = default;
sharded_mp2& sharded_mp2::operator=(sharded_mp2&&) noexcept = default;

const pair_energy_problem& sharded_mp2::problem() const { return members_->problem; }
kernel_design sharded_mp2::design() const { return kernels_detail::design_of(members_->split); }

std::vector<double> sharded_mp2::energies(const mp2_group_operands& orbitals,
                                          const std::optional<mp2_group_operands>& other) const {
  const bool is_mixed = members_->split.spins.size() == 2;
  kernels_detail::require(other.has_value() == is_mixed, "sharded_mp2: orbitals of ",
                          is_mixed ? "two spins" : "one spin", " are needed, got ",
                          other ? "two" : "one");
  std::vector<const mp2_group_operands*> operands{&orbitals};
  if (other) operands.push_back(&*other);
  for (std::size_t s = 0; s < operands.size(); ++s) {
    const spin_plan& plan = members_->split.spins[s];
    kernels_detail::require_of_host("sharded_mp2: b", operands[s]->b, plan.given(plan.nocc));
    kernels_detail::require_of_host("sharded_mp2: occupied", operands[s]->occupied, {{plan.nocc}});
    kernels_detail::require_of_host("sharded_mp2: virtuals", operands[s]->virtuals, {{plan.nvir}});
  }
  members_->distribute(operands);
  std::vector<double> sums(members_->count, 0.0);
  for (const std::vector<float>& part : members_->run_parts())
    for (std::size_t e = 0; e < sums.size(); ++e) sums[e] += double(part[e]);
  return sums;
}

group_times time_sharded_mp2(const pair_energy_problem& problem, int cores,
                             const machine_spec& machine, const runtime_spec& runtime,
                             const group_options& how_group,
                             const mp2_energy_kernel_options& options) {
  device_group group(machine, runtime, cores, how_group);
  const sharded_mp2 energies(group, problem, options, run_mode::dry_run);
  const sized_kernel whole = mp2_energy_kernel(problem, machine, options);
  const auto operands = [&](std::size_t first) {
    return mp2_group_operands{whole.inputs[first], whole.inputs[first + 1],
                              whole.inputs[first + 2]};
  };
  std::optional<mp2_group_operands> other;
  if (whole.inputs.size() > 3) other = operands(3);
  energies.energies(operands(0), other);
  group_times times = times_of(group.report(), cores);
  times.explanation = energies.design().explain();
  return times;
}

}  // namespace papilio::kernels

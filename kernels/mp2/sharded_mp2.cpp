// MP2 energies by the cores of a group. Each core sums the energies of a range of pairs; each is
// sent some orbitals of B from the host, and gathers the others over the links, which are faster
// than copies from the host.
#include "papilio/kernels/mp2.hpp"

#include <algorithm>
#include <array>

#include "engine/device_memory.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/design.hpp"
#include "kernels/groups/division.hpp"
#include "kernels/mp2/pairs.hpp"
#include "kernels/tiles.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels {
namespace {

using namespace engine;
using base_detail::message;
using kernels_detail::boxes_of;
using kernels_detail::divided_by;
using kernels_detail::division;
using kernels_detail::gathered_tensor;

// How one spin's B lies on the cores: each has the piece [rows, naux, nvir] of some occupied
// orbitals.
struct spin_pieces {
  std::int64_t nocc, nvir, naux;
  std::int64_t rows;  // occupied orbitals of a core
  bool transposed;    // B is given as [nocc, nvir, naux]

  auto fields() const { return std::tie(nocc, nvir, naux, rows, transposed); }

  index_range of_core(std::size_t core) const {
    const std::int64_t first = std::min(nocc, std::int64_t(core) * rows);
    return {first, std::min(rows, nocc - first)};
  }
  tensor_shape given(std::int64_t count) const {
    return transposed ? tensor_shape{{count, nvir, naux}} : tensor_shape{{count, naux, nvir}};
  }
  tensor_shape piece() const { return {{rows, naux, nvir}}; }
};

// Makes a core's piece of B, [rows, naux, nvir], with zeros behind its orbitals where it has fewer
// than others.
void make_piece(core& nc, const spin_pieces& spin, std::int64_t count, const hbm_view& out,
                const kernel_arguments& t, std::size_t& in) {
  if (count < spin.rows)
    kernels_detail::fill_zeros(
        nc,
        out.slice(0, count, spin.rows - count).reshape({spin.rows - count, spin.naux * spin.nvir}));
  if (count == 0) return;
  const hbm_view b = t.in(in++), to = out.slice(0, 0, count);
  if (spin.transposed)
    kernels_detail::transpose_b(
        nc, {.naux = spin.naux, .side = kernels_detail::array_side(nc.machine())},
        {.nocc = count, .nvir = spin.nvir}, b, to);
  else
    nc.issue(dma_copy{.out = to, .in = b});
}

// The energy kernel with other inputs: B of each spin, then the energies of all orbitals as one
// tensor, since the fixed cost of a copy is more than that of its bytes.
sized_kernel of_gathered(sized_kernel kernel, const std::vector<spin_pieces>& spins,
                         const std::vector<tensor_shape>& b) {
  kernel.inputs = b;
  kernel.inputs.push_back({{0}});
  for (const spin_pieces& s : spins) kernel.inputs.back().extents[0] += s.nocc + s.nvir;
  kernel.ranges = {};
  kernel.program.body = [body = kernel.program.body, spins](core& nc, const kernel_arguments& t) {
    std::vector<hbm_view> in;
    std::int64_t at = 0;
    const auto energies = [&](std::int64_t count) {
      in.push_back(t.in(spins.size()).slice(0, at, count));
      at += count;
    };
    for (std::size_t s = 0; s < spins.size(); ++s) {
      in.push_back(t.in(s));
      energies(spins[s].nocc);
      energies(spins[s].nvir);
    }
    body(nc, kernel_arguments(std::move(in), {t.out(0)}));
  };
  return kernel;
}

}  // namespace

struct sharded_mp2::members {
  static constexpr std::int64_t zero = 0;

  device_group* on;
  pair_energy_problem problem;
  run_mode mode;
  std::int64_t count = 1;  // energies: 1 or 2
  std::vector<spin_pieces> spins;
  std::vector<gathered_tensor> b;  // by spin
  std::optional<prepared_split> pairs;

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
    pairs.emplace(group, divided_by(by_pairs(options), group.machine()), mode);
  }

  void add_spin(std::size_t nocc, std::size_t nvir, integral_layout layout) {
    spins.push_back(
        {.nocc = std::int64_t(nocc),
         .nvir = std::int64_t(nvir),
         .naux = std::int64_t(problem.naux),
         .rows = kernels_detail::ceil_div(std::int64_t(nocc), std::int64_t(on->cores())),
         .transposed = layout == integral_layout::iap});
    b.emplace_back(*on, spins.back().piece());
  }

  division by_pairs(mp2_energy_kernel_options options) const {
    const std::int64_t all = kernels_detail::pairs_of(problem);
    division d{.name = "mp2_energy of a part",
               .ranges = even_ranges(all, on->cores()),
               .is_one_for_each = true};
    d.how = message(all, " pairs in parts of up to ", d.ranges[0].count, ", B ",
                    spins[0].transposed ? "transposed by and " : "", "gathered from ",
                    spins[0].rows, " orbitals of each core");
    options.layout = integral_layout::ipa;
    std::vector<tensor_shape> gathered;
    for (const gathered_tensor& spin : b) gathered.push_back(spin.shape());
    d.kernel_of = [this, options, gathered](const index_range& range) {
      mp2_energy_kernel_options some = options;
      some.first_pair = range.first;
      some.pairs = range.count;
      return of_gathered(mp2_energy_kernel(problem, on->machine(), some), spins, gathered);
    };
    for (const tensor_shape& input : d.kernel_of(d.ranges[0]).inputs)
      d.inputs.push_back({input, {}});
    const std::int64_t working = std::min<std::int64_t>(all, on->cores());
    d.outputs = {{{{working * count}}, {{.step = count, .by_core = true}}}};
    return d;
  }

  // Sends each core its own pieces of B, and gathers them on all cores.
  void distribute(std::span<const mp2_group_operands* const> operands) const {
    const auto cores = std::size_t(on->cores());
    std::vector<kernel> programs;
    std::vector<std::vector<launch_input>> in(cores);
    std::vector<std::vector<launch_output>> out(cores);
    for (std::size_t c = 0; c < cores; ++c) {
      kernels_detail::key_writer key;
      kernels_detail::add_value(key, spins);
      std::vector<std::int64_t> counts;
      for (std::size_t s = 0; s < spins.size(); ++s) {
        const index_range own = spins[s].of_core(c);
        counts.push_back(own.count);
        key.add(own.count);
        if (own.count > 0)
          in[c].push_back(operands[s]->b.part(std::array{own.first, zero, zero},
                                              spins[s].given(own.count).extents));
        out[c].push_back(b[s].pieces()[c]);
      }
      programs.push_back({.name = "MP2 operands",
                          .parameters = key.text(),
                          .body = [this, counts](core& nc, const kernel_arguments& t) {
                            std::size_t next = 0;
                            for (std::size_t s = 0; s < spins.size(); ++s)
                              make_piece(nc, spins[s], counts[s], t.out(s), t, next);
                          }});
    }
    on->run(programs, in, out, mode);
    for (const gathered_tensor& spin : b) spin.gather(mode);
  }

  // Runs all parts, and returns the energies [cores, count].
  std::vector<float> run(std::span<const mp2_group_operands* const> operands) const {
    distribute(operands);
    const group_split& what = pairs->what();
    const bool dry = mode == run_mode::dry_run;
    std::vector<float> energies(std::size_t(what.inputs.back().elements())),
        parts(std::size_t(what.outputs[0].elements()));
    std::byte* at = std::as_writable_bytes(std::span(energies)).data();
    for (const mp2_group_operands* const of : operands)
      for (const launch_input* const e : {&of->occupied, &of->virtuals}) {
        if (!dry) engine_detail::gather(*e, at);
        at += e->shape().bytes();
      }
    std::vector<launch_input> whole{what.inputs.begin(), what.inputs.end()};
    launch_output results(what.outputs[0]);
    if (!dry) {
      whole.back() = launch_input(view<const float, 1>(energies.data(), {energies.size()}));
      results = launch_output(view<float, 1>(parts.data(), {parts.size()}));
    }
    std::vector<std::vector<launch_input>> in = boxes_of(whole, what, &core_share::inputs);
    for (std::size_t c = 0; c < in.size(); ++c)
      for (std::size_t s = 0; s < b.size() && !in[c].empty(); ++s) in[c][s] = b[s].of_cores()[c];
    pairs->run_apart(in, boxes_of(std::vector{results}, what, &core_share::outputs));
    return parts;
  }
};

sharded_mp2::sharded_mp2(device_group& on, const pair_energy_problem& problem,
                         const mp2_energy_kernel_options& options, run_mode mode)
    : members_(std::make_unique<members>(on, problem, options, mode)) {}
sharded_mp2::~sharded_mp2() = default;
sharded_mp2::sharded_mp2(sharded_mp2&&) noexcept = default;
sharded_mp2& sharded_mp2::operator=(sharded_mp2&&) noexcept = default;

const pair_energy_problem& sharded_mp2::problem() const { return members_->problem; }
kernel_design sharded_mp2::design() const { return members_->pairs->what().design; }

std::vector<double> sharded_mp2::energies(const mp2_group_operands& orbitals,
                                          const std::optional<mp2_group_operands>& other) const {
  const bool is_mixed = members_->spins.size() == 2;
  kernels_detail::require(other.has_value() == is_mixed, "sharded_mp2: orbitals of ",
                          is_mixed ? "two spins" : "one spin", " are needed, got ",
                          other ? "two" : "one");
  std::vector<const mp2_group_operands*> operands{&orbitals};
  if (other) operands.push_back(&*other);
  for (std::size_t s = 0; s < operands.size(); ++s) {
    const spin_pieces& plan = members_->spins[s];
    kernels_detail::require_of_host("sharded_mp2: b", operands[s]->b, plan.given(plan.nocc));
    kernels_detail::require_of_host("sharded_mp2: occupied", operands[s]->occupied, {{plan.nocc}});
    kernels_detail::require_of_host("sharded_mp2: virtuals", operands[s]->virtuals, {{plan.nvir}});
  }
  const std::vector<float> parts = members_->run(operands);
  std::vector<double> sums(std::size_t(members_->count), 0.0);
  for (std::size_t e = 0; e < parts.size(); ++e) sums[e % sums.size()] += double(parts[e]);
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

// MP2 energies by the cores of a group. Each core sums the energies of a range of pairs; each is
// sent some orbitals of B from the host, and gathers the others over the links, which are faster
// than copies from the host.
#include "papilio/kernels/mp2.hpp"

#include <algorithm>
#include <array>

#include "engine/device_memory.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/checks.hpp"
#include "kernels/groups/divided_works.hpp"
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
using kernels_detail::require_all_of_host;

// How one spin's B lies on the cores: each has the piece [rows, naux, nvir] of some occupied
// orbitals.
struct spin_pieces {
  std::int64_t nocc, nvir, naux;
  bool transposed;  // B is given as [nocc, nvir, naux]
  gathered_tensor b;

  std::int64_t rows() const { return b.pieces()[0].shape().extents[0]; }
  index_range of_core(std::size_t core) const {
    const std::int64_t first = std::int64_t(core) * rows();
    return {first, std::clamp<std::int64_t>(nocc - first, 0, rows())};
  }
  tensor_shape given(std::int64_t count) const {
    return transposed ? tensor_shape{{count, nvir, naux}} : tensor_shape{{count, naux, nvir}};
  }

  // Some orbitals as they are exchanged, and zeros where a core has fewer than others.
  void make_piece(core& nc, const hbm_view* in, std::int64_t count, const hbm_view& out) const {
    const std::int64_t others = out.extent(0) - count;
    if (others > 0)
      kernels_detail::fill_zeros(nc, out.slice(0, count, others).reshape({others, naux * nvir}));
    if (count == 0) return;
    const hbm_view to = out.slice(0, 0, count);
    if (transposed)
      kernels_detail::transpose_b(
          nc, {.naux = naux, .array_rows = kernels_detail::array_rows(nc.machine())},
          {.nocc = count, .nvir = nvir}, *in, to);
    else
      nc.issue(dma_copy{.out = to, .in = *in});
  }
};

// Pairs divided among the cores, which have room for B of all of them.
struct pair_parts {
  device_group* on;
  pair_energy_problem problem;
  run_mode mode;
  sized_kernel whole;  // of all pairs on one core
  std::vector<spin_pieces> spins;
  // B of all spins and the energies of all orbitals, which come as one tensor: a copy takes longer to
  // begin than to end.
  std::vector<tensor_shape> gathered;
  std::optional<prepared_split> pairs;

  pair_parts(device_group& group, const pair_energy_problem& of,
             const mp2_energy_kernel_options& options, run_mode how)
      : on(&group), problem(of), mode(how), whole(mp2_energy_kernel(of, group.machine(), options)) {
    kernels_detail::require(options.first_pair == 0 && options.pairs == 0,
                            "sharded_mp2: takes all pairs, got ", options.pairs, " from ",
                            options.first_pair, " on");
    tensor_shape energies{{0}};
    for (std::size_t i = 0; i < whole.inputs.size(); i += 3) {
      const std::int64_t nocc = whole.inputs[i + 1].elements(),
                         nvir = whole.inputs[i + 2].elements(), naux = std::int64_t(of.naux),
                         rows = kernels_detail::ceil_div(nocc, std::int64_t(group.cores()));
      spins.push_back({nocc, nvir, naux, options.layout == integral_layout::iap,
                       gathered_tensor(group, {{rows, naux, nvir}})});
      gathered.push_back(spins.back().b.shape());
      energies.extents[0] += nocc + nvir;
    }
    gathered.push_back(energies);
    pairs.emplace(group, divided_by(by_pairs(options, whole.outputs[0].elements()), on->machine()),
                  mode);
  }

  sized_kernel of_gathered(sized_kernel kernel) const {
    kernel.inputs = gathered;
    kernel.ranges = {};
    kernel.program.body = [this, body = kernel.program.body](core& nc, const kernel_arguments& t) {
      std::vector<hbm_view> in;
      std::int64_t at = 0;
      for (std::size_t s = 0; s < spins.size(); ++s) {
        in.push_back(t.in(s));
        for (const std::int64_t count : {spins[s].nocc, spins[s].nvir}) {
          in.push_back(t.in(spins.size()).slice(0, at, count));
          at += count;
        }
      }
      body(nc, kernel_arguments(std::move(in), {t.out(0)}));
    };
    return kernel;
  }

  division by_pairs(mp2_energy_kernel_options options, std::int64_t count) const {
    const std::int64_t all = kernels_detail::pairs_of(problem);
    division d{.name = "mp2_energy of a part",
               .ranges = even_ranges(all, on->cores()),
               .is_one_for_each = true};
    d.how = message(all, " pairs in parts of up to ", d.ranges[0].count, ", B ",
                    spins[0].transposed ? "transposed by and " : "", "gathered from ",
                    spins[0].rows(), " orbitals of each core");
    options.layout = integral_layout::ipa;
    d.kernel_of = [this, options](const index_range& range) {
      mp2_energy_kernel_options some = options;
      some.first_pair = range.first;
      some.pairs = range.count;
      return of_gathered(mp2_energy_kernel(problem, on->machine(), some));
    };
    for (const tensor_shape& input : gathered) d.inputs.push_back({input, {}});
    const std::int64_t working = std::min<std::int64_t>(all, on->cores());
    d.outputs = {{{{working * count}}, {{.step = count, .by_core = true}}}};
    return d;
  }

  // Sends each core its own pieces of B, and gathers them on all cores.
  void distribute(const std::vector<launch_input>& operands) const {
    const auto cores = std::size_t(on->cores());
    std::vector<kernel> programs;
    std::vector<std::vector<launch_input>> in(cores);
    std::vector<std::vector<launch_output>> out(cores);
    for (std::size_t c = 0; c < cores; ++c) {
      std::string key;
      for (std::size_t s = 0; s < spins.size(); ++s) {
        const spin_pieces& spin = spins[s];
        const auto [first, count] = spin.of_core(c);
        key += message(count, " of ", spin.rows(), " x ", spin.given(1).describe(),
                       spin.transposed ? " transposed\n" : "\n");
        if (count > 0)
          in[c].push_back(operands[3 * s].part(std::array<std::int64_t, 3>{first, 0, 0},
                                               spin.given(count).extents));
        out[c].push_back(spin.b.pieces()[c]);
      }
      programs.push_back({.name = "MP2 operands",
                          .parameters = key,
                          .body = [this, c](core& nc, const kernel_arguments& t) {
                            std::size_t next = 0;
                            for (std::size_t s = 0; s < spins.size(); ++s) {
                              const std::int64_t count = spins[s].of_core(c).count;
                              const hbm_view* const b = count > 0 ? &t.in(next++) : nullptr;
                              spins[s].make_piece(nc, b, count, t.out(s));
                            }
                          }});
    }
    on->run(programs, in, out, mode);
    for (const spin_pieces& spin : spins) spin.b.gather(mode);
  }

  // Takes B and both energies of each spin. Energies of all cores are added one core after the
  // other.
  std::vector<double> run(const std::vector<launch_input>& operands) const {
    require_all_of_host("sharded_mp2", "operand", operands, whole.inputs);
    distribute(operands);
    const group_split& what = pairs->what();
    std::vector<float> energies(std::size_t(gathered.back().elements())),
        parts(std::size_t(what.outputs[0].elements()));
    launch_input all(gathered.back());
    launch_output results(what.outputs[0]);
    if (mode != run_mode::dry_run) {
      std::byte* at = std::as_writable_bytes(std::span(energies)).data();
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i % 3 == 0) continue;
        engine_detail::gather(operands[i], at);
        at += operands[i].shape().bytes();
      }
      all = launch_input(view<const float, 1>(energies.data(), {energies.size()}));
      results = launch_output(view<float, 1>(parts.data(), {parts.size()}));
    }
    std::vector<std::vector<launch_input>> in(what.shares.size());
    for (std::size_t c = 0; c < in.size(); ++c) {
      if (what.shares[c].kernel < 0) continue;
      for (const spin_pieces& spin : spins) in[c].push_back(spin.b.of_cores()[c]);
      in[c].push_back(all);
    }
    pairs->run_apart(in, boxes_of(std::vector{results}, what, &core_share::outputs));
    std::vector<double> sums(std::size_t(what.kernels[0].outputs[0].elements()));
    for (std::size_t e = 0; e < parts.size(); ++e) sums[e % sums.size()] += double(parts[e]);
    return sums;
  }
};

}  // namespace

struct sharded_mp2::members : pair_parts {
  using pair_parts::pair_parts;
};

sharded_mp2::sharded_mp2(device_group& on, const pair_energy_problem& problem,
                         const mp2_energy_kernel_options& options, run_mode mode)
    : members_(std::make_shared<members>(on, problem, options, mode)) {}

const pair_energy_problem& sharded_mp2::problem() const { return members_->problem; }
kernel_design sharded_mp2::design() const { return members_->pairs->what().design; }

std::vector<double> sharded_mp2::energies(const mp2_group_operands& orbitals,
                                          const std::optional<mp2_group_operands>& other) const {
  std::vector<launch_input> operands{orbitals.b, orbitals.occupied, orbitals.virtuals};
  if (other) operands.insert(operands.end(), {other->b, other->occupied, other->virtuals});
  return members_->run(operands);
}

group_times time_sharded_mp2(const pair_energy_problem& problem, int cores,
                             const machine_spec& machine, const runtime_spec& runtime,
                             const group_options& how_group,
                             const mp2_energy_kernel_options& options) {
  return kernels_detail::times_of(cores, machine, runtime, how_group, [&](device_group& on) {
    return kernels_detail::divided_energies(on, problem, options, run_mode::dry_run);
  });
}

}  // namespace papilio::kernels

namespace papilio::kernels_detail {

using namespace engine;

divided_work divided_energies(device_group& on, const pair_energy_problem& problem,
                              const kernels::mp2_energy_kernel_options& options, run_mode mode) {
  const auto pairs = std::make_shared<const kernels::pair_parts>(on, problem, options, mode);
  return {.recipe = pairs->pairs->what().design.explain(),
          .relative_error = pairs->whole.expected_error,
          .inputs = pairs->whole.inputs,
          .outputs = pairs->whole.outputs,
          .run = [pairs, mode](const auto& in, const auto& out) {
            const std::vector<double> sums = pairs->run(in);
            if (mode == run_mode::dry_run) return;
            const std::vector<float> energies(sums.begin(), sums.end());
            engine_detail::scatter(std::as_bytes(std::span(energies)).data(), out[0]);
          }};
}

}  // namespace papilio::kernels_detail

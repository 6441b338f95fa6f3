#include "cli/plan_ranks.hpp"

#include <algorithm>

#include "cli/common.hpp"
#include "dispatch/figure_text.hpp"
#include "papilio/fft.hpp"

namespace papilio::cli {
namespace {

using dispatch_detail::seconds_text;

std::string grid_text(const std::vector<int>& grid) {
  return fmt::format("{}", fmt::join(grid, "x"));
}

std::vector<std::size_t> spectrum_of(const planned_operation& planned) {
  if (!planned.transform || planned.transform->lines != 1 ||
      planned.transform->problem.extents.size() < 2)
    throw usage_error(fmt::format(
        "--ranks: {} is not one array of several axes, as those of fftn, rfftn, fft2, rfft2",
        planned.name));
  const fft_problem& problem = planned.transform->problem;
  if (problem.kind != fft_kind::complex && problem.kind != fft_kind::real)
    throw usage_error(fmt::format("--ranks: there is no distributed {}", planned.name));
  if (problem.type == real_type::extended_precision)
    throw usage_error("--ranks: arrays of long double are not distributed");
  std::vector<std::size_t> extents = problem.extents;
  if (!problem.is_complex()) extents.back() = extents.back() / 2 + 1;
  return extents;
}

}  // namespace

report ranks_report(const planned_operation& planned, const rank_flags& flags) {
  const std::vector<std::size_t> extents = spectrum_of(planned);
  const fft_problem& problem = planned.transform->problem;
  const mpi::network_model network =
      flags.network.empty() ? mpi::network_model{} : mpi::load_network(flags.network);
  const bool is_real = !problem.is_complex();
  const std::size_t element_bytes = problem.type == real_type::single_precision ? 8 : 16;
  const mpi::order output = flags.natural ? mpi::order::natural : mpi::order::transposed;
  const std::vector<int> grid =
      mpi::best_grid(extents, flags.ranks, output, network, is_real, element_bytes);
  const mpi::fft_design design = mpi::design_forward({extents, grid}, output);
  const mpi::network_estimate found = mpi::estimate(network, design, is_real, element_bytes);
  const int paying = mpi::ranks_that_pay(extents, output, network, is_real, element_bytes);
  const double share = found.exchange_seconds / found.seconds();
  report made;
  made.fields("ranks", flags.ranks, "network", network.source, "order",
              flags.natural ? "natural" : "transposed", "grid", grid, "seconds", found.seconds(),
              "compute_seconds", found.compute_seconds, "packing_seconds", found.packing_seconds,
              "exchange_seconds", found.exchange_seconds, "rank_bytes", found.rank_bytes,
              "ranks_that_pay", paying)
      .line("transform", "{} of {} on {}", planned.name, fmt::join(problem.extents, " x "),
            counted(static_cast<std::uint64_t>(flags.ranks), "rank"))
      .line("network", "{}, {} ranks a node", network.source, network.ranks_a_node)
      .line("grid", "{}", grid_text(grid))
      .line("time", "{}, of which exchanges {:.0f} %, packing {:.0f} %",
            seconds_text(found.seconds()), 100 * share,
            100 * found.packing_seconds / found.seconds())
      .line("memory", "{:.3g} GiB a rank", found.rank_bytes / (1 << 30))
      .line("pays", "{} {} ranks", paying < (1 << 20) ? "up to" : "at least up to", paying)
      .lines("\n" + to_string(design))
      .lines(
          "Times are of a model, whose median error over 19 published runs is 9 %, the largest "
          "37 %.\n");
  return made;
}

}  // namespace papilio::cli

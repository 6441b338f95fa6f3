#include "cli/gemm_thresholds.hpp"

#include <array>
#include <cmath>

namespace papilio::cli {
namespace {

struct timing {
  double side, seconds;
  double flops() const { return 2 * side * side * side; }
  double rate() const { return flops() / seconds; }
};
// trntensor, v0.2.0: torch.einsum on the CPU of a trn1.2xlarge.
constexpr std::array<timing, 3> published{{{512, 481e-6}, {1024, 3402e-6}, {2048, 27.4e-3}}};

}  // namespace

double published_limit::side_of(double flops) { return std::cbrt(flops / 2); }

double published_host_seconds(const operation& what) {
  const double flops = nominal_flops(what);
  if (flops <= published.front().flops()) return flops / published.front().rate();
  if (flops >= published.back().flops()) return flops / published.back().rate();
  std::size_t i = 1;
  while (flops > published[i].flops()) ++i;
  const timing &a = published[i - 1], &b = published[i];
  const double share = std::log(flops / a.flops()) / std::log(b.flops() / a.flops());
  return flops / (a.rate() * std::pow(b.rate() / a.rate(), share));
}

std::vector<gemm_threshold> thresholds_of(const gemm_problem& what, const execution& on,
                                          const crossover& turns) {
  const gemm_problem square{
      .m = 1024, .k = 1024, .n = 1024, .is_complex = what.is_complex, .type = what.type};
  const double flops_of_one = what.is_complex ? 8 : 2;
  std::vector<gemm_threshold> all;
  const auto add = [&](const char* host, const crossover& c) {
    for (const crossover::turn& turn : c.turns) {
      if (turn.when.is_cold) continue;
      gemm_threshold& t = all.emplace_back();
      t.host = host;
      t.has_device_arrays = turn.when.has_device_arrays;
      t.side = turn.device_wins;
      t.looked_at = turn.host_wins;
      if (t.side) t.flops = flops_of_one * std::pow(static_cast<double>(*t.side), 3);
    }
  };
  const bool is_square = what.batch == 1 && what.m == what.k && what.k == what.n;
  add("this host, estimated", is_square ? turns : crossover_of(square, on));
  if (!what.is_complex) add("published host", crossover_of(square, on, published_host_seconds));
  return all;
}

}  // namespace papilio::cli

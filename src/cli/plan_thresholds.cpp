#include "cli/plan_thresholds.hpp"

#include <fmt/format.h>

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

// Its limits are numbers of operations, calibrated as 2 m k n; its code compares m k n with them.
struct limit {
  const char* name;
  double flops;
};
constexpr std::array<limit, 2> limits{{{"unpinned", 2e9}, {"pinned", 0.9e9}}};

double side_of(double flops) { return std::cbrt(flops / 2); }

gemm_thresholds::row row_of(const std::string& host, const crossover::turn& t,
                            double flops_of_one) {
  gemm_thresholds::row r{.host = host,
                         .is_resident = t.when.is_resident,
                         .side = t.device_wins,
                         .looked_at = t.host_wins,
                         .flops = 0};
  if (t.device_wins) r.flops = flops_of_one * std::pow(static_cast<double>(*t.device_wins), 3);
  return r;
}

}  // namespace

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

gemm_thresholds thresholds_of(const gemm_problem& what, const execution& on,
                              const crossover& turns) {
  const gemm_problem square{
      .m = 1024, .k = 1024, .n = 1024, .is_complex = what.is_complex, .type = what.type};
  const double flops_of_one = what.is_complex ? 8 : 2;
  gemm_thresholds t;
  const auto add = [&](const std::string& host, const crossover& c) {
    for (const crossover::turn& turn : c.turns)
      if (!turn.when.is_cold) t.rows.push_back(row_of(host, turn, flops_of_one));
  };
  const bool is_square = what.batch == 1 && what.m == what.k && what.k == what.n;
  add("this host, estimated", is_square ? turns : crossover_of(square, on));
  if (!what.is_complex) add("published host", crossover_of(square, on, published_host_seconds));
  return t;
}

std::string to_text(const gemm_thresholds& t) {
  std::string text =
      fmt::format("{:<46}{:>8}{:>14}\n", "threshold of a square gemm, warm", "side", "Gflop");
  for (const gemm_thresholds::row& r : t.rows) {
    const std::string label =
        fmt::format("{}, {}", r.host, r.is_resident ? "pinned (resident)" : "unpinned");
    text += r.side ? fmt::format("  {:<44}{:>8}{:>14.2f}\n", label, *r.side, r.flops * 1e-9)
                   : fmt::format("  {:<44}{:>8}, up to {}\n", label, "never", r.looked_at);
  }
  for (const limit& l : limits)
    text += fmt::format("  {:<44}{:>8.0f}{:>14.2f}\n", fmt::format("published limit, {}", l.name),
                        side_of(l.flops), l.flops * 1e-9);
  for (const limit& l : limits)
    text += fmt::format("  {:<44}{:>8.0f}{:>14.2f}\n",
                        fmt::format("as its code applied it, {}", l.name), side_of(2 * l.flops),
                        2 * l.flops * 1e-9);
  return text +
         "  1 multiplication and addition is 2 flop. The published limits are meant as flop; the\n"
         "  published code compared m k n with them, half as many. Published host: 512^3 in 481 "
         "us,\n"
         "  1024^3 in 3402 us, 2048^3 in 27.4 ms on the 8 processors of a trn1.2xlarge.\n";
}

json_value to_json(const gemm_thresholds& t) {
  json_value rows = json_value::array();
  for (const gemm_thresholds::row& r : t.rows)
    rows.push_back({{"host", r.host},
                    {"resident", r.is_resident},
                    {"side", r.side ? json_value(*r.side) : nullptr},
                    {"flops", r.side ? json_value(r.flops) : nullptr}});
  json_value published_limits = json_value::array();
  for (const limit& l : limits)
    published_limits.push_back({{"resident", std::string(l.name) == "pinned"},
                                {"flops", l.flops},
                                {"side", side_of(l.flops)},
                                {"flops_as_applied", 2 * l.flops},
                                {"side_as_applied", side_of(2 * l.flops)}});
  return {{"modelled", rows}, {"published", published_limits}};
}

}  // namespace papilio::cli

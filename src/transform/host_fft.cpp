// Candidate that runs papilio's own plans.
#include <algorithm>
#include <cmath>
#include <utility>

#include "dispatch/host_model.hpp"
#include "fft/column_lines.hpp"
#include "fft/design.hpp"
#include "fft/nd.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/fft/recipe.hpp"
#include "papilio/transform/candidate.hpp"
#include "transform/candidates.hpp"
#include "transform/host_executors.hpp"
#include "transform/recipe_cost.hpp"

namespace papilio::transform_detail {

using dispatch_detail::epsilon_of;

trigonometric_kind plan_kind(const fft_problem& p) {
  const auto first =
      p.kind == fft_kind::cosine ? trigonometric_kind::dct1 : trigonometric_kind::dst1;
  return static_cast<trigonometric_kind>(static_cast<int>(first) + p.trigonometric_type - 1);
}

fft_options host_options(const fft_problem& p) {
  return {.norm = p.norm, .plan_effort = p.measured ? effort::measure : effort::estimate};
}

namespace {

std::string refusal(const fft_problem& p) {
  if (p.kind == fft_kind::cosine && p.trigonometric_type == 1 && p.extents[0] < 2)
    return "a cosine transform of type 1 has at least 2 points";
  return {};
}

bool has_lanes(const fft_problem& p) { return p.type != real_type::extended_precision; }

// Returns the recipe that lines along axes[i] run.
recipe design_of(const fft_problem& p, std::size_t i) {
  const auto complex = [&](std::size_t n) { return fft_detail::design(n, has_lanes(p)); };
  const auto part_of_real = [&](std::size_t n) {
    return fft_detail::split_design(n, has_lanes(p));
  };
  const std::size_t n = p.extents[p.axes[i]];
  if (p.is_trigonometric()) {
    const auto part = fft_detail::part_of(plan_kind(p), n);
    return fft_detail::trigonometric_design(
        plan_kind(p), n,
        part.is_real ? fft_detail::real_design(part.n, part_of_real) : complex(part.n));
  }
  if (!p.is_complex() && i + 1 == p.axes.size()) return fft_detail::real_design(n, part_of_real);
  const operand_shapes arrays = p.shapes();
  const operand_shape& spectrum = arrays.in[0].is_complex ? arrays.in[0] : arrays.out[0];
  if (has_lanes(p) &&
      fft_detail::are_columns(fft_detail::row_major_lines(spectrum.extents, p.axes[i])))
    if (auto columns = fft_detail::design_column_lines(n)) return std::move(*columns);
  return complex(n);
}

// Whether a recipe holds a convolution, which runs twice the stages.
bool convolves(const recipe& r) {
  return r.kind == recipe_kind::bluestein || r.kind == recipe_kind::rader ||
         std::ranges::any_of(r.parts, [](const recipe& part) { return convolves(part); });
}

// Returns the work of `done` lines of one axis, in `calls` executions; their input and output pass
// through memory once.
host_work axis_work(const fft_problem& p, const recipe& r, const recipe_cost& cost, double done,
                    double calls) {
  const double point_bytes = 2 * static_cast<double>(size_of(p.type));
  const bool is_complex = r.kind != recipe_kind::real && !p.is_trigonometric();
  const double ends = 2 * static_cast<double>(r.n) * point_bytes / (is_complex ? 1 : 2);
  return {.kind = host_work_kind::fft,
          .flops = cost.flops * done,
          .bytes_moved = ends * done,
          .working_bytes = ends * done,
          .line_bytes = 2 * ends,
          .lines = done,
          .calls = calls};
}

fft_estimate estimate_on(const host_model& host, const fft_problem& p, std::size_t lines,
                         int threads) {
  fft_estimate total;
  double elements = static_cast<double>(lines), variance = 0;
  for (std::size_t e : p.extents) elements *= static_cast<double>(e);
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const recipe r = design_of(p, i);
    const recipe_cost cost = cost_of(r);
    // Along the other axes of a real transform half of the lines are left.
    const bool is_halved = p.kind == fft_kind::real && i + 1 < p.axes.size();
    const double n = static_cast<double>(r.n), done = elements / n / (is_halved ? 2 : 1);
    total.recipe.append(i == 0 ? "" : " ").append(to_string(r));
    total.passes += static_cast<std::size_t>(cost.passes);
    total.bytes_moved += 4 * cost.points_moved * static_cast<double>(size_of(p.type)) * done;
    total.flops += cost.flops * done;
    total.table_bytes += 2 * cost.table_points * static_cast<double>(size_of(p.type));
    // The lines of a line problem run in one call, the axes of an array in one.
    const double calls = i > 0 ? 0 : p.is_line() ? 1 : static_cast<double>(lines);
    total.seconds += modelled_seconds(host, p.type, axis_work(p, r, cost, done, calls), threads);
    // Rounding errors of the stages add up in quadrature.
    variance += std::log2(2 * n) * (convolves(r) ? 4 : 1);
  }
  total.relative_error = 0.3 * epsilon_of(p.type) * std::sqrt(variance);
  return total;
}

fft_estimate estimate(const fft_problem& p, std::size_t lines) {
  return estimate_on(current_host(), p, lines, 1);
}

}  // namespace

fft_candidate host_fft() { return {"host", "", refusal, estimate, build_host_executor}; }

}  // namespace papilio::transform_detail

namespace papilio {

fft_estimate host_fft_estimate(const host_model& host, const fft_problem& problem,
                               std::size_t lines, int threads) {
  constexpr const char* function = "host_fft_estimate";
  problem.require_valid(function);
  if (const std::string why = transform_detail::refusal(problem); !why.empty())
    throw invalid_argument(base_detail::message(function, ": ", why));
  return transform_detail::estimate_on(host, problem, lines, threads);
}

namespace {

// Candidates know cosine and sine transforms as lines; other arrays stay what they are.
struct line_batch {
  fft_problem problem;
  std::size_t lines = 1;
};
line_batch lines_of(const fft_problem& whole) {
  line_batch b{whole};
  if (whole.trigonometric_type == 0 || whole.is_line() || whole.axes.size() != 1 ||
      whole.axes[0] >= whole.extents.size())
    return b;
  b.problem.extents = {whole.extents[whole.axes[0]]};
  b.problem.axes = {0};
  for (std::size_t a = 0; a < whole.extents.size(); ++a)
    if (a != whole.axes[0]) b.lines = checked_multiply(b.lines, whole.extents[a], "lines");
  return b;
}

host_estimate estimate_of(const fft_problem& whole, const execution& on) {
  execution native = on;
  native.precision = {};
  const line_batch b = lines_of(whole);
  const fft_candidate& candidate = choose_fft("estimate", b.problem, native);
  const fft_estimate e = on.backend.empty() || on.backend == "host"
                             ? host_fft_estimate(current_host(), b.problem, b.lines, on.threads)
                             : candidate.estimate(b.problem, b.lines);
  return {candidate.name, e.recipe, e.seconds, e.flops, e.bytes_moved, e.relative_error};
}

host_estimate estimate(const operation& what, const execution& on) {
  if (const auto* const transform = std::get_if<fft_problem>(&what))
    return estimate_of(*transform, on);
  return host_roofline().estimate(what, on);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const fft_candidate& candidate : fft_candidates()) all.emplace_back(candidate.name);
  return all;
}

}  // namespace

const host_row& host_transforms() {
  static const host_row row{names(), estimate};
  return row;
}

comparison explain(const fft_problem& problem, const execution& on) {
  return explain(problem, on, host_transforms());
}

}  // namespace papilio

#include "papilio/transform/run.hpp"

#include <algorithm>
#include <array>

#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/transform/candidate.hpp"
#include "transform/built_plan.hpp"
#include "transform/device_plan.hpp"

namespace papilio {

using namespace transform_detail;

namespace {

struct sides {
  bool complex_in, complex_out;
};

sides sides_of(const fft_problem& p) {
  return {p.is_complex() || p.is_real(direction::inverse),
          p.is_complex() || p.is_real(direction::forward)};
}

void require_extent(const char* function, const char* operand, std::size_t axis, std::size_t got,
                    std::size_t expected) {
  if (got != expected)
    throw shape_error(base_detail::message(function, ": ", operand, " must have extent ", expected,
                                           " along axis ", axis, ", got ", got));
}

// Extents of both operands against the problem; `axis` is the line's.
void require_extents(const char* function, const fft_problem& p, std::span<const std::size_t> in,
                     std::span<const std::size_t> out, std::size_t axis) {
  const std::size_t halved = p.is_line() ? axis : p.axes.empty() ? 0 : p.axes.back();
  for (std::size_t k = 0; k < in.size(); ++k) {
    const bool is_transformed = p.is_line() ? k == axis : true;
    if (!is_transformed) {
      require_extent(function, "out", k, out[k], in[k]);
      continue;
    }
    const std::size_t n = p.is_line() ? p.extents[0] : p.extents[k];
    const std::size_t bins = k == halved ? n / 2 + 1 : n;
    require_extent(function, "in", k, in[k], p.is_real(direction::inverse) ? bins : n);
    require_extent(function, "out", k, out[k], p.is_real(direction::forward) ? bins : n);
  }
}

// Below this many elements a team of threads costs more than it saves.
constexpr std::size_t least_elements_for_threads = 32768;

// The problem of a whole array: what accelerators are asked for. An array without elements stands
// for one with some: nothing of it is executed.
fft_problem of_array(const fft_problem& p, std::span<const std::size_t> extents, std::size_t axis) {
  fft_problem whole = p;
  if (!p.is_line()) return whole;
  whole.extents.assign(extents.begin(), extents.end());
  whole.extents[axis] = p.extents[0];
  whole.axes = {axis};
  for (std::size_t& e : whole.extents) e = std::max<std::size_t>(e, 1);
  return whole;
}

bool is_same(const line_problem& a, const fft_problem& b) {
  return b.is_line() && b.extents[0] == a.n && b.kind == a.form.kind && b.dir == a.form.dir &&
         b.norm == a.form.norm && b.trigonometric_type == a.form.trigonometric_type &&
         b.type == a.type && b.measured == a.measured && b.adjoint == a.form.adjoint;
}

// Lines, or arrays, as one array.
fft_problem times(std::size_t lines, const fft_problem& p) {
  fft_problem whole = p;
  whole.extents.insert(whole.extents.begin(), lines);
  for (std::size_t& axis : whole.axes) ++axis;
  return whole;
}

std::string operation_of(const void* text) {
  return static_cast<const plan_text*>(text)->operation;
}
std::string recipe_of(const void* text) { return static_cast<const plan_text*>(text)->recipe; }

}  // namespace

fft_problem line_problem::to_problem() const {
  return {.kind = form.kind,
          .dir = form.dir,
          .type = type,
          .norm = form.norm,
          .extents = {n},
          .axes = {0},
          .trigonometric_type = form.trigonometric_type,
          .measured = measured,
          .adjoint = form.adjoint};
}

transform_plan::transform_plan(const fft_problem& problem, const execution& on, std::size_t lines)
    : transform_plan("transform_plan", problem, on,
                     std::array{lines, problem.extents.empty() ? 1 : problem.extents[0]}, 1) {}

transform_plan::transform_plan(const char* function, const fft_problem& problem,
                               const execution& on, std::span<const std::size_t> extents,
                               std::size_t axis)
    : threads_(on.threads) {
  choose(function, problem, on, extents, axis);
}

transform_plan::transform_plan(const char* function, const line_problem& problem,
                               const execution& on, std::span<const std::size_t> extents,
                               std::size_t axis)
    : threads_(on.threads) {
  const bool is_plain = dispatch_detail::is_plain_host(on);
  thread_local std::weak_ptr<const built_plan> last;
  thread_local std::size_t generation = 0;
  // A plan that was dropped may be alive elsewhere.
  if (is_plain && generation == plan_cache_generation()) {
    built_ = last.lock();
    if (built_ != nullptr && is_same(problem, built_->problem)) {
      count_plan_hit();
      return;
    }
  }
  choose(function, problem.to_problem(), on, extents, axis);
  if (!is_plain) return;
  last = built_;
  generation = plan_cache_generation();
}

void transform_plan::choose(const char* function, const fft_problem& problem, const execution& on,
                            std::span<const std::size_t> extents, std::size_t axis) {
  if (on.where != policy::host) {
    problem.require_valid(function);
    const fft_problem whole = of_array(problem, extents, axis);
    if (accelerator* const device = place(function, whole, on, host_transforms());
        device != nullptr) {
      device_ = std::make_shared<const device_plan>(
          device_plan{problem, whole, device, device->life(), on.precision});
      return;
    }
  }
  built_ = cached_plan(problem, choose_fft(function, problem, on));
}

const fft_problem& transform_plan::problem() const {
  return device_ != nullptr ? device_->problem : built_->problem;
}

std::string transform_plan::backend() const {
  return device_ != nullptr ? device_backend_name : built_->candidate->name;
}

std::string transform_plan::recipe() const {
  if (device_ == nullptr) return built_->executor->recipe();
  constexpr const char* function = "transform_plan::recipe";
  return program_on(function, device_->device(), device_->whole, device_->precision)->recipe();
}

fft_estimate transform_plan::estimate(std::size_t lines) const {
  if (device_ == nullptr) return built_->candidate->estimate(built_->problem, lines);
  constexpr const char* function = "transform_plan::estimate";
  const fft_problem whole = times(lines, device_->problem);
  accelerator& on = device_->device();
  const device_estimate e = backend_of(function, on).estimate(whole, device_->precision, on);
  return {.recipe = e.recipe,
          .passes = 1,
          .bytes_moved = e.bytes_in + e.bytes_out,
          .flops = nominal_flops(whole),
          .seconds = e.seconds(),
          .relative_error = e.relative_error};
}

comparison transform_plan::explain(std::size_t lines) const {
  const fft_problem& p = problem();
  const operation whole = lines == 1 ? p : times(lines, p);
  if (device_ != nullptr)
    return papilio::explain(whole,
                            {.where = policy::device,
                             .on = &device_->device(),
                             .threads = threads_,
                             .precision = device_->precision},
                            host_transforms());
  return papilio::explain(
      whole, {.where = policy::host, .threads = threads_, .backend = built_->candidate->name},
      host_transforms());
}

void transform_plan::require_elements(element_type in, element_type out) const {
  const fft_problem& p = problem();
  const sides expected = sides_of(p);
  const auto check = [&](const char* operand, element_type got, bool is_complex) {
    if (got == element_type{is_complex, p.type}) return;
    throw invalid_argument(
        base_detail::message("transform_plan::execute: ", operand, " of ", to_string(p),
                             " must hold ", is_complex ? "complex " : "", to_string(p.type),
                             ", got ", got.is_complex ? "complex " : "", to_string(got.type)));
  };
  check("in", in, expected.complex_in);
  check("out", out, expected.complex_out);
}

void transform_plan::execute(const char* function, const untyped_view<const void>& in,
                             const untyped_view<void>& out, std::ptrdiff_t axis) const {
  const fft_problem& p = problem();
  if (in.rank() != out.rank() || (!p.is_line() && in.rank() != p.extents.size()))
    throw shape_error(base_detail::message(
        function, ": in has ", in.rank(), " axes, out ", out.rank(),
        p.is_line() ? "" : base_detail::message(", the problem ", p.extents.size())));
  const std::size_t line_axis = p.is_line() ? checked_axis(function, axis, in.rank()) : 0;
  require_extents(function, p, in.extents, out.extents, line_axis);
  run(function, in, out, line_axis);
}

void transform_plan::run(const char* function, const untyped_view<const void>& in,
                         const untyped_view<void>& out, std::size_t axis) const {
  const fft_problem& p = problem();
  if (std::ranges::find(out.extents, std::size_t{0}) != out.extents.end()) return;
  if (device_ != nullptr) {
    const sides complex = sides_of(p);
    const device_input from(in, complex.complex_in);
    const device_output to(out, complex.complex_out);
    return run_on(function, device_->device(), of_array(p, out.extents, axis), device_->precision,
                  {&from, 1}, {&to, 1});
  }
  std::size_t elements = 1;
  for (std::size_t e : out.extents) elements = checked_multiply(elements, e, function);
  const int threads = elements < least_elements_for_threads ? 1 : threads_;
  built_->executor->execute(in, out, axis, threads);
  if (!dispatch_detail::is_last_host_run(built_->text.get()))
    dispatch_detail::record_host_run(built_->candidate->name, built_->text, operation_of,
                                     recipe_of);
}

}  // namespace papilio

#include "papilio/transform/transform_plan.hpp"

#include <algorithm>

#include "papilio/base/checked.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/transform/arguments.hpp"
#include "transform/built_plan.hpp"

namespace papilio {

using namespace transform_detail;

namespace {

struct sides {
  bool complex_in, complex_out;
};

sides sides_of(fft_kind kind) {
  switch (kind) {
    case fft_kind::complex_forward:
    case fft_kind::complex_inverse:
      return {true, true};
    case fft_kind::real_forward:
      return {false, true};
    case fft_kind::real_inverse:
      return {true, false};
    case fft_kind::cosine_forward:
    case fft_kind::cosine_inverse:
    case fft_kind::sine_forward:
    case fft_kind::sine_inverse:
      break;
  }
  return {false, false};
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
    require_extent(function, "in", k, in[k], p.kind == fft_kind::real_inverse ? bins : n);
    require_extent(function, "out", k, out[k], p.kind == fft_kind::real_forward ? bins : n);
  }
}

// Below this many elements a team of threads costs more than it saves.
constexpr std::size_t least_elements_for_threads = 32768;

}  // namespace

transform_plan::transform_plan(const fft_problem& problem, const execution& on)
    : transform_plan("transform_plan", problem, on) {}

transform_plan::transform_plan(const char* function, const fft_problem& problem,
                               const execution& on)
    : built_(cached_plan(problem, choose_fft(function, problem, on))), threads_(on.threads) {}

const fft_problem& transform_plan::problem() const { return built_->problem; }
std::string transform_plan::backend() const { return built_->candidate->name; }
std::string transform_plan::recipe() const { return built_->executor->recipe(); }
fft_estimate transform_plan::estimate(std::size_t lines) const {
  return built_->candidate->estimate(built_->problem, lines);
}

void transform_plan::require_elements(element_type in, element_type out) const {
  const fft_problem& p = built_->problem;
  const sides expected = sides_of(p.kind);
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
  const fft_problem& p = built_->problem;
  if (in.rank() != out.rank() || (!p.is_line() && in.rank() != p.extents.size()))
    throw shape_error(base_detail::message(
        function, ": in has ", in.rank(), " axes, out ", out.rank(),
        p.is_line() ? "" : base_detail::message(", the problem ", p.extents.size())));
  const std::size_t line_axis = p.is_line() ? checked_axis(function, axis, in.rank()) : 0;
  require_extents(function, p, in.extents, out.extents, line_axis);
  if (std::ranges::find(out.extents, std::size_t{0}) != out.extents.end()) return;
  std::size_t elements = 1;
  for (std::size_t e : out.extents) elements = checked_multiply(elements, e, function);
  const int threads = elements < least_elements_for_threads ? 1 : threads_;
  built_->executor->execute(in, out, line_axis, threads);
}

}  // namespace papilio

// Precision per call: what each mode is made of, and which is the cheapest that is good enough.
#include "kernels/fft/precision.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/choice.hpp"
#include "kernels/fft/fft_design.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using engine::machine_spec;
using kernels::fft_kernel_options;
using kernels::sized_kernel;

// A mode that a target error chooses from: what it would take, or why it cannot be had.
struct candidate {
  precision_options mode;
  std::optional<sized_kernel> kernel = {};
  double seconds = 0;
  std::string refusal = {};
  std::exception_ptr refused = {};
};

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

candidate candidate_of(const fft_problem& problem, fft_kernel_options options,
                       const precision_options& mode, const machine_spec& machine) {
  candidate one{.mode = mode};
  options.precision = mode;
  try {
    one.kernel = kernels::fft_kernel(problem, machine, options);
    one.seconds = modelled_seconds(*one.kernel, machine);
  } catch (const error& e) {
    one.kernel.reset();
    one.refusal = e.what();
    one.refused = std::current_exception();
  }
  return one;
}

std::string line_of(const candidate& one) {
  std::string name = describe(one.mode);
  name.resize(std::max<std::size_t>(name.size(), 30), ' ');
  if (!one.kernel) return "  " + name + "not to be had: " + one.refusal + "\n";
  return "  " + name + number("%10.2f us  expected error ", one.seconds * 1e6) +
         number("%.2g", one.kernel->expected_error) + "\n";
}

// Faster; of the same time, more accurate.
bool better(const candidate& a, const candidate& b) {
  if (a.seconds != b.seconds) return a.seconds < b.seconds;
  return a.kernel->expected_error < b.kernel->expected_error;
}

}  // namespace

void check_precision(const char* function, const precision_options& options) {
  if (!(options.target_error >= 0))
    throw invalid_argument(message(function, ": precision.target_error must be at least 0, got ",
                                   options.target_error));
  if (options.target_error > 0) {
    precision_options chosen = options;
    chosen.target_error = 0;
    if (chosen == precision_options{}) return;
    throw invalid_argument(
        message(function, ": target_error chooses precision, refinements and parts: not with ",
                chosen.mode != precision::native
                    ? describe(chosen)
                    : message("refinements ", chosen.refinements, " and parts ", chosen.parts)));
  }
  if (options.mode < precision::native || options.mode > precision::compensated)
    throw invalid_argument(message(function, ": precision.mode must be at most ",
                                   int(precision::compensated), ", got ", int(options.mode)));
  if (options.refinements < 1 || options.refinements > 2)
    throw invalid_argument(
        message(function, ": precision.refinements must be 1 or 2, got ", options.refinements));
  if (options.parts < 2 || options.parts > 3)
    throw invalid_argument(
        message(function, ": precision.parts must be 2 or 3, got ", options.parts));
}

std::string describe(const precision_options& options) {
  switch (options.mode) {
    case precision::native:
      return "native";
    case precision::bf16:
      return "bf16";
    case precision::bf16_refined:
      return message("bf16_refined, ", options.refinements,
                     options.refinements == 1 ? " refinement" : " refinements");
    case precision::split_bf16:
      return message("split_bf16 in ", options.parts, " parts");
    case precision::compensated:
      break;
  }
  return "compensated";
}

std::string fft_design::describe() const {
  std::string text = message("precision: ",
                             kernels_detail::describe(precision_options{
                                 .mode = mode, .refinements = refinements, .parts = parts}),
                             "\n", forward.explain());
  for (std::size_t i = 0; i < inverses.size(); ++i)
    text += message("inverse for residual ", i + 1, ": ", inverses[i].explain());
  return text;
}

fft_design fft_design::without_batch() const {
  fft_design one = *this;
  one.forward = forward.without_batch();
  for (kernels::kernel_design& inverse : one.inverses) inverse = inverse.without_batch();
  return one;
}

sized_kernel empty_fft(const fft_problem& problem) {
  sized_kernel sized;
  engine::tensor_shape tensor{{2}};
  tensor.extents.insert(tensor.extents.end(), problem.extents.begin(), problem.extents.end());
  sized.inputs = sized.outputs = {tensor};
  sized.ranges = {{}};
  sized.program.name = "fft";
  return sized;
}

chosen_fft cheapest_fft(const fft_problem& problem, const fft_kernel_options& options,
                        const machine_spec& machine) {
  const double target = options.precision.target_error;
  std::vector<candidate> all;
  for (const precision_options& mode :
       {precision_options{.mode = precision::native}, precision_options{.mode = precision::bf16},
        precision_options{.mode = precision::bf16_refined, .refinements = 1},
        precision_options{.mode = precision::bf16_refined, .refinements = 2},
        precision_options{.mode = precision::split_bf16, .parts = 2},
        precision_options{.mode = precision::split_bf16, .parts = 3},
        precision_options{.mode = precision::compensated}})
    all.push_back(candidate_of(problem, options, mode, machine));
  const candidate *best = nullptr, *exactest = nullptr;
  std::string table;
  for (const candidate& one : all) {
    table += line_of(one);
    if (!one.kernel) continue;
    const double e = one.kernel->expected_error;
    if (exactest == nullptr || e < exactest->kernel->expected_error) exactest = &one;
    if (e <= target && (best == nullptr || better(one, *best))) best = &one;
  }
  if (exactest == nullptr) std::rethrow_exception(all.front().refused);
  if (best == nullptr)
    throw invalid_argument(message("fft_kernel: precision.target_error must be at least ",
                                   number("%.3g", exactest->kernel->expected_error), ", which ",
                                   describe(exactest->mode), " is expected to reach, got ",
                                   number("%.3g", target)));
  sized_kernel sized = *best->kernel;
  table.pop_back();  // the last line's end
  sized.chosen_as =
      message(describe(best->mode), " is chosen for a target error of ", number("%.3g", target),
              ", as the fastest of these that are expected to meet it:\n", table);
  return {best->mode, std::move(sized)};
}

}  // namespace papilio::kernels_detail

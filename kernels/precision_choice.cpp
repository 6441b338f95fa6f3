// Modes of precision: what a caller may ask for, and which is the fastest that is good enough.
#include "kernels/precision_choice.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

#include "kernels/choice.hpp"
#include "papilio/base/error.hpp"

namespace papilio::kernels_detail {
namespace {

using base_detail::message;
using engine::machine_spec;
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

candidate candidate_of(const kernel_in_mode& kernel_in, const precision_options& mode,
                       const machine_spec& machine) {
  candidate one{.mode = mode};
  try {
    one.kernel = kernel_in(mode);
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
  if (options.mode == precision::mxfp8)
    throw invalid_argument(
        message(function, ": precision.mode mxfp8 is of products of two real matrices"));
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
    case precision::mxfp8:
      return "mxfp8";
    case precision::compensated:
      break;
  }
  return "compensated";
}

chosen_mode cheapest_mode(const char* name, double target, std::span<const precision_options> modes,
                          const kernel_in_mode& kernel_in, const machine_spec& machine) {
  std::vector<candidate> all;
  for (const precision_options& mode : modes) all.push_back(candidate_of(kernel_in, mode, machine));
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
    throw invalid_argument(message(name, ": precision.target_error must be at least ",
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

kernels::contraction_kernel_options products_in(const precision_options& how) {
  using enum papilio::precision;
  return {.type = how.mode == native ? engine::dtype::fp32 : engine::dtype::bf16,
          .parts = how.mode == split_bf16 ? how.parts : 1};
}

}  // namespace papilio::kernels_detail

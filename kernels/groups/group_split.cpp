// Parts of operands for the cores of a group, and a program for each core.
#include "papilio/kernels/group_split.hpp"

#include <algorithm>
#include <utility>

#include "kernels/groups/division.hpp"
#include "papilio/base/error.hpp"
#include "papilio/kernels/sized_kernel.hpp"

namespace papilio::kernels {
namespace {

using base_detail::message;
using namespace engine;

std::vector<tensor_shape> operand_shapes(const sized_kernel& k) {
  std::vector<tensor_shape> shapes = k.inputs;
  for (const constant_table& t : k.tables) shapes.push_back(t.shape);
  return shapes;
}

bool same_operands(const sized_kernel& a, const sized_kernel& b) {
  return operand_shapes(a) == operand_shapes(b) && a.outputs == b.outputs;
}

// Kernels of one split are told apart by what they are given, unless each core has its own.
void require_told_apart(const group_split& split) {
  for (std::size_t i = 0; i < split.kernels.size() && !split.is_one_for_each; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const sized_kernel &a = split.kernels[j], &b = split.kernels[i];
      if (same_operands(a, b) &&
          (a.program.name != b.program.name || a.program.parameters != b.program.parameters))
        throw invalid_argument(message("prepared_split: ", split.name, ": kernels ", j, " and ", i,
                                       " differ, but not in the shapes of their operands"));
    }
}

// The kernel of a core in the name of the split, by which its phase is known; nothing for idle ones.
kernel program_of(const group_split& split, std::size_t core) {
  const int k = core < split.shares.size() ? split.shares[core].kernel : -1;
  if (k < 0) return {.name = split.name, .body = [](engine::core&, const kernel_arguments&) {}};
  const kernel& own = split.kernels[std::size_t(k)].program;
  return {.name = split.name, .parameters = own.name + "\n" + own.parameters, .body = own.body};
}

std::string text_of(const tensor_part& part) {
  std::string text = "[";
  for (std::size_t a = 0; a < part.extents.size(); ++a)
    text += message(a ? ", " : "", part.first[a], ":", part.first[a] + part.extents[a]);
  return text + "]";
}

void require_parts(const std::string& where, const char* role,
                   const std::vector<tensor_part>& parts, const std::vector<tensor_shape>& whole,
                   const std::vector<tensor_shape>& wanted) {
  if (parts.size() != wanted.size() || parts.size() != whole.size())
    throw invalid_argument(message(where, "must have parts of ", whole.size(), " ", role,
                                   "s for a kernel of ", wanted.size(), ", has ", parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const tensor_part& p = parts[i];
    const tensor_shape& all = whole[i];
    if (p.first.size() != all.extents.size() || p.extents != wanted[i].extents ||
        all.type != wanted[i].type)
      throw shape_error(message(where, "part of ", role, " ", i, " must be ", wanted[i].describe(),
                                " of ", all.describe()));
    for (std::size_t a = 0; a < p.first.size(); ++a)
      if (p.first[a] < 0 || p.first[a] > all.extents[a] - p.extents[a])
        throw shape_error(message(where, "part ", text_of(p), " of ", role, " ", i,
                                  " does not lie within ", all.describe()));
  }
}

bool overlap(const tensor_part& a, const tensor_part& b) {
  for (std::size_t i = 0; i < a.first.size(); ++i)
    if (a.first[i] >= b.first[i] + b.extents[i] || b.first[i] >= a.first[i] + a.extents[i])
      return false;
  return true;
}

// Disjoint, and as many elements as the whole: then nothing is left out.
void require_outputs(const group_split& split) {
  for (std::size_t o = 0; o < split.outputs.size(); ++o) {
    std::int64_t covered = 0;
    std::vector<const tensor_part*> parts;
    for (const core_share& share : split.shares) {
      if (share.kernel < 0) continue;
      const tensor_part& p = share.outputs[o];
      for (const tensor_part* other : parts)
        if (overlap(p, *other))
          throw shape_error(message("prepared_split: ", split.name, ": output ", o, ": parts ",
                                    text_of(*other), " and ", text_of(p), " overlap"));
      parts.push_back(&p);
      std::int64_t elements = 1;
      for (const std::int64_t e : p.extents) elements *= e;
      covered += elements;
    }
    if (covered != split.outputs[o].elements())
      throw shape_error(message("prepared_split: ", split.name, ": output ", o, ": parts have ",
                                covered, " of the ", split.outputs[o].elements(), " elements of ",
                                split.outputs[o].describe()));
  }
}

void require_fits(const group_split& split, const device_group& group) {
  const auto cores = std::size_t(group.cores());
  if (split.shares.size() > cores)
    throw invalid_argument(message("prepared_split: ", split.name, ": is for ", split.shares.size(),
                                   " cores, the group has ", cores));
  if (split.machine != group.machine())
    throw invalid_argument(message("prepared_split: ", split.name, ": is for machine \"",
                                   split.machine.name, "\", the group is of ",
                                   split.machine.name == group.machine().name ? "another " : "",
                                   "\"", group.machine().name, "\""));
  for (std::size_t c = 0; c < split.shares.size(); ++c) {
    const core_share& share = split.shares[c];
    const std::string where = message("prepared_split: ", split.name, ": share ", c, ": ");
    if (share.kernel < -1 || share.kernel >= int(split.kernels.size()))
      throw invalid_argument(
          message(where, "kernel must be in [-1, ", split.kernels.size(), "), got ", share.kernel));
    if (share.kernel < 0) continue;
    const sized_kernel& k = split.kernels[std::size_t(share.kernel)];
    require_parts(where, "input", share.inputs, split.inputs, k.inputs);
    require_parts(where, "output", share.outputs, split.outputs, k.outputs);
  }
  require_outputs(split);
}

}  // namespace

std::vector<index_range> even_ranges(std::int64_t count, int parts) {
  if (parts < 1)
    throw invalid_argument(message("even_ranges: parts must be at least 1, got ", parts));
  if (count < 0)
    throw invalid_argument(message("even_ranges: count must be at least 0, got ", count));
  std::vector<index_range> ranges;
  std::int64_t first = 0;
  for (int p = 0; p < parts; ++p) {
    const std::int64_t size = count / parts + (p < count % parts ? 1 : 0);
    ranges.push_back({first, size});
    first += size;
  }
  return ranges;
}

prepared_split::prepared_split(device_group& on, group_split what, run_mode mode)
    : on_(&on), what_(std::move(what)), mode_(mode) {
  require_fits(what_, on);
  require_told_apart(what_);
  for (int c = 0; c < on.cores(); ++c) programs_.push_back(program_of(what_, std::size_t(c)));
  for (std::size_t c = 0; c < what_.shares.size(); ++c) {
    const int k = what_.shares[c].kernel;
    tables_.push_back(
        k < 0 ? std::vector<device_buffer>{}
              : prepared_kernel(on.core(int(c)), what_.kernels[std::size_t(k)], mode).tables());
  }
}

std::vector<launch_result> prepared_split::run(const std::vector<launch_input>& inputs,
                                               const std::vector<launch_output>& outputs) const {
  const std::string name = message("prepared_split::run: ", what_.name);
  kernels_detail::require_all_of_host(name, "input", inputs, what_.inputs);
  kernels_detail::require_all_of_host(name, "output", outputs, what_.outputs);
  return run_apart(kernels_detail::boxes_of(inputs, what_, &core_share::inputs),
                   kernels_detail::boxes_of(outputs, what_, &core_share::outputs));
}

std::vector<launch_result> prepared_split::run_apart(
    const std::vector<std::vector<launch_input>>& inputs,
    const std::vector<std::vector<launch_output>>& outputs) const {
  const auto require = [&](const char* list, std::size_t size) {
    if (size != what_.shares.size())
      throw invalid_argument(message("prepared_split::run_apart: ", what_.name, ": ", list,
                                     ": must be ", what_.shares.size(),
                                     " lists, one for each share, got ", size));
  };
  require("inputs", inputs.size());
  require("outputs", outputs.size());
  const auto cores = std::size_t(on_->cores());
  std::vector<std::vector<launch_input>> in = inputs;
  std::vector<std::vector<launch_output>> out = outputs;
  in.resize(cores);
  out.resize(cores);
  for (std::size_t c = 0; c < tables_.size(); ++c)
    in[c].insert(in[c].end(), tables_[c].begin(), tables_[c].end());
  return on_->run(programs_, in, out, mode_);
}

double group_times::efficiency(const group_times& one) const {
  return seconds > 0 ? one.seconds / (cores * seconds) : 0;
}

double group_times::device_efficiency(const group_times& one) const {
  return device_seconds > 0 ? one.device_seconds / (cores * device_seconds) : 0;
}

group_times times_of(const group_report& report, int cores) {
  group_times times{.cores = cores,
                    .seconds = report.seconds(),
                    .compute_share = report.share(phase_kind::compute),
                    .communication_share = report.share(phase_kind::communication)};
  double links = 0;
  for (const group_phase& p : report.phases) {
    times.device_seconds += p.device_seconds + p.link_seconds;
    links += p.link_seconds;
  }
  times.link_share = times.device_seconds > 0 ? links / times.device_seconds : 0;
  return times;
}

}  // namespace papilio::kernels

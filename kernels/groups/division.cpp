#include "kernels/groups/division.hpp"

#include <utility>

#include "kernels/design.hpp"
#include "kernels/transform/error_model.hpp"

namespace papilio::kernels_detail {

using namespace engine;
using kernels::core_share;
using kernels::group_split;
using kernels::index_range;
using kernels::tensor_part;

namespace {

struct division_design {
  std::string how = {};
  std::vector<kernels::kernel_design> kernels = {};

  auto fields() const { return std::tie(how, kernels); }
  std::string describe() const {
    return (how.empty() ? how : how + "\n") + kernels.front().explain();
  }
};

tensor_part box_of(const divided_axis& along, std::size_t core, const index_range& range,
                   const tensor_shape& shape) {
  tensor_part box{.first = std::vector<std::int64_t>(shape.extents.size(), 0),
                  .extents = shape.extents};
  box.first[along.axis] = along.step * (along.by_core ? std::int64_t(core) : range.first);
  return box;
}

template <class Operand>
std::vector<std::vector<Operand>> boxes_of(const Operand& whole, const group_split& split,
                                           std::vector<tensor_part> core_share::*parts) {
  std::vector<std::vector<Operand>> all;
  for (const core_share& share : split.shares) {
    all.emplace_back();
    if (share.kernel < 0) continue;
    const tensor_part& p = (share.*parts)[0];
    all.back().push_back(whole.part(p.first, p.extents));
  }
  return all;
}

}  // namespace

group_split divided_by(const division& what, const machine_spec& machine) {
  group_split split{
      .name = what.name, .machine = machine, .inputs = {what.input}, .outputs = {what.output}};
  division_design design{what.how, {}};
  std::int64_t sized = 0;  // of the kernel made last: ranges of one size follow each other
  for (std::size_t c = 0; c < what.ranges.size(); ++c) {
    const index_range& range = what.ranges[c];
    core_share& share = split.shares.emplace_back();
    if (range.count == 0) continue;
    if (range.count != sized || what.is_one_for_each) {
      split.kernels.push_back(what.kernel_of(range));
      design.kernels.push_back(split.kernels.back().design);
    }
    sized = range.count;
    const kernels::sized_kernel& kernel = split.kernels.back();
    share = {.kernel = int(split.kernels.size()) - 1,
             .inputs = {box_of(what.in, c, range, kernel.inputs[0])},
             .outputs = {box_of(what.out, c, range, kernel.outputs[0])}};
  }
  split.design = design_of(std::move(design));
  return split;
}

exchanged_split::exchanged_split(device_group& on, group_split alone, run_mode mode)
    : on_(&on), mode_(mode), first_(on, std::move(alone), mode) {}

exchanged_split::exchanged_split(device_group& on, group_split first, group_split second,
                                 const tensor_shape& buffer, run_mode mode)
    : on_(&on),
      mode_(mode),
      first_(on, std::move(first), mode),
      second_(std::in_place, on, std::move(second), mode),
      sent_(on.allocate(buffer)),
      received_(on.allocate(buffer)) {}

std::string exchanged_split::explain() const {
  return first().explain() + (second_ ? last().explain() : "");
}

double exchanged_split::expected_error() const {
  const double a = first().kernels[0].expected_error;
  if (!second_) return a;
  const double b = last().kernels[0].expected_error;
  return square_root(a * a + b * b);
}

void exchanged_split::run(const launch_input& in, const launch_output& out) const {
  run_apart(in, boxes_of(out, last(), &core_share::outputs));
}

void exchanged_split::run_apart(const launch_input& in,
                                const std::vector<std::vector<launch_output>>& out) const {
  const auto inputs = boxes_of(in, first(), &core_share::inputs);
  if (!second_) {
    first_.run_apart(inputs, out);
    return;
  }
  first_.run_apart(inputs, lists_of<launch_output>(sent_));
  on_->all_to_all(sent_, received_, mode_);
  auto pieces = lists_of<launch_input>(received_);
  for (std::size_t c = 0; c < pieces.size(); ++c)
    if (last().shares[c].kernel < 0) pieces[c].clear();
  second_->run_apart(pieces, out);
}

}  // namespace papilio::kernels_detail

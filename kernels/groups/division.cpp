#include "kernels/groups/division.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/device_memory.hpp"
#include "kernels/ceil_div.hpp"
#include "kernels/design.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/base/array.hpp"

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

// Boxes of a core have the shapes of its kernel's operands.
std::vector<tensor_part> boxes_at(const std::vector<divided_operand>& operands, std::size_t core,
                                  const index_range& range,
                                  const std::vector<tensor_shape>& shapes) {
  std::vector<tensor_part> boxes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    boxes.push_back({.first = std::vector<std::int64_t>(shapes[i].extents.size(), 0),
                     .extents = shapes[i].extents});
    if (const std::optional<divided_axis>& along = operands[i].along)
      boxes.back().first[along->axis] =
          along->step * (along->by_core ? std::int64_t(core) : range.first);
  }
  return boxes;
}

}  // namespace

group_split divided_by(const division& what, const machine_spec& machine) {
  group_split split{.name = what.name, .machine = machine, .is_one_for_each = what.is_one_for_each};
  for (const divided_operand& o : what.inputs) split.inputs.push_back(o.whole);
  for (const divided_operand& o : what.outputs) split.outputs.push_back(o.whole);
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
             .inputs = boxes_at(what.inputs, c, range, kernel.inputs),
             .outputs = boxes_at(what.outputs, c, range, kernel.outputs)};
  }
  split.design = design_of(std::move(design));
  return split;
}

group_report phases_of(const device_group& on, function_ref<void()> run) {
  const auto before = std::ptrdiff_t(on.report().phases.size());
  run();
  const std::vector<group_phase>& phases = on.report().phases;
  return {.phases = {phases.begin() + before, phases.end()}};
}

gathered_tensor::gathered_tensor(device_group& on, const tensor_shape& piece)
    : on_(&on), pieces_(on.allocate(piece)) {
  tensor_shape whole = piece;
  whole.extents[0] *= on.cores();
  whole_ = on.cores() == 1 ? pieces_ : on.allocate(whole);
}

void gathered_tensor::gather(run_mode mode) const {
  if (pieces_.size() > 1) on_->all_gather(pieces_, whole_, mode);
}

void gathered_tensor::distribute(const launch_input& array, run_mode mode) const {
  std::vector<launch_input> parts(pieces_.size(), pieces_[0].shape());
  papilio::array<float, 1> all({mode == run_mode::dry_run ? 0 : std::size_t(shape().elements())});
  if (mode != run_mode::dry_run) {
    engine_detail::gather(array, reinterpret_cast<std::byte*>(all.data()));
    const std::int64_t count = pieces_[0].shape().elements();
    for (std::size_t c = 0; c < parts.size(); ++c)
      parts[c] = launch_input(all).part(std::array{std::int64_t(c) * count}, std::array{count});
  }
  on_->write(pieces_, parts);
  gather(mode);
}

std::optional<gathered_tensor> gathered_if_faster(device_group& on, const tensor_shape& tensor) {
  const int p = on.cores();
  if (p == 1) return {};
  const tensor_shape piece{{ceil_div(tensor.elements(), std::int64_t(p))}, tensor.type};
  const auto copies_ns = [&](std::int64_t bytes) {
    return 1e3 * p * on.runtime().upload_us(1, double(bytes));
  };
  if (copies_ns(piece.bytes()) + (p - 1) * on.links().shift_ns(1, piece.bytes()) >=
      copies_ns(tensor.bytes()))
    return {};
  return gathered_tensor(on, piece);
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
  const auto error_of = [](const group_split& split) {
    double most = 0;
    for (const kernels::sized_kernel& k : split.kernels) most = std::max(most, k.expected_error);
    return most;
  };
  const double a = error_of(first()), b = second_ ? error_of(last()) : 0;
  return second_ ? square_root(a * a + b * b) : a;
}

double exchanged_split::table_bytes() const {
  const auto bytes_of = [](const group_split& split) {
    std::int64_t bytes = 0;
    for (const core_share& share : split.shares)
      if (share.kernel >= 0) bytes += split.kernels[std::size_t(share.kernel)].table_bytes();
    return double(bytes);
  };
  return bytes_of(first()) + (second_ ? bytes_of(last()) : 0);
}

void exchanged_split::run(const launch_input& in, const launch_output& out) const {
  run_apart(in, boxes_of(std::vector{out}, last(), &core_share::outputs));
}

void exchanged_split::run_apart(const launch_input& in,
                                const std::vector<std::vector<launch_output>>& out) const {
  const auto inputs = boxes_of(std::vector{in}, first(), &core_share::inputs);
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

divided_work work_of(exchanged_split splits) {
  const auto all = std::make_shared<const exchanged_split>(std::move(splits));
  return {.recipe = all->explain(),
          .relative_error = all->expected_error(),
          .table_bytes = all->table_bytes(),
          .inputs = all->first().inputs,
          .outputs = all->last().outputs,
          .run = [all](const auto& in, const auto& out) { all->run(in[0], out[0]); }};
}

kernels::group_times times_of(int cores, const machine_spec& machine, const runtime_spec& runtime,
                              const group_options& options,
                              const std::function<divided_work(device_group&)>& work_on) {
  device_group group(machine, runtime, cores, options);
  const divided_work work = work_on(group);
  work.run({work.inputs.begin(), work.inputs.end()}, {work.outputs.begin(), work.outputs.end()});
  kernels::group_times times = kernels::times_of(group.report(), cores);
  times.explanation = work.recipe;
  return times;
}

}  // namespace papilio::kernels_detail

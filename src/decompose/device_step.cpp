#include "decompose/device_step.hpp"

#include <array>
#include <utility>

#include "decompose/mode_split.hpp"
#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"

namespace papilio::decompose_detail {
namespace {

using base_detail::message;

constexpr std::array<std::ptrdiff_t, 1> gapless{1};

shared_tensor up(accelerator& on, const float* x, const std::vector<std::size_t>& extents) {
  const std::array<std::size_t, 1> count{product_of(extents)};
  return dispatch_detail::uploaded(on, {extents, false},
                                   untyped_view<const void>(x, count, gapless));
}

void down(device_tensor& from, float* to) {
  const std::array<std::size_t, 1> count{from.shape().count()};
  dispatch_detail::downloaded(from, untyped_view<void>(to, count, gapless));
}

device_graph captured(const char* function, accelerator& on, const contraction_problem& problem,
                      std::span<const step_input> in, std::span<const step_output> out) {
  const operand_shapes shapes = shapes_of(problem);
  return capture(on, [&] {
    std::vector<device_input> inputs;
    for (std::size_t i = 0; i < in.size(); ++i)
      inputs.emplace_back(in[i].tensor ? in[i].tensor : up(on, in[i].host, shapes.in[i].extents));
    std::vector<device_output> outputs;
    for (std::size_t i = 0; i < out.size(); ++i)
      outputs.emplace_back(out[i].tensor ? out[i].tensor : new_tensor(on, shapes.out[i], function));
    run_on(function, on, problem, {}, inputs, outputs);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (out[i].host != nullptr) down(*outputs[i].tensor, out[i].host);
  });
}

}  // namespace

device_step::device_step(const char* function, std::string name, accelerator& on,
                         const contraction_problem& problem, std::span<const step_input> in,
                         std::span<const step_output> out)
    : name_(std::move(name)), graph_(captured(function, on, problem, in, out)) {}

void device_step::run(run_record& sum) {
  run_record record = graph_.submit();
  record.steps = {
      {.name = name_, .recipe = record.recipe, .device_seconds = record.device_seconds}};
  sum.add(record);
}

shared_tensor lying_on(const char* function, accelerator& on, const float* x,
                       std::span<const std::size_t> extents, run_record& sum) {
  try {
    shared_tensor tensor = up(on, x, {extents.begin(), extents.end()});
    sum.add(last_run());
    return tensor;
  } catch (const device_error& e) {
    throw device_error(message(function, ": ", e.what()));
  }
}

void fetch(const shared_tensor& from, float* to, run_record& sum) {
  down(*from, to);
  sum.add(last_run());
}

}  // namespace papilio::decompose_detail

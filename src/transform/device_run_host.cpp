// Operations of several steps that an accelerator runs on arrays of the host, in one dispatch.
#include <algorithm>
#include <variant>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"
#include "papilio/transform/candidate.hpp"
#include "papilio/transform/device_run.hpp"
#include "transform/planned_tensor.hpp"

namespace papilio::transform_detail {

namespace {

operand_shape shape_of(const auto& a) {
  return {{a.values.extents.begin(), a.values.extents.end()}, a.is_complex};
}

// Sets the type of a step, which was planned for float; arrangements have no type.
void set_type(operation& what, real_type type) {
  std::visit(
      [type](auto& p) {
        if constexpr (requires { p.type; }) p.type = type;
      },
      what);
}

// Returns the first type that no accelerator computes in, or float.
real_type type_of(std::span<const host_array> in) {
  for (const host_array& a : in)
    if (a.type != real_type::single_precision) return a.type;
  return real_type::single_precision;
}

}  // namespace

bool run_on_device_arrays(
    const device_call& c, std::span<const host_array> in, std::span<const host_result> out,
    function_ref<std::vector<shared_tensor>(const device_call&, std::span<const shared_tensor>)>
        body) {
  if (c.on.where == policy::host) return false;
  accelerator* const named = c.on.on;
  // Without operations policy::automatic means the host, and place() refuses policy::device.
  const bool is_driven = named != nullptr && named->operations() != nullptr;
  std::vector<pipeline_step> steps;
  operand_shapes arrays;
  for (const host_array& a : in) arrays.in.push_back(shape_of(a));
  for (const host_result& a : out) arrays.out.push_back(shape_of(a));
  if (!is_driven) {
    if (dispatch_detail::is_explaining())
      throw invalid_argument(base_detail::message(
          c.function, ": an accelerator must be named for its steps to be compared, got none"));
    // Nothing can be planned, so place() only throws what is wrong, or chooses the host.
    const operand_shape& shape = arrays.in[0];
    steps.push_back({.what = arrangement_problem{.in_extents = shape.extents,
                                                 .out_extents = shape.extents,
                                                 .complex_in = shape.is_complex,
                                                 .complex_out = shape.is_complex,
                                                 .boxes = {}}});
    return place(c.function, steps, arrays, c.on, host_transforms()) != nullptr;
  }
  std::vector<shared_tensor> tensors;
  for (const operand_shape& shape : arrays.in)
    tensors.push_back(std::make_shared<planned_tensor>(*named, shape));
  execution here = c.on;
  here.backend.clear();  // place() judges it
  body({c.function, c.plan_effort, here, &steps}, tensors);
  const real_type type = type_of(in);
  for (pipeline_step& step : steps) set_type(step.what, type);
  accelerator* const device = place(c.function, steps, arrays, c.on, host_transforms());
  if (device == nullptr || type != real_type::single_precision) return false;
  dispatch_detail::run_captured(c.function, *device, c.function, [&] {
    for (std::size_t i = 0; i < in.size(); ++i)
      tensors[i] = dispatch_detail::uploaded(*device, arrays.in[i], in[i].values);
    const std::vector<shared_tensor> results =
        body({c.function, c.plan_effort, here, nullptr}, tensors);
    for (std::size_t i = 0; i < out.size(); ++i)
      dispatch_detail::downloaded(*results[i], out[i].values);
  });
  return true;
}

void require_execution(const device_call& c, bool is_complex, real_type type) {
  const fft_problem p{.kind = is_complex ? fft_kind::complex : fft_kind::real,
                      .type = type,
                      .extents = {1},
                      .axes = {0},
                      .measured = c.plan_effort == effort::measure};
  if (c.on.where == policy::host)
    choose_fft(c.function, p, c.on);
  else
    place(c.function, p, c.on, host_transforms());
}

}  // namespace papilio::transform_detail

#include "chem/device_integrals.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/dispatch/device_array.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/placement.hpp"

namespace papilio::chem_detail {
namespace {

using base_detail::message;

shared_tensor up(accelerator& on, const auto& v) {
  return dispatch_detail::uploaded(on, dispatch_detail::shape_of(v.extents(), false),
                                   untyped_view<const void>(v));
}

array<float, 2> root_of(const view<const double, 2>& metric) {
  const array<double, 2> root = inverse_square_root(metric);
  array<float, 2> rounded(root.extents());
  std::ranges::transform(root, rounded.data(), [](double x) { return static_cast<float>(x); });
  return rounded;
}

}  // namespace

accelerator* integrals_on(const integral_transform_problem& problem, const execution& on) {
  if (dispatch_detail::is_plain_host(on)) return nullptr;
  return place("ao_to_mo", problem, on, host_roofline());
}

void transform_on(accelerator& on, const atomic_integrals<float>& integrals,
                  view<const float, 2> c_occ, view<const float, 2> c_vir, array<float, 3>& b,
                  const ao_to_mo_options& options) {
  const bool has_metric = !options.metric.empty();
  const integral_transform_problem problem{integrals.nbf(), c_occ.extent(1),
                                           c_vir.extent(1), integrals.auxiliaries(),
                                           has_metric,      real_type::single_precision};
  array<float, 3> unpacked;
  const view<const float, 3> eri = integrals.auxiliary_first(unpacked);
  const array<float, 2> root = has_metric ? root_of(options.metric) : array<float, 2>();
  const view<const float, 2> of_root = root.view();
  const view<float, 3> to = b.view();
  dispatch_detail::run_captured("ao_to_mo", on, to_string(operation(problem)), [&] {
    std::vector<device_input> in{up(on, eri), up(on, c_occ), up(on, c_vir)};
    if (has_metric) in.emplace_back(up(on, of_root));
    const shared_tensor result = new_tensor(on, shapes_of(problem).out[0], "ao_to_mo");
    const device_output out(result);
    run_on("ao_to_mo", on, problem, options.on.precision, in, {&out, 1});
    dispatch_detail::downloaded(*result, untyped_view<void>(to));
  });
}

shared_tensor ao_to_mo(const shared_tensor& eri, const shared_tensor& c_occ,
                       const shared_tensor& c_vir, const shared_tensor* root,
                       const ao_to_mo_options& options) {
  if (!options.metric.empty())
    throw invalid_argument(
        "ao_to_mo: of device arrays the metric must be one too, as its inverse square root");
  const auto& e = eri->shape().extents;
  const auto require = [&](const char* name, const device_tensor& t, std::size_t rows,
                           std::size_t columns) {
    const auto& own = t.shape().extents;
    if (own[0] != rows || (columns != 0 && own[1] != columns))
      throw shape_error(message("ao_to_mo: eri is ", e[0], " x ", e[1], " x ", e[2],
                                " (naux x nbf x nbf), so ", name, " must have ", rows, " rows",
                                columns == 0 ? std::string() : message(" and columns"), ", got ",
                                own[0], " x ", own[1]));
  };
  if (e[1] != e[2])
    throw shape_error(
        message("ao_to_mo: eri is ", e[0], " x ", e[1], " x ", e[2], "; must be naux x nbf x nbf"));
  require("c_occ", *c_occ, e[1], 0);
  require("c_vir", *c_vir, e[1], 0);
  if (root != nullptr) require("root", **root, e[0], e[0]);
  accelerator& on = place_device_array("ao_to_mo", eri->on("ao_to_mo"), options.on);
  const integral_transform_problem problem{
      e[1], c_occ->shape().extents[1], c_vir->shape().extents[1],
      e[0], root != nullptr,           real_type::single_precision};
  std::vector<device_input> in{eri, c_occ, c_vir};
  if (root != nullptr) in.emplace_back(*root);
  return run_to_new("ao_to_mo", on, problem, options.on.precision, in, shapes_of(problem).out)[0];
}

}  // namespace papilio::chem_detail

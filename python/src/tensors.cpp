// Contractions and decompositions over numpy's arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "accelerated.hpp"
#include "adopted.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/contract.hpp"
#include "papilio/decompose.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using pairs = std::vector<std::pair<std::size_t, std::size_t>>;
using bools = nb::ndarray<const bool, nb::device::cpu>;

/// Subscripts as text, or numbers: those of each operand, and of the result where it has any.
using written =
    std::variant<std::string,
                 std::pair<std::vector<std::vector<int>>, std::optional<std::vector<int>>>>;

/// Calls visitor(subscripts) with what the library takes.
template <class Visitor>
auto with_subscripts(const written& as, const Visitor& visitor) {
  if (const auto* const text = std::get_if<std::string>(&as)) return visitor(*text);
  const auto& [inputs, output] = std::get<1>(as);
  return visitor(einsum_labels{inputs, output});
}

element common(element a, element b) {
  return {a.is_complex || b.is_complex, std::max(a.type, b.type)};
}

/// Calls visitor(T()) for the element type.
template <class Visitor>
auto visit(const element& e, const Visitor& visitor) {
  if (e.type == real_type::single_precision)
    return e.is_complex ? visitor(std::complex<float>()) : visitor(float());
  return e.is_complex ? visitor(std::complex<double>()) : visitor(double());
}
template <class Visitor>
auto visit_real(const element& e, const Visitor& visitor) {
  return e.type == real_type::single_precision ? visitor(float()) : visitor(double());
}

template <class T>
tensor_view<const T> view_of(const ndarray& a) {
  return {static_cast<const T*>(a.data()), a.extents(), a.strides()};
}

path_options path_of_options(const std::string& search, double seconds, std::uint64_t seed) {
  path_options options{.search = path_search_of(search)};
  options.seconds = seconds;
  options.seed = seed;
  return options;
}

einsum_options options_of(const std::optional<pairs>& path, const std::string& search,
                          const call_place& place) {
  einsum_options options{.path = path_of_options(search, 1, 0), .on = place.on()};
  if (path) {
    options.pairs.emplace();
    for (const auto& [a, b] : *path) options.pairs->push_back({a, b});
  }
  return options;
}

/// Operands of numpy, in the type that holds all of them.
std::vector<ndarray> in_common_type(const char* function, const std::vector<nb::object>& operands) {
  std::vector<ndarray> arrays;
  for (const nb::object& x : operands)
    arrays.push_back(ndarray::in_float_or_double(function, x, "an operand"));
  element type = arrays[0].type();
  for (const ndarray& a : arrays) type = common(type, a.type());
  for (ndarray& a : arrays)
    if (a.type() != type) {
      ndarray same = ndarray::operand(function, a.object(), {a.type().is_complex, type.type});
      a = fitted(same, same.extents(), type);
    }
  return arrays;
}

nb::object einsum_on_device(call_place& place, const written& subscripts,
                            const std::vector<shared_tensor>& operands,
                            const einsum_options& options) {
  const auto* const text = std::get_if<std::string>(&subscripts);
  if (text == nullptr) throw nb::type_error("einsum: the subscripts of device arrays must be text");
  std::vector<std::vector<std::size_t>> extents;
  for (const shared_tensor& t : operands) extents.push_back(t->shape().extents);
  shared_tensor result;
  place.run([&] {
    const std::size_t rank = parse_einsum(*text, extents).network.output.size();
    result = contract_detail::einsum_on_device(*text, operands, rank, options);
  });
  return place.result(std::move(result));
}

nb::object einsum_of(const written& subscripts, const std::vector<nb::object>& operands,
                     const std::optional<pairs>& path, const std::string& search,
                     std::optional<int> workers, nb::handle on) {
  if (operands.empty()) throw invalid_argument("einsum: at least one operand");
  call_place place("einsum", workers, on);
  const auto there = place.tensors(operands);
  const einsum_options options = options_of(path, search, place);
  if (!there.empty()) return einsum_on_device(place, subscripts, there, options);
  const std::vector<ndarray> arrays = in_common_type("einsum", operands);
  return visit(arrays[0].type(), [&]<class T>(T) -> nb::object {
    std::vector<tensor_view<const T>> views;
    for (const ndarray& a : arrays) views.push_back(view_of<T>(a));
    tensor<T> result;
    place.run([&] {
      result = with_subscripts(
          subscripts, [&](const auto& s) { return contract_detail::einsum<T>(s, views, options); });
    });
    return adopted(std::move(result));
  });
}

/// The gradients by device arrays, the last of which is the gradient by the result.
template <class T>
nb::list gradients_on_device(call_place& place, const written& subscripts,
                             const std::vector<shared_tensor>& arrays,
                             const einsum_options& options) {
  std::vector<device_ndarray<T>> operands;
  std::vector<tensor_view<const T>> shapes;  // a plan reads extents and strides alone
  for (const shared_tensor& t : arrays) {
    if (t->shape().is_complex != !std::is_floating_point_v<T>)
      throw nb::type_error("einsum_vjp: device arrays must be real all, or complex all");
    operands.emplace_back(t);
    shapes.emplace_back(nullptr, t->shape().extents);
  }
  const device_ndarray<T> by_result = operands.back();
  operands.pop_back();
  shapes.pop_back();
  std::vector<device_ndarray<T>> results;
  place.run([&] {
    results = with_subscripts(subscripts, [&](const auto& s) {
      return contract_detail::plan<T>("einsum_vjp", s, shapes, options)
          .vjp(by_result, std::span<const device_ndarray<T>>(operands));
    });
  });
  nb::list all;
  for (const device_ndarray<T>& r : results) all.append(place.result(r.tensor("einsum_vjp")));
  return all;
}

nb::list einsum_vjp_of(const written& subscripts, nb::object gradient,
                       std::vector<nb::object> operands, const std::optional<pairs>& path,
                       const std::string& search, std::optional<int> workers, nb::handle on) {
  if (operands.empty()) throw invalid_argument("einsum_vjp: at least one operand");
  call_place place("einsum_vjp", workers, on);
  operands.push_back(std::move(gradient));
  const auto there = place.tensors(operands);
  const einsum_options options = options_of(path, search, place);
  if (!there.empty())
    return there[0]->shape().is_complex
               ? gradients_on_device<std::complex<float>>(place, subscripts, there, options)
               : gradients_on_device<float>(place, subscripts, there, options);
  const std::vector<ndarray> arrays = in_common_type("einsum_vjp", operands);
  return visit(arrays[0].type(), [&]<class T>(T) -> nb::list {
    std::vector<tensor_view<const T>> views;
    for (const ndarray& a : arrays) views.push_back(view_of<T>(a));
    const tensor_view<const T> by_result = views.back();
    views.pop_back();
    std::vector<tensor<T>> results;
    place.run([&] {
      results = with_subscripts(subscripts, [&](const auto& s) {
        return contract_detail::plan<T>("einsum_vjp", s, views, options)
            .vjp(by_result, std::span<const tensor_view<const T>>(views));
      });
    });
    nb::list all;
    for (tensor<T>& r : results) all.append(adopted(std::move(r)));
    return all;
  });
}

nb::dict path_found(const written& subscripts, const std::vector<std::vector<std::size_t>>& extents,
                    const std::string& search, double seconds, std::uint64_t seed) {
  contraction_path found;
  {
    const without_gil released;
    const einsum_expression expression =
        with_subscripts(subscripts, [&](const auto& s) { return parse_einsum(s, extents); });
    found = find_path(expression.network, path_of_options(search, seconds, seed));
  }
  nb::list steps;
  for (const auto& [a, b] : found.pairs) steps.append(nb::make_tuple(a, b));
  nb::dict d;
  d["path"] = steps;
  d["flops"] = found.flops;
  d["largest_intermediate"] = found.largest;
  d["search"] = to_string(found.search);
  return d;
}

// Ctrl-C ends an iteration after its sweep. Who calls keeps the callback: copies of it here are made
// without the GIL.
progress_callback watching(nb::handle callback) {
  return [callback](const decomposition_progress& p) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (callback.is_none()) return true;
    const nb::object answer = callback(p.iteration, p.relative_error);
    return answer.is_none() || nb::cast<bool>(nb::bool_(answer));
  };
}

template <class T, std::size_t Rank>
nb::list listed(std::vector<array<T, Rank>> arrays) {
  nb::list l;
  for (array<T, Rank>& a : arrays) l.append(adopted(std::move(a)));
  return l;
}

nb::tuple cp_of(nb::handle x, std::size_t rank, std::size_t iterations, double tolerance,
                bool nonnegative, const std::string& start, std::uint64_t seed,
                const std::optional<bools>& mask, nb::object progress, std::optional<int> workers,
                nb::handle on) {
  if (start != "random" && start != "svd")
    throw invalid_argument(message("cp: start must be random or svd, got ", start));
  const ndarray in = ndarray::in_float_or_double("cp", x);
  if (in.type().is_complex) throw nb::type_error("cp: x must be real, got complex numbers");
  call_place place("cp", workers, on);
  std::vector<std::size_t> extents;
  std::vector<std::ptrdiff_t> strides;
  for (std::size_t i = 0; mask && i < mask->ndim(); ++i) {
    extents.push_back(mask->shape(i));
    strides.push_back(static_cast<std::ptrdiff_t>(mask->stride(i)));
  }
  return visit_real(in.type(), [&]<class T>(T) -> nb::tuple {
    cp_options<T> options;
    if (mask) options.mask.emplace(mask->data(), extents, strides);
    options.max_iterations = iterations;
    options.tolerance = tolerance;
    options.nonnegative = nonnegative;
    options.start = start == "svd" ? cp_start::svd : cp_start::random;
    options.seed = seed;
    options.on = place.on();
    options.progress = watching(progress);
    cp_result<T> r;
    place.run([&] { r = cp_als(view_of<T>(in), rank, options); });
    options.progress = {};
    return nb::make_tuple(adopted(std::move(r.weights)), listed(std::move(r.factors)),
                          r.relative_error, r.iteration.history, r.iteration.converged);
  });
}

nb::tuple tucker_of(nb::handle x, std::vector<std::size_t> ranks, std::optional<double> tolerance,
                    std::size_t iterations, nb::object progress, std::optional<int> workers,
                    nb::handle on) {
  const ndarray in = ndarray::in_float_or_double("tucker", x);
  if (in.type().is_complex) throw nb::type_error("tucker: x must be real, got complex numbers");
  call_place place("tucker", workers, on);
  return visit_real(in.type(), [&]<class T>(T) -> nb::tuple {
    tucker_result<T> r;
    if (iterations == 0) {
      tucker_options options{.ranks = std::move(ranks), .tolerance = tolerance};
      options.on = place.on();
      place.run([&] { r = tucker_sthosvd(view_of<T>(in), options); });
    } else {
      hooi_options options{
          .ranks = std::move(ranks), .tolerance = tolerance, .max_iterations = iterations};
      options.on = place.on();
      options.progress = watching(progress);
      place.run([&] { r = tucker_hooi(view_of<T>(in), options); });
    }
    return nb::make_tuple(adopted(std::move(r.core)), listed(std::move(r.factors)),
                          r.relative_error);
  });
}

nb::tuple train_of(nb::handle x, std::vector<std::size_t> ranks, std::optional<double> tolerance,
                   std::optional<int> workers, nb::handle on) {
  call_place place("tt", workers, on);
  const ndarray in = ndarray::in_float_or_double("tt", x);
  if (in.type().is_complex) throw nb::type_error("tt: x must be real, got complex numbers");
  tt_options options{.max_ranks = std::move(ranks), .tolerance = tolerance};
  options.on = place.on();
  return visit_real(in.type(), [&]<class T>(T) -> nb::tuple {
    tt_result<T> r;
    place.run([&] { r = tt_svd(view_of<T>(in), options); });
    return nb::make_tuple(listed(std::move(r.cores)), r.relative_error);
  });
}

}  // namespace

void define_tensors(nb::module_& m) {
  m.def("einsum", &einsum_of, nb::arg("subscripts"), nb::arg("operands"), nb::arg("path").none(),
        nb::arg("search"), nb::arg("workers").none(), nb::arg("on").none());
  m.def("einsum_vjp", &einsum_vjp_of, nb::arg("subscripts"), nb::arg("gradient"),
        nb::arg("operands"), nb::arg("path").none(), nb::arg("search"), nb::arg("workers").none(),
        nb::arg("on").none());
  m.def("contract_path", &path_found, nb::arg("subscripts"), nb::arg("shapes"), nb::arg("search"),
        nb::arg("seconds"), nb::arg("seed"));
  m.def("cp", &cp_of, nb::arg("x"), nb::arg("rank"), nb::arg("iterations"), nb::arg("tolerance"),
        nb::arg("nonnegative"), nb::arg("start"), nb::arg("seed"), nb::arg("mask").none(),
        nb::arg("progress").none(), nb::arg("workers").none(), nb::arg("on").none());
  m.def("tucker", &tucker_of, nb::arg("x"), nb::arg("ranks"), nb::arg("tolerance").none(),
        nb::arg("iterations"), nb::arg("progress").none(), nb::arg("workers").none(),
        nb::arg("on").none());
  m.def("tt", &train_of, nb::arg("x"), nb::arg("ranks"), nb::arg("tolerance").none(),
        nb::arg("workers").none(), nb::arg("on").none());
}

}  // namespace papilio::python

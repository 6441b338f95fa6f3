// papilio.signal: masks of spectra over numpy's arrays.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <span>
#include <type_traits>

#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/mask.hpp"

namespace papilio::python {
namespace {

/// A part of an array, at one index along its first axis.
template <class Void>
untyped_view<Void> part_of(untyped_view<Void> v, std::size_t index, std::size_t size) {
  using byte = std::conditional_t<std::is_const_v<Void>, const std::byte, std::byte>;
  const auto steps = static_cast<std::ptrdiff_t>(index * size) * v.strides[0];
  return {static_cast<byte*>(v.data) + steps, v.extents.subspan(1), v.strides.subspan(1)};
}

template <class T, class Void>
view<T, 3> of_three_axes(const untyped_view<Void>& v) {
  extents_type<3> extents{1, 1, 1};
  strides_type<3> strides{};
  const auto rank = static_cast<std::ptrdiff_t>(v.extents.size());
  std::ranges::copy(v.extents, extents.end() - rank);
  std::ranges::copy(v.strides, strides.end() - rank);
  return {static_cast<T*>(v.data), extents, strides};
}

/// Calls f(a, b, out) with views of three axes; further ones are taken one after the other.
template <class A, class B, class Out, class Function>
void walk(untyped_view<const void> a, untyped_view<const void> b, untyped_view<void> out,
          const Function& f) {
  if (a.extents.size() <= 3)
    return f(of_three_axes<const A>(a), of_three_axes<const B>(b), of_three_axes<Out>(out));
  for (std::size_t i = 0; i < a.extents[0]; ++i)
    walk<A, B, Out>(part_of(a, i, sizeof(A)), part_of(b, i, sizeof(B)),
                    part_of(out, i, sizeof(Out)), f);
}

/// x as elements `as`, repeated to these extents.
ndarray repeated(const char* function, const char* name, nb::handle x, element as,
                 std::span<const std::size_t> extents) {
  const ndarray in = ndarray::operand(function, x, as, name);
  if (std::ranges::equal(in.extents(), extents)) return in;
  nb::list shape;
  for (const std::size_t e : extents) shape.append(e);
  try {
    const nb::object all = nb::module_::import_("numpy").attr("broadcast_to")(in.object(), shape);
    return ndarray::operand(function, all, as);
  } catch (const nb::python_error&) {
    const nb::object its = in.object().attr("shape"), theirs = nb::tuple(shape);
    throw shape_error(base_detail::message(function, ": operands of shapes ", nb::str(its).c_str(),
                                           " and ", nb::str(theirs).c_str(), " do not fit"));
  }
}

/// out = f(a, b), of equal extents.
template <class A, class B, class Out, class Function>
void fill(const ndarray& a, const ndarray& b, const ndarray& out, const Function& f) {
  if (out.size() == 0) return;
  const without_gil released;
  walk<A, B, Out>(a, b, out, f);
}

ndarray result_of(const char* function, nb::handle out, element type, const ndarray& like) {
  return out.is_none() ? ndarray::uninitialized(type, like.extents())
                       : ndarray::output(function, out, type, like.extents());
}

numpy_array applied(nb::handle spectra, nb::handle mask, nb::object out,
                    std::optional<int> workers) {
  const char* const function = "apply_mask";
  const element type = ndarray::in_float_or_double(function, spectra, "spectra").type().complex();
  const ndarray in = ndarray::operand(function, spectra, type);
  const bool is_complex = ndarray::in_float_or_double(function, mask, "mask").type().is_complex;
  const ndarray by = repeated(function, "mask", mask, {is_complex, type.type}, in.extents());
  const ndarray to = result_of(function, out, type, in);
  const int threads = workers_of(workers);
  visit_signal(type, [&]<class T>(T) {
    using C = std::complex<T>;
    const auto apply = [=](auto x, auto m, view<C, 3> y) { apply_mask<T, 3>(x, m, y, threads); };
    if (is_complex)
      fill<C, C, C>(in, by, to, apply);
    else
      fill<C, T, C>(in, by, to, apply);
  });
  return to.object();
}

template <class Function>
numpy_array of_powers(const char* function, nb::handle signal, nb::handle noise, nb::handle out,
                      const Function& f) {
  const ndarray s = real_operand(function, "signal_power", signal);
  real_operand(function, "noise_power", noise);
  const ndarray n = repeated(function, "noise_power", noise, s.type(), s.extents());
  const ndarray to = result_of(function, out, s.type(), s);
  visit_signal(s.type(), [&]<class T>(T) { fill<T, T, T>(s, n, to, f); });
  return to.object();
}

numpy_array ratio(nb::handle signal, nb::handle noise, double exponent, nb::object out,
                  std::optional<int> workers) {
  const int threads = workers_of(workers);
  return of_powers("ratio_mask", signal, noise, out,
                   [=]<class T>(view<const T, 3> s, view<const T, 3> n, view<T, 3> y) {
                     ratio_mask<T, 3>(s, n, y, exponent, threads);
                   });
}

numpy_array wiener(nb::handle signal, nb::handle noise, nb::object out,
                   std::optional<int> workers) {
  const int threads = workers_of(workers);
  return of_powers("wiener_mask", signal, noise, out,
                   [=]<class T>(view<const T, 3> s, view<const T, 3> n, view<T, 3> y) {
                     wiener_mask<T, 3>(s, n, y, threads);
                   });
}

numpy_array complex_ratio(nb::handle target, nb::handle mixture, nb::object out,
                          std::optional<int> workers) {
  const char* const function = "complex_ratio_mask";
  const element type = ndarray::in_float_or_double(function, target, "target").type().complex();
  const ndarray t = ndarray::operand(function, target, type, "target");
  const ndarray m = repeated(function, "mixture", mixture, type, t.extents());
  const ndarray to = result_of(function, out, type, t);
  const int threads = workers_of(workers);
  visit_signal(type, [&]<class T>(T) {
    using C = std::complex<T>;
    fill<C, C, C>(t, m, to, [=](view<const C, 3> a, view<const C, 3> b, view<C, 3> y) {
      complex_ratio_mask<T, 3>(a, b, y, threads);
    });
  });
  return to.object();
}

}  // namespace

void define_masks(nb::module_& m) {
  m.def("apply_mask", &applied, nb::arg("spectra"), nb::arg("mask"), nb::arg("out").none(),
        nb::arg("workers").none());
  m.def("ratio_mask", &ratio, nb::arg("signal_power"), nb::arg("noise_power"), nb::arg("exponent"),
        nb::arg("out").none(), nb::arg("workers").none());
  m.def("wiener_mask", &wiener, nb::arg("signal_power"), nb::arg("noise_power"),
        nb::arg("out").none(), nb::arg("workers").none());
  m.def("complex_ratio_mask", &complex_ratio, nb::arg("target"), nb::arg("mixture"),
        nb::arg("out").none(), nb::arg("workers").none());
}

}  // namespace papilio::python

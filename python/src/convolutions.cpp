// papilio.signal: convolutions and the chirp z-transform over numpy's arrays.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "adopted.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/transform/convolution.hpp"
#include "papilio/transform/frequencies.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

/// Axes that the convolutions are compiled for; operands with fewer get axes of extent 1 in front.
constexpr std::size_t most_axes = 6;

template <class T>
view<const T, most_axes> of_most_axes(const ndarray& x) {
  extents_type<most_axes> extents;
  extents.fill(1);
  strides_type<most_axes> strides{};
  const auto rank = static_cast<std::ptrdiff_t>(x.rank());
  std::ranges::copy(x.extents(), extents.end() - rank);
  std::ranges::copy(x.strides(), strides.end() - rank);
  return {static_cast<const T*>(x.data()), extents, strides};
}

convolution_mode mode_of(const char* function, const std::string& mode) {
  if (mode == "full") return convolution_mode::full;
  if (mode == "same") return convolution_mode::same;
  if (mode == "valid") return convolution_mode::valid;
  throw invalid_argument(message(function, ": mode must be full, same or valid, got ", mode));
}

/// Axes counted from the last, as operands with axes in front have them too.
index_list from_the_last(const char* function, const index_list& given, std::size_t rank) {
  if (!given.is_given()) return {};
  std::vector<std::ptrdiff_t> axes;
  for (const std::ptrdiff_t a : given.values())
    axes.push_back(static_cast<std::ptrdiff_t>(transform_detail::checked_axis(function, a, rank)) -
                   static_cast<std::ptrdiff_t>(rank));
  return axes;
}

numpy_array convolution(nb::handle x, nb::handle y, const std::string& mode,
                        const std::optional<std::vector<std::ptrdiff_t>>& axes, bool in_blocks,
                        std::optional<int> workers) {
  const char* const function = in_blocks ? "oaconvolve" : "fftconvolve";
  ndarray a = ndarray::operand(function, x), b = ndarray::operand(function, y, "y");
  if (a.rank() != b.rank())
    throw shape_error(
        message(function, ": operands must have as many axes, got ", a.rank(), " and ", b.rank()));
  if (a.rank() > most_axes)
    throw shape_error(
        message(function, ": operands must have at most ", most_axes, " axes, got ", a.rank()));
  const element type{a.type().is_complex || b.type().is_complex,
                     std::max(a.type().type, b.type().type)};
  a = ndarray::operand(function, a.object(), type);
  b = ndarray::operand(function, b.object(), type, "y");
  const convolution_mode kept = mode_of(function, mode);
  const index_list along = axes ? index_list(*axes) : index_list();
  // The check is of the caller's axes, which messages name.
  transform_detail::checked_convolution(function, a.extents(), b.extents(), kept, along,
                                        !type.is_complex, in_blocks);
  convolution_options options{.mode = kept, .axes = from_the_last(function, along, a.rank())};
  options.on.threads = workers_of(workers);
  const auto run = [&]<class E>(E) -> nb::object {
    array<E, most_axes> result;
    {
      const without_gil released;
      result = in_blocks ? oaconvolve(of_most_axes<E>(a), of_most_axes<E>(b), options)
                         : fftconvolve(of_most_axes<E>(a), of_most_axes<E>(b), options);
    }
    if (result.empty()) return adopted(std::move(result), {0});
    const std::vector<std::size_t> extents(
        result.extents().end() - static_cast<std::ptrdiff_t>(a.rank()), result.extents().end());
    return adopted(std::move(result), extents);
  };
  const auto of_real = [&]<class T>(T) {
    return type.is_complex ? run(std::complex<T>()) : run(T());
  };
  switch (type.type) {
    case real_type::single_precision:
      return of_real(float());
    case real_type::double_precision:
      return of_real(double());
    case real_type::extended_precision:
      break;
  }
  return of_real(static_cast<long double>(0));
}

numpy_array chirp_z_of(const ndarray& in, czt_options options, std::optional<int> workers) {
  const std::optional<std::ptrdiff_t> m = options.m;
  options.on.threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const auto run = [&]<class E>(E) {
      const lines_of<const E, 1> signals("czt", in);
      if (signals.extent(0) == 0)
        throw invalid_argument("czt: x must have at least 1 sample, got 0");
      if (m && *m < 1) throw invalid_argument(message("czt: m must be at least 1, got ", *m));
      const std::size_t points = m ? static_cast<std::size_t>(*m) : signals.extent(0);
      const ndarray out = ndarray::uninitialized({true, in.type().type}, signals.with({points}));
      signals.each([&](view<const E, 2> lines, std::size_t first) {
        using C = std::complex<T>;
        std::ranges::copy(czt(lines, options),
                          rows_of<C, 2>(out, first, {lines.extent(0), points}).data());
      });
      return out.object();
    };
    return in.type().is_complex ? run(std::complex<T>()) : run(T());
  });
}

numpy_array chirp_z(nb::handle x, std::optional<std::ptrdiff_t> m,
                    std::optional<std::complex<double>> w, std::complex<double> a,
                    std::optional<int> workers) {
  return chirp_z_of(ndarray::in_float_or_double("czt", x), {.m = m, .w = w, .a = a}, workers);
}

// There are m points; `steps` of them reach from one frequency to the other.
numpy_array zoomed(nb::handle x, double from, double to, double fs, std::ptrdiff_t m,
                   std::ptrdiff_t steps, std::optional<int> workers) {
  const long double first = static_cast<long double>(from) / fs;
  const long double band = (static_cast<long double>(to) - static_cast<long double>(from)) / fs;
  return chirp_z_of(
      ndarray::in_float_or_double("zoom_fft", x),
      {.m = m, .step_turns = band / static_cast<long double>(steps), .first_turns = first},
      workers);
}

}  // namespace

void define_convolutions(nb::module_& m) {
  m.def("convolve", &convolution, nb::arg("x"), nb::arg("y"), nb::arg("mode"),
        nb::arg("axes").none(), nb::arg("in_blocks"), nb::arg("workers").none());
  m.def("czt", &chirp_z, nb::arg("x"), nb::arg("m").none(), nb::arg("w").none(), nb::arg("a"),
        nb::arg("workers").none());
  m.def("zoom", &zoomed, nb::arg("x"), nb::arg("first"), nb::arg("to"), nb::arg("fs"), nb::arg("m"),
        nb::arg("steps"), nb::arg("workers").none());
}

}  // namespace papilio::python

// papilio.fft: the transforms of numpy.fft and scipy.fft over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accelerated.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/overlap.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/transform/device_run.hpp"
#include "papilio/transform/run.hpp"
#include "papilio/transform/trigonometric.hpp"
#include "transform/smooth_length.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using transform_detail::line_problem;
using transform_detail::transform_form;

using length = std::optional<std::ptrdiff_t>;

thread_local int default_workers = 1;

}  // namespace

int workers_of(const std::optional<int>& workers) {
  if (!workers) return default_workers;
  const int all = thread_count(0);
  if (*workers == 0) throw invalid_argument("workers must not be zero");
  const int count = *workers < 0 ? *workers + all + 1 : *workers;
  if (count < 1)
    throw invalid_argument(
        message("workers value out of range; got ", *workers, ", must not be less than ", -all));
  return count;
}

namespace {

normalization norm_of(const std::optional<std::string>& norm) {
  if (!norm || *norm == "backward") return normalization::backward;
  if (*norm == "ortho") return normalization::orthonormal;
  if (*norm == "forward") return normalization::forward;
  throw invalid_argument(
      message("Invalid norm value \"", *norm, R"("; should be "backward", "ortho" or "forward".)"));
}

std::size_t length_of(const char* function, std::ptrdiff_t n) {
  if (n < 1)
    throw invalid_argument(
        message(function, ": invalid number of data points (", n, ") specified"));
  return static_cast<std::size_t>(n);
}

/// What the functions along one axis have in common.
struct line_call {
  const char* function;
  ndarray x;
  std::size_t axis, n;
  normalization norm;
  call_place& place;
  nb::object out;
  bool overwrites;

  std::vector<std::size_t> extents(std::size_t along) const {
    std::vector<std::size_t> e(x.extents().begin(), x.extents().end());
    e[axis] = along;
    return e;
  }
  ndarray result(element of, std::size_t along) const {
    const auto e = extents(along);
    return out.is_none() ? ndarray::uninitialized(of, e) : ndarray::output(function, out, of, e);
  }
  void run(transform_form form, const ndarray& in, const ndarray& to) const {
    if (to.size() == 0) return;
    place.run([&] {
      const transform_plan plan(function, line_problem{form, to.type().type, n, false}, place.on(),
                                in.extents(), axis);
      plan.execute(function, in, to, static_cast<std::ptrdiff_t>(axis));
    });
  }
};

/// Whether the result takes the place of x, which whoever calls has given away: x itself is what is
/// transformed, in the result's extents, and no two of its elements share memory.
bool takes_place_of(const ndarray& x, const ndarray& in, std::span<const std::size_t> extents) {
  if (!in.object().is(x.object()) || !x.is_writable() || !std::ranges::equal(x.extents(), extents))
    return false;
  try {
    base_detail::require_distinct("", x.extents(), x.strides());
    return true;
  } catch (const error&) {
    return false;
  }
}

line_call call_of(const char* function, nb::handle x, length n, std::ptrdiff_t axis,
                  const std::optional<std::string>& norm, bool overwrite, call_place& place,
                  nb::object out, bool from_bins = false) {
  line_call c{function, ndarray::operand(function, x), 0, 0, norm_of(norm), place, std::move(out),
              overwrite};
  c.axis = transform_detail::checked_axis(function, axis, c.x.rank());
  const auto extent = static_cast<std::ptrdiff_t>(c.x.extent(c.axis));
  c.n = length_of(function, n ? *n : from_bins ? 2 * (extent - 1) : extent);
  return c;
}

nb::object complex_line(const line_call& c, direction dir) {
  const element type = c.x.type();
  if (type.is_complex) {
    const auto e = c.extents(c.n);
    const ndarray in = fitted(c.x, e, type);
    const bool in_place = c.overwrites && c.out.is_none() && takes_place_of(c.x, in, e);
    const ndarray to = in_place ? in : c.result(type, c.n);
    c.run({fft_kind::complex, dir, c.norm}, in, to);
    return to.object();
  }
  // Real numbers go through the real transform; the other half of the spectrum is its mirror image.
  const bool inverse = dir == direction::inverse;
  const ndarray to = c.result(type.complex(), c.n);
  if (to.size() == 0) return to.object();
  const normalization norm = inverse ? transform_detail::swapped(c.norm) : c.norm;
  c.run({fft_kind::real, direction::forward, norm}, fitted(c.x, c.extents(c.n), type),
        to.first(c.axis, c.n / 2 + 1));
  {
    const without_gil released;
    const int threads = c.place.on().threads;
    const untyped_view<void> all = to;
    switch (type.type) {
      case real_type::single_precision:
        transform_detail::complete_hermitian<float>(all, c.axis, inverse, threads);
        break;
      case real_type::double_precision:
        transform_detail::complete_hermitian<double>(all, c.axis, inverse, threads);
        break;
      case real_type::extended_precision:
        transform_detail::complete_hermitian<long double>(all, c.axis, inverse, threads);
        break;
    }
  }
  return to.object();
}

void require_real(const line_call& c) {
  if (c.x.type().is_complex)
    throw nb::type_error(message(c.function, ": x must be real, got complex numbers").c_str());
}

nb::object real_forward(const line_call& c, bool conjugate) {
  require_real(c);
  const element type = c.x.type();
  const ndarray to = c.result(type.complex(), c.n / 2 + 1);
  c.run(
      {fft_kind::real, direction::forward, conjugate ? transform_detail::swapped(c.norm) : c.norm},
      fitted(c.x, c.extents(c.n), type), to);
  if (!conjugate) return to.object();
  const ndarray conjugated = fitted(to, to.extents(), to.type(), true);
  if (c.out.is_none()) return conjugated.object();
  nb::module_::import_("numpy").attr("copyto")(to.object(), conjugated.object());
  return to.object();
}

nb::object real_inverse(const line_call& c, bool conjugate) {
  const element type = c.x.type().complex();
  const ndarray in = fitted(c.x, c.extents(c.n / 2 + 1), type, conjugate && c.x.type().is_complex);
  const ndarray to = c.result(type.real(), c.n);
  c.run(
      {fft_kind::real, direction::inverse, conjugate ? transform_detail::swapped(c.norm) : c.norm},
      in, to);
  return to.object();
}

nb::object trigonometric_on_device(call_place& place, fft_kind kind, direction dir, int type,
                                   const shared_tensor& x, length n, std::ptrdiff_t axis,
                                   const std::optional<std::string>& norm) {
  const char* const function = place.function();
  const std::size_t along =
      transform_detail::checked_axis(function, axis, x->shape().extents.size());
  const std::size_t points =
      transform_detail::checked_length(function, n, x->shape().extents[along]);
  transform_detail::require_trigonometric_type(function, type, points, kind == fft_kind::cosine);
  const transform_detail::device_call call{function, effort::estimate, place.on()};
  const transform_form form(kind, dir, norm_of(norm), type);
  shared_tensor y;
  place.run([&] {
    y = transform_detail::trigonometric_on_device(call, form, x,
                                                  {.axes = {along}, .lengths = {points}});
  });
  return place.result(std::move(y));
}

nb::object trigonometric(const line_call& c, fft_kind kind, direction dir, int type) {
  transform_detail::require_trigonometric_type(c.function, type, c.n, kind == fft_kind::cosine);
  const auto e = c.extents(c.n);
  const ndarray in = fitted(c.x, e, c.x.type());
  const bool in_place = c.overwrites && c.out.is_none() && takes_place_of(c.x, in, e);
  const ndarray to = in_place ? in : c.result(in.type(), c.n);
  const transform_form form(kind, dir, c.norm, type);
  if (!in.type().is_complex) {
    c.run(form, in, to);
  } else {
    for (const int part : {0, 1}) c.run(form, in.part(part), to.part(part));
  }
  return to.object();
}

/// Numbers of an argument that is one, or several, or None.
std::optional<std::vector<length>> lengths_of(const char* function, const char* name,
                                              nb::handle values) {
  if (values.is_none()) return std::nullopt;
  std::vector<length> all;
  const auto add = [&](nb::handle v) {
    if (v.is_none()) return all.push_back(std::nullopt);
    const Py_ssize_t n = PyNumber_AsSsize_t(v.ptr(), PyExc_OverflowError);
    if (n == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    all.push_back(n);
  };
  if (PyIndex_Check(values.ptr())) {
    add(values);
  } else if (PySequence_Check(values.ptr()) != 0) {
    for (const nb::handle v : values) add(v);
  } else {
    throw invalid_argument(
        message(function, ": ", name, " must be an integer, a sequence of integers, or None"));
  }
  return all;
}

/// Axes of a transform along several, and the length along each.
struct grid {
  std::vector<std::size_t> axes, lengths;
};

grid grid_of(const char* function, std::span<const std::size_t> extents, nb::handle s,
             nb::handle axes, bool from_bins) {
  const auto lengths = lengths_of(function, "s", s);
  const auto named = lengths_of(function, "axes", axes);
  grid g;
  if (named) {
    for (const length& a : *named) {
      if (!a) throw invalid_argument(message(function, ": axes must be integers"));
      g.axes.push_back(transform_detail::checked_axis(function, *a, extents.size()));
    }
    if (lengths && lengths->size() != g.axes.size())
      throw invalid_argument(message(
          function, ": when given, axes and shape arguments have to be of the same length"));
  } else {
    const std::size_t count = lengths ? lengths->size() : extents.size();
    if (count > extents.size())
      throw invalid_argument(message(function, ": shape requires more axes than are present"));
    for (std::size_t i = extents.size() - count; i < extents.size(); ++i) g.axes.push_back(i);
  }
  for (std::size_t i = 0; i < g.axes.size(); ++i) {
    if (std::ranges::count(g.axes, g.axes[i]) > 1)
      throw invalid_argument(message(function, ": all axes must be unique"));
    const auto extent = static_cast<std::ptrdiff_t>(extents[g.axes[i]]);
    const bool given = lengths && (*lengths)[i] && *(*lengths)[i] != -1;
    const bool halved = from_bins && i + 1 == g.axes.size();
    g.lengths.push_back(length_of(function, given    ? *(*lengths)[i]
                                            : halved ? 2 * (extent - 1)
                                                     : extent));
  }
  return g;
}

/// Lines of a device array: of one of the functions along one axis, its direction, and whether it is of
/// Hermitian signals.
nb::object line_on_device(call_place& place, fft_kind kind, direction dir, bool is_hermitian,
                          const shared_tensor& x, length n, std::ptrdiff_t axis,
                          const std::optional<std::string>& norm, nb::handle out) {
  const char* const function = place.function();
  const bool is_real = kind == fft_kind::real && (dir == direction::forward) != is_hermitian;
  if (is_real && x->shape().is_complex)
    throw nb::type_error(message(function, ": x must be real, got complex numbers").c_str());
  if (!out.is_none())
    throw nb::type_error(message(function, ": out must be None for a device array").c_str());
  const line_options options{.n = n, .axis = axis, .norm = norm_of(norm), .on = place.on()};
  shared_tensor y;
  place.run([&] {
    y = kind == fft_kind::complex
            ? transform_detail::complex_line_on_device(function, dir, x, options)
        : is_hermitian ? transform_detail::hermitian_line_on_device(function, dir, x, options)
                       : transform_detail::real_line_on_device(function, dir, x, options);
  });
  return place.result(std::move(y));
}

shared_tensor grid_tensor(const transform_detail::device_call& call, fft_kind kind, direction dir,
                          normalization norm, const shared_tensor& x,
                          const transform_detail::grid_axes& along) {
  return kind == fft_kind::real
             ? transform_detail::real_grid_on_device(call, dir, norm, x, along)
             : transform_detail::complex_grid_on_device(call, {kind, dir, norm}, x, along);
}

nb::object grid_on_device(call_place& place, fft_kind kind, direction dir, const shared_tensor& x,
                          nb::handle s, nb::handle axes, const std::optional<std::string>& norm) {
  const char* const function = place.function();
  const bool is_real = kind == fft_kind::real, inverse = dir == direction::inverse;
  if (is_real && !inverse && x->shape().is_complex)
    throw nb::type_error(message(function, ": x must be real, got complex numbers").c_str());
  const grid g = grid_of(function, x->shape().extents, s, axes, is_real && inverse);
  if (g.axes.empty())
    throw invalid_argument(message(function, ": at least 1 axis must be transformed"));
  const transform_detail::grid_axes along{.axes = g.axes, .lengths = g.lengths};
  const transform_detail::device_call call{function, effort::estimate, place.on()};
  const normalization factor = norm_of(norm);
  shared_tensor y;
  place.run([&] { y = grid_tensor(call, kind, dir, factor, x, along); });
  return place.result(std::move(y));
}

nb::object grid_line(const char* function, fft_kind kind, direction dir, nb::handle x, nb::handle s,
                     nb::handle axes, const std::optional<std::string>& norm, bool overwrite,
                     const std::optional<int>& workers, nb::handle on) {
  call_place place(function, workers, on);
  if (const auto there = place.tensors({x}); !there.empty())
    return grid_on_device(place, kind, dir, there[0], s, axes, norm);
  const ndarray a = ndarray::operand(function, x);
  const bool is_real = kind == fft_kind::real, inverse = dir == direction::inverse;
  const normalization factor = norm_of(norm);
  const grid g = grid_of(function, a.extents(), s, axes, is_real && inverse);
  if (is_real && !inverse && a.type().is_complex)
    throw nb::type_error(message(function, ": x must be real, got complex numbers").c_str());
  if (g.axes.empty()) {
    if (is_real) throw invalid_argument(message(function, ": at least 1 axis must be transformed"));
    return fitted(a, a.extents(), a.type().complex(), false).object().attr("copy")();
  }
  std::vector<std::size_t> points(a.extents().begin(), a.extents().end());
  for (std::size_t i = 0; i < g.axes.size(); ++i) points[g.axes[i]] = g.lengths[i];
  std::vector<std::size_t> bins = points;
  if (is_real) bins[g.axes.back()] = points[g.axes.back()] / 2 + 1;
  const element complex = a.type().complex(), real = a.type().real();
  const ndarray in = is_real && !inverse ? fitted(a, points, real) : fitted(a, bins, complex);
  const bool in_place = overwrite && !is_real && takes_place_of(a, in, points);
  const ndarray out = in_place             ? in
                      : is_real && inverse ? ndarray::uninitialized(real, points)
                                           : ndarray::uninitialized(complex, bins);
  if (out.size() == 0) return out.object();
  place.run([&] {
    const transform_detail::grid_axes along{.axes = g.axes, .lengths = g.lengths};
    if (transform_detail::has_several_steps(place.on(), along, a.rank())) {
      const transform_detail::device_call call{function, effort::estimate, place.on()};
      const transform_detail::host_array from[] = {{in, in.type().is_complex, in.type().type}};
      const transform_detail::host_result to[] = {{out, out.type().is_complex}};
      transform_detail::run_on_device_arrays(call, from, to, [&](const auto& c, const auto& t) {
        return std::vector{grid_tensor(c, kind, dir, factor, t[0], along)};
      });
      return;
    }
    const bool one = g.axes.size() == 1;
    const fft_problem problem{.kind = kind,
                              .dir = dir,
                              .type = complex.type,
                              .norm = factor,
                              .extents = one ? g.lengths : points,
                              .axes = one ? std::vector<std::size_t>{0} : g.axes};
    const std::size_t axis = one ? g.axes[0] : 0;
    const transform_plan plan(function, problem, place.on(),
                              one ? in.extents() : std::span<const std::size_t>(problem.extents),
                              axis);
    plan.execute(function, in, out, static_cast<std::ptrdiff_t>(axis));
  });
  return out.object();
}

void refuse(nb::handle plan) {
  if (plan.is_none()) return;
  PyErr_SetString(PyExc_NotImplementedError,
                  "Passing a precomputed plan is not yet supported by scipy.fft functions");
  throw nb::python_error();
}

// Arguments of the functions, as annotations have them.
std::string signature(const char* name, const char* first, const char* last) {
  return message("def ", name, "(x: numpy.typing.ArrayLike, ", first,
                 "norm: str | None = None, overwrite_x: bool = False, workers: int | None = None",
                 last, ") -> numpy.ndarray");
}

// Docstrings: a sentence, the parameters of the family, the result, an example.
constexpr const char* line_words =
    "    n: points, to which x is cut or filled with zeros; None: those of x.\n"
    "    axis: to transform along.\n";
constexpr const char* grid_words =
    "    s: points along each of the axes; None: those of x.\n"
    "    axes: to transform along; None: all, or as many last ones as s has.\n";
constexpr const char* common_words =
    "    norm: None or \"backward\", \"ortho\" or \"forward\".\n"
    "    overwrite_x: whether the result may take the place of x.\n"
    "    workers: threads; None: those of set_workers, -1: all.\n"
    "    plan: None; others are refused, as in scipy.\n"
    "    on: a papilio.device.Device to run on; None: the host.\n";

std::string docstring(const char* sentence, const char* own, const char* more, const char* result,
                      const char* example) {
  return message(
      sentence, "\n\nParameters:\n    x: array of numbers.\n", own, common_words, more,
      "\nReturns:\n    ", result,
      "\n\nRaises:\n    ValueError, TypeError: for lengths and axes that there are not.\n"
      "    DeviceError: where `on` cannot do it, as in double.\n"
      "\nExample:\n    >>> ",
      example, "\n");
}

template <class Function>
void define_line(nb::module_& m, const char* name, fft_kind kind, direction dir, bool is_hermitian,
                 const char* sentence, const char* result, const char* example, Function f) {
  const bool from_bins = kind == fft_kind::real && (dir == direction::inverse) != is_hermitian;
  const std::string doc =
      docstring(sentence, line_words, "    out: array to write into.\n", result, example);
  const std::string words = signature(name, "n: int | None = None, axis: int = -1, ",
                                      ", *, plan: None = None, out: numpy.ndarray | None = None, "
                                      "on: Device | None = None");
  m.def(
      name,
      [=](nb::handle x, length n, std::ptrdiff_t axis, const std::optional<std::string>& norm,
          bool overwrite_x, const std::optional<int>& workers, nb::object plan, nb::object out,
          nb::handle on) {
        refuse(plan);
        call_place place(name, workers, on);
        if (const auto there = place.tensors({x}); !there.empty())
          return line_on_device(place, kind, dir, is_hermitian, there[0], n, axis, norm, out);
        const line_call c =
            call_of(name, x, n, axis, norm, overwrite_x, place, std::move(out), from_bins);
        return f(c);
      },
      nb::arg("x"), nb::arg("n") = nb::none(), nb::arg("axis") = -1, nb::arg("norm") = nb::none(),
      nb::arg("overwrite_x") = false, nb::arg("workers") = nb::none(), nb::kw_only(),
      nb::arg("plan") = nb::none(), nb::arg("out") = nb::none(), nb::arg("on") = nb::none(),
      nb::sig(words.c_str()), doc.c_str());
}

void define_grid(nb::module_& m, const char* name, fft_kind kind, direction dir, bool flat,
                 const char* sentence, const char* result, const char* example) {
  const std::string doc = docstring(sentence, grid_words, "", result, example);
  const auto f = [=](nb::handle x, nb::handle s, nb::handle axes,
                     const std::optional<std::string>& norm, bool overwrite_x,
                     const std::optional<int>& workers, nb::object plan, nb::handle on) {
    refuse(plan);
    return grid_line(name, kind, dir, x, s, axes, norm, overwrite_x, workers, on);
  };
  const std::string both = message(
      "s: int | collections.abc.Sequence[int | None] | None = None, "
      "axes: int | collections.abc.Sequence[int]",
      flat ? " = (-2, -1), " : " | None = None, ");
  const std::string words =
      signature(name, both.c_str(), ", *, plan: None = None, on: Device | None = None");
  const auto define = [&](const auto& axes) {
    m.def(name, f, nb::arg("x"), nb::arg("s") = nb::none(), axes, nb::arg("norm") = nb::none(),
          nb::arg("overwrite_x") = false, nb::arg("workers") = nb::none(), nb::kw_only(),
          nb::arg("plan") = nb::none(), nb::arg("on") = nb::none(), nb::sig(words.c_str()),
          doc.c_str());
  };
  if (flat)
    define(nb::arg("axes") = nb::make_tuple(-2, -1));
  else
    define(nb::arg("axes") = nb::none());
}

void define_trigonometric(nb::module_& m, const char* name, fft_kind kind, direction dir,
                          const char* doc) {
  m.def(
      name,
      [=](nb::handle x, int type, length n, std::ptrdiff_t axis,
          const std::optional<std::string>& norm, bool overwrite_x,
          const std::optional<int>& workers, nb::handle on) {
        call_place place(name, workers, on);
        if (const auto there = place.tensors({x}); !there.empty())
          return trigonometric_on_device(place, kind, dir, type, there[0], n, axis, norm);
        const line_call c = call_of(name, x, n, axis, norm, overwrite_x, place, nb::none());
        return trigonometric(c, kind, dir, type);
      },
      nb::arg("x"), nb::arg("type") = 2, nb::arg("n") = nb::none(), nb::arg("axis") = -1,
      nb::arg("norm") = nb::none(), nb::arg("overwrite_x") = false, nb::arg("workers") = nb::none(),
      nb::arg("on") = nb::none(),
      nb::sig(signature(name, "type: int = 2, n: int | None = None, axis: int = -1, ",
                        ", on: Device | None = None")
                  .c_str()),
      doc);
}

}  // namespace

void define_fourier(nb::module_& m) {
  const auto forward = direction::forward, inverse = direction::inverse;
  const auto complex = fft_kind::complex, real = fft_kind::real;
  define_line(m, "fft", complex, forward, false,
              "The DFT along one axis, as numpy.fft.fft and scipy.fft.fft.", "Complex array.",
              "papilio.fft.fft([1.0, 0.0, 0.0]).real\n    array([1., 1., 1.])",
              [=](const line_call& c) { return complex_line(c, forward); });
  define_line(m, "ifft", complex, inverse, false, "The inverse DFT along one axis.",
              "Complex array.",
              "papilio.fft.ifft([3.0, 0.0, 0.0]).real.round(12)\n    array([1., 1., 1.])",
              [=](const line_call& c) { return complex_line(c, inverse); });
  define_line(m, "rfft", real, forward, false, "The n/2 + 1 bins of n real numbers along one axis.",
              "Complex array with n/2 + 1 bins along the axis.",
              "papilio.fft.rfft(np.ones((8, 1000)), axis=1).shape\n    (8, 501)",
              [](const line_call& c) { return real_forward(c, false); });
  define_line(m, "irfft", real, inverse, false,
              "The n real numbers of n/2 + 1 bins along one axis.",
              "Real array with n numbers along the axis; n is 2 (bins - 1) where it is None.",
              "papilio.fft.irfft([4.0, 0.0, 0.0]).round(12)\n    array([1., 1., 1., 1.])",
              [](const line_call& c) { return real_inverse(c, false); });
  define_line(m, "hfft", real, forward, true,
              "The real spectrum of a signal that is Hermitian along one axis.",
              "Real array with n numbers along the axis; n is 2 (points - 1) where it is None.",
              "papilio.fft.hfft([1.0, 0.0, 0.0])\n    array([1., 1., 1., 1.])",
              [](const line_call& c) { return real_inverse(c, true); });
  define_line(m, "ihfft", real, inverse, true, "The inverse of hfft.",
              "Complex array with n/2 + 1 points along the axis.",
              "papilio.fft.ihfft([1.0, 1.0, 1.0, 1.0]).shape\n    (3,)",
              [](const line_call& c) { return real_forward(c, true); });
  define_grid(
      m, "fft2", complex, forward, true, "The DFT along two axes.", "Complex array.",
      "papilio.fft.fft2(np.ones((2, 2))).real + 0\n    array([[4., 0.],\n           [0., 0.]])");
  define_grid(
      m, "ifft2", complex, inverse, true, "The inverse DFT along two axes.", "Complex array.",
      "papilio.fft.ifft2(np.ones((2, 2))).real + 0\n    array([[1., 0.],\n           [0., 0.]])");
  define_grid(m, "rfft2", real, forward, true, "The DFT of real numbers along two axes.",
              "Complex array with n/2 + 1 bins along the last of the axes.",
              "papilio.fft.rfft2(np.ones((4, 6))).shape\n    (4, 4)");
  define_grid(m, "irfft2", real, inverse, true, "The inverse of rfft2.", "Real array.",
              "papilio.fft.irfft2(np.ones((4, 4))).shape\n    (4, 6)");
  define_grid(m, "fftn", complex, forward, false, "The DFT along several axes.", "Complex array.",
              "papilio.fft.fftn(np.ones((2, 3, 4)), axes=(0, 2)).shape\n    (2, 3, 4)");
  define_grid(
      m, "ifftn", complex, inverse, false, "The inverse DFT along several axes.", "Complex array.",
      "papilio.fft.ifftn(np.ones((2, 2))).real + 0\n    array([[1., 0.],\n           [0., 0.]])");
  define_grid(m, "rfftn", real, forward, false, "The DFT of real numbers along several axes.",
              "Complex array with n/2 + 1 bins along the last of the axes.",
              "papilio.fft.rfftn(np.ones((2, 3, 4))).shape\n    (2, 3, 3)");
  define_grid(m, "irfftn", real, inverse, false, "The inverse of rfftn.", "Real array.",
              "papilio.fft.irfftn(np.ones((2, 3, 3))).shape\n    (2, 3, 4)");
  define_trigonometric(m, "dct", fft_kind::cosine, forward,
                       "Discrete cosine transform, types 1 to 4.");
  define_trigonometric(m, "idct", fft_kind::cosine, inverse, "Inverse of dct.");
  define_trigonometric(m, "dst", fft_kind::sine, forward, "Discrete sine transform, types 1 to 4.");
  define_trigonometric(m, "idst", fft_kind::sine, inverse, "Inverse of dst.");
  m.def("next_smooth", &transform_detail::next_smooth);
  m.def("prev_smooth", &transform_detail::prev_smooth);
  m.def(
      "get_workers", [] { return default_workers; },
      "Threads of calls that name none.\n\nReturns:\n    An int.\n\n"
      "Example:\n    >>> papilio.fft.get_workers()\n    1\n");
  m.def(
      "exchange_workers",
      [](int workers) { return std::exchange(default_workers, workers_of(workers)); },
      "Sets the threads of this thread's calls that name none; returns the former number.");
}

}  // namespace papilio::python

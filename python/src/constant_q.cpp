// papilio.signal: constant-Q transforms and chroma over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"
#include "segments.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

constexpr double infinity = std::numeric_limits<double>::infinity();

constant_q_norm constant_q_norm_of(double norm) {
  if (norm == 1) return constant_q_norm::l1;
  if (norm == 2) return constant_q_norm::l2;
  if (norm == infinity) return constant_q_norm::peak;
  throw invalid_argument(message("constant_q_options: norm must be 1, 2 or inf, got ", norm));
}

chroma_norm chroma_norm_of(std::optional<double> norm) {
  if (!norm) return chroma_norm::none;
  if (*norm == 1) return chroma_norm::l1;
  if (*norm == 2) return chroma_norm::l2;
  if (*norm == infinity) return chroma_norm::peak;
  throw invalid_argument(message("chroma: norm must be None, 1, 2 or inf, got ", *norm));
}

/// constant_q_plan of float and of double, each made when it is first needed.
class constant_q_plans {
 public:
  constant_q_plans(double rate, std::size_t hop, double fmin, std::size_t bins,
                   std::size_t bins_per_octave, std::optional<double> gamma, double filter_scale,
                   nb::object window, double norm, bool scale, double tolerance)
      : options_{.rate_hz = rate,
                 .hop = hop,
                 .fmin_hz = fmin,
                 .bins = bins,
                 .bins_per_octave = bins_per_octave,
                 .gamma_hz = gamma,
                 .filter_scale = filter_scale,
                 .window = window_of(window),
                 .norm = constant_q_norm_of(norm),
                 .scale = scale,
                 .tolerance = tolerance} {
    plan<float>();
  }

  template <class T>
  const constant_q_plan<T>& plan() {
    auto& p = std::get<std::optional<constant_q_plan<T>>>(plans_);
    if (!p) p.emplace(options_);
    return *p;
  }

  numpy_array execute(nb::handle x, const std::string& result, std::optional<int> workers) {
    if (result != "complex" && result != "magnitude")
      throw invalid_argument(
          message("ConstantQPlan.execute: result must be complex or magnitude, got ", result));
    const ndarray in = real_operand("ConstantQPlan.execute", "x", x);
    const int threads = workers_of(workers);
    const bool is_complex = result == "complex";
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      const constant_q_plan<T>& p = plan<T>();
      const lines_of<const T, 1> signals("ConstantQPlan.execute", in);
      const std::size_t segments = p.segments(signals.extent(0)), bins = p.bins();
      const ndarray out =
          ndarray::uninitialized({is_complex, in.type().type}, signals.with({segments, bins}));
      if (out.size() == 0) return out.object();
      signals.each([&](view<const T, 2> lines, std::size_t first) {
        std::vector<T> copy;
        for (std::size_t i = 0; i < lines.extent(0); ++i) {
          const std::span<const T> line = gapless(lines[i], copy);
          const extents_type<3> one{1, segments, bins};
          if (is_complex)
            p.execute(line, rows_of<std::complex<T>, 3>(out, first + i, one)[0], threads);
          else
            p.execute_magnitude(line, rows_of<T, 3>(out, first + i, one)[0], threads);
        }
      });
      return out.object();
    });
  }

  numpy_array inverse(nb::handle x, std::optional<std::size_t> length, std::size_t iterations,
                      std::optional<int> workers) {
    ndarray in = ndarray::in_float_or_double("ConstantQPlan.inverse", x, "values");
    if (!in.type().is_complex) in = fitted(in, in.extents(), in.type().complex());
    const int threads = workers_of(workers);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      using C = std::complex<T>;
      const constant_q_plan<T>& p = plan<T>();
      const lines_of<const C, 2> values("ConstantQPlan.inverse", in, "values");
      const std::size_t segments = values.extent(0);
      const std::size_t samples =
          length ? *length : (segments == 0 ? 0 : (segments - 1) * options_.hop);
      // Segments beyond the length asked for are left out.
      const auto kept = static_cast<std::size_t>(p.segments(samples));
      if (kept > segments)
        throw invalid_argument(message("ConstantQPlan.inverse: length must be below ",
                                       segments * options_.hop, ", of ", segments,
                                       " segments, got ", samples));
      const ndarray out = ndarray::uninitialized(in.type().real(), values.with({samples}));
      if (out.size() == 0) return out.object();
      values.each([&](view<const C, 3> lines, std::size_t first) {
        for (std::size_t i = 0; i < lines.extent(0); ++i)
          p.inverse(lines[i].slice(0, 0, kept),
                    std::span<T>(static_cast<T*>(out.data()) + (first + i) * samples, samples),
                    iterations, threads);
      });
      return out.object();
    });
  }

  const constant_q_options& options() const { return options_; }

 private:
  constant_q_options options_;
  std::tuple<std::optional<constant_q_plan<float>>, std::optional<constant_q_plan<double>>> plans_;
};

/// Weights of one kind of float and of double.
class chroma_filterbanks {
 public:
  template <class... Arguments>
  explicit chroma_filterbanks(const Arguments&... arguments)
      : in_float_(arguments...), in_double_(arguments...) {}

  numpy_array apply(nb::handle x, std::optional<double> norm, std::optional<int> workers) const {
    const ndarray in = real_operand("chroma", "values", x);
    const int threads = workers_of(workers);
    const chroma_norm by = chroma_norm_of(norm);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      const chroma_filterbank<T>& bank = of<T>();
      const lines_of<const T, 1> rows("chroma", in, "values");
      if (rows.extent(0) != bank.bins())
        throw shape_error(message("chroma: values must be [..., ", bank.bins(), " bins], got ",
                                  rows.extent(0), " bins"));
      const ndarray out = ndarray::uninitialized(in.type(), rows.with({bank.classes()}));
      rows.each([&](view<const T, 2> lines, std::size_t first) {
        const array<T, 2> chroma = bank.apply(lines, by, threads);
        std::ranges::copy(chroma, static_cast<T*>(out.data()) + first * bank.classes());
      });
      return out.object();
    });
  }

  numpy_array dense() const {
    const view<const double, 2> weights = in_double_.weights();
    const std::size_t extents[] = {weights.extent(0), weights.extent(1)};
    const ndarray out = ndarray::uninitialized({false, real_type::double_precision}, extents);
    std::copy_n(weights.data(), out.size(), static_cast<double*>(out.data()));
    return out.object();
  }

 private:
  template <class T>
  const chroma_filterbank<T>& of() const {
    if constexpr (std::is_same_v<T, float>)
      return in_float_;
    else
      return in_double_;
  }

  chroma_filterbank<float> in_float_;
  chroma_filterbank<double> in_double_;
};

/// f of each signal's segments, [..., segments, classes] to [..., segments, `columns` or as many].
template <class Function>
numpy_array of_segments(const char* function, nb::handle x, std::size_t columns,
                        const Function& f) {
  const ndarray in = real_operand(function, "chroma", x);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 2> signals(function, in, "chroma");
    const std::size_t width = columns == 0 ? signals.extent(1) : columns;
    const ndarray out = ndarray::uninitialized(in.type(), signals.with({signals.extent(0), width}));
    signals.each([&](view<const T, 3> lines, std::size_t first) {
      for (std::size_t i = 0; i < lines.extent(0); ++i) {
        const array<T, 2> made = f(lines[i]);
        std::ranges::copy(made, static_cast<T*>(out.data()) + (first + i) * made.size());
      }
    });
    return out.object();
  });
}

double tuning_of(nb::handle x, double rate, std::size_t n_fft, std::size_t bins_per_octave) {
  const ndarray in = contiguous(real_operand("estimate_tuning", "values", x));
  return visit_signal(in.type(), [&]<class T>(T) {
    const lines_of<const T, 1> rows("estimate_tuning", in, "values");
    const without_gil released;
    return estimate_tuning<T>(rows_of<T, 2>(in, 0, {rows.count(), rows.extent(0)}), rate, n_fft,
                              bins_per_octave);
  });
}

}  // namespace

void define_constant_q(nb::module_& m) {
  nb::class_<constant_q_plans>(m, "ConstantQPlan")
      .def(nb::init<double, std::size_t, double, std::size_t, std::size_t, std::optional<double>,
                    double, nb::object, double, bool, double>(),
           nb::arg("rate"), nb::arg("hop"), nb::arg("fmin"), nb::arg("bins"),
           nb::arg("bins_per_octave"), nb::arg("gamma").none(), nb::arg("filter_scale"),
           nb::arg("window"), nb::arg("norm"), nb::arg("scale"), nb::arg("tolerance"))
      .def("execute", &constant_q_plans::execute, nb::arg("x"), nb::arg("result") = "complex",
           nb::arg("workers") = nb::none(),
           nb::sig("def execute(self, x: numpy.typing.ArrayLike, result: str = 'complex', "
                   "workers: int | None = None) -> numpy.ndarray"),
           "Values [..., segments, bins] of x [..., samples]: complex or magnitude.")
      .def("inverse", &constant_q_plans::inverse, nb::arg("values"), nb::arg("length") = nb::none(),
           nb::arg("iterations") = 4, nb::arg("workers") = nb::none(),
           nb::sig("def inverse(self, values: numpy.typing.ArrayLike, length: int | None = None, "
                   "iterations: int = 4, workers: int | None = None) -> numpy.ndarray"),
           "The signals whose transforms are nearest to values.")
      .def(
          "segments",
          [](constant_q_plans& p, std::uint64_t n) { return p.plan<float>().segments(n); },
          nb::arg("samples"), "Segments of so many samples.")
      .def_prop_ro("bins", [](constant_q_plans& p) { return p.options().bins; })
      .def_prop_ro("hop", [](constant_q_plans& p) { return p.options().hop; })
      .def_prop_ro("rate", [](constant_q_plans& p) { return p.options().rate_hz; })
      .def_prop_ro("frequencies",
                   [](constant_q_plans& p) {
                     const auto f = p.plan<float>().frequencies_hz();
                     return std::vector<double>(f.begin(), f.end());
                   })
      .def_prop_ro("lengths", [](constant_q_plans& p) {
        const auto l = p.plan<float>().lengths();
        return std::vector<double>(l.begin(), l.end());
      });
  nb::class_<chroma_filterbanks>(m, "ChromaFilterbank")
      .def("apply", &chroma_filterbanks::apply, nb::arg("values"), nb::arg("norm").none(),
           nb::arg("workers").none(),
           nb::sig("def apply(self, values: numpy.typing.ArrayLike, norm: float | None, "
                   "workers: int | None) -> numpy.ndarray"))
      .def("dense", &chroma_filterbanks::dense, nb::sig("def dense(self) -> numpy.ndarray"));
  m.def(
      "chroma_of_stft",
      [](double rate, std::size_t n_fft, std::size_t classes, double tuning, double centre_octave,
         std::optional<double> octave_width) {
        return new chroma_filterbanks(rate, n_fft,
                                      chroma_options{.classes = classes,
                                                     .tuning = tuning,
                                                     .centre_octave = centre_octave,
                                                     .octave_width = octave_width});
      },
      nb::arg("rate"), nb::arg("n_fft"), nb::arg("classes"), nb::arg("tuning"),
      nb::arg("centre_octave"), nb::arg("octave_width").none());
  m.def(
      "chroma_of_constant_q",
      [](double fmin, std::size_t bins, std::size_t bins_per_octave, std::size_t classes) {
        return new chroma_filterbanks(
            constant_q_options{.fmin_hz = fmin, .bins = bins, .bins_per_octave = bins_per_octave},
            classes);
      },
      nb::arg("fmin"), nb::arg("bins"), nb::arg("bins_per_octave"), nb::arg("classes"));
  m.def("estimate_tuning", &tuning_of, nb::arg("values"), nb::arg("rate"), nb::arg("n_fft"),
        nb::arg("bins_per_octave"));
  m.def(
      "chroma_cens",
      [](nb::handle chroma, std::size_t smoothing, nb::object window, std::optional<double> norm) {
        const chroma_cens_options options{
            .smoothing = smoothing, .window = window_of(window), .norm = chroma_norm_of(norm)};
        return of_segments("chroma_cens", chroma, 0, [&]<class T>(view<const T, 2> one) {
          return chroma_cens<T>(one, options);
        });
      },
      nb::arg("chroma"), nb::arg("smoothing"), nb::arg("window"), nb::arg("norm").none());
  m.def(
      "tonnetz",
      [](nb::handle chroma) {
        return of_segments("tonnetz", chroma, 6,
                           []<class T>(view<const T, 2> one) { return tonnetz<T>(one); });
      },
      nb::arg("chroma"));
}

}  // namespace papilio::python

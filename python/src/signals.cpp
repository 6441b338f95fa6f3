// papilio.signal: windows, short-time transforms and densities over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accelerated.hpp"
#include "adopted.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "narrowed.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"
#include "segments.hpp"

namespace papilio::python {

using base_detail::message;

window_spec window_of(nb::handle window) {
  if (nb::isinstance<nb::str>(window)) return parse_window(nb::cast<std::string>(window));
  std::pair<std::string, double> named;  // scipy's form: ("kaiser", 8.6)
  if (!nb::try_cast(window, named))
    throw nb::type_error(
        message("window must be a name or (name, parameter), got ", nb::repr(window).c_str())
            .c_str());
  return {parse_window_kind(named.first), named.second};
}

welch_options welch_options_of(double rate, nb::handle window, std::size_t segment_length,
                               std::optional<std::size_t> overlap, std::size_t n_fft,
                               const std::string& detrend, bool one_sided,
                               const std::string& scaling, const std::string& average) {
  if (detrend != "none" && detrend != "constant" && detrend != "linear")
    throw invalid_argument(
        message("welch: detrend must be none, constant or linear, got ", detrend));
  if (scaling != "density" && scaling != "spectrum")
    throw invalid_argument(message("welch: scaling must be density or spectrum, got ", scaling));
  if (average != "mean" && average != "median")
    throw invalid_argument(message("welch: average must be mean or median, got ", average));
  return {.rate_hz = rate,
          .segment_length = segment_length,
          .overlap = overlap,
          .n_fft = n_fft,
          .window = window_of(window),
          .detrend = detrend == "none"       ? detrending::none
                     : detrend == "constant" ? detrending::constant
                                             : detrending::linear,
          .scaling = scaling == "density" ? psd_scaling::density : psd_scaling::spectrum,
          .average = average == "mean" ? psd_average::mean : psd_average::median,
          .one_sided = one_sided};
}

namespace {

constexpr element in_double{false, real_type::double_precision};

std::vector<double> numbers_of(const char* function, const char* name, nb::handle x) {
  const ndarray in = ndarray::operand(function, x, in_double, name);
  if (in.rank() != 1)
    throw shape_error(message(function, ": ", name, " must have 1 axis, got ", in.rank()));
  std::vector<double> values(in.extent(0));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<const double*>(in.data())[static_cast<std::ptrdiff_t>(i) * in.strides()[0]];
  return values;
}

segmenting segmenting_of(std::size_t n_fft, std::optional<std::size_t> hop, nb::object window,
                         std::optional<std::size_t> window_length, bool center,
                         const std::string& padding, bool pad_end, const std::string& sides,
                         const std::string& scaling, double rate) {
  segmenting s;
  s.options = {.n_fft = n_fft,
               .hop = hop.value_or(n_fft / 4),
               .window_length = window_length.value_or(0),
               .centre = center,
               .padding = parse_edge_padding(padding),
               .pad_end = pad_end,
               .sides = parse_stft_sides(sides),
               .scaling = parse_stft_scaling(scaling),
               .rate_hz = rate};
  if (nb::isinstance<nb::str>(window) || nb::isinstance<nb::tuple>(window))
    s.options.window = window_of(window);
  else
    s.weights = numbers_of("stft", "window", window);
  return s;
}

ndarray complex_operand(const char* function, const char* name, nb::handle x) {
  const ndarray in = ndarray::in_float_or_double(function, x, name);
  return in.type().is_complex ? in : fitted(in, in.extents(), in.type().complex());
}

/// A plan of float and of double, each made when it is first needed.
template <template <class> class Plan>
class plans_of {
 public:
  explicit plans_of(segmenting s) : segmenting_(std::move(s)) { plan<float>(); }

  template <class T>
  const Plan<T>& plan() {
    auto& p = std::get<std::optional<Plan<T>>>(plans_);
    if (!p) p.emplace(segmenting_.plan<Plan<T>>());
    return *p;
  }
  const stft_options& options() { return plan<float>().options(); }
  std::size_t bins() { return plan<float>().bins(); }

 private:
  segmenting segmenting_;
  std::tuple<std::optional<Plan<float>>, std::optional<Plan<double>>> plans_;
};

class stft_plans : public plans_of<stft_plan> {
 public:
  using plans_of::plans_of;

  nb::object execute(nb::handle x, const std::string& result, std::optional<int> workers,
                     nb::handle on) {
    call_place place("StftPlan.execute", workers, on);
    if (result != "complex" && result != "magnitude" && result != "power")
      throw invalid_argument(
          message("StftPlan.execute: result must be complex, magnitude or power, got ", result));
    if (const auto there = place.tensors({x}); !there.empty())
      return execute_on_device(place, there[0], result);
    const ndarray in = real_operand("StftPlan.execute", "x", x);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      const stft_plan<T>& p = plan<T>();
      const lines_of<const T, 1> signals("StftPlan.execute", in);
      const std::size_t segments = p.segments(signals.extent(0)), bins = p.bins();
      const bool is_complex = result == "complex";
      const ndarray out =
          ndarray::uninitialized({is_complex, in.type().type}, signals.with({segments, bins}));
      if (out.size() == 0) return out.object();
      signals.each([&](view<const T, 2> lines, std::size_t first) {
        const extents_type<3> extents{lines.extent(0), segments, bins};
        place.record([&] {
          if (is_complex)
            p.execute(lines, rows_of<std::complex<T>, 3>(out, first, extents), place.on());
          else if (result == "magnitude")
            p.execute_magnitude(lines, rows_of<T, 3>(out, first, extents), place.on());
          else
            p.execute_power(lines, rows_of<T, 3>(out, first, extents), place.on());
        });
      });
      return out.object();
    });
  }

  numpy_array vjp(nb::handle gradient, std::size_t samples, std::optional<int> workers,
                  nb::handle on) {
    call_place place("StftPlan.vjp", workers, on);
    const ndarray in = complex_operand("StftPlan.vjp", "gradient", gradient);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      using C = std::complex<T>;
      const istft_plan<T> adjoint = plan<T>().adjoint();
      const lines_of<const C, 2> spectra("StftPlan.vjp", in, "gradient");
      const std::uint64_t segments = plan<T>().segments(samples);
      if (spectra.extent(0) != segments)
        throw shape_error(message("StftPlan.vjp: gradient must have ", segments,
                                  " segments, those of ", samples, " samples, got ",
                                  spectra.extent(0)));
      const ndarray out = ndarray::uninitialized(in.type().real(), spectra.with({samples}));
      spectra.each([&](view<const C, 3> lines, std::size_t first) {
        place.record([&] {
          adjoint.execute(lines, rows_of<T, 2>(out, first, {lines.extent(0), samples}), place.on());
        });
      });
      return out.object();
    });
  }

 private:
  nb::object execute_on_device(call_place& place, const shared_tensor& x,
                               const std::string& result) {
    const std::size_t rank = x->shape().extents.size();
    if (x->shape().is_complex)
      throw nb::type_error("StftPlan.execute: x must be real, got complex numbers");
    if (rank > 2)
      throw shape_error(
          message("StftPlan.execute: a device array must be [samples] or [signals, samples], got ",
                  rank, " axes"));
    const stft_plan<float>& p = plan<float>();
    const device_ndarray<float> signals(x);
    shared_tensor y;
    const auto run = [&](const auto& of_rank) {
      if (result == "complex")
        y = p.execute(of_rank, place.on()).tensor("stft");
      else if (result == "magnitude")
        y = p.execute_magnitude(of_rank, place.on()).tensor("stft");
      else
        y = p.execute_power(of_rank, place.on()).tensor("stft");
    };
    place.run([&] { rank == 1 ? run(signals.as<1>()) : run(signals.as<2>()); });
    return place.result(std::move(y));
  }
};

class istft_plans : public plans_of<istft_plan> {
 public:
  using plans_of::plans_of;

  nb::object execute(nb::handle x, std::optional<std::size_t> length, std::optional<int> workers,
                     std::uint64_t from, nb::handle on) {
    call_place place("IstftPlan.execute", workers, on);
    if (const auto there = place.tensors({x}); !there.empty())
      return execute_on_device(place, there[0], length, from);
    const ndarray in = complex_operand("IstftPlan.execute", "spectra", x);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      using C = std::complex<T>;
      const istft_plan<T>& p = plan<T>();
      const lines_of<const C, 2> spectra("IstftPlan.execute", in, "spectra");
      const std::size_t samples = length ? *length : samples_behind(from, spectra.extent(0));
      const ndarray out = ndarray::uninitialized(in.type().real(), spectra.with({samples}));
      if (out.size() == 0) return out.object();
      spectra.each([&](view<const C, 3> lines, std::size_t first) {
        place.record([&] {
          p.execute(lines, rows_of<T, 2>(out, first, {lines.extent(0), samples}), place.on(), from);
        });
      });
      return out.object();
    });
  }

  numpy_array vjp(nb::handle gradient, std::size_t segments, std::optional<int> workers,
                  nb::handle on) {
    call_place place("IstftPlan.vjp", workers, on);
    const ndarray in = real_operand("IstftPlan.vjp", "gradient", gradient);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      using C = std::complex<T>;
      const stft_plan<T> adjoint = plan<T>().adjoint();
      const lines_of<const T, 1> signals("IstftPlan.vjp", in, "gradient");
      const std::size_t bins = adjoint.bins();
      const ndarray out =
          ndarray::uninitialized(in.type().complex(), signals.with({segments, bins}));
      signals.each([&](view<const T, 2> lines, std::size_t first) {
        place.record([&] {
          adjoint.execute(lines, rows_of<C, 3>(out, first, {lines.extent(0), segments, bins}),
                          place.on());
        });
      });
      return out.object();
    });
  }

 private:
  std::uint64_t samples_behind(std::uint64_t from, std::size_t segments) {
    const std::uint64_t whole = plan<float>().samples(segments);
    if (from > whole)
      throw invalid_argument(message("IstftPlan.execute: first must be at most ", whole,
                                     ", the signal's length, got ", from));
    return whole - from;
  }

  nb::object execute_on_device(call_place& place, const shared_tensor& x,
                               std::optional<std::size_t> length, std::uint64_t from) {
    const std::vector<std::size_t>& extents = x->shape().extents;
    if (!x->shape().is_complex)
      throw nb::type_error("IstftPlan.execute: a device array of spectra must be complex");
    if (extents.size() != 2 && extents.size() != 3)
      throw shape_error(
          message("IstftPlan.execute: a device array must be [segments, bins] or [signals, "
                  "segments, bins], "
                  "got ",
                  extents.size(), " axes"));
    const istft_plan<float>& p = plan<float>();
    const device_ndarray<std::complex<float>> spectra(x);
    const std::size_t samples =
        length ? *length : samples_behind(from, extents[extents.size() - 2]);
    shared_tensor y;
    place.run([&] {
      y = extents.size() == 2
              ? p.execute(spectra.as<2>(), samples, place.on(), from).tensor("istft")
              : p.execute(spectra.as<3>(), samples, place.on(), from).tensor("istft");
    });
    return place.result(std::move(y));
  }
};

numpy_array welch_of(nb::handle x, double rate, nb::object window, std::size_t segment_length,
                     std::optional<std::size_t> overlap, std::size_t n_fft,
                     const std::string& detrend, bool one_sided, const std::string& scaling,
                     const std::string& average, std::optional<int> workers) {
  const welch_options options = welch_options_of(rate, window, segment_length, overlap, n_fft,
                                                 detrend, one_sided, scaling, average);
  const ndarray in = real_operand("welch", "x", x);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> signals("welch", in);
    const std::size_t bins = welch_stream<T>(options).bins();
    const auto extents = signals.with({bins});
    std::size_t size = 1;
    for (const std::size_t extent : extents) size *= extent;
    array<double, 1> all(size);
    signals.each([&](view<const T, 2> lines, std::size_t first) {
      std::ranges::copy(welch_in_double<T>(lines, options, threads), &all[first * bins]);
    });
    const std::vector<std::size_t> shape(extents.begin(), extents.end());
    return std::is_same_v<T, float> ? narrowed(std::move(all), shape)
                                    : adopted(std::move(all), shape);
  });
}

numpy_array weights_of(nb::object window, std::size_t n, bool symmetric) {
  return adopted(make_window<double>(
      window_of(window), n, symmetric ? window_symmetry::symmetric : window_symmetry::periodic));
}

template <class Measure>
void define_measure(nb::module_& m, const char* name, const Measure& measure) {
  m.def(name, [=](nb::handle window) {
    return measure(std::span<const double>(numbers_of(name, "weights", window)));
  });
}

}  // namespace

void define_signals(nb::module_& m) {
  nb::class_<segmenting>(m, "Segments")
      .def(nb::new_(&segmenting_of), nb::arg("n_fft") = 2048, nb::arg("hop") = nb::none(),
           nb::arg("window") = "hann", nb::arg("window_length") = nb::none(),
           nb::arg("center") = true, nb::arg("padding") = "zero", nb::arg("pad_end") = false,
           nb::arg("sides") = "one", nb::arg("scaling") = "none", nb::arg("rate") = 1.0)
      .def_prop_ro("n_fft", [](const segmenting& s) { return s.options.n_fft; })
      .def_prop_ro("hop", [](const segmenting& s) { return s.options.hop; });
  nb::class_<stft_plans>(m, "StftPlan")
      .def(nb::init<segmenting>(), nb::arg("segments"))
      .def("execute", &stft_plans::execute, nb::arg("x"), nb::arg("result") = "complex",
           nb::arg("workers") = nb::none(), nb::arg("on") = nb::none(),
           nb::sig("def execute(self, x: numpy.typing.ArrayLike, result: str = 'complex', "
                   "workers: int | None = None, on: Device | None = None) "
                   "-> numpy.ndarray"),
           "Spectra [..., segments, bins] of x [..., samples]: complex, magnitude or power.")
      .def("vjp", &stft_plans::vjp, nb::arg("gradient"), nb::arg("samples"),
           nb::arg("workers") = nb::none(), nb::arg("on") = nb::none(),
           nb::sig("def vjp(self, gradient: numpy.typing.ArrayLike, samples: int, "
                   "workers: int | None = None, on: Device | None = None) -> "
                   "numpy.ndarray"),
           "Gradient of a real loss by the samples [..., samples] from that by the spectra\n"
           "[..., segments, bins], dL/dRe + i dL/dIm as in torch.autograd: the adjoint.")
      .def(
          "segments", [](stft_plans& p, std::uint64_t n) { return p.plan<float>().segments(n); },
          nb::arg("samples"), "Segments of so many samples.")
      .def_prop_ro("bins", [](stft_plans& p) { return p.bins(); })
      .def_prop_ro("n_fft", [](stft_plans& p) { return p.options().n_fft; })
      .def_prop_ro("hop", [](stft_plans& p) { return p.options().hop; })
      .def_prop_ro(
          "window",
          [](stft_plans& p) {
            const auto w = p.plan<double>().window();
            const std::size_t extents[] = {w.size()};
            const ndarray out = ndarray::uninitialized(in_double, extents);
            std::ranges::copy(w, static_cast<double*>(out.data()));
            return out.object();
          },
          nb::sig("def window(self) -> numpy.ndarray"), "Weights, [n_fft].");
  nb::class_<istft_plans>(m, "IstftPlan")
      .def(nb::init<segmenting>(), nb::arg("segments"))
      .def("execute", &istft_plans::execute, nb::arg("spectra"), nb::arg("length") = nb::none(),
           nb::arg("workers") = nb::none(), nb::arg("first") = 0, nb::arg("on") = nb::none(),
           nb::sig("def execute(self, spectra: numpy.typing.ArrayLike, length: int | None = None, "
                   "workers: int | None = None, first: int = 0, "
                   "on: Device | None = None) -> numpy.ndarray"),
           "`length` samples of the signals from `first` on; None: all.")
      .def("vjp", &istft_plans::vjp, nb::arg("gradient"), nb::arg("segments"),
           nb::arg("workers") = nb::none(), nb::arg("on") = nb::none(),
           nb::sig("def vjp(self, gradient: numpy.typing.ArrayLike, segments: int, "
                   "workers: int | None = None, on: Device | None = None) -> "
                   "numpy.ndarray"),
           "Gradient of a real loss by so many spectra [..., segments, bins], dL/dRe + i dL/dIm,\n"
           "from that by the samples [..., samples]: the adjoint.")
      .def(
          "samples", [](istft_plans& p, std::uint64_t n) { return p.plan<float>().samples(n); },
          nb::arg("segments"), "Samples of so many segments.")
      .def_prop_ro("bins", [](istft_plans& p) { return p.bins(); })
      .def_prop_ro("n_fft", [](istft_plans& p) { return p.options().n_fft; })
      .def_prop_ro("hop", [](istft_plans& p) { return p.options().hop; });
  m.def("welch", &welch_of, nb::arg("x"), nb::arg("rate"), nb::arg("window"),
        nb::arg("segment_length"), nb::arg("overlap").none(), nb::arg("n_fft"), nb::arg("detrend"),
        nb::arg("one_sided"), nb::arg("scaling"), nb::arg("average"), nb::arg("workers").none());
  m.def("make_window", &weights_of, nb::arg("window").none(), nb::arg("n"), nb::arg("symmetric"));
  define_measure(m, "window_sum", &window_sum<double>);
  define_measure(m, "coherent_gain", &coherent_gain<double>);
  define_measure(m, "equivalent_noise_bandwidth", &equivalent_noise_bandwidth<double>);
  define_measure(m, "scalloping_loss_db", &scalloping_loss_db<double>);
}

}  // namespace papilio::python

// papilio.signal: filters and their design over numpy's arrays.
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
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

constexpr element doubles{false, real_type::double_precision};

template <class Value, std::size_t Count>
Value value_of(const char* name, const std::array<std::pair<const char*, Value>, Count>& known,
               const std::string& word) {
  std::string names;
  for (const auto& [text, value] : known) {
    if (word == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(text);
  }
  throw invalid_argument(message("filter: ", name, " must be one of ", names, ", got ", word));
}

filter_family family_of(const std::string& word) {
  using f = filter_family;
  constexpr std::array<std::pair<const char*, f>, 5> known{{{"butter", f::butterworth},
                                                            {"cheby1", f::chebyshev1},
                                                            {"cheby2", f::chebyshev2},
                                                            {"ellip", f::elliptic},
                                                            {"bessel", f::bessel}}};
  return value_of("family", known, word);
}

band_kind kind_of(const std::string& word) {
  using k = band_kind;
  constexpr std::array<std::pair<const char*, k>, 4> known{{{"lowpass", k::low_pass},
                                                            {"highpass", k::high_pass},
                                                            {"bandpass", k::band_pass},
                                                            {"bandstop", k::band_stop}}};
  return value_of("band", known, word);
}

bessel_norm norm_of(const std::string& word) {
  using b = bessel_norm;
  constexpr std::array<std::pair<const char*, b>, 4> known{{{"phase", b::phase},
                                                            {"delay", b::delay},
                                                            {"magnitude", b::magnitude},
                                                            {"mag", b::magnitude}}};
  return value_of("norm", known, word);
}

filter_padding padding_of(const std::string& word) {
  using p = filter_padding;
  constexpr std::array<std::pair<const char*, p>, 4> known{
      {{"odd", p::odd}, {"even", p::even}, {"constant", p::constant}, {"none", p::none}}};
  return value_of("padding", known, word);
}

savgol_options::edge edges_of(const std::string& word) {
  using e = savgol_options::edge;
  constexpr std::array<std::pair<const char*, e>, 6> known{{{"interpolate", e::interpolate},
                                                            {"interp", e::interpolate},
                                                            {"mirror", e::mirror},
                                                            {"nearest", e::nearest},
                                                            {"wrap", e::wrap},
                                                            {"constant", e::constant}}};
  return value_of("edges", known, word);
}

using complexes = std::vector<std::complex<double>>;

zeros_poles_gain design(const std::string& family, std::size_t order, const std::string& band,
                        double edge, double upper, double rate, double ripple, double attenuation,
                        const std::string& norm) {
  return iir_zeros_poles({.family = family_of(family),
                          .order = order,
                          .band = {kind_of(band), edge, upper},
                          .ripple_db = ripple,
                          .attenuation_db = attenuation,
                          .norm = norm_of(norm)},
                         rate);
}

std::tuple<complexes, complexes, double> zeros_poles(const std::string& family, std::size_t order,
                                                     const std::string& band, double edge,
                                                     double upper, double rate, double ripple,
                                                     double attenuation, const std::string& norm) {
  zeros_poles_gain made = design(family, order, band, edge, upper, rate, ripple, attenuation, norm);
  return {std::move(made.zeros), std::move(made.poles), made.gain};
}

std::tuple<std::size_t, double, double> lowest(const std::string& family, const std::string& band,
                                               double passed, double upper_passed, double stopped,
                                               double upper_stopped, double ripple,
                                               double attenuation, double rate) {
  const band_kind kind = kind_of(band);
  const iir_options found = lowest_order(family_of(family), {kind, passed, upper_passed},
                                         {kind, stopped, upper_stopped}, ripple, attenuation, rate);
  return {found.order, found.band.edge_hz, found.band.upper_edge_hz};
}

numpy_array rows_of_sections(const std::vector<sos_section>& sections) {
  const ndarray out = ndarray::uninitialized(doubles, std::vector<std::size_t>{sections.size(), 6});
  double* to = static_cast<double*>(out.data());
  for (const sos_section& s : sections)
    for (const double c : {s.b0, s.b1, s.b2, 1.0, s.a1, s.a2}) *to++ = c;
  return out.object();
}

std::vector<sos_section> sections_of(const char* function, nb::handle x) {
  const ndarray in = ndarray::operand(function, x, doubles, "sections");
  if (in.rank() != 2 || in.extent(1) != 6)
    throw shape_error(message(function, ": sections must be [sections, 6], got ", in.rank(),
                              " axes", in.rank() == 0 ? "" : ", the last of ",
                              in.rank() == 0 ? 0 : in.extent(in.rank() - 1)));
  const view<const double, 2> rows(static_cast<const double*>(in.data()),
                                   {in.extent(0), in.extent(1)},
                                   {in.strides()[0], in.strides()[1]});
  std::vector<sos_section> made;
  for (std::size_t i = 0; i < rows.extent(0); ++i) {
    if (!(rows(i, 3u) == 1))
      throw invalid_argument(
          message(function, ": sections must have a0 of 1, got ", rows(i, 3u), " in section ", i));
    made.push_back({rows(i, 0u), rows(i, 1u), rows(i, 2u), rows(i, 4u), rows(i, 5u)});
  }
  return made;
}

numpy_array to_numpy(const array<double, 1>& values) {
  const ndarray out = ndarray::uninitialized(doubles, values.extents());
  std::ranges::copy(values, static_cast<double*>(out.data()));
  return out.object();
}

/// Filters lines, and returns them with the states behind, [sections, leading axes, 2].
std::tuple<numpy_array, numpy_array> run(nb::handle rows, nb::handle x, nb::object zi) {
  constexpr const char* function = "sosfilt";
  const std::vector<sos_section> sections = sections_of(function, rows);
  const ndarray in = real_operand(function, "x", x);
  return visit_signal(in.type(), [&]<class T>(T) -> std::tuple<numpy_array, numpy_array> {
    const lines_of<const T, 1> signals(function, in);
    const std::size_t samples = signals.extent(0), count = signals.count();
    std::vector<std::size_t> state_extents = signals.with({2});
    state_extents.insert(state_extents.begin(), sections.size());
    const ndarray out = ndarray::uninitialized(in.type(), in.extents());
    const ndarray last = ndarray::uninitialized(doubles, state_extents);
    const view<double, 3> states(static_cast<double*>(last.data()), {sections.size(), count, 2});
    if (zi.is_none()) {
      std::fill_n(states.data(), states.size(), 0.0);
    } else {
      const ndarray given = contiguous(ndarray::operand(function, zi, doubles, "state"));
      if (!std::ranges::equal(given.extents(), state_extents))
        throw shape_error(message(function, ": state must be [", sections.size(),
                                  " sections, the axes of x but its samples, 2]"));
      std::copy_n(static_cast<const double*>(given.data()), states.size(), states.data());
    }
    signals.each([&](view<const T, 2> lines, std::size_t first) {
      const std::size_t channels = lines.extent(0);
      const view<const T, 2> block(lines.data(), {samples, channels},
                                   {lines.stride(1), lines.stride(0)});
      const view<T, 2> to(static_cast<T*>(out.data()) + first * samples, {samples, channels},
                          {1, static_cast<std::ptrdiff_t>(samples)});
      sos_filter<T> filter(sections, channels);
      const view<double, 3> state = states.slice(1, first, channels);
      filter.set_state(state);
      filter.push(block, to);
      for (std::size_t s = 0; s < sections.size(); ++s)
        for (std::size_t c = 0; c < channels; ++c)
          for (std::size_t i = 0; i < 2; ++i) state(s, c, i) = filter.state()(s, c, i);
    });
    return {out.object(), last.object()};
  });
}

/// Computes line by line what function(span) returns, of as many values.
template <class Result, class T, class Function>
numpy_array each_line(const char* function, const ndarray& in, element of, int threads,
                      const Function& computed) {
  const lines_of<const T, 1> signals(function, in);
  const ndarray out = ndarray::uninitialized(of, in.extents());
  signals.each([&](view<const T, 2> lines, std::size_t first) {
    parallel_for(lines.extent(0), threads, [&](std::size_t i) {
      std::vector<T> copy;
      std::ranges::copy(computed(gapless(lines[i], copy)),
                        static_cast<Result*>(out.data()) + (first + i) * lines.extent(1));
    });
  });
  return out.object();
}

numpy_array both_ways(nb::handle rows, nb::handle x, const std::string& padding,
                      std::optional<std::size_t> length, std::optional<int> workers) {
  const std::vector<sos_section> sections = sections_of("sosfiltfilt", rows);
  const ndarray in = real_operand("sosfiltfilt", "x", x);
  const filter_padding kind = padding_of(padding);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) {
    return each_line<T, T>("sosfiltfilt", in, in.type(), threads, [&](std::span<const T> line) {
      return sosfiltfilt<T>(sections, line, kind, length);
    });
  });
}

numpy_array smoothed(nb::handle x, std::size_t window, std::size_t degree, std::size_t derivative,
                     double step, const std::string& edges, double outside,
                     std::optional<int> workers) {
  const ndarray in = real_operand("savgol_filter", "x", x);
  const savgol_options options{.window = window,
                               .degree = degree,
                               .derivative = derivative,
                               .step = step,
                               .edges = edges_of(edges),
                               .outside = outside};
  const int threads = workers_of(workers);
  savgol_weights(options);  // refuses options though there be no lines
  return visit_signal(in.type(), [&]<class T>(T) {
    return each_line<T, T>("savgol_filter", in, in.type(), threads, [&](std::span<const T> line) {
      return savgol_filter<T>(line, options);
    });
  });
}

numpy_array analytic(nb::handle x, bool is_envelope, std::optional<int> workers) {
  const char* function = is_envelope ? "hilbert_envelope" : "hilbert";
  const ndarray in = real_operand(function, "x", x);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) {
    if (is_envelope)
      return each_line<T, T>(function, in, in.type(), threads,
                             [](std::span<const T> line) { return hilbert_envelope<T>(line); });
    return each_line<std::complex<T>, T>(function, in, {true, in.type().type}, threads,
                                         [](std::span<const T> line) { return hilbert<T>(line); });
  });
}

}  // namespace

void define_filters(nb::module_& m) {
  m.def("iir_zeros_poles", &zeros_poles, nb::arg("family"), nb::arg("order"), nb::arg("band"),
        nb::arg("edge"), nb::arg("upper"), nb::arg("rate"), nb::arg("ripple"),
        nb::arg("attenuation"), nb::arg("norm"));
  m.def(
      "iir_sections",
      [](const std::string& family, std::size_t order, const std::string& band, double edge,
         double upper, double rate, double ripple, double attenuation, const std::string& norm) {
        return rows_of_sections(
            to_sections(design(family, order, band, edge, upper, rate, ripple, attenuation, norm)));
      },
      nb::arg("family"), nb::arg("order"), nb::arg("band"), nb::arg("edge"), nb::arg("upper"),
      nb::arg("rate"), nb::arg("ripple"), nb::arg("attenuation"), nb::arg("norm"));
  m.def("lowest_order", &lowest, nb::arg("family"), nb::arg("band"), nb::arg("passed"),
        nb::arg("upper_passed"), nb::arg("stopped"), nb::arg("upper_stopped"), nb::arg("ripple"),
        nb::arg("attenuation"), nb::arg("rate"));
  m.def(
      "firwin",
      [](std::size_t n, const std::string& band, double edge, double upper, double rate,
         nb::handle window, bool scale) {
        return to_numpy(firwin(n, {kind_of(band), edge, upper}, rate, window_of(window), scale));
      },
      nb::arg("n"), nb::arg("band"), nb::arg("edge"), nb::arg("upper"), nb::arg("rate"),
      nb::arg("window"), nb::arg("scale"));
  m.def("sosfilt", &run, nb::arg("sections"), nb::arg("x"), nb::arg("state").none());
  m.def(
      "sosfilt_zi",
      [](nb::handle rows) {
        const array<double, 2> zi = sosfilt_zi(sections_of("sosfilt_zi", rows));
        const ndarray out = ndarray::uninitialized(doubles, zi.extents());
        std::ranges::copy(zi.flat(), static_cast<double*>(out.data()));
        return numpy_array(out.object());
      },
      nb::arg("sections"));
  m.def("sosfiltfilt", &both_ways, nb::arg("sections"), nb::arg("x"), nb::arg("padding"),
        nb::arg("length").none(), nb::arg("workers").none());
  m.def(
      "savgol_weights",
      [](std::size_t window, std::size_t degree, std::size_t derivative, double step,
         std::optional<double> position) {
        return to_numpy(savgol_weights(
            {.window = window, .degree = degree, .derivative = derivative, .step = step},
            position));
      },
      nb::arg("window"), nb::arg("degree"), nb::arg("derivative"), nb::arg("step"),
      nb::arg("position").none());
  m.def("savgol_filter", &smoothed, nb::arg("x"), nb::arg("window"), nb::arg("degree"),
        nb::arg("derivative"), nb::arg("step"), nb::arg("edges"), nb::arg("outside"),
        nb::arg("workers").none());
  m.def("analytic", &analytic, nb::arg("x"), nb::arg("is_envelope"), nb::arg("workers").none());
}

}  // namespace papilio::python

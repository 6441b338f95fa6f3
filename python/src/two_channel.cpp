// papilio.signal: cross-spectra, transfer functions, delays and sweeps over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "adopted.hpp"
#include "exclusively.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"
#include "segments.hpp"

namespace papilio::python {
namespace {
namespace two_channel_parts {

using base_detail::message;

constexpr element doubles{false, real_type::double_precision};

/// A function of a pair of signals: "csd", "coherence", or a transfer function by its
/// estimator.
transfer_estimator estimator_of(const std::string& word) {
  if (word == "h1") return transfer_estimator::h1;
  if (word == "h2") return transfer_estimator::h2;
  if (word == "hv") return transfer_estimator::hv;
  throw invalid_argument(message("transfer_function: estimator must be h1, h2 or hv, got ", word));
}

template <class T, class Value>
using rounded = std::conditional_t<std::is_floating_point_v<Value>, T, std::complex<T>>;

/// Values as numbers of T, at `out`.
template <class T, class Value>
void place(const array<Value, 1>& values, void* out, std::size_t first) {
  auto* to = static_cast<rounded<T, Value>*>(out) + first;
  for (const Value& v : values) {
    if constexpr (std::is_floating_point_v<Value>)
      *to++ = static_cast<T>(v);
    else
      *to++ = {static_cast<T>(v.real()), static_cast<T>(v.imag())};
  }
}

template <class T>
void place_result(const cross_spectrum_stream<T>& stream, const std::string& what, void* out,
                  std::size_t first) {
  if (what == "csd")
    place<T>(stream.cross_spectrum(), out, first);
  else if (what == "coherence")
    place<T>(stream.coherence(), out, first);
  else
    place<T>(stream.transfer_function(estimator_of(what)), out, first);
}

/// x and y [..., samples] as rows without gaps, of one shape and type.
struct pairs {
  ndarray x, y;
  std::size_t samples = 0, count = 1;

  pairs(const char* function, nb::handle first, nb::handle second)
      : x(contiguous(real_operand(function, "x", first))),
        y(contiguous(real_operand(function, "y", second))) {
    if (x.rank() < 1 || !std::ranges::equal(x.extents(), y.extents()))
      throw shape_error(message(function, ": x and y must have equal axes, the last of samples"));
    samples = x.extents().back();
    for (const std::size_t extent : leading()) count *= extent;
  }
  std::vector<std::size_t> leading() const { return {x.extents().begin(), x.extents().end() - 1}; }
  template <class T>
  std::span<const T> line(const ndarray& of, std::size_t i) const {
    return {static_cast<const T*>(of.data()) + i * samples, samples};
  }
};

numpy_array computed(const std::string& function, nb::handle x, nb::handle y,
                     const std::string& what, double rate, nb::handle window,
                     std::size_t segment_length, std::optional<std::size_t> overlap,
                     std::size_t n_fft, const std::string& detrend, bool one_sided,
                     const std::string& scaling, const std::string& average,
                     std::optional<int> workers) {
  const welch_options options = welch_options_of(rate, window, segment_length, overlap, n_fft,
                                                 detrend, one_sided, scaling, average);
  if (what != "csd" && what != "coherence") estimator_of(what);
  const pairs both(function.c_str(), x, y);
  const int threads = workers_of(workers);
  return visit_signal(both.x.type(), [&]<class T>(T) -> nb::object {
    const cross_spectrum_stream<T> model(options);
    std::vector<std::size_t> extents = both.leading();
    extents.push_back(model.bins());
    const ndarray out = ndarray::uninitialized({what != "coherence", real_type_of<T>}, extents);
    {
      const without_gil released;
      parallel_for(both.count, threads, [&](std::size_t i) {
        cross_spectrum_stream<T> stream = model;
        stream.push(both.line<T>(both.x, i), both.line<T>(both.y, i));
        place_result(stream, what, out.data(), i * model.bins());
      });
    }
    return out.object();
  });
}

/// Delays in samples and correlations, [...].
std::tuple<numpy_array, numpy_array> delays(nb::handle x, nb::handle y,
                                            const std::string& weighting, std::size_t max_delay,
                                            std::optional<int> workers) {
  if (weighting != "none" && weighting != "phat")
    throw invalid_argument(message("find_delay: weighting must be none or phat, got ", weighting));
  const delay_options options{
      .weighting = weighting == "phat" ? delay_weighting::phat : delay_weighting::none,
      .max_delay = max_delay};
  const pairs both("find_delay", x, y);
  const int threads = workers_of(workers);
  const ndarray samples = ndarray::uninitialized(doubles, both.leading()),
                correlations = ndarray::uninitialized(doubles, both.leading());
  visit_signal(both.x.type(), [&]<class T>(T) {
    const without_gil released;
    parallel_for(both.count, threads, [&](std::size_t i) {
      const delay_estimate found =
          find_delay<T>(both.line<T>(both.x, i), both.line<T>(both.y, i), options);
      static_cast<double*>(samples.data())[i] = found.samples;
      static_cast<double*>(correlations.data())[i] = found.correlation;
    });
  });
  return {samples.object(), correlations.object()};
}

/// A line without gaps of one axis.
template <class T>
std::span<const T> only_line(const char* function, const ndarray& of, const char* name) {
  if (of.rank() != 1)
    throw shape_error(message(function, ": ", name, " must have 1 axis, got ", of.rank()));
  return {static_cast<const T*>(of.data()), of.extent(0)};
}

std::tuple<numpy_array, std::size_t> impulse_of(nb::handle recorded, nb::handle excitation,
                                                double regularization) {
  constexpr const char* function = "impulse_response";
  const ndarray in = contiguous(ndarray::operand(function, recorded, doubles, "recorded")),
                of = contiguous(ndarray::operand(function, excitation, doubles, "excitation"));
  const auto heard = only_line<double>(function, in, "recorded"),
             played = only_line<double>(function, of, "excitation");
  measured_impulse made;
  {
    const without_gil released;
    made = impulse_response<double>(heard, played, regularization);
  }
  return {adopted(std::move(made.samples)), made.origin};
}

numpy_array delays_of_groups(nb::handle response, double bin) {
  constexpr element complex_doubles{true, real_type::double_precision};
  const ndarray in =
      contiguous(ndarray::operand("group_delay", response, complex_doubles, "response"));
  if (in.rank() < 1) throw shape_error("group_delay: response must have at least 1 axis, got 0");
  const ndarray out = ndarray::uninitialized(doubles, in.extents());
  const std::size_t bins = in.extents().back();
  std::size_t count = 1;
  for (std::size_t i = 0; i + 1 < in.rank(); ++i) count *= in.extent(i);
  for (std::size_t i = 0; i < count; ++i)
    place<double>(group_delay_seconds(
                      {static_cast<const std::complex<double>*>(in.data()) + i * bins, bins}, bin),
                  out.data(), i * bins);
  return out.object();
}

sweep_options sweep_of(std::size_t samples, double rate, double low, double high,
                       std::size_t fade_in, std::size_t fade_out) {
  return {.rate_hz = rate,
          .low_hz = low,
          .high_hz = high,
          .samples = samples,
          .fade_in = fade_in,
          .fade_out = fade_out};
}

/// cross_spectrum_stream of one element type.
template <class T>
class cross_spectra {
 public:
  explicit cross_spectra(const welch_options& options) : stream_(options) {}

  void push(nb::handle x, nb::handle y) {
    constexpr const char* function = "CrossSpectrumStream.push";
    constexpr element type{false, real_type_of<T>};
    const ndarray first = contiguous(ndarray::operand(function, x, type, "x")),
                  second = contiguous(ndarray::operand(function, y, type, "y"));
    const auto a = only_line<T>(function, first, "x"), b = only_line<T>(function, second, "y");
    const exclusively held(mutex_);
    const without_gil released;
    stream_.push(a, b);
  }
  numpy_array result(const std::string& what) {
    const exclusively held(mutex_);
    const std::size_t extents[] = {stream_.bins()};
    const ndarray out = ndarray::uninitialized({what != "coherence", real_type_of<T>}, extents);
    place_result(stream_, what, out.data(), 0);
    return out.object();
  }
  std::uint64_t segments() const { return stream_.segments(); }
  void reset() {
    const exclusively held(mutex_);
    stream_.reset();
  }

 private:
  std::mutex mutex_;
  cross_spectrum_stream<T> stream_;
};

template <class T>
void define_stream_of(nb::module_& m, const char* name) {
  nb::class_<cross_spectra<T>>(m, name)
      .def("push", &cross_spectra<T>::push, nb::arg("x"), nb::arg("y"))
      .def("result", &cross_spectra<T>::result, nb::arg("what"))
      .def("reset", &cross_spectra<T>::reset)
      .def_prop_ro("segments", &cross_spectra<T>::segments);
}

}  // namespace two_channel_parts
}  // namespace

void define_two_channel(nb::module_& m) {
  namespace parts = two_channel_parts;
  m.def("two_channel", &parts::computed, nb::arg("function"), nb::arg("x"), nb::arg("y"),
        nb::arg("what"), nb::arg("rate"), nb::arg("window"), nb::arg("segment_length"),
        nb::arg("overlap").none(), nb::arg("n_fft"), nb::arg("detrend"), nb::arg("one_sided"),
        nb::arg("scaling"), nb::arg("average"), nb::arg("workers").none());
  m.def("find_delay", &parts::delays, nb::arg("x"), nb::arg("y"), nb::arg("weighting"),
        nb::arg("max_delay"), nb::arg("workers").none());
  m.def("impulse_response", &parts::impulse_of, nb::arg("recorded"), nb::arg("excitation"),
        nb::arg("regularization"));
  m.def("group_delay", &parts::delays_of_groups, nb::arg("response"), nb::arg("spacing"));
  m.def(
      "exponential_sweep",
      [](std::size_t samples, double rate, double low, double high, std::size_t fade_in,
         std::size_t fade_out, bool inverse) {
        const sweep_options o = parts::sweep_of(samples, rate, low, high, fade_in, fade_out);
        return adopted(inverse ? inverse_sweep(o) : exponential_sweep(o));
      },
      nb::arg("samples"), nb::arg("rate"), nb::arg("low"), nb::arg("high"), nb::arg("fade_in"),
      nb::arg("fade_out"), nb::arg("inverse"));
  m.def(
      "harmonic_lead",
      [](std::size_t order, std::size_t samples, double rate, double low, double high) {
        return harmonic_lead(parts::sweep_of(samples, rate, low, high, 0, 0), order);
      },
      nb::arg("order"), nb::arg("samples"), nb::arg("rate"), nb::arg("low"), nb::arg("high"));
  parts::define_stream_of<float>(m, "CrossSpectrumStreamFloat");
  parts::define_stream_of<double>(m, "CrossSpectrumStreamDouble");
  m.def(
      "cross_spectrum_stream",
      [](double rate, nb::object window, std::size_t segment_length,
         std::optional<std::size_t> overlap, std::size_t n_fft, const std::string& detrend,
         bool one_sided, const std::string& scaling, const std::string& average, bool in_double) {
        return made<parts::cross_spectra>(
            in_double, welch_options_of(rate, window, segment_length, overlap, n_fft, detrend,
                                        one_sided, scaling, average));
      },
      nb::arg("rate"), nb::arg("window"), nb::arg("segment_length"), nb::arg("overlap").none(),
      nb::arg("n_fft"), nb::arg("detrend"), nb::arg("one_sided"), nb::arg("scaling"),
      nb::arg("average"), nb::arg("in_double"));
}

}  // namespace papilio::python

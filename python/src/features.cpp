// papilio.signal: mel bands, levels, cepstra and features of segments over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adopted.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/signal.hpp"
#include "segments.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

mel_scale mel_scale_of(const char* function, const std::string& name) {
  if (name == "slaney") return mel_scale::slaney;
  if (name == "htk") return mel_scale::htk;
  throw invalid_argument(message(function, ": scale must be slaney or htk, got ", name));
}

/// mel_filterbank of float and of double.
class mel_filterbanks {
 public:
  mel_filterbanks(double rate, std::size_t n_fft, std::size_t bands, const std::string& scale,
                  const std::optional<std::string>& norm, double fmin, std::optional<double> fmax)
      : rate_(rate), n_fft_(n_fft) {
    if (norm && *norm != "slaney" && *norm != "none")
      throw invalid_argument(message("MelFilterbank: norm must be slaney or None, got ", *norm));
    options_ = {.bands = bands,
                .scale = mel_scale_of("MelFilterbank", scale),
                .norm = norm && *norm == "slaney" ? mel_norm::slaney : mel_norm::none,
                .fmin_hz = fmin,
                .fmax_hz = fmax};
    of<float>();
  }

  template <class T>
  const mel_filterbank<T>& of() {
    auto& f = std::get<std::optional<mel_filterbank<T>>>(filters_);
    if (!f) f.emplace(rate_, n_fft_, options_);
    return *f;
  }

  numpy_array apply(nb::handle power, std::optional<int> workers) {
    return applied("MelFilterbank.apply", "power", "bins", power, workers,
                   [this]<class T>(T) -> const mel_filterbank<T>& { return of<T>(); });
  }
  numpy_array vjp(nb::handle gradient, std::optional<int> workers) {
    return applied("MelFilterbank.vjp", "gradient", "bands", gradient, workers,
                   [this]<class T>(T) { return of<T>().adjoint(); });
  }
  /// Arguments that make another of equal weights.
  nb::tuple arguments() const {
    const bool is_htk = options_.scale == mel_scale::htk,
               is_normed = options_.norm == mel_norm::slaney;
    return nb::make_tuple(rate_, n_fft_, options_.bands, is_htk ? "htk" : "slaney",
                          is_normed ? nb::object(nb::str("slaney")) : nb::none(), options_.fmin_hz,
                          options_.fmax_hz);
  }
  std::vector<double> edges_hz() {
    const auto e = of<double>().edges_hz();
    return {e.begin(), e.end()};
  }
  std::vector<std::size_t> empty_bands() {
    const auto e = of<float>().empty_bands();
    return {e.begin(), e.end()};
  }

 private:
  template <class Filters>
  static numpy_array applied(const char* function, const char* name, const char* columns,
                             nb::handle x, std::optional<int> workers, const Filters& filters) {
    const ndarray in = real_operand(function, name, x);
    const int threads = workers_of(workers);
    return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
      const mel_filterbank<T>& f = filters(T());
      const lines_of<const T, 1> rows(function, in, name);
      if (rows.extent(0) != f.bins())
        throw shape_error(message(function, ": ", name, " must be [..., ", f.bins(), " ", columns,
                                  "], got ", rows.extent(0), " ", columns));
      const ndarray out = ndarray::uninitialized(in.type(), rows.with({f.bands()}));
      rows.each([&](view<const T, 2> lines, std::size_t first) {
        f.apply(lines, rows_of<T, 2>(out, first, {lines.extent(0), f.bands()}), threads);
      });
      return out.object();
    });
  }

  double rate_;
  std::size_t n_fft_;
  mel_options options_;
  std::tuple<std::optional<mel_filterbank<float>>, std::optional<mel_filterbank<double>>> filters_;
};

/// f of every element of a real array.
template <class Function>
numpy_array of_each(const char* function, nb::handle x, const Function& f) {
  const ndarray in = real_operand(function, "values", x);
  const ndarray out = ndarray::uninitialized(in.type(), in.extents());
  visit_signal(in.type(), [&]<class T>(T) {
    const ndarray from = contiguous(in);
    std::transform(static_cast<const T*>(from.data()),
                   static_cast<const T*>(from.data()) + from.size(), static_cast<T*>(out.data()),
                   [&](T v) { return static_cast<T>(f(v)); });
  });
  return out.object();
}

decibel_options decibel_of_options(const std::string& of, std::optional<double> reference,
                                   std::optional<double> floor, std::optional<double> top_db) {
  if (of != "power" && of != "amplitude")
    throw invalid_argument(message("to_decibel: of must be power or amplitude, got ", of));
  return {.quantity = of == "power" ? decibel_of::power : decibel_of::amplitude,
          .reference = reference,
          .floor = floor,
          .top_db = top_db};
}

numpy_array decibels(nb::handle x, const std::string& of, std::optional<double> reference,
                     std::optional<double> floor, std::optional<double> top_db) {
  const decibel_options options = decibel_of_options(of, reference, floor, top_db);
  const ndarray in = real_operand("to_decibel", "values", x);
  // A copy without gaps becomes the result.
  const ndarray from = contiguous(in);
  const bool is_copied = !from.object().is(in.object());
  const ndarray out = is_copied ? from : ndarray::uninitialized(in.type(), in.extents());
  visit_signal(in.type(), [&]<class T>(T) {
    const without_gil released;
    to_decibel<T>({static_cast<const T*>(from.data()), from.size()},
                  {static_cast<T*>(out.data()), out.size()}, options);
  });
  return out.object();
}

numpy_array cepstra(nb::handle mel, std::size_t coefficients, double lifter,
                    std::optional<double> reference, std::optional<double> floor,
                    std::optional<double> top_db, std::optional<int> workers) {
  const ndarray in = real_operand("mfcc", "mel", mel);
  const mfcc_options options{.coefficients = coefficients,
                             .decibel = decibel_of_options("power", reference, floor, top_db),
                             .lifter = lifter};
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    // The highest level is that of all segments: they are one block.
    const ndarray rows = contiguous(in);
    const lines_of<const T, 1> bands("mfcc", rows, "mel");
    const mfcc_plan<T> plan(bands.extent(0), options);
    const ndarray out = ndarray::uninitialized(in.type(), bands.with({coefficients}));
    bands.each([&](view<const T, 2> lines, std::size_t first) {
      plan.execute(lines, rows_of<T, 2>(out, first, {lines.extent(0), coefficients}), threads);
    });
    return out.object();
  });
}

/// A feature of each segment of magnitudes [..., segments, bins].
template <class Feature>
numpy_array feature(const char* function, nb::handle magnitude, const Feature& f) {
  const ndarray in = real_operand(function, "magnitude", magnitude);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> rows(function, in, "magnitude");
    const ndarray out = ndarray::uninitialized(in.type(), rows.leading());
    rows.each([&](view<const T, 2> lines, std::size_t first) {
      std::ranges::copy(f(lines), static_cast<T*>(out.data()) + first);
    });
    return out.object();
  });
}

/// A feature in time of each segment of signals [..., samples].
template <class Feature>
numpy_array segment_feature(const char* function, nb::handle x, std::size_t length, std::size_t hop,
                            bool center, std::optional<int> workers, const Feature& f) {
  const ndarray in = real_operand(function, "x", x);
  const segment_options options{length, hop, center};
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> signals(function, in);
    const std::size_t segments = segment_count(signals.extent(0), options);
    const ndarray out = ndarray::uninitialized(in.type(), signals.with({segments}));
    signals.each([&](view<const T, 2> lines, std::size_t first) {
      parallel_for(lines.extent(0), threads, [&](std::size_t i) {
        std::vector<T> copy;
        std::ranges::copy(f(gapless(lines[i], copy), options),
                          static_cast<T*>(out.data()) + (first + i) * segments);
      });
    });
    return out.object();
  });
}

std::vector<std::pair<double, double>> peaks_of(nb::handle power, double rate, std::size_t n_fft,
                                                nb::object window, std::size_t count,
                                                double separation, double range_db) {
  const ndarray p = contiguous(
      ndarray::operand("find_peaks", power, {false, real_type::double_precision}, "power"));
  stft_options options{.n_fft = n_fft, .window = window_of(window)};
  std::vector<std::pair<double, double>> peaks;
  for (const spectral_peak& peak : find_peaks({static_cast<const double*>(p.data()), p.size()},
                                              options, rate, count, separation, range_db))
    peaks.emplace_back(peak.frequency_hz, peak.power);
  return peaks;
}

}  // namespace

void define_features(nb::module_& m) {
  nb::class_<mel_filterbanks>(m, "MelFilterbank")
      .def(nb::init<double, std::size_t, std::size_t, const std::string&,
                    const std::optional<std::string>&, double, std::optional<double>>(),
           nb::arg("rate"), nb::arg("n_fft"), nb::arg("bands") = 128, nb::arg("scale") = "slaney",
           nb::arg("norm").none() = "slaney", nb::arg("fmin") = 0.0, nb::arg("fmax") = nb::none())
      .def("__reduce__",
           [](nb::handle self) {
             return nb::make_tuple(self.type(), nb::cast<mel_filterbanks&>(self).arguments());
           })
      .def("apply", &mel_filterbanks::apply, nb::arg("power"), nb::arg("workers") = nb::none(),
           nb::sig("def apply(self, power: numpy.typing.ArrayLike, workers: int | None = None) -> "
                   "numpy.ndarray"),
           "Bands [..., bands] of powers [..., bins].")
      .def("vjp", &mel_filterbanks::vjp, nb::arg("gradient"), nb::arg("workers") = nb::none(),
           nb::sig("def vjp(self, gradient: numpy.typing.ArrayLike, workers: int | None = None) -> "
                   "numpy.ndarray"),
           "Gradient of a loss by the powers [..., bins] from that by the bands [..., bands].")
      .def(
          "dense", [](mel_filterbanks& f) { return adopted(f.of<double>().dense()); },
          nb::sig("def dense(self) -> numpy.ndarray"), "Weights, [bands, bins].")
      .def_prop_ro("bands", [](mel_filterbanks& f) { return f.of<float>().bands(); })
      .def_prop_ro("bins", [](mel_filterbanks& f) { return f.of<float>().bins(); })
      .def_prop_ro("edges_hz", &mel_filterbanks::edges_hz)
      .def_prop_ro("empty_bands", &mel_filterbanks::empty_bands,
                   "Bands so narrow that they contain no bin.");
  m.def(
      "hz_to_mel",
      [](nb::handle hz, const std::string& scale) {
        return of_each("hz_to_mel", hz, [s = mel_scale_of("hz_to_mel", scale)](double v) {
          return hz_to_mel(v, s);
        });
      },
      nb::arg("hz"), nb::arg("scale"));
  m.def(
      "mel_to_hz",
      [](nb::handle mel, const std::string& scale) {
        return of_each("mel_to_hz", mel, [s = mel_scale_of("mel_to_hz", scale)](double v) {
          return mel_to_hz(v, s);
        });
      },
      nb::arg("mel"), nb::arg("scale"));
  m.def("to_decibel", &decibels, nb::arg("values"), nb::arg("of"), nb::arg("reference").none(),
        nb::arg("floor").none(), nb::arg("top_db").none());
  m.def("mfcc", &cepstra, nb::arg("mel"), nb::arg("coefficients"), nb::arg("lifter"),
        nb::arg("reference").none(), nb::arg("floor").none(), nb::arg("top_db").none(),
        nb::arg("workers").none());
  m.def(
      "spectral_centroid",
      [](nb::handle s, double bin_hz) {
        return feature("spectral_centroid", s,
                       [=](const auto& v) { return spectral_centroid(v, bin_hz); });
      },
      nb::arg("magnitude"), nb::arg("bin_hz"));
  m.def(
      "spectral_bandwidth",
      [](nb::handle s, double bin_hz, double p) {
        return feature("spectral_bandwidth", s,
                       [=](const auto& v) { return spectral_bandwidth(v, bin_hz, p); });
      },
      nb::arg("magnitude"), nb::arg("bin_hz"), nb::arg("p"));
  m.def(
      "spectral_rolloff",
      [](nb::handle s, double bin_hz, double share) {
        return feature("spectral_rolloff", s,
                       [=](const auto& v) { return spectral_rolloff(v, bin_hz, share); });
      },
      nb::arg("magnitude"), nb::arg("bin_hz"), nb::arg("share"));
  m.def(
      "spectral_flatness",
      [](nb::handle s, double floor) {
        return feature("spectral_flatness", s,
                       [=](const auto& v) { return spectral_flatness(v, floor); });
      },
      nb::arg("magnitude"), nb::arg("floor"));
  m.def(
      "spectral_rms",
      [](nb::handle s, std::size_t n_fft) {
        return feature("spectral_rms", s, [=](const auto& v) { return spectral_rms(v, n_fft); });
      },
      nb::arg("magnitude"), nb::arg("n_fft"));
  m.def(
      "segment_rms",
      [](nb::handle x, std::size_t length, std::size_t hop, bool center,
         std::optional<int> workers) {
        return segment_feature(
            "segment_rms", x, length, hop, center, workers,
            [](auto signal, const segment_options& o) { return segment_rms(signal, o); });
      },
      nb::arg("x"), nb::arg("length"), nb::arg("hop"), nb::arg("center"),
      nb::arg("workers").none());
  m.def(
      "segment_zero_crossing_rate",
      [](nb::handle x, std::size_t length, std::size_t hop, bool center, double threshold,
         std::optional<int> workers) {
        return segment_feature("segment_zero_crossing_rate", x, length, hop, center, workers,
                               [=](auto signal, const segment_options& o) {
                                 return segment_zero_crossing_rate(signal, o, threshold);
                               });
      },
      nb::arg("x"), nb::arg("length"), nb::arg("hop"), nb::arg("center"), nb::arg("threshold"),
      nb::arg("workers").none());
  m.def("find_peaks", &peaks_of, nb::arg("power"), nb::arg("rate"), nb::arg("n_fft"),
        nb::arg("window"), nb::arg("count"), nb::arg("separation_hz"), nb::arg("range_db"));
}

}  // namespace papilio::python

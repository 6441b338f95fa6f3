// papilio.signal: onsets, tempo and beats over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

onset_aggregate aggregate_of(const std::string& word) {
  if (word == "mean") return onset_aggregate::mean;
  if (word == "median") return onset_aggregate::median;
  throw invalid_argument(message("onset_strength: aggregate must be mean or median, got ", word));
}

/// A real operand of at least one axis in elements of one type, whatever it is given in.
template <class To>
ndarray operand_as(const char* function, const char* name, nb::handle x) {
  const ndarray in = real_operand(function, name, x);
  const element as{
      false, std::is_same_v<To, float> ? real_type::single_precision : real_type::double_precision};
  if (in.type() == as) return in;
  const ndarray out = ndarray::uninitialized(as, in.extents());
  visit_signal(in.type(), [&]<class From>(From) {
    const lines_of<const From, 1> lines(function, in, name);
    lines.each([&](view<const From, 2> all, std::size_t first) {
      To* to = static_cast<To*>(out.data()) + first * all.extent(1);
      for (std::size_t i = 0; i < all.extent(0); ++i)
        for (std::size_t j = 0; j < all.extent(1); ++j) *to++ = static_cast<To>(all(i, j));
    });
  });
  return out;
}

ndarray strengths(const char* function, nb::handle x) {
  return operand_as<double>(function, "strength", x);
}

/// The strengths of one signal.
std::vector<double> one_strength(const char* function, nb::handle x) {
  const ndarray in = strengths(function, x);
  if (in.rank() != 1)
    throw shape_error(message(function, ": strength must have 1 axis, got ", in.rank()));
  const lines_of<const double, 1> lines(function, in, "strength");
  std::vector<double> line;
  lines.each([&](view<const double, 2> all, std::size_t) {
    for (std::size_t i = 0; i < all.extent(1); ++i) line.push_back(all(0u, i));
  });
  return line;
}

numpy_array strength_of(nb::handle x, double rate, std::size_t n_fft, std::size_t hop,
                        std::size_t bands, std::size_t lag, const std::string& aggregate,
                        std::optional<int> workers) {
  const ndarray in = real_operand("onset_strength", "x", x);
  const onset_options options{.rate_hz = rate,
                              .n_fft = n_fft,
                              .hop = hop,
                              .bands = bands,
                              .lag = lag,
                              .aggregate = aggregate_of(aggregate)};
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const lines_of<const T, 1> signals("onset_strength", in);
    const auto segments = static_cast<std::size_t>(
        stft_plan<T>(stft_options{.n_fft = n_fft, .hop = hop}).segments(signals.extent(0)));
    const ndarray out =
        ndarray::uninitialized({false, real_type::double_precision}, signals.with({segments}));
    signals.each([&](view<const T, 2> lines, std::size_t first) {
      parallel_for(lines.extent(0), threads, [&](std::size_t i) {
        std::vector<T> copy;
        const array<double, 1> made = onset_strength<T>(gapless(lines[i], copy), options);
        std::ranges::copy(made, static_cast<double*>(out.data()) + (first + i) * segments);
      });
    });
    return out.object();
  });
}

numpy_array strength_of_levels(nb::handle x, std::size_t lag, std::size_t shift,
                               const std::string& aggregate) {
  const ndarray in = operand_as<float>("onset_strength", "levels", x);
  const onset_aggregate by = aggregate_of(aggregate);
  const lines_of<const float, 2> signals("onset_strength", in, "levels");
  const std::size_t segments = signals.extent(0);
  const ndarray out =
      ndarray::uninitialized({false, real_type::double_precision}, signals.with({segments}));
  signals.each([&](view<const float, 3> lines, std::size_t first) {
    for (std::size_t i = 0; i < lines.extent(0); ++i)
      std::ranges::copy(onset_strength(lines[i], lag, shift, by),
                        static_cast<double*>(out.data()) + (first + i) * segments);
  });
  return out.object();
}

std::vector<std::size_t> onsets(nb::handle x, double frame_rate, double before_maximum,
                                double after_maximum, double before_mean, double after_mean,
                                double wait, double delta) {
  const std::vector<double> strength = one_strength("onset_detect", x);
  const without_gil released;
  return onset_detect(strength, frame_rate,
                      {before_maximum, after_maximum, before_mean, after_mean, wait, delta});
}

numpy_array tempograms(nb::handle x, std::size_t window, std::optional<int> workers) {
  const ndarray in = strengths("tempogram", x);
  const int threads = workers_of(workers);
  const lines_of<const double, 1> signals("tempogram", in, "strength");
  const double silence = 0;
  tempogram(std::span<const double>(&silence, 1), window);  // refuses a window before its memory
  const ndarray out = ndarray::uninitialized(in.type(), signals.with({signals.extent(0), window}));
  signals.each([&](view<const double, 2> lines, std::size_t first) {
    std::vector<double> copy;
    for (std::size_t i = 0; i < lines.extent(0); ++i) {
      const array<double, 2> made = tempogram(gapless(lines[i], copy), window, threads);
      std::ranges::copy(made, static_cast<double*>(out.data()) + (first + i) * made.size());
    }
  });
  return out.object();
}

tempo_options tempo_options_of(double start_bpm, double octaves, double window_seconds,
                               std::optional<double> max_bpm, bool refine) {
  return {start_bpm, octaves, window_seconds, max_bpm, refine};
}

numpy_array tempos(nb::handle x, double frame_rate, double start_bpm, double octaves,
                   double window_seconds, std::optional<double> max_bpm, bool refine,
                   std::optional<int> workers) {
  const ndarray in = strengths("tempo", x);
  const tempo_options options =
      tempo_options_of(start_bpm, octaves, window_seconds, max_bpm, refine);
  const int threads = workers_of(workers);
  const lines_of<const double, 1> signals("tempo", in, "strength");
  const ndarray out = ndarray::uninitialized(in.type(), signals.leading());
  signals.each([&](view<const double, 2> lines, std::size_t first) {
    parallel_for(lines.extent(0), threads, [&](std::size_t i) {
      std::vector<double> copy;
      static_cast<double*>(out.data())[first + i] =
          tempo(gapless(lines[i], copy), frame_rate, options);
    });
  });
  return out.object();
}

std::pair<double, std::vector<std::size_t>> beats_of(nb::handle x, double frame_rate,
                                                     double start_bpm, double octaves,
                                                     double window_seconds,
                                                     std::optional<double> max_bpm, bool refine,
                                                     std::optional<double> bpm, double tightness,
                                                     bool trim, double trim_share, bool free_end) {
  const std::vector<double> strength = one_strength("beat_track", x);
  const without_gil released;
  beats found = beat_track(strength, frame_rate,
                           {tempo_options_of(start_bpm, octaves, window_seconds, max_bpm, refine),
                            bpm, tightness, trim, trim_share, free_end});
  return {found.bpm, std::move(found.segments)};
}

}  // namespace

void define_rhythm(nb::module_& m) {
  m.def("onset_strength", &strength_of, nb::arg("x"), nb::arg("rate"), nb::arg("n_fft"),
        nb::arg("hop"), nb::arg("bands"), nb::arg("lag"), nb::arg("aggregate"),
        nb::arg("workers").none());
  m.def("onset_strength_of_levels", &strength_of_levels, nb::arg("levels"), nb::arg("lag"),
        nb::arg("shift"), nb::arg("aggregate"));
  m.def("onset_detect", &onsets, nb::arg("strength"), nb::arg("frame_rate"),
        nb::arg("before_maximum"), nb::arg("after_maximum"), nb::arg("before_mean"),
        nb::arg("after_mean"), nb::arg("wait"), nb::arg("delta"));
  m.def("tempogram", &tempograms, nb::arg("strength"), nb::arg("window"),
        nb::arg("workers").none());
  m.def("tempo", &tempos, nb::arg("strength"), nb::arg("frame_rate"), nb::arg("start_bpm"),
        nb::arg("octaves"), nb::arg("window_seconds"), nb::arg("max_bpm").none(), nb::arg("refine"),
        nb::arg("workers").none());
  m.def("beat_track", &beats_of, nb::arg("strength"), nb::arg("frame_rate"), nb::arg("start_bpm"),
        nb::arg("octaves"), nb::arg("window_seconds"), nb::arg("max_bpm").none(), nb::arg("refine"),
        nb::arg("bpm").none(), nb::arg("tightness"), nb::arg("trim"), nb::arg("trim_share"),
        nb::arg("free_end"));
  m.def(
      "onset_seconds",
      [](nb::handle x, double frame_rate, const std::vector<std::size_t>& segments,
         std::size_t lag) {
        return onset_seconds(one_strength("onset_seconds", x), frame_rate, segments, lag);
      },
      nb::arg("strength"), nb::arg("frame_rate"), nb::arg("segments"), nb::arg("lag"));
}

}  // namespace papilio::python

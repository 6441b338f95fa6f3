// papilio.signal: frequency weightings, octave bands and sound levels over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exclusively.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/levels.hpp"

namespace papilio::python {
namespace {
namespace level_bindings {

using base_detail::message;

constexpr element doubles{false, real_type::double_precision};

frequency_weighting weighting_of(const char* name, const std::string& word) {
  if (word == "A" || word == "a") return frequency_weighting::a;
  if (word == "C" || word == "c") return frequency_weighting::c;
  if (word == "Z" || word == "z") return frequency_weighting::z;
  throw invalid_argument(message("levels: ", name, " must be one of A, C, Z, got ", word));
}

time_weighting time_of(const std::string& word) {
  if (word == "fast") return time_weighting::fast;
  if (word == "slow") return time_weighting::slow;
  throw invalid_argument(message("levels: time must be one of fast, slow, got ", word));
}

sound_level_options options_of(double rate, const std::string& weighting, const std::string& time,
                               const std::string& peak_weighting, double full_scale) {
  return {.rate_hz = rate,
          .weighting = weighting_of("weighting", weighting),
          .time = time_of(time),
          .peak_weighting = weighting_of("peak_weighting", peak_weighting),
          .full_scale_db = full_scale};
}

numpy_array rows_of(const std::vector<sos_section>& sections) {
  const ndarray out = ndarray::uninitialized(doubles, std::vector<std::size_t>{sections.size(), 6});
  double* to = static_cast<double*>(out.data());
  for (const sos_section& s : sections)
    for (const double c : {s.b0, s.b1, s.b2, 1.0, s.a1, s.a2}) *to++ = c;
  return out.object();
}

numpy_array gains(const std::string& weighting, nb::handle frequencies) {
  const ndarray in =
      contiguous(ndarray::operand("weighting_gain", frequencies, doubles, "frequencies"));
  const frequency_weighting of = weighting_of("weighting", weighting);
  const ndarray out = ndarray::uninitialized(doubles, in.extents());
  const auto* const from = static_cast<const double*>(in.data());
  auto* const to = static_cast<double*>(out.data());
  std::size_t count = 1;
  for (const std::size_t extent : in.extents()) count *= extent;
  for (std::size_t i = 0; i < count; ++i) to[i] = weighting_gain_db(of, from[i]);
  return out.object();
}

/// Rows of bands: name, middle and edges.
numpy_array bands(std::size_t fraction, double low, double high, double rate) {
  const std::vector<octave_band> found = octave_bands(fraction, low, high, rate);
  const ndarray out = ndarray::uninitialized(doubles, std::vector<std::size_t>{found.size(), 4});
  double* to = static_cast<double*>(out.data());
  for (const octave_band& b : found)
    for (const double hz : {b.nominal_hz, b.mid_hz, b.low_hz, b.high_hz}) *to++ = hz;
  return out.object();
}

std::array<double, 8> values_of(const sound_levels& l) {
  return {l.leq_db, l.max_db, l.min_db, l.exposure_db, l.peak_db, l.l10_db, l.l50_db, l.l90_db};
}

/// Computes the numbers of lines by f(lines as channels, place of the first one's numbers): one
/// line at a time, or of one thread several, which are lanes of vectors in filters; bits are the
/// same.
template <class Function>
numpy_array of_lines(const char* function, nb::handle x, std::vector<std::size_t> kept,
                     std::optional<int> workers, const Function& f) {
  const ndarray in = real_operand(function, "x", x);
  const int threads = workers_of(workers);
  const std::size_t together = threads == 1 ? 8 : 1;
  std::size_t numbers = 1;
  for (const std::size_t extent : kept) numbers *= extent;
  return visit_signal(in.type(), [&]<class T>(T) {
    const lines_of<const T, 1> signals(function, in);
    std::vector<std::size_t> extents = signals.leading();
    extents.insert(extents.end(), kept.begin(), kept.end());
    const ndarray out = ndarray::uninitialized(doubles, extents);
    signals.each([&](view<const T, 2> lines, std::size_t first) {
      const std::size_t count = lines.extent(0), groups = (count + together - 1) / together;
      parallel_for(groups, threads, [&](std::size_t i) {
        const std::size_t at = i * together, some = std::min(together, count - at);
        const view<const T, 2> of = lines.slice(0, at, some);
        f(view<const T, 2>(of.data(), {of.extent(1), some}, {of.stride(1), of.stride(0)}),
          static_cast<double*>(out.data()) + (first + at) * numbers);
      });
    });
    return numpy_array(out.object());
  });
}

numpy_array levels(nb::handle x, double rate, const std::string& weighting, const std::string& time,
                   const std::string& peak_weighting, double full_scale,
                   std::optional<int> workers) {
  const sound_level_options options = options_of(rate, weighting, time, peak_weighting, full_scale);
  level_meter<float> checked(options);  // though there be no lines
  return of_lines("sound_levels", x, {8}, workers,
                  [&]<class T>(view<const T, 2> lines, double* to) {
                    level_meter<T> meter(options, lines.extent(1));
                    meter.push(lines);
                    for (std::size_t c = 0; c < lines.extent(1); ++c)
                      std::ranges::copy(values_of(meter.levels(c)), to + 8 * c);
                  });
}

numpy_array levels_in_bands(nb::handle x, double rate, std::size_t fraction, double low,
                            double high, const std::string& weighting, const std::string& time,
                            double full_scale, std::optional<int> workers) {
  const sound_level_options options = options_of(rate, weighting, time, "Z", full_scale);
  const std::vector<octave_band> of = octave_bands(fraction, low, high, rate);
  octave_band_meter<float> checked(options, of);
  return of_lines("octave_band_levels", x, {of.size(), 3}, workers,
                  [&]<class T>(view<const T, 2> lines, double* to) {
                    octave_band_meter<T> meter(options, of, lines.extent(1));
                    meter.push(lines);
                    for (std::size_t i = 0; i < lines.extent(1) * of.size(); ++i) {
                      const band_levels found = meter.levels(i / of.size(), i % of.size());
                      *to++ = found.leq_db;
                      *to++ = found.max_db;
                      *to++ = found.min_db;
                    }
                  });
}

/// Meter over blocks [samples, channels], levels [channels, 8], one call at a time.
class meter_of_blocks {
 public:
  meter_of_blocks(std::size_t channels, double rate, const std::string& weighting,
                  const std::string& time, const std::string& peak_weighting, double full_scale)
      : meter_(options_of(rate, weighting, time, peak_weighting, full_scale), channels) {}

  void push(nb::handle x) {
    const ndarray in = ndarray::operand("LevelMeter.push", x, doubles, "block");
    if (in.rank() != 2)
      throw shape_error(message("LevelMeter.push: block must have 1 or 2 axes, got ", in.rank()));
    const exclusively held(mutex_);
    const without_gil released;
    meter_.push(view<const double, 2>(static_cast<const double*>(in.data()),
                                      {in.extent(0), in.extent(1)},
                                      {in.strides()[0], in.strides()[1]}));
  }
  numpy_array levels() {
    const exclusively held(mutex_);
    const std::size_t channels = meter_.channels();
    const ndarray out = ndarray::uninitialized(doubles, std::vector<std::size_t>{channels, 8});
    for (std::size_t c = 0; c < channels; ++c)
      std::ranges::copy(values_of(meter_.levels(c)), static_cast<double*>(out.data()) + 8 * c);
    return out.object();
  }
  numpy_array now() {
    const exclusively held(mutex_);
    const ndarray out =
        ndarray::uninitialized(doubles, std::vector<std::size_t>{meter_.channels()});
    for (std::size_t c = 0; c < meter_.channels(); ++c)
      static_cast<double*>(out.data())[c] = meter_.level_db(c);
    return out.object();
  }
  void reset() {
    const exclusively held(mutex_);
    meter_.reset();
  }
  std::size_t channels() const { return meter_.channels(); }
  std::uint64_t samples() {
    const exclusively held(mutex_);
    return meter_.samples();
  }

 private:
  std::mutex mutex_;
  level_meter<double> meter_;
};

}  // namespace level_bindings
}  // namespace

void define_levels(nb::module_& m) {
  using namespace level_bindings;
  m.def("weighting_gain", &gains, nb::arg("weighting"), nb::arg("frequencies"));
  m.def(
      "weighting_sections",
      [](const std::string& weighting, double rate) {
        return rows_of(weighting_sections(weighting_of("weighting", weighting), rate));
      },
      nb::arg("weighting"), nb::arg("rate"));
  m.def("octave_bands", &bands, nb::arg("fraction"), nb::arg("low"), nb::arg("high"),
        nb::arg("rate"));
  m.def(
      "octave_band_sections",
      [](double mid, double low, double high, double rate) {
        return rows_of(octave_band_sections({mid, mid, low, high}, rate));
      },
      nb::arg("mid"), nb::arg("low"), nb::arg("high"), nb::arg("rate"));
  m.def("sound_levels", &levels, nb::arg("x"), nb::arg("rate"), nb::arg("weighting"),
        nb::arg("time"), nb::arg("peak_weighting"), nb::arg("full_scale"),
        nb::arg("workers").none());
  m.def("octave_band_levels", &levels_in_bands, nb::arg("x"), nb::arg("rate"), nb::arg("fraction"),
        nb::arg("low"), nb::arg("high"), nb::arg("weighting"), nb::arg("time"),
        nb::arg("full_scale"), nb::arg("workers").none());
  nb::class_<meter_of_blocks>(m, "LevelMeter")
      .def(nb::init<std::size_t, double, const std::string&, const std::string&, const std::string&,
                    double>(),
           nb::arg("channels"), nb::arg("rate"), nb::arg("weighting"), nb::arg("time"),
           nb::arg("peak_weighting"), nb::arg("full_scale"))
      .def("push", &meter_of_blocks::push, nb::arg("block"))
      .def("levels", &meter_of_blocks::levels)
      .def("now", &meter_of_blocks::now)
      .def("reset", &meter_of_blocks::reset)
      .def_prop_ro("channels", &meter_of_blocks::channels)
      .def_prop_ro("samples", &meter_of_blocks::samples);
}

}  // namespace papilio::python

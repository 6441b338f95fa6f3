// papilio.signal: loudness over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "adopted.hpp"
#include "exclusively.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using number = std::optional<double>;
using numbers = std::tuple<number, number, number, number, double, number>;

/// Calls work([samples, channels]) for an operand, its axes in that order or, of a whole signal, in the
/// other one.
template <class Work>
auto with_frames(const char* function, const char* name, nb::handle x, bool by_channel,
                 const Work& work) {
  const ndarray in = real_operand(function, name, x);
  const std::size_t rank = in.rank();
  if (rank != 1 && rank != 2)
    throw shape_error(message(function, ": ", name, " must have 1 or 2 axes, got ", rank));
  const std::size_t time = rank == 2 && by_channel ? 1 : 0, side = 1 - time;
  return visit_signal(in.type(), [&]<class T>(T) {
    const view<const T, 2> frames(static_cast<const T*>(in.data()),
                                  {in.extent(time), rank == 2 ? in.extent(side) : 1},
                                  {in.strides()[time], rank == 2 ? in.strides()[side] : 1});
    return work(frames);
  });
}

numbers numbers_of(const loudness_summary& s) {
  return {s.integrated_lufs,         s.range_lu,         s.highest_momentary_lufs,
          s.highest_short_term_lufs, s.sample_peak_dbfs, s.true_peak_dbtp};
}

numpy_array doubles_of(std::span<const double> values) {
  array<double, 1> copy(values.size());
  std::ranges::copy(values, copy.begin());
  return adopted(std::move(copy));
}

/// loudness_meter that one thread uses at a time.
class meter_of {
 private:
  template <class Answer>
  auto locked(const Answer& answer) {
    const exclusively held(mutex_);
    return answer();
  }

 public:
  meter_of(double rate, std::size_t channels, std::vector<double> weights, bool true_peak)
      : meter_(rate, channels, {std::move(weights), true_peak}) {}

  void push(nb::handle block) {
    const exclusively held(mutex_);
    with_frames("LoudnessMeter.push", "block", block, false, [&](auto frames) {
      const without_gil released;
      meter_.push(frames);
    });
  }
  void finish() {
    const exclusively held(mutex_);
    meter_.finish();
  }
  void reset() {
    const exclusively held(mutex_);
    meter_.reset();
  }
  std::size_t channels() const { return meter_.channels(); }
  std::uint64_t received() {
    return locked([&] { return meter_.samples(); });
  }
  number momentary() {
    return locked([&] { return meter_.momentary_lufs(); });
  }
  number short_term() {
    return locked([&] { return meter_.short_term_lufs(); });
  }
  number integrated() {
    return locked([&] { return meter_.integrated_lufs(); });
  }
  number range() {
    return locked([&] { return meter_.range_lu(); });
  }
  numbers summary() {
    return locked([&] { return numbers_of(meter_.summary()); });
  }
  numpy_array sample_peaks() {
    return locked([&] { return doubles_of(meter_.sample_peaks()); });
  }
  numpy_array true_peaks() {
    return locked([&] { return doubles_of(meter_.true_peaks()); });
  }

 private:
  std::mutex mutex_;
  loudness_meter meter_;
};

}  // namespace

void define_loudness(nb::module_& m) {
  nb::class_<meter_of>(m, "LoudnessMeter")
      .def(nb::init<double, std::size_t, std::vector<double>, bool>(), nb::arg("rate"),
           nb::arg("channels"), nb::arg("weights"), nb::arg("true_peak"))
      .def("push", &meter_of::push, nb::arg("block"))
      .def("finish", &meter_of::finish)
      .def("reset", &meter_of::reset)
      .def("summary", &meter_of::summary)
      .def_prop_ro("channels", &meter_of::channels)
      .def_prop_ro("received", &meter_of::received)
      .def_prop_ro("momentary", &meter_of::momentary)
      .def_prop_ro("short_term", &meter_of::short_term)
      .def_prop_ro("integrated", &meter_of::integrated)
      .def_prop_ro("range", &meter_of::range)
      .def_prop_ro("sample_peaks", &meter_of::sample_peaks)
      .def_prop_ro("true_peaks", &meter_of::true_peaks);
  m.def(
      "loudness",
      [](nb::handle x, double rate, std::vector<double> weights, bool true_peak) {
        return with_frames("loudness", "x", x, true, [&](auto frames) {
          const without_gil released;
          return numbers_of(measure_loudness(frames, rate, {std::move(weights), true_peak}));
        });
      },
      nb::arg("x"), nb::arg("rate"), nb::arg("weights"), nb::arg("true_peak"));
  m.def(
      "loudness_curve",
      [](nb::handle x, double rate, std::vector<double> weights, bool is_momentary) {
        const char* const function = is_momentary ? "momentary_loudness" : "short_term_loudness";
        array<double, 1> made = with_frames(function, "x", x, true, [&](auto frames) {
          const without_gil released;
          const loudness_options options{.weights = std::move(weights)};
          return is_momentary ? momentary_loudness(frames, rate, options)
                              : short_term_loudness(frames, rate, options);
        });
        return adopted(std::move(made));
      },
      nb::arg("x"), nb::arg("rate"), nb::arg("weights"), nb::arg("is_momentary"));
  m.def(
      "true_peaks",
      [](nb::handle x, double rate) {
        array<double, 1> made = with_frames("true_peaks", "x", x, true, [&](auto frames) {
          const without_gil released;
          return true_peaks(frames, rate);
        });
        return adopted(std::move(made));
      },
      nb::arg("x"), nb::arg("rate"));
  m.def(
      "k_weighting",
      [](double rate) {
        array<double, 1> rows(12);
        double* to = rows.data();
        for (const sos_section& s : k_weighting(rate))
          for (const double c : {s.b0, s.b1, s.b2, 1.0, s.a1, s.a2}) *to++ = c;
        return adopted(std::move(rows), {2, 6});
      },
      nb::arg("rate"));
}

}  // namespace papilio::python

// papilio.signal: fundamental frequencies over numpy's arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <tuple>
#include <vector>

#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/signal/pitch.hpp"

namespace papilio::python {
namespace {

/// Plans of float and of double, each made when it is first needed.
template <template <class> class Plan, class Options>
class plans_of {
 public:
  explicit plans_of(const Options& options) : options_(options) { plan<float>(); }

  template <class T>
  const Plan<T>& plan() {
    auto& p = std::get<std::optional<Plan<T>>>(plans_);
    if (!p) p.emplace(options_);
    return *p;
  }

 private:
  Options options_;
  std::tuple<std::optional<Plan<float>>, std::optional<Plan<double>>> plans_;
};

using yin_plans = plans_of<yin_plan, yin_options>;
using pyin_plans = plans_of<pyin_plan, pyin_options>;

/// Calls f(signal, first, segments) for each signal of x, `first` segments of signals before it.
template <class T, class Plan, class Function>
void each_signal(const lines_of<const T, 1>& signals, const Plan& plan, const Function& f) {
  const auto segments = static_cast<std::size_t>(plan.segments(signals.extent(0)));
  signals.each([&](view<const T, 2> lines, std::size_t first) {
    std::vector<T> copy;
    for (std::size_t i = 0; i < lines.extent(0); ++i)
      f(gapless(lines[i], copy), (first + i) * segments, segments);
  });
}

numpy_array yin_of(yin_plans& plans, nb::handle x, std::optional<int> workers) {
  const ndarray in = real_operand("yin", "x", x);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const yin_plan<T>& plan = plans.plan<T>();
    const lines_of<const T, 1> signals("yin", in);
    const auto segments = static_cast<std::size_t>(plan.segments(signals.extent(0)));
    const ndarray out =
        ndarray::uninitialized({false, real_type::double_precision}, signals.with({segments}));
    each_signal(signals, plan, [&](std::span<const T> signal, std::size_t first, std::size_t n) {
      plan.execute(signal, std::span<double>(static_cast<double*>(out.data()) + first, n), threads);
    });
    return out.object();
  });
}

/// Frequencies, whether segments are voiced (1 or 0), and its probabilities: [3, ..., segments].
numpy_array pyin_of(pyin_plans& plans, nb::handle x, std::optional<int> workers) {
  const ndarray in = real_operand("pyin", "x", x);
  const int threads = workers_of(workers);
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    const pyin_plan<T>& plan = plans.plan<T>();
    const lines_of<const T, 1> signals("pyin", in);
    std::vector<std::size_t> extents =
        signals.with({static_cast<std::size_t>(plan.segments(signals.extent(0)))});
    extents.insert(extents.begin(), 3);
    const ndarray out = ndarray::uninitialized({false, real_type::double_precision}, extents);
    double* const f0_hz = static_cast<double*>(out.data());
    double* const voiced = f0_hz + out.size() / 3;
    double* const probability = voiced + out.size() / 3;
    each_signal(signals, plan, [&](std::span<const T> signal, std::size_t first, std::size_t n) {
      std::vector<pitch> pitches(n);
      plan.execute(signal, pitches, threads);
      for (std::size_t s = 0; s < n; ++s) {
        f0_hz[first + s] = pitches[s].f0_hz;
        voiced[first + s] = pitches[s].voiced ? 1 : 0;
        probability[first + s] = pitches[s].voiced_probability;
      }
    });
    return out.object();
  });
}

}  // namespace

void define_pitch(nb::module_& m) {
  nb::class_<yin_plans>(m, "YinPlan")
      .def(
          "__init__",
          [](yin_plans* p, double rate, double fmin, double fmax, std::size_t frame,
             std::size_t hop, bool center, double threshold) {
            new (p) yin_plans({.rate_hz = rate,
                               .fmin_hz = fmin,
                               .fmax_hz = fmax,
                               .frame = frame,
                               .hop = hop,
                               .centre = center,
                               .trough_threshold = threshold});
          },
          nb::arg("rate"), nb::arg("fmin"), nb::arg("fmax"), nb::arg("frame"), nb::arg("hop"),
          nb::arg("center"), nb::arg("threshold"))
      .def("execute", &yin_of, nb::arg("x"), nb::arg("workers").none(),
           nb::sig("def execute(self, x: numpy.typing.ArrayLike, workers: int | None) -> "
                   "numpy.ndarray"));
  nb::class_<pyin_plans>(m, "PyinPlan")
      .def(
          "__init__",
          [](pyin_plans* p, double rate, double fmin, double fmax, std::size_t frame,
             std::size_t hop, bool center, std::size_t thresholds, double beta_a, double beta_b,
             double boltzmann, double resolution, double max_transition_rate,
             double switch_probability, double no_trough_probability, std::optional<double> fill) {
            new (p) pyin_plans({.rate_hz = rate,
                                .fmin_hz = fmin,
                                .fmax_hz = fmax,
                                .frame = frame,
                                .hop = hop,
                                .centre = center,
                                .thresholds = thresholds,
                                .beta_a = beta_a,
                                .beta_b = beta_b,
                                .boltzmann = boltzmann,
                                .resolution = resolution,
                                .max_transition_rate = max_transition_rate,
                                .switch_probability = switch_probability,
                                .no_trough_probability = no_trough_probability,
                                .fill_hz = fill});
          },
          nb::arg("rate"), nb::arg("fmin"), nb::arg("fmax"), nb::arg("frame"), nb::arg("hop"),
          nb::arg("center"), nb::arg("thresholds"), nb::arg("beta_a"), nb::arg("beta_b"),
          nb::arg("boltzmann"), nb::arg("resolution"), nb::arg("max_transition_rate"),
          nb::arg("switch_probability"), nb::arg("no_trough_probability"), nb::arg("fill").none())
      .def("execute", &pyin_of, nb::arg("x"), nb::arg("workers").none(),
           nb::sig("def execute(self, x: numpy.typing.ArrayLike, workers: int | None) -> "
                   "numpy.ndarray"));
}

}  // namespace papilio::python

// papilio.signal: noise profiles and spectral gates over numpy's arrays.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <mutex>
#include <vector>

#include "adopted.hpp"
#include "exclusively.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/signal/spectral_gate.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

/// noise_profile of one element type.
template <class T>
class profile_of {
  using C = std::complex<T>;

 public:
  explicit profile_of(std::size_t bins) : profile_(bins) {}

  void add(nb::handle spectra) {
    const ndarray in =
        ndarray::operand("NoiseProfile.add", spectra, {true, real_type_of<T>}, "spectra");
    const exclusively held(mutex_);
    const lines_of<const C, 1> rows("NoiseProfile.add", in, "spectra");
    std::vector<C> copy;
    rows.each([&](view<const C, 2> lines, std::size_t) {
      for (std::size_t i = 0; i < lines.extent(0); ++i) profile_.add(gapless(lines[i], copy));
    });
  }
  std::uint64_t segments() const { return profile_.segments(); }
  numpy_array mean() {
    const exclusively held(mutex_);
    return adopted(profile_.mean());
  }
  numpy_array from_quantile(double q) {
    const exclusively held(mutex_);
    return adopted(profile_.from_quantile(q));
  }

 private:
  std::mutex mutex_;
  noise_profile<T> profile_;
};

/// spectral_gate of one element type: segments in, those that are done out.
template <class T>
class gate_of {
  using C = std::complex<T>;

 public:
  gate_of(nb::handle noise, const spectral_gate_options& options)
      : gate_(numbers_of(noise), options) {}

  numpy_array push(nb::handle spectra) {
    const ndarray in =
        ndarray::operand("SpectralGate.push", spectra, {true, real_type_of<T>}, "spectra");
    const exclusively held(mutex_);
    if (in.rank() != 2)
      throw shape_error(
          message("SpectralGate.push: spectra must be [segments, bins], got ", in.rank(), " axes"));
    const lines_of<const C, 2> all("SpectralGate.push", in, "spectra");
    std::vector<C> copy, done(gate_.bins());
    all.each([&](view<const C, 3> segments, std::size_t) {
      for (std::size_t s = 0; s < segments.extent(1); ++s)
        if (gate_.push(gapless(segments[0][s], copy), done)) add(done);
    });
    return taken();
  }
  numpy_array finish() {
    const exclusively held(mutex_);
    std::vector<C> done(gate_.bins());
    while (gate_.finish(done)) add(done);
    return taken();
  }
  std::size_t latency() const { return gate_.latency_segments(); }

 private:
  static std::vector<T> numbers_of(nb::handle noise) {
    const ndarray in = contiguous(
        ndarray::operand("SpectralGate", noise, {false, real_type_of<T>}, "noise_power"));
    return {static_cast<const T*>(in.data()), static_cast<const T*>(in.data()) + in.size()};
  }
  void add(const std::vector<C>& segment) {
    values_.insert(values_.end(), segment.begin(), segment.end());
  }
  numpy_array taken() {
    const std::size_t extents[] = {values_.size() / gate_.bins(), gate_.bins()};
    const ndarray out = ndarray::uninitialized({true, real_type_of<T>}, extents);
    std::ranges::copy(values_, static_cast<C*>(out.data()));
    values_.clear();
    return out.object();
  }

  std::mutex mutex_;
  spectral_gate<T> gate_;
  std::vector<C> values_;
};

numpy_array gated(nb::handle spectra, nb::handle noise, double threshold_db, double reduction_db,
                  std::size_t bins, std::size_t segments) {
  const ndarray in = ndarray::in_float_or_double("spectral_gate", spectra, "spectra");
  if (!in.type().is_complex)
    throw nb::type_error("spectral_gate: spectra must be complex, got real numbers");
  const ndarray power =
      contiguous(ndarray::operand("spectral_gate", noise, in.type().real(), "noise_power"));
  return visit_signal(in.type(), [&]<class T>(T) -> nb::object {
    using C = std::complex<T>;
    const lines_of<const C, 2> all("spectral_gate", in, "spectra");
    const ndarray out = ndarray::uninitialized(in.type(), in.extents());
    all.each([&](view<const C, 3> lines, std::size_t first) {
      const view<C, 3> to = rows_of<C, 3>(out, first, lines.extents());
      for (std::size_t i = 0; i < lines.extent(0); ++i)
        apply_spectral_gate<T>(lines[i], {static_cast<const T*>(power.data()), power.size()}, to[i],
                               {threshold_db, reduction_db, bins, segments});
    });
    return out.object();
  });
}

template <class T>
void define_classes(nb::module_& m, const char* profile, const char* gate) {
  nb::class_<profile_of<T>>(m, profile)
      .def("add", &profile_of<T>::add, nb::arg("spectra"))
      .def("mean", &profile_of<T>::mean)
      .def("from_quantile", &profile_of<T>::from_quantile, nb::arg("q"))
      .def_prop_ro("segments", &profile_of<T>::segments);
  nb::class_<gate_of<T>>(m, gate)
      .def("push", &gate_of<T>::push, nb::arg("spectra"))
      .def("finish", &gate_of<T>::finish)
      .def_prop_ro("latency", &gate_of<T>::latency);
}

}  // namespace

void define_noise(nb::module_& m) {
  define_classes<float>(m, "NoiseProfileFloat", "SpectralGateFloat");
  define_classes<double>(m, "NoiseProfileDouble", "SpectralGateDouble");
  m.def(
      "noise_profile",
      [](std::size_t bins, bool in_double) { return made<profile_of>(in_double, bins); },
      nb::arg("bins"), nb::arg("in_double"));
  m.def(
      "gate_stream",
      [](nb::object noise, double threshold_db, double reduction_db, std::size_t bins,
         std::size_t segments, bool in_double) {
        return made<gate_of>(in_double, noise,
                             spectral_gate_options{threshold_db, reduction_db, bins, segments});
      },
      nb::arg("noise_power"), nb::arg("threshold_db"), nb::arg("reduction_db"),
      nb::arg("smoothing_bins"), nb::arg("smoothing_segments"), nb::arg("in_double"));
  m.def("spectral_gate", &gated, nb::arg("spectra"), nb::arg("noise_power"),
        nb::arg("threshold_db"), nb::arg("reduction_db"), nb::arg("smoothing_bins"),
        nb::arg("smoothing_segments"));
}

}  // namespace papilio::python

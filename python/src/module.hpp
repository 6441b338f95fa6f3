#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "papilio/base/parallel_for.hpp"

namespace papilio::python {

/// Only where papilio::device is built.
void define_accelerators(nanobind::module_& m);
void define_constant_q(nanobind::module_& m);
void define_pitch(nanobind::module_& m);
void define_bands(nanobind::module_& m);
void define_filters(nanobind::module_& m);
void define_loudness(nanobind::module_& m);
void define_levels(nanobind::module_& m);
void define_two_channel(nanobind::module_& m);
void define_rhythm(nanobind::module_& m);
void define_convolutions(nanobind::module_& m);
void define_features(nanobind::module_& m);
void define_fourier(nanobind::module_& m);
void define_masks(nanobind::module_& m);
void define_noise(nanobind::module_& m);
/// Only where papilio::device is built.
void define_plans(nanobind::module_& m);
void define_recordings(nanobind::module_& m);
void define_signals(nanobind::module_& m);
void define_pictures(nanobind::module_& m);
void define_sounds(nanobind::module_& m);
void define_streams(nanobind::module_& m);
/// Only where papilio::tensor is built.
void define_chemistry(nanobind::module_& m);
void define_layers(nanobind::module_& m);
void define_tensors(nanobind::module_& m);

/// Gives the functions of a module or class, and of its classes, short words for arguments that do not fit.
void explain_calls(nanobind::handle of);

/// Asks Python for signals, ten times a second at most, from code without the GIL: what a handler raises, it
/// throws.
void end_on_signal();

/// Without the GIL. Ctrl-C, and what other signals Python handles, end the library's calls meanwhile, between
/// the parts of their long loops.
class without_gil {
 public:
  without_gil();
  ~without_gil() { exchange_interruption(before_); }
  without_gil(const without_gil&) = delete;
  without_gil& operator=(const without_gil&) = delete;

 private:
  nanobind::gil_scoped_release released_;
  interruption before_;
};

/// Threads of a call: as given, counted back from the processors where negative.
int workers_of(const std::optional<int>& workers);

}  // namespace papilio::python

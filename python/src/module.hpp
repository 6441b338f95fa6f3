#pragma once

#include <nanobind/nanobind.h>

#include <optional>

namespace papilio::python {

/// Only where papilio::device is built.
void define_accelerators(nanobind::module_& m);
void define_convolutions(nanobind::module_& m);
void define_features(nanobind::module_& m);
void define_fourier(nanobind::module_& m);
void define_masks(nanobind::module_& m);
void define_noise(nanobind::module_& m);
void define_signals(nanobind::module_& m);
void define_sounds(nanobind::module_& m);
void define_streams(nanobind::module_& m);
void define_tensors(nanobind::module_& m);

/// Threads of a call: as given, counted back from the processors where negative.
int workers_of(const std::optional<int>& workers);

}  // namespace papilio::python

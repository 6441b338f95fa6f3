#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "papilio/signal/stft.hpp"
#include "papilio/signal/welch.hpp"
#include "papilio/signal/window.hpp"

namespace papilio::python {

/// A window by name, "name:parameter", or as scipy has it, ("kaiser", 8.6).
window_spec window_of(nanobind::handle window);

/// Options of segments, and weights where they are given as such.
struct segmenting {
  stft_options options;
  std::vector<double> weights;

  template <class Plan>
  Plan plan() const {
    return weights.empty() ? Plan(options) : Plan(options, weights);
  }
};

/// Options of Welch's method. Throws invalid_argument for other words than those of Python.
welch_options welch_options_of(double rate, nanobind::handle window, std::size_t segment_length,
                               std::optional<std::size_t> overlap, std::size_t n_fft,
                               const std::string& detrend, bool one_sided,
                               const std::string& scaling, const std::string& average);

}  // namespace papilio::python

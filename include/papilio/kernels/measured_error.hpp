#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {

/// Compares the error that a transform's kernel reaches with the expected one.
struct measured_error {
  precision_options mode = {};  ///< that ran: for a target error, the chosen one
  double expected = 0;          ///< sized_kernel::expected_error of the whole
  /// Relative, in the Euclidean norm; NaN if a result is NaN.
  double achieved = 0;
  std::int64_t lines = 0;    ///< transforms that ran
  std::int64_t outputs = 0;  ///< of them, those that were compared
};

/// Runs the kernel of a complex transform once on an emulated machine, on seeded values evenly
/// spread over [-1, 1), and compares outputs with sums in double. The mode is that of the whole
/// problem; only as many lines run as have 2^15 points together, at least one. 64 to 512 outputs, a
/// random one of each equal range, are summed directly, each O(points of a line). Every call gives
/// the same result.
/// Throws as fft_kernel and device::launch, and invalid_argument for other kinds of transforms.
PAPILIO_API measured_error measure_error(const fft_problem& problem,
                                         const engine::machine_spec& machine,
                                         const fft_kernel_options& options = {});

/// Measures a short-time transform to complex spectra in the same way, or its inverse or adjoint.
/// One channel runs, with as many segments as have 2^15 points together: at least one, and for an
/// inverse at least twice as many as overlap one sample. `lines` are segments.
/// Throws as stft_kernel, istft_kernel and device::launch, and invalid_argument for an inverse that
/// does not begin with the signal's first sample.
PAPILIO_API measured_error measure_error(const stft_problem& problem,
                                         const engine::machine_spec& machine,
                                         const precision_options& precision = {});
PAPILIO_API measured_error measure_error(const istft_problem& problem,
                                         const engine::machine_spec& machine,
                                         const precision_options& precision = {});

}  // namespace papilio::kernels

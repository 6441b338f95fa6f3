#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/base/vocabulary.hpp"
#include "papilio/engine/machine_spec.hpp"
#include "papilio/kernels/fft.hpp"

namespace papilio::kernels {

/// What a transform's kernel reaches, beside what it is expected to.
struct measured_error {
  precision_options mode = {};  ///< that ran: with a target error, the one that was chosen
  double expected = 0;          ///< sized_kernel::expected_error of the whole
  /// Relative, in the Euclidean norm; NaN where a result is.
  double achieved = 0;
  std::int64_t lines = 0;    ///< transforms that ran
  std::int64_t outputs = 0;  ///< of them, those that were compared
};

/// Runs the kernel of a complex transform once on an emulated machine, on seeded values evenly
/// spread over [-1, 1), and compares outputs with sums in double. The mode is the whole problem's;
/// of its lines run as many as have 2^15 points together, at least one, and from 64 to 512 outputs,
/// a random one of each equal part, are summed directly, each O(points of a line). The same values,
/// and the same result, in every call. Errors as fft_kernel's and device::launch's;
/// invalid_argument for other kinds of transforms.
PAPILIO_API measured_error measure_error(const fft_problem& problem,
                                         const engine::machine_spec& machine,
                                         const fft_kernel_options& options = {});

}  // namespace papilio::kernels

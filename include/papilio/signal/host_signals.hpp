#pragma once

#include "papilio/base/export.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/host_model.hpp"

// Estimated costs of short-time transforms on the host.
namespace papilio {

/// Returns the work of the STFT of `channels` signals of `samples` reals, centred as in stft_plan:
/// 1 + samples / hop segments, of which each is n_fft windowed points, a real transform by the
/// recipe of this length, and n_fft / 2 + 1 bins, complex, magnitudes or powers. A square root
/// counts as one operation. Throws invalid_argument unless every size is above 0.
PAPILIO_API host_work stft_work(double samples, double channels, std::size_t n_fft, double hop,
                                spectrum_form form, real_type type);

/// Returns the work of the inverse STFT: real transforms, windows, and overlap-add.
PAPILIO_API host_work istft_work(double samples, double channels, std::size_t n_fft, double hop,
                                 real_type type);

/// Returns the host's estimates of short-time transforms, and of all that host_transforms() has.
PAPILIO_API const host_row& host_signals();

/// Compares the host and an accelerator for a short-time transform, as explain() of an operation.
PAPILIO_API comparison explain(const stft_problem& problem, const execution& on = {});
PAPILIO_API comparison explain(const istft_problem& problem, const execution& on = {});

}  // namespace papilio

namespace papilio::signal_detail {

/// Checks an execution of an operation that accelerators have no kernel for; automatic is the host.
/// recorded() then returns it. `operation`, as in "welch", must live for ever.
/// Throws in the name of `function` device_error with the reason under policy::device, and
/// invalid_argument for another backend, another precision and threads below 0.
PAPILIO_API void require_host(const char* function, const char* operation, const char* reason,
                              const execution& on);

}  // namespace papilio::signal_detail

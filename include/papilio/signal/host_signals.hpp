#pragma once

#include "papilio/base/export.hpp"
#include "papilio/dispatch/comparison.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/host_model.hpp"

// What short-time transforms take on the host.
namespace papilio {

/// `channels` signals of `samples` reals, centred as stft_plan has it: 1 + samples / hop segments,
/// of which each is n_fft windowed points, a real transform by the recipe of this length, and
/// n_fft / 2 + 1 bins, complex, magnitudes or powers. Square roots of magnitudes count as one operation.
PAPILIO_API host_work stft_work(double samples, double channels, std::size_t n_fft, double hop,
                                spectrum_form form, real_type type);

/// Back: the real transforms, the windows, and the sum over segments that overlap.
PAPILIO_API host_work istft_work(double samples, double channels, std::size_t n_fft, double hop,
                                 real_type type);

/// Short-time transforms beside all that host_transforms() has.
PAPILIO_API const host_row& host_signals();

/// As explain() of an operation.
PAPILIO_API comparison explain(const stft_problem& problem, const execution& on = {});
PAPILIO_API comparison explain(const istft_problem& problem, const execution& on = {});

}  // namespace papilio

namespace papilio::signal_detail {

/// Of an operation without a kernel, in the name of `function`: policy::device is a device_error
/// with the reason, automatic the host. invalid_argument for what the host does not do: another
/// backend, another precision, threads below 0. Where nothing is thrown, recorded() returns it.
/// `operation` as in "welch"; it lasts for ever.
PAPILIO_API void require_host(const char* function, const char* operation, const char* reason,
                              const execution& on);

}  // namespace papilio::signal_detail

#pragma once

#include <memory>
#include <span>
#include <string>

#include "papilio/base/vocabulary.hpp"
#include "papilio/dispatch/device_program.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/operation.hpp"
#include "papilio/signal/host_signals.hpp"
#include "signal/segment_transform.hpp"
#include "signal/synthesis.hpp"

// Problems that this module gives to accelerators, and records of the host's runs.
namespace papilio::signal_detail {

using dispatch_detail::is_plain_host;
using dispatch_detail::record_host_run;

/// Returns the problem of the segments of `channels` signals, or of the adjoint of an inverse,
/// which has `segments` of them. In double, which accelerators refuse, the window is left out.
/// Where the zeros of pad_end follow a signal or the zeros beyond its end, they are samples of the
/// problem, which then has more than the signal and no pad_end.
template <class T>
stft_problem problem_of(const segment_transform<T>& transform, std::size_t channels,
                        std::size_t samples, spectrum_form result, std::size_t segments = 0);
template <class T>
istft_problem problem_of(const synthesis<T>& s, std::size_t channels, std::size_t segments,
                         std::size_t samples, std::uint64_t first);

/// Chooses where problem_of signals of `samples` samples runs: place() with every launch of
/// run_segments().
accelerator* place_segments(const char* function, const stft_problem& what, std::size_t samples,
                            const execution& on);
/// Runs problem_of signals of `samples` samples in one launch, after another one where zeros are to
/// follow them.
void run_segments(const char* function, accelerator& device, const stft_problem& what,
                  const precision_options& precision, std::size_t samples,
                  const device_input& signals, const device_output& out);

/// Runs the problem of [samples] or [signals, samples] on an accelerator, to a new tensor there.
/// Throws shape_error if there is no segment.
shared_tensor run_segments_on_device(const char* function, const stft_problem& what,
                                     const shared_tensor& signals, const execution& on);

/// Records a run of the host, for last_run().
template <class T>
void record_host_run(const std::shared_ptr<const segment_transform<T>>& transform);
template <class T>
void record_host_run(const std::shared_ptr<const synthesis<T>>& s);

}  // namespace papilio::signal_detail

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

// What the module asks of accelerators, and how a run of the host is told.
namespace papilio::signal_detail {

using dispatch_detail::is_plain_host;
using dispatch_detail::record_host_run;

/// Segments of `channels` signals; of the adjoint of an inverse, `segments` of them. The window is
/// left out in double, which accelerators refuse. Where the zeros of pad_end follow a signal or the
/// zeros beyond its end they are samples of the problem, which then has more than the signal and no
/// pad_end.
template <class T>
stft_problem problem_of(const segment_transform<T>& transform, std::size_t channels,
                        std::size_t samples, spectrum_form result, std::size_t segments = 0);
template <class T>
istft_problem problem_of(const synthesis<T>& s, std::size_t channels, std::size_t segments,
                         std::size_t samples, std::uint64_t first);

/// Where to run problem_of signals of `samples` samples: place() with every launch of
/// run_segments().
accelerator* place_segments(const char* function, const stft_problem& what, std::size_t samples,
                            const execution& on);
/// Runs problem_of signals of `samples` samples: one launch, and one before it where zeros are to
/// follow them.
void run_segments(const char* function, accelerator& device, const stft_problem& what,
                  const precision_options& precision, std::size_t samples,
                  const device_input& signals, const device_output& out);

/// The same of [samples] or [signals, samples] on an accelerator, to a new tensor there.
/// shape_error where there is no segment.
shared_tensor run_segments_on_device(const char* function, const stft_problem& what,
                                     const shared_tensor& signals, const execution& on);

/// A run of the host, for last_run().
template <class T>
void record_host_run(const std::shared_ptr<const segment_transform<T>>& transform);
template <class T>
void record_host_run(const std::shared_ptr<const synthesis<T>>& s);

}  // namespace papilio::signal_detail

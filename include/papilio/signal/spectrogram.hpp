#pragma once

#include <optional>
#include <span>
#include <type_traits>

#include "papilio/base/export.hpp"
#include "papilio/base/view.hpp"
#include "papilio/dispatch/execution.hpp"
#include "papilio/dispatch/resident.hpp"
#include "papilio/signal/decibel.hpp"
#include "papilio/signal/mel.hpp"
#include "papilio/signal/stft.hpp"

namespace papilio {

template <class T>
struct spectrogram_options {
  const mel_filterbank<T>* mel = nullptr;       ///< bands in place of bins; must outlive the call
  std::optional<decibel_options> decibel = {};  ///< levels in place of powers
};

/// Powers of a plan's segments, or their mel bands, or the levels of either: to_decibel of
/// mel_filterbank::apply of stft_plan::execute_power, as far as the options ask for them. [signals,
/// samples] to [signals, segments, bins or bands], any strides with which one axis of out steps
/// over the whole of the others; a top_db and a reference of none look at all signals. Levels of
/// amplitudes are those of magnitudes.
///
/// shape_error unless the extents fit and the filterbank is one of n_fft points; invalid_argument
/// as to_decibel, for bands of two-sided spectra, for levels of amplitudes in bands (which are sums
/// of powers), and if out overlaps the signals. The host's memory: bands and levels, and where
/// there are bands the powers of a signal.
///
/// An accelerator does it in one launch, which fetches bands or levels and nothing else. It has no
/// kernel for what stft_plan lists, nor for levels with a top_db (the default), or a reference of
/// none: these would need all values before the first. Their floor must be 2^-126 ... 2^126 in
/// squared units of the reference.
template <class T>
PAPILIO_API void spectrogram(const stft_plan<T>& plan,
                             std::type_identity_t<view<const T, 2>> signals,
                             std::type_identity_t<view<T, 3>> out,
                             const spectrogram_options<T>& options = {}, const execution& on = {});
template <class T>
PAPILIO_API void spectrogram(const stft_plan<T>& plan, std::type_identity_t<std::span<const T>> x,
                             std::type_identity_t<view<T, 2>> out,
                             const spectrogram_options<T>& options = {}, const execution& on = {});

namespace signal_detail {
PAPILIO_API shared_tensor resident_spectrogram(const stft_plan<float>& plan,
                                               const shared_tensor& signals,
                                               const spectrogram_options<float>& options,
                                               const execution& on);
}

/// The same of [samples] or [signals, samples] on an accelerator, where the result stays. What has
/// no kernel is a device_error.
template <std::size_t Rank>
  requires(Rank == 1 || Rank == 2)
resident<float, Rank + 1> spectrogram(const stft_plan<float>& plan,
                                      const resident<float, Rank>& signals,
                                      const spectrogram_options<float>& options = {},
                                      const execution& on = {}) {
  return resident<float, Rank + 1>(
      signal_detail::resident_spectrogram(plan, signals.tensor("spectrogram"), options, on));
}

}  // namespace papilio

#pragma once

#include <optional>
#include <span>

#include "papilio/base/export.hpp"
#include "papilio/signal/host_only.hpp"

namespace papilio {

/// 10 log10(power / reference), at least `floor_db`; a power of 0 is the floor (-infinity by
/// default). invalid_argument unless reference is finite and positive. NaN stays NaN.
PAPILIO_API double power_to_db(double power, double reference = 1.0);
PAPILIO_API double power_to_db(double power, double reference, double floor_db);

/// The same of every element, in float or double; out may be in. shape_error if lengths differ.
template <class T>
PAPILIO_API void power_to_db(std::span<const T> power, std::span<T> out, double reference,
                             double floor_db);

enum class decibel_of { power, amplitude };

struct decibel_options {
  decibel_of quantity = decibel_of::power;
  std::optional<double> reference = 1.0;  ///< in the quantity's units; none: the largest value
  std::optional<double> floor =
      {};  ///< smaller values are taken as it; none: 1e-10, amplitude 1e-5
  std::optional<double> top_db = 80.0;  ///< no level lies further below the highest; none: any
};

/// Levels as librosa's power_to_db and amplitude_to_db give them, with their defaults:
///   power      10 log10(max(floor, x)) - 10 log10(max(floor, reference))
///   amplitude  20 log10(max(floor, |x|)) - 20 log10(max(floor, reference))
/// and then at least the highest level - top_db, which depends on all of the values: pieces of a
/// stream want a top_db of none. NaN and infinity stay what they are, and are neither the highest
/// level nor the largest value. out may be values.
/// T is float or double; O(n). shape_error if the lengths differ; invalid_argument unless floor (in
/// T) and reference are finite and positive and top_db is at least 0.
template <class T>
PAPILIO_API void to_decibel(std::span<const T> values, std::span<T> out,
                            const decibel_options& options = {});

/// The same under a policy. Accelerators have no kernel of levels alone (spectrogram() makes them
/// where it makes powers): device is a device_error, automatic the host.
template <class T>
void to_decibel(std::span<const T> values, std::span<T> out, const decibel_options& options,
                const execution& on) {
  signal_detail::require_host("to_decibel", "to_decibel", "it has no kernel of levels alone", on);
  to_decibel(values, out, options);
}

/// 20 log10(amplitude / reference) of the magnitude of `amplitude`.
PAPILIO_API double amplitude_to_db(double amplitude, double reference = 1.0);

}  // namespace papilio

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "papilio/base/export.hpp"

namespace papilio::engine {

/// What the host's runtime adds to a device's time. MB is 1e6 bytes. Defaults are sdk_2_24's.
/// Sources in the comments:
///   fit    relative least squares on published end-to-end timings of the trnsci libraries, mean
///          absolute residual 6.4 % on 51 rows of SDK 2.24, 4.2 % on 26 of SDK 2.29 and 3.0 % on
///          10 of trainium2;
///   probe  the same libraries' timings of single steps;
///   ours   a choice of this library, where neither has a number.
///
/// A run takes launches * launch_us + upload_us(...) + fetch_us(...) + device time. Terms of a
/// program's own host code are not the runtime's and have no field.
struct runtime_spec {
  std::string name = "sdk_2_24";
  double launch_us = 607;          ///< fit: trace and submit a program that is warm
  double host_to_device_us = 168;  ///< fit: for each tensor
  /// fit: 6.9 GB/s. Tensors above host_to_device_large_bytes go at the large rate; that they do so
  /// as a whole is ours.
  double host_to_device_us_per_mb = 1000 / 6.9;
  double host_to_device_large_us_per_mb = 1000 / 6.9;
  double host_to_device_large_bytes = 2e6;  ///< probe
  double blocking_fetch_us = 0;             ///< fit: once a fetch that waits, whatever it brings
  double device_to_host_us = 168;           ///< fit: for each tensor
  double device_to_host_us_per_mb = 290;    ///< fit; 3.5 GB/s
  double compile_seconds = 27;              ///< probe: about, of a program that is nowhere cached
  double load_seconds = 1.5;                ///< probe: about, of a compiled program from disk
  /// probe: the first call in a process, 27 to 100 ms; the geometric mean is ours.
  double first_call_us = 52e3;

  /// Microseconds to copy `tensors` tensors of `bytes` in all to the device, which are taken as
  /// alike in size: tensors * host_to_device_us + bytes * rate.
  PAPILIO_API double upload_us(std::size_t tensors, double bytes) const;

  /// Microseconds to wait for and copy `tensors` tensors of `bytes` in all to the host, without the
  /// device's own time: blocking_fetch_us + tensors * device_to_host_us + bytes * rate. 0 for no
  /// tensors: a result that stays on the device is not waited for.
  PAPILIO_API double fetch_us(std::size_t tensors, double bytes) const;

  bool operator==(const runtime_spec&) const = default;
};

/// The vendor's SDK 2.24 and 2.29 on trainium1, and 2.29 on trainium2.
PAPILIO_API runtime_spec sdk_2_24();
PAPILIO_API runtime_spec sdk_2_29();
PAPILIO_API runtime_spec sdk_2_29_trn2();

/// invalid_argument with the field's name, what was expected and the value, unless every field is
/// finite and in its range: times and rates at least 0.
PAPILIO_API void require_valid(const runtime_spec& runtime);

/// As machine_spec's functions of these names; "based_on" absent is sdk_2_24.
PAPILIO_API std::string to_json(const runtime_spec& runtime);
PAPILIO_API runtime_spec runtime_from_json(std::string_view text, const std::string& origin);
PAPILIO_API runtime_spec load_runtime(const std::string& path_or_preset);
PAPILIO_API void save_runtime(const std::string& path, const runtime_spec& runtime);

}  // namespace papilio::engine

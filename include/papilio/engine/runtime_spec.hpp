#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "papilio/base/export.hpp"
#include "papilio/engine/machine_spec.hpp"

namespace papilio::engine {

/// Holds what the host's runtime adds to a device's time. MB is 1e6 bytes. Defaults are sdk_2_24's.
/// Sources in the comments:
///   fit     relative least squares (bench/fit_runtime.cpp) on the published end-to-end timings of
///           docs/published.md that name the SDK and have the role fit, with the device time that
///           their published kernels have on trainium1 here and the host terms named there;
///           `papilio published` prints what they leave on these rows and on those of the role test;
///   probe   published timings of single steps;
///   quoted  a fit by others to rows that are not in the table, so that nothing here tests it;
///   ours    a choice of this library, where none of these has a number.
///
/// A run takes launches * launch_us + upload_us(...) + fetch_us(...) + device time. Terms of a
/// program's own host code are not the runtime's and have no field.
///
/// Asynchronous calls (device::launch_async) overlap: the host submits one, which takes submit_us,
/// while another is copied up, a third runs and a fourth is copied back. Many alike then follow one
/// another at the pace of the slowest of the four.
struct runtime_spec {
  std::string name = "sdk_2_24";
  double launch_us = 624;  ///< fit: trace and submit a program that is warm
  /// Host time of an asynchronous call until it is queued, with all that goes before it.
  double submit_us = 0;
  /// ours: asynchronous calls under way at most; a further one waits for the oldest. 0: the runtime
  /// has none.
  int inflight_max = 0;
  double host_to_device_us = 169;         ///< fit: for each tensor
  double host_to_device_us_per_mb = 109;  ///< probe: 9.2 GB/s
  /// fit, of the bytes of a tensor beyond host_to_device_large_bytes: 1.7 GB/s, by two rows and a
  /// probe; the probe of SDK 2.29 has 4.3 GB/s.
  double host_to_device_large_us_per_mb = 582;
  /// fit, by tensors of up to 4.19 MB on the one side, 16.8 and 134 MB on the other.
  double host_to_device_large_bytes = 12e6;
  double blocking_fetch_us = 0;           ///< ours: once a fetch that waits, whatever it brings
  double device_to_host_us = 73;          ///< probe: for each tensor
  double device_to_host_us_per_mb = 160;  ///< fit: 6.3 GB/s
  /// probe: about, of a small program that is nowhere cached.
  double compile_seconds = 27;
  /// ours, by the one figure that there is: trnblas' DF-MP2 step of 64 x 448 orbitals takes 2100 s
  /// cold and 120 s with its program compiled, which is 455 thousand instructions here. An order of
  /// magnitude.
  double compile_us_per_instruction = 4300;
  double load_seconds = 1.5;  ///< probe: about, of a compiled program from disk
  /// probe: the first call in a process, 27 to 100 ms; the geometric mean is ours.
  double first_call_us = 52e3;

  /// Returns the seconds to compile a program of so many instructions that is nowhere cached.
  PAPILIO_API double compile_seconds_of(double instructions) const;

  /// Returns the microseconds to upload `tensors` tensors of equal size, of `bytes` in all: tensors
  /// * host_to_device_us + bytes * rate, with the large rate for each tensor's bytes beyond
  /// host_to_device_large_bytes.
  PAPILIO_API double upload_us(std::size_t tensors, double bytes) const;

  /// Returns the microseconds to wait for and fetch `tensors` tensors of `bytes` in all, without
  /// the device's own time: blocking_fetch_us + tensors * device_to_host_us + bytes * rate; 0 for
  /// no tensors.
  PAPILIO_API double fetch_us(std::size_t tensors, double bytes) const;

  bool is_asynchronous() const { return inflight_max > 0; }

  bool operator==(const runtime_spec&) const = default;
};

/// Return the vendor's SDK 2.24 and 2.29 on trainium1, 2.29 and 2.32 on trainium2, and 2.32 on
/// trainium3. Of 2.32 one figure is published: 437 us between synchronous calls on trainium2, all of
/// the host's work, and none between asynchronous ones (program of 5.18 ms).
PAPILIO_API runtime_spec sdk_2_24();
PAPILIO_API runtime_spec sdk_2_29();
PAPILIO_API runtime_spec sdk_2_29_trn2();
PAPILIO_API runtime_spec sdk_2_32_trn2();
PAPILIO_API runtime_spec sdk_2_32_trn3();

/// Lists the names that load_runtime takes, oldest first.
inline constexpr const char* runtime_presets[] = {"sdk_2_24", "sdk_2_29", "sdk_2_29_trn2",
                                                  "sdk_2_32_trn2", "sdk_2_32_trn3"};

/// Returns every number of the runtime in the order of its members, each with its source, as
/// sources(machine_spec).
PAPILIO_API std::vector<sourced_value> sources(const runtime_spec& runtime);

/// Checks that every field is finite and in range: times and rates at least 0. Throws
/// invalid_argument with the field's name, what was expected and the value.
PAPILIO_API void require_valid(const runtime_spec& runtime);

/// Convert, load and save a runtime, as machine_spec's functions of these names; without "based_on"
/// the preset is sdk_2_24.
PAPILIO_API std::string to_json(const runtime_spec& runtime);
PAPILIO_API runtime_spec runtime_from_json(std::string_view text, const std::string& origin);
PAPILIO_API runtime_spec load_runtime(const std::string& path_or_preset);
PAPILIO_API void save_runtime(const std::string& path, const runtime_spec& runtime);

}  // namespace papilio::engine

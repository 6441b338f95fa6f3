#pragma once

#include <cstdint>
#include <string>

#include "papilio/base/export.hpp"
#include "papilio/engine/profile.hpp"
#include "papilio/engine/trace.hpp"

namespace papilio::engine {

/// What a launch found of its program.
enum class program_state : std::uint8_t { compiled, loaded, assumed_warm, hit };
/// "compiled", "loaded", "assumed warm", "hit".
PAPILIO_API const char* to_string(program_state state);

/// Copies between host and device: tensors, their bytes on the device, and the host's time.
struct PAPILIO_API copy_record {
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;

  void add(const copy_record& other);
  bool operator==(const copy_record&) const = default;
};

/// One dispatch. Seconds are modelled but for wall_seconds.
struct PAPILIO_API launch_result {
  std::string kernel = {};
  program_state program = program_state::hit;
  std::uint64_t instructions = 0;
  double device_seconds = 0;   ///< of the program, from start to end
  double compile_seconds = 0;  ///< compilation, loading, first call
  double launch_seconds = 0;
  copy_record upload = {};
  copy_record fetch = {};
  /// Device time that the call waited for: that of all launches not waited for before, if it
  /// fetches; else 0.
  double wait_seconds = 0;
  double wall_seconds = 0;  ///< of the emulation
  profile summary = {};
  trace events = {};  ///< empty without device_options::trace

  /// From call to return: compile + upload + launch + wait + fetch.
  double total_seconds() const {
    return compile_seconds + upload.seconds + launch_seconds + wait_seconds + fetch.seconds;
  }
};

/// Sums over a device's life. The costs of the runtime and the device's time add up, as in the fits
/// that the runtime's constants come from.
struct PAPILIO_API device_record {
  std::uint64_t launches = 0;
  std::uint64_t compiles = 0;  ///< programs compiled
  std::uint64_t loads = 0;     ///< programs loaded, those just compiled among them
  std::uint64_t hits = 0;      ///< launches of a program that had been launched before
  copy_record upload = {};
  copy_record fetch = {};
  double launch_seconds = 0;
  double compile_seconds = 0;
  double device_seconds = 0;   ///< waited for
  double pending_seconds = 0;  ///< device time of launches that nobody has waited for
  double wall_seconds = 0;     ///< of the emulation

  /// What the host's clock would have shown: all but pending and wall.
  double total_seconds() const {
    return launch_seconds + upload.seconds + fetch.seconds + device_seconds + compile_seconds;
  }
  /// A line each, aligned.
  std::string to_text() const;
  std::string to_json() const;
};

}  // namespace papilio::engine

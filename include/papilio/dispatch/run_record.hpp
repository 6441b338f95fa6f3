#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "papilio/base/export.hpp"

namespace papilio {

/// A part of a run that has a name of its own. Device seconds are modelled, from the part's first
/// instruction to the end of its last: parts may overlap.
struct run_step {
  std::string name = {};  ///< "step 2"
  std::string recipe = {};
  double device_seconds = 0;
};

/// What ran. Seconds are modelled but for wall_seconds; of the host's runs nothing is measured and
/// nothing modelled: they are 0.
struct run_record {
  std::string operation = {};
  std::string backend = {};  ///< "host", "fftw", "device"; empty: nothing has run yet
  std::string recipe = {};
  std::string machine = {};  ///< the accelerator's name
  std::size_t launches = 0;
  std::size_t uploads = 0, fetches = 0;  ///< tensors copied to the device, and back
  double upload_bytes = 0, fetch_bytes = 0;
  double launch_seconds = 0, upload_seconds = 0, device_seconds = 0, fetch_seconds = 0;
  double compile_seconds = 0;
  std::vector<run_step> steps = {};  ///< of an accelerator's program that has some
  bool captured = false;             ///< kept for a graph, not run
  double wall_seconds = 0;           ///< that the emulation took

  /// What the machine's user would have waited for.
  double seconds() const {
    return launch_seconds + upload_seconds + device_seconds + fetch_seconds + compile_seconds;
  }
  /// Of two runs after each other: counts, bytes and seconds are summed, steps by their names.
  PAPILIO_API void add(const run_record& later);
  /// Lines of text.
  PAPILIO_API std::string to_text() const;
};

/// Of the last operation that this thread has called, of those that take an execution. An operation
/// that consists of several (an fftn over an axis that is named twice) leaves that of the last; a
/// decomposition leaves the sum of all its runs.
PAPILIO_API run_record last_run();

namespace dispatch_detail {

/// A run of the host: what it was is told when it is asked for. `recipe` may be null.
PAPILIO_API void record_host_run(const char* backend, std::shared_ptr<const void> what,
                                 std::string (*operation)(const void*),
                                 std::string (*recipe)(const void*));
/// Whether the last run is the host's of this very object: there is nothing to record then.
PAPILIO_API bool is_last_host_run(const void* what);
PAPILIO_API void record_run(run_record record);

}  // namespace dispatch_detail
}  // namespace papilio

#pragma once

#include <cstdint>

#include "papilio/base/export.hpp"
#include "papilio/engine/device_record.hpp"

namespace papilio::kernels::published {

/// Lines of a transform.
struct transform_shape {
  std::int64_t n = 0;  ///< points of a line
  std::int64_t batch = 1;
};

/// What a whole published algorithm costs on a device, in modelled seconds: its launches, its
/// copies, and the time of its kernels. Work of the host between them (bit reversal, conjugation,
/// tables) is not in it.
struct PAPILIO_API published_run {
  std::uint64_t launches = 0;
  double launch_seconds = 0;
  double compile_seconds = 0;  ///< 0 on a device whose programs are warm
  double device_seconds = 0;
  engine::copy_record upload = {};
  engine::copy_record fetch = {};

  double total_seconds() const {
    return launch_seconds + compile_seconds + device_seconds + upload.seconds + fetch.seconds;
  }
  /// One algorithm behind another.
  void add(const published_run& other);
};

}  // namespace papilio::kernels::published

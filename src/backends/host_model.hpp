#pragma once

#include <cstddef>

#include "papilio/dispatch/fft_problem.hpp"

namespace papilio::backends_detail {

/// Round figures for one core of a server processor of about 3 GHz. They order candidates and tell
/// microseconds from milliseconds; they are not measurements of this machine.
struct host_model {
  double flops_per_second;     ///< in float, as transforms reach it; half in double
  double extended_per_second;  ///< in long double, without vectors
  struct level {
    double bytes;             ///< capacity; the last has no bound
    double bytes_per_second;  ///< one core
  };
  level levels[4];
  double call_seconds;  ///< of one transform, whatever its length
};

/// By the vector width of this processor: 64 bytes 8e10 flop/s, 32 bytes 5e10, 16 bytes 2.5e10, in
/// float; caches of 32 KiB at 1.5e11 B/s, 1 MiB at 6e10, 32 MiB at 2.5e10, memory at 1e10.
const host_model& this_host();

/// Seconds for `flops` operations of a type while `bytes` move through the smallest level that
/// holds `working_bytes`: the larger of the two.
double modelled_seconds(const host_model& host, real_type type, double flops, double bytes,
                        double working_bytes);

/// Bytes of one real.
std::size_t bytes_of(real_type type);
/// Unit roundoff times two.
double epsilon_of(real_type type);

}  // namespace papilio::backends_detail

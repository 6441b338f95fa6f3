#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "papilio/dispatch/host_model.hpp"

namespace papilio::calibration {

/// Makes something that multiplies two real matrices, [side, side], each time that it is called.
using gemm_maker = std::function<std::function<void()>(real_type type, std::size_t side)>;

/// How quiet the computer was while it was measured.
struct host_steadiness {
  /// Of the time of loops on all cores at once: what their threads waited for a core.
  double waited_share = 0;
  /// Largest over smallest CPU time, less 1, of one and the same loop run in the beginning, between
  /// the measurements and in the end.
  double spread = 0;

  /// Why figures taken meanwhile are not to be relied on: more than 10 % waited, or a spread of
  /// more than 25 %. Empty where they are.
  std::string fault() const;
};

/// Of one short loop on all cores at once: how quiet the computer is now.
host_steadiness current_steadiness(int cores);

/// Measures this computer for `seconds`, to within a tenth (at least a second or two): peak of
/// fused multiply-adds, copying at each level of memory on one core and on all, transforms at each
/// level, what calls, lines and threads cost, elementwise work and rearranging; and products of
/// matrices in float and double where `make_gemm` makes them, on this thread alone, else
/// gemm_peak_share stays. Each figure is the best of several runs, in CPU time where one thread
/// works. `steadiness`, where it is given, gets how quiet the computer was. Uses up to 512 MiB;
/// resource_error if they cannot be had. invalid_argument unless 0 < seconds <= 600.
host_model calibrate_host(double seconds = 3, const gemm_maker& make_gemm = {},
                          host_steadiness* steadiness = nullptr);

}  // namespace papilio::calibration

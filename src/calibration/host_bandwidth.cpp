#include "calibration/host_bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "calibration/host_kernels.hpp"
#include "papilio/base/array.hpp"
#include "papilio/base/parallel_for.hpp"

namespace papilio::calibration {

namespace {

/// Two buffers, in huge pages where the system gives them: what is measured are the memories, not
/// the page tables.
class copying {
 public:
  explicit copying(double bytes) : from_(floats_in(bytes / 2)), to_(floats_in(bytes / 2)) {
    std::fill(from_.begin(), from_.end(), 1.0f);
    std::fill(to_.begin(), to_.end(), 1.0f);
  }

  /// Bytes read and written per second, by `threads` that each copy between slices of their own of
  /// `bytes` together, at least `least_bytes` in one run.
  double rate(double bytes, int threads, double seconds, double least_bytes = 4e6) {
    const auto slices = static_cast<std::size_t>(threads);
    const double most_bytes = 4 * static_cast<double>(from_.size()) / threads;
    const std::size_t count = floats_in(std::min(bytes / 2, most_bytes));
    const double moved = 2.0 * 4.0 * static_cast<double>(count);
    const auto repeats = static_cast<std::size_t>(std::max(1.0, least_bytes / moved));
    const double taken = best_seconds(seconds, threads == 1 ? thread_seconds : wall_seconds, [&] {
      parallel_for(slices, threads, [&](std::size_t slice) {
        for (std::size_t i = 0; i < repeats; ++i)
          copy_floats(from_.data() + slice * count, to_.data() + slice * count, count);
      });
    });
    return moved * static_cast<double>(repeats) * threads / taken;
  }

 private:
  /// What copy_floats() takes, at least one piece.
  static std::size_t floats_in(double bytes) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(bytes / 1024)) * 256;
  }

  array<float, 1> from_, to_;
};

}  // namespace

void measure_copying(host_model& host, double seconds) {
  time_budget time(seconds, 9);  // four levels, by one core and by all, and where L3 ends
  const double largest = std::min(std::clamp(2 * host.l3.capacity_bytes, 128e6, 512e6),
                                  host.memory.capacity_bytes / 8);
  copying memories(largest);
  const auto measure = [&](host_level& level, double bytes, double all_bytes) {
    const double one = memories.rate(bytes, 1, time.share(1));
    level.core_bytes_per_second = level.machine_bytes_per_second = one;
    const double all_seconds = time.share(1);
    if (host.cores == 1) return;
    // Long enough that the start of threads is a tenth at most.
    const double least_bytes = std::max(4e6, std::min(10 * host.thread_start_seconds, 0.05) * one);
    const double all = memories.rate(all_bytes, host.cores, all_seconds, least_bytes);
    level.machine_bytes_per_second = std::max(all, one);
  };
  measure(host.l1, host.l1.capacity_bytes / 2, host.l1.capacity_bytes / 2);
  measure(host.l2, host.l2.capacity_bytes / 2, host.l2.capacity_bytes / 2);
  measure(host.memory, largest, largest / host.cores);
  if (host.l3.capacity_bytes <= host.l2.capacity_bytes) {
    const double bytes = host.l3.capacity_bytes;
    host.l3 = host.l2;
    host.l3.capacity_bytes = bytes;
    return;
  }
  const double inside = std::min(4 * host.l2.capacity_bytes, host.l3.capacity_bytes);
  measure(host.l3, inside, inside / host.cores);
  // Other programs, and other guests of the machine, have their share of what the system tells.
  const double fallen =
      std::sqrt(host.l3.core_bytes_per_second * host.memory.core_bytes_per_second);
  double fits = inside;
  while (2 * fits <= std::min(largest, host.l3.capacity_bytes) &&
         memories.rate(2 * fits, 1, time.share(0.25)) > fallen)
    fits *= 2;
  host.l3.capacity_bytes = fits;
}

}  // namespace papilio::calibration

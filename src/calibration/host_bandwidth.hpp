#pragma once

#include "papilio/base/parallel_for.hpp"
#include "papilio/dispatch/host_model.hpp"

namespace papilio::calibration {

using base_detail::thread_seconds;
using base_detail::wall_seconds;

/// Seconds, by `now`, of the shortest of several runs of `work`, each repeated until it takes
/// 100 us, in about `seconds` of wall time; of eight such at least where they take less than 1 ms,
/// else of two runs.
template <class Work>
double best_seconds(double seconds, double (*now)(), const Work& work);

/// Wall time that is shared out by weight: what one share takes too long, or does not need, the
/// later ones have less, or more.
class time_budget {
 public:
  /// From now on; `weight` is that of all shares.
  time_budget(double seconds, double weight) : end_(wall_seconds() + seconds), left_(weight) {}

  /// Seconds of the next share; 0 where none are left.
  double share(double weight) {
    const double all = left_;
    left_ = all > weight ? all - weight : 0;
    const double seconds = end_ - wall_seconds();
    return seconds <= 0 ? 0 : all > weight ? seconds * weight / all : seconds;
  }

 private:
  double end_, left_;
};

/// Measures copying at each level of `host`, by one core and by all, and where L3 ends; in about
/// `seconds`, though memory takes some tenths whatever is asked. thread_start_seconds is known.
void measure_copying(host_model& host, double seconds);

template <class Work>
double best_seconds(double seconds, double (*now)(), const Work& work) {
  const double end = wall_seconds() + seconds;
  const double start = now();
  work();
  double best = now() - start;
  int repeats = 1, enough = 8;
  double taken = 0;
  do {
    const double before = now();
    for (int i = 0; i < repeats; ++i) work();
    taken = now() - before;
    if (taken / repeats < best) best = taken / repeats;
    if (taken < 100e-6 && repeats < 1 << 20)
      repeats *= 2;
    else
      --enough;
  } while (wall_seconds() < end || (enough > 0 && taken < 1e-3));
  return best;
}

}  // namespace papilio::calibration

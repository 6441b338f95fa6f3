#include "cli/work_ahead.hpp"

#include "cli/excerpt.hpp"
#include "papilio/dispatch/host_model.hpp"
#include "papilio/transform.hpp"
#include "papilio/transform/candidate.hpp"

namespace papilio::cli {
namespace {

fft_estimate one_transform(std::size_t n_fft, real_type type) {
  return host_fft_estimate(current_host(),
                           {.kind = fft_kind::real, .type = type, .extents = {n_fft}});
}

// While they are made, and as much again where they are used: measured, of prime lengths.
double making_bytes(const fft_estimate& transform) {
  constexpr double peak = 3;
  return peak * transform.table_bytes;
}

void announce(const segment_work& work, double seconds_each, const work_surroundings& around) {
  if (work.frames >= unlimited_frames) return;  // nobody knows
  constexpr double long_seconds = 60;
  const double count =
      static_cast<double>(work.channels) * (static_cast<double>(work.frames / work.hop) + 1);
  const double seconds = count * seconds_each;
  if (seconds < long_seconds) return;
  const std::string text =
      fmt::format("{:.0f} transforms of {} points are ahead, which take about {}", count,
                  work.n_fft, format_duration(seconds));
  around.warn(text);
}

}  // namespace

memory_budget::share memory_budget::take(double bytes) {
  {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [&] { return used_ == 0 || used_ + bytes <= bytes_; });
    used_ += bytes;
  }
  return {this, [this, bytes](void*) {
            {
              const std::lock_guard lock(mutex_);
              used_ -= bytes;
            }
            given_back_.notify_all();
          }};
}

void require_transform_memory(std::size_t n_fft, real_type type) {
  const double bytes = making_bytes(one_transform(n_fft, type));
  if (bytes > most_work_bytes)
    throw usage_error(
        "--n-fft: a transform of {} points takes {:.1f} GiB to make, for it has a large prime "
        "factor; {} points take less",
        n_fft, bytes / most_work_bytes, next_fast_len(n_fft));
}

memory_budget::share begin_work(const std::string& file, const segment_work& work,
                                const work_surroundings& around) {
  if (work.channels > work.most_samples / work.n_fft)
    throw bad_file(file,
                   "--n-fft {} over {} at once takes too much memory; choose one with "
                   "--channel, or --n-fft of at most {}",
                   work.n_fft, counted(work.channels, "channel"),
                   work.most_samples / work.channels);
  const fft_estimate one = one_transform(work.n_fft, work.type);
  announce(work, one.seconds, around);
  if (around.memory == nullptr) return {};
  const double samples = static_cast<double>(work.channels) * static_cast<double>(work.n_fft);
  return around.memory->take(making_bytes(one) +
                             most_work_bytes * samples / static_cast<double>(work.most_samples));
}

}  // namespace papilio::cli

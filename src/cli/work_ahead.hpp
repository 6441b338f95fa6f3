#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "papilio/dispatch/operation.hpp"

namespace papilio::cli {

/// Memory that files worked on at once may take together. A request for more than is left waits,
/// unless nothing else is taken: a file that is alone gets whatever it asks for.
class memory_budget {
 public:
  explicit memory_budget(double bytes) : bytes_(bytes) {}

  /// A part of it, until the last copy is gone.
  using share = std::shared_ptr<void>;
  share take(double bytes);

 private:
  double bytes_, used_ = 0;
  std::mutex mutex_;
  std::condition_variable given_back_;
};

/// Bytes that the work on one file may take, and the work on all files of a batch at once.
inline constexpr double most_work_bytes = 1 << 30;

/// The budget and the warnings that the work on one file shares with that on others.
struct work_surroundings {
  memory_budget* memory = nullptr;  ///< null: the file is alone
  std::function<void(const std::string&)> warn = {};
};

/// Transforms of segments of a file.
struct segment_work {
  std::size_t channels;
  std::uint64_t frames;
  std::size_t n_fft, hop;
  real_type type = real_type::single_precision;
  /// Samples of all channels' segments that take most_work_bytes.
  std::size_t most_samples = std::size_t{1} << 26;
};

/// usage_error, in the name of --n-fft, where a transform of so many points takes more than
/// most_work_bytes to make: one with a large prime factor is a convolution of over twice the
/// length.
void require_transform_memory(std::size_t n_fft, real_type type);

/// Before the work begins. io_error where segments of all channels are more than most_samples: each
/// channel keeps one, and a small file of many channels must not take all memory. Warns where
/// transforms will take over a minute; waits until the surroundings have the memory.
[[nodiscard]] memory_budget::share begin_work(const std::string& file, const segment_work& work,
                                              const work_surroundings& around);

}  // namespace papilio::cli

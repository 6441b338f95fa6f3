#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

// Memory of large results: the system zeroes every page that it hands out, which takes as long as a
// short transform, so that what was freed is kept, within a limit, for the next result.
namespace papilio::python {

/// Blocks of at least this size are kept; malloc finds smaller ones again by itself.
constexpr std::size_t least_kept_bytes = std::size_t{1} << 20;

class result_memory {
 public:
  /// A block of at least least_kept_bytes, not initialised; null where there is none.
  void* allocate(std::size_t bytes);
  /// A block of allocate is kept, or freed.
  void release(void* memory);
  /// Bytes of a block of allocate.
  std::size_t bytes_of(void* memory);
  /// Keeps no more than that in all from now on; what it was.
  std::size_t set_limit(std::size_t bytes);

 private:
  struct block {
    void* memory;
    std::size_t bytes;
  };
  void free_down_to(std::size_t bytes);

  std::mutex mutex_;
  std::unordered_map<void*, std::size_t> used_;
  std::vector<block> kept_;  // the latest last
  std::size_t kept_bytes_ = 0, limit_ = std::size_t{128} << 20;
};

/// That of the module, which lasts as long as the process: arrays may outlive everything else.
result_memory& results();

}  // namespace papilio::python

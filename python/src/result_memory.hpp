#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

// Memory of large results: the system zeroes every page that it hands out, which takes as long as a
// short transform, so that what was freed is kept, within a limit, for the next result.
namespace papilio::python {

/// Blocks of at least this size are kept; malloc finds smaller ones again by itself.
constexpr std::size_t least_kept_bytes = std::size_t{1} << 20;

class result_memory {
 public:
  /// Keeps a thirty-second of the computer's memory at most.
  result_memory();
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
  std::vector<block>::iterator used_block(const void* memory);

  std::mutex mutex_;
  std::vector<block> used_, kept_;  // kept: the latest last
  std::size_t kept_bytes_ = 0, limit_;
};

/// That of the module, which lasts as long as the process: arrays may outlive everything else.
result_memory& results();

}  // namespace papilio::python

#include "papilio/base/array.hpp"

#include <sys/mman.h>

#include <cstdlib>

#include "papilio/base/error.hpp"

namespace papilio::base_detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

void* allocate(std::size_t bytes) {
  const bool large = bytes >= huge_page_bytes;
  const std::size_t alignment = large ? huge_page_bytes : array_alignment_bytes;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr)
    throw resource_error(message("array: ", bytes, " bytes cannot be allocated"));
#ifdef MADV_HUGEPAGE
  // Advice only: a system that does not follow it is slower, not wrong.
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return memory;
}

void release(void* memory) { std::free(memory); }

}  // namespace papilio::base_detail

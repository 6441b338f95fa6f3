#include "papilio/base/array.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>

#include "papilio/base/error.hpp"

namespace papilio::base_detail {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
// Larger blocks than malloc of glibc takes from memory that was freed before are mapped anew each
// time, so that they may as well begin at a huge page.
constexpr std::size_t reused_bytes = std::size_t{32} << 20;

std::size_t rounded_up(std::size_t n, std::size_t step) { return (n + step - 1) / step * step; }

// Advice only: a system that does not follow it is slower, not wrong.
void advise_huge_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = rounded_up(first, huge_page_bytes);
  const std::uintptr_t end = (first + bytes) / huge_page_bytes * huge_page_bytes;
  if (begin < end)
    madvise(static_cast<char*>(memory) + (begin - first), end - begin, MADV_HUGEPAGE);
#endif
}

// glibc finds no freed block again for aligned_alloc, and would map and zero pages for each array.
// So blocks are malloc's, and where one begins is kept before the array. Not with the address
// sanitizer, which then could not watch the first and the last bytes.
#ifndef __SANITIZE_ADDRESS__
void* aligned_block(std::size_t bytes, std::size_t alignment) {
  void* const block = bytes + alignment < bytes ? nullptr : std::malloc(bytes + alignment);
  if (block == nullptr) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  void** const memory =
      static_cast<void**>(block) + (rounded_up(begin + 1, alignment) - begin) / sizeof(void*);
  memory[-1] = block;
  return memory;
}
void free_block(void* memory) {
  if (memory != nullptr) std::free(static_cast<void**>(memory)[-1]);
}
#else
void* aligned_block(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = rounded_up(bytes, alignment);
  return rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
}
void free_block(void* memory) { std::free(memory); }
#endif

}  // namespace

void* allocate(std::size_t bytes) {
  const std::size_t alignment = bytes > reused_bytes ? huge_page_bytes : array_alignment_bytes;
  void* const memory = aligned_block(bytes, alignment);
  if (memory == nullptr)
    throw resource_error(message("array: ", bytes, " bytes cannot be allocated"));
  if (bytes >= huge_page_bytes) advise_huge_pages(memory, bytes);
  return memory;
}

void release(void* memory) { free_block(memory); }

}  // namespace papilio::base_detail

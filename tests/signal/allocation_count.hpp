#pragma once

#include <cstddef>

namespace papilio::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define PAPILIO_COUNTS_ALLOCATIONS 0
#else
#define PAPILIO_COUNTS_ALLOCATIONS 1
#endif

/// Calls of malloc, calloc, realloc, aligned_alloc and posix_memalign so far, from operator new and
/// from arrays; always 0 where malloc is a sanitizer's.
std::size_t allocation_count();

template <class Work>
std::size_t allocations_of(const Work& work) {
  const std::size_t before = allocation_count();
  work();
  return allocation_count() - before;
}

}  // namespace papilio::test

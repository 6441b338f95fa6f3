#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "papilio/base/array.hpp"
#include "papilio/base/error.hpp"

// Allocations that a test grants or refuses. One source of a program includes it.
namespace {

constexpr long all = 1'000'000'000;
// Allocations of arrays that are still granted.
std::atomic<long> granted{all};

}  // namespace

// Where arrays have their memory from, instead of the library's own.
namespace papilio::base_detail {
void* allocate(std::size_t bytes) {
  constexpr std::size_t line = array_alignment_bytes;
  void* const memory = granted.fetch_sub(1) > 0
                           ? std::aligned_alloc(line, (bytes + line - 1) / line * line)
                           : nullptr;
  if (memory == nullptr) throw resource_error("refused");
  return memory;
}
void release(void* memory) { std::free(memory); }
}  // namespace papilio::base_detail

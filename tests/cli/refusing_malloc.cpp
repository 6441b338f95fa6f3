// To be preloaded: the allocation that PAPILIO_REFUSE counts to, from 1, is refused, once. At the
// end the number of allocations goes to the file that PAPILIO_REFUSE_COUNT names.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> allocations{0};
long refused = -1;

bool refuses() {
  if (environ == nullptr) return false;
  if (refused < 0) {
    const char* const text = std::getenv("PAPILIO_REFUSE");
    refused = text == nullptr ? 0 : std::atol(text);
  }
  if (++allocations != refused) return false;
  errno = ENOMEM;
  return true;
}

[[gnu::destructor]] void tell() {
  const char* const path = std::getenv("PAPILIO_REFUSE_COUNT");
  if (path == nullptr) return;
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld", allocations.load());
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (::write(file, text, static_cast<std::size_t>(length)) != length) std::abort();
  ::close(file);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) noexcept { return refuses() ? nullptr : __libc_malloc(size); }

void* calloc(std::size_t count, std::size_t size) noexcept {
  return refuses() ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* old, std::size_t size) noexcept {
  return size > 0 && refuses() ? nullptr : __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return refuses() ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
  void* const memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *result = memory;
  return 0;
}
}

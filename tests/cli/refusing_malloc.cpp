// To be preloaded: the allocation that PAPILIO_REFUSE counts to, from 1, is refused, once, and the
// name of the library or program that asked for it goes to the file that PAPILIO_REFUSED_TO names.
// At the end the number of allocations goes to the file that PAPILIO_REFUSE_COUNT names.
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<long> allocations{0};
long refused = -1;
thread_local bool is_tracing = false;

void write_to(const char* variable, const char* text, std::size_t length) {
  const char* const path = std::getenv(variable);
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (::write(file, text, length) != static_cast<ssize_t>(length)) std::abort();
  ::close(file);
}

// The C and C++ libraries ask on behalf of others.
bool asks_for_others(const char* name) {
  for (const char* const part : {"refusing_malloc", "libc.so", "libstdc++"})
    if (std::strstr(name, part) != nullptr) return true;
  return false;
}

void tell_who_asked() {
  constexpr int most_frames = 64;
  void* frames[most_frames];
  is_tracing = true;
  const int count = backtrace(frames, most_frames);
  is_tracing = false;
  for (int i = 0; i < count; ++i) {
    Dl_info found;
    if (dladdr(frames[i], &found) == 0 || found.dli_fname == nullptr) continue;
    const char* const slash = std::strrchr(found.dli_fname, '/');
    const char* const name = slash == nullptr ? found.dli_fname : slash + 1;
    if (asks_for_others(name)) continue;
    return write_to("PAPILIO_REFUSED_TO", name, std::strlen(name));
  }
}

bool refuses() {
  if (environ == nullptr || is_tracing) return false;
  if (refused < 0) {
    const char* const text = std::getenv("PAPILIO_REFUSE");
    refused = text == nullptr ? 0 : std::atol(text);
  }
  if (++allocations != refused) return false;
  tell_who_asked();
  errno = ENOMEM;
  return true;
}

[[gnu::destructor]] void tell() {
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld", allocations.load());
  write_to("PAPILIO_REFUSE_COUNT", text, static_cast<std::size_t>(length));
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

// OpenBLAS's own functions, which it calls through the dynamic linker and so finds here first. Where
// address space ends they never come back: a thread of its pool, made when the library is loaded,
// and each call ask for a work buffer of 128 MiB until they have it. The pool is never used, since
// products are cut here (blas/serial_blas.hpp): here it is not made.
#include <dlfcn.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "cli/common.hpp"

#define PAPILIO_FOUND_BY_OPENBLAS extern "C" __attribute__((weak, visibility("default")))

namespace {

template <class Function>
Function* own_function_of_openblas(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

/// Buffers that OpenBLAS has, and those that are in use. It keeps what it has, and makes one only
/// where all are in use.
class blas_buffers {
 public:
  /// Ends the program where there is no address space for the one that is made next: no error comes
  /// back through OpenBLAS. Outputs that are being written have no names yet.
  void take() {
    const std::lock_guard lock(mutex_);
    if (++used_ <= made_) return;
    constexpr std::size_t buffer_bytes = std::size_t{130} << 20;  // with what it adds to each
    void* const trial =
        ::mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED) {
      std::fputs("papilio: out of memory: OpenBLAS needs 128 MiB of address space a thread\n",
                 stderr);
      std::_Exit(papilio::cli::exit_bad_data);
    }
    ::munmap(trial, buffer_bytes);
    made_ = used_;
  }
  void give_back() {
    const std::lock_guard lock(mutex_);
    --used_;
  }

 private:
  std::mutex mutex_;
  int used_ = 0, made_ = 0;
};

constinit blas_buffers buffers_of_blas;

}  // namespace

PAPILIO_FOUND_BY_OPENBLAS int blas_thread_init() {
  if (std::getenv("PAPILIO_BLAS_THREADS") == nullptr) return 0;
  static int (*const own)() = own_function_of_openblas<int()>("blas_thread_init");
  return own == nullptr ? 0 : own();
}

PAPILIO_FOUND_BY_OPENBLAS void* blas_memory_alloc(int position) {
  static auto* const own = own_function_of_openblas<void*(int)>("blas_memory_alloc");
  buffers_of_blas.take();
  return own(position);
}

PAPILIO_FOUND_BY_OPENBLAS void blas_memory_free(void* buffer) {
  static auto* const own = own_function_of_openblas<void(void*)>("blas_memory_free");
  own(buffer);
  buffers_of_blas.give_back();
}

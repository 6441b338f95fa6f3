#include "support/sanitizer.hpp"

#include <dlfcn.h>

namespace papilio::test {

bool runs_under_a_sanitizer() {
  return dlsym(RTLD_DEFAULT, "__asan_init") != nullptr ||
         dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr;
}

}  // namespace papilio::test

#include "blas/serial_blas.hpp"

#include <cblas.h>

#include <cstdlib>
#include <string_view>

#include "papilio/base/error.hpp"

// Builds of OpenBLAS that choose their kernels at run time have these; they are absent in others.
extern "C" {
__attribute__((weak)) void gotoblas_dynamic_init(void);
__attribute__((weak)) void gotoblas_dynamic_quit(void);
}

namespace papilio::blas_detail {
namespace {

constexpr const char* threads_variable = "PAPILIO_BLAS_THREADS";

// The kernels that this processor can run, if OpenBLAS has taken those of 2004: it knows processors
// by their model numbers, and one that is newer than it gets SSE3, ten to twenty times slower.
const char* better_kernels() {
#if defined(__x86_64__)
  if (std::string_view(openblas_get_corename()) != "Prescott") return nullptr;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
  if (has_avx512) return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

void choose_kernels() {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  if (gotoblas_dynamic_init == nullptr || gotoblas_dynamic_quit == nullptr) return;
  const char* const kernels = std::getenv(variable) != nullptr ? nullptr : better_kernels();
  if (kernels == nullptr) return;
  setenv(variable, kernels, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv(variable);
}

}  // namespace

void use_serial_blas() {
  static const bool chosen = [] {
    const char* const wish = std::getenv(threads_variable);
    const bool keep = wish != nullptr && std::string_view(wish) == "keep";
    if (wish != nullptr && !keep)
      throw invalid_argument(base_detail::message(
          threads_variable, ": must be \"keep\" or not be set, is \"", wish, '"'));
    if (keep) return true;
    choose_kernels();
    openblas_set_num_threads(1);
    return true;
  }();
  static_cast<void>(chosen);
}

}  // namespace papilio::blas_detail

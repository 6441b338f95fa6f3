# PAPILIO_SIMD: which instruction sets the library is compiled for. Baseline, SSE4, AVX2 and AVX-512
# (all) run on every x86-64 computer, and the processor's best is chosen at run time; what is for fewer
# computers builds faster, and checks the processor when it is loaded (src/base/processor_check.hpp).
set(PAPILIO_SIMD all CACHE STRING
  "Instruction sets: native (this computer's), avx2, avx2+avx512 (chosen at run time) or all (likewise, for any computer)")
set(papilio_simd_values native avx2 avx2+avx512 all)
set_property(CACHE PAPILIO_SIMD PROPERTY STRINGS ${papilio_simd_values})
if(NOT PAPILIO_SIMD IN_LIST papilio_simd_values)
  list(JOIN papilio_simd_values ", " papilio_simd_values)
  message(FATAL_ERROR "PAPILIO_SIMD is \"${PAPILIO_SIMD}\"; there are ${papilio_simd_values}")
endif()
set(papilio_is_x86 FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set(papilio_is_x86 TRUE)
elseif(PAPILIO_SIMD MATCHES "avx")
  message(FATAL_ERROR "PAPILIO_SIMD is \"${PAPILIO_SIMD}\", which is for x86-64, and this processor is "
    "${CMAKE_SYSTEM_PROCESSOR}: native and all are for every processor")
endif()

# Options of every library that has Highway's code in it.
add_library(papilio_simd INTERFACE)
target_compile_definitions(papilio_simd INTERFACE
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)"
  $<$<IN_LIST:${PAPILIO_SIMD},native;avx2>:HWY_COMPILE_ONLY_STATIC>)
# On 64-bit ARM NEON is the baseline, and all there is: vectors of SVE cannot be members. Told that it cannot
# ask the processor, Highway compiles for it alone, without the encryption that it asks of others.
if(NOT papilio_is_x86)
  target_compile_definitions(papilio_simd INTERFACE HWY_COMPILE_ONLY_STATIC TOOLCHAIN_MISS_SYS_AUXV_H)
endif()
# Highway compiles for what the compiler may use, its baseline, and for what is better than that.
set(papilio_simd_baseline "")
if(papilio_is_x86 AND PAPILIO_SIMD STREQUAL "native")
  set(papilio_simd_baseline -march=native)
elseif(papilio_is_x86 AND PAPILIO_SIMD MATCHES "avx2")
  set(papilio_simd_baseline -march=haswell -maes -mpclmul)  # AVX2 in Highway asks for AES too
endif()
# GCC's vectoriser fuses products with sums whose signs alternate (vfmaddsub), as those of complex
# products do, in spite of -ffp-contract=off: bits would differ from those of a build for every
# instruction set. So what is vectorised by the compiler must have no fused instructions, and what has
# them is vectorised with Highway.
if(papilio_simd_baseline)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "${papilio_simd_baseline}")
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${CMAKE_REQUIRED_FLAGS}")
  check_cxx_source_compiles("
#ifndef __AVX2__
#error
#endif
int main() {}" papilio_simd_baseline_has_avx2)
  unset(CMAKE_REQUIRED_FLAGS)
  if(papilio_simd_baseline_has_avx2)
    target_compile_options(papilio_simd INTERFACE -mavx2)
  endif()
  list(APPEND papilio_simd_baseline $<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize>)
endif()

# papilio_simd_sources(TARGET SOURCE...): Highway compiles them, each by itself, for each instruction set.
function(papilio_simd_sources target)
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY
    COMPILE_OPTIONS ${papilio_simd_baseline})
  # Fuzzers give bytes to readers, none of which is among these; clang takes minutes for each under its
  # sanitizers.
  if(PAPILIO_SANITIZE MATCHES "fuzzer")
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} APPEND PROPERTY
      COMPILE_OPTIONS -fno-sanitize=all)
  endif()
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} PROPERTY SKIP_PRECOMPILE_HEADERS ON)
  set_property(SOURCE ${ARGN} TARGET_DIRECTORY ${target} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

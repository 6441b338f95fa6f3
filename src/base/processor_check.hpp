// Check that the processor has the features which a build for newer x86-64 processors
// (PAPILIO_SIMD) uses.
#pragma once

// Each feature has the compiler's macro and the name that GCC's and clang's __builtin_cpu_supports
// share. Features without such a name (LZCNT, MOVBE, F16C) are in every processor that has AVX2.
// clang-format off
#define PAPILIO_PROCESSOR_FEATURES(F) \
  F(__SSE3__, "sse3") \
  F(__SSSE3__, "ssse3") \
  F(__SSE4_1__, "sse4.1") \
  F(__SSE4_2__, "sse4.2") \
  F(__SSE4A__, "sse4a") \
  F(__POPCNT__, "popcnt") \
  F(__AES__, "aes") \
  F(__PCLMUL__, "pclmul") \
  F(__AVX__, "avx") \
  F(__FMA__, "fma") \
  F(__FMA4__, "fma4") \
  F(__XOP__, "xop") \
  F(__BMI__, "bmi") \
  F(__BMI2__, "bmi2") \
  F(__AVX2__, "avx2") \
  F(__AVX512F__, "avx512f") \
  F(__AVX512CD__, "avx512cd") \
  F(__AVX512BW__, "avx512bw") \
  F(__AVX512DQ__, "avx512dq") \
  F(__AVX512VL__, "avx512vl") \
  F(__AVX512IFMA__, "avx512ifma") \
  F(__AVX512VBMI__, "avx512vbmi") \
  F(__AVX512VBMI2__, "avx512vbmi2") \
  F(__AVX512VNNI__, "avx512vnni") \
  F(__AVX512BITALG__, "avx512bitalg") \
  F(__AVX512VPOPCNTDQ__, "avx512vpopcntdq") \
  F(__AVX512BF16__, "avx512bf16") \
  F(__GFNI__, "gfni") \
  F(__VPCLMULQDQ__, "vpclmulqdq")
// clang-format on

namespace papilio::base_detail {

#define PAPILIO_PLUS_ONE(macro, name) +1
inline constexpr int processor_feature_count = 0 PAPILIO_PROCESSOR_FEATURES(PAPILIO_PLUS_ONE);
#undef PAPILIO_PLUS_ONE

struct processor_needs {
  const char* build;                         ///< the value of PAPILIO_SIMD
  bool of_feature[processor_feature_count];  ///< in the order of the list
};

/// Needs of the library, or of a program that makes the check without the library.
extern const processor_needs needs_of_this_build;

/// Ends the process with a message and exit code 1 unless the processor has all features needed.
void require_processor(const processor_needs& needs);

}  // namespace papilio::base_detail

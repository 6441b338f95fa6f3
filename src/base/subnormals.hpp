#pragma once

#include <cstdint>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace papilio::base_detail {

/// While it lives, results of this thread's arithmetic that would be subnormal are 0: a recursion
/// whose input has ended comes to such numbers, on which processors are up to a hundred times as slow.
/// Elsewhere than on x86-64 and AArch64 it does nothing.
class subnormals_are_zero {
 public:
  subnormals_are_zero() : before_(control()) { set_control(before_ | flush_to_zero); }
  subnormals_are_zero(const subnormals_are_zero&) = delete;
  subnormals_are_zero& operator=(const subnormals_are_zero&) = delete;
  ~subnormals_are_zero() { set_control(before_); }

 private:
#if defined(__SSE2__)
  using word = unsigned;
  static constexpr word flush_to_zero = 1U << 15;
  static word control() { return _mm_getcsr(); }
  static void set_control(word w) { _mm_setcsr(w); }
#elif defined(__aarch64__)
  using word = std::uint64_t;
  static constexpr word flush_to_zero = word{1} << 24;
  static word control() {
    word w = 0;
    asm volatile("mrs %0, fpcr" : "=r"(w));
    return w;
  }
  static void set_control(word w) { asm volatile("msr fpcr, %0" : : "r"(w) : "memory"); }
#else
  using word = unsigned;
  static constexpr word flush_to_zero = 0;
  static word control() { return 0; }
  static void set_control(word) {}
#endif

  word before_;
};

}  // namespace papilio::base_detail

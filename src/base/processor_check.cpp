// Compiled without the instruction sets that it asks for. No inline function of the standard library
// is used: the linker could take the copy of a file that is compiled with them.
#include "base/processor_check.hpp"

#include <cstdio>
#include <cstdlib>

namespace papilio::base_detail {

void require_processor(const processor_needs& needs) {
  __builtin_cpu_init();
#define PAPILIO_PRESENT(macro, name) __builtin_cpu_supports(name) != 0,
  const bool present[] = {PAPILIO_PROCESSOR_FEATURES(PAPILIO_PRESENT)};
#define PAPILIO_NAME(macro, name) name,
  static const char* const names[] = {PAPILIO_PROCESSOR_FEATURES(PAPILIO_NAME)};
  bool lacks = false;
  for (int i = 0; i < processor_feature_count; ++i) {
    if (!needs.of_feature[i] || present[i]) continue;
    std::fputs(lacks ? ", " : "papilio: this processor lacks ", stderr);
    std::fputs(names[i], stderr);
    lacks = true;
  }
  if (!lacks) return;
  std::fprintf(
      stderr,
      ", which this build of the library (PAPILIO_SIMD=%s) uses. A build with "
      "PAPILIO_SIMD=all runs on every x86-64 processor; one with PAPILIO_SIMD=native, made "
      "on this computer, runs here.\n",
      needs.build);
  std::_Exit(1);
}

}  // namespace papilio::base_detail

// The check runs before all that is constructed before main. Who links the static library asks for
// it by this name.
extern "C" [[gnu::constructor(101)]] void papilio_check_processor() {
  papilio::base_detail::require_processor(papilio::base_detail::needs_of_this_build);
}

// A program for a processor that there is not; processor_check_test.cpp starts it.
#include <cstdio>

#include "base/processor_check.hpp"

namespace papilio::base_detail {

#define PAPILIO_NEEDED(macro, name) true,
constexpr processor_needs needs_of_this_build = {"avx2+avx512",
                                                 {PAPILIO_PROCESSOR_FEATURES(PAPILIO_NEEDED)}};

}  // namespace papilio::base_detail

namespace {
const int constructed = std::puts("constructed before main");
}

int main() { return constructed < 0 ? 2 : std::puts("main") < 0; }

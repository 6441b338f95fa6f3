// Features that the compiler was allowed to use in the library. They are constants, so that a
// processor that lacks the features can load them.
#include "base/processor_check.hpp"

// The macro of a feature is 1 where the compiler may use it, else its own name.
#define PAPILIO_TEXT(macro) #macro
#define PAPILIO_NEEDED(macro, name) PAPILIO_TEXT(macro)[0] == '1',

namespace papilio::base_detail {

constexpr processor_needs needs_of_this_build = {PAPILIO_SIMD,
                                                 {PAPILIO_PROCESSOR_FEATURES(PAPILIO_NEEDED)}};

}  // namespace papilio::base_detail

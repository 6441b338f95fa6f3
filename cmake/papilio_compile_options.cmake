# Options of every target of ours; never of a consumer's.
add_library(papilio_compile_options INTERFACE)
target_compile_features(papilio_compile_options INTERFACE cxx_std_20)
# Results must not depend on what the compiler chooses to fuse: only MulAdd, where written, fuses.
target_compile_options(papilio_compile_options INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<BOOL:${PAPILIO_WERROR}>:-Werror>)
if(PAPILIO_SANITIZE)
  target_compile_options(papilio_compile_options INTERFACE
    -fsanitize=${PAPILIO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms on instrumented code
  # Left out for the time of builds, of which they take a tenth to a third. Null pointers and accesses
  # beyond an object the address sanitizer still sees; alignment and virtual tables nobody checks.
  target_compile_options(papilio_compile_options INTERFACE
    -fno-sanitize=null,alignment,object-size,vptr)
  target_link_options(papilio_compile_options INTERFACE -fsanitize=${PAPILIO_SANITIZE})
endif()

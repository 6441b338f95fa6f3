# Options of every target of ours; never of a consumer's.
add_library(papilio_compile_options INTERFACE)
target_compile_features(papilio_compile_options INTERFACE cxx_std_20)
# Results must not depend on what the compiler chooses to fuse: only MulAdd, where written, fuses.
# In a unity build GCC takes the anonymous namespaces of sources for those of headers, and a local name
# shadows what another source has at namespace scope; clang has no warning of locals alone.
set(papilio_unity $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
set(papilio_gcc_unity $<AND:$<CXX_COMPILER_ID:GNU>,${papilio_unity}>)
set(papilio_clang_unity $<AND:$<CXX_COMPILER_ID:Clang>,${papilio_unity}>)
target_compile_options(papilio_compile_options INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion
  $<IF:${papilio_gcc_unity},-Wshadow=local,$<IF:${papilio_clang_unity},-Wno-shadow,-Wshadow>> $<${papilio_gcc_unity}:-Wno-subobject-linkage>
  $<$<BOOL:${PAPILIO_WERROR}>:-Werror>)
# GCC frees little when it looks for what it no longer needs, and takes a tenth of the time for that; here
# it looks from 400 MB on, not from 128 MB.
target_compile_options(papilio_compile_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=400000>)
if(PAPILIO_SANITIZE)
  target_compile_options(papilio_compile_options INTERFACE
    -fsanitize=${PAPILIO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms on instrumented code
  # Left out for the time of builds, of which they take a third. Where a null or overflown pointer
  # leads the address sanitizer still sees.
  target_compile_options(papilio_compile_options INTERFACE -fno-sanitize=null,alignment,pointer-overflow)
  target_link_options(papilio_compile_options INTERFACE -fsanitize=${PAPILIO_SANITIZE})
endif()

# What release builds of the library and the program have besides, as Debian's packages do: checked
# copies into buffers, canaries on stacks, and relocations that are made at the start and then
# read-only. Not of tests, which are not optimised, as checked copies ask for.
add_library(papilio_hardening INTERFACE)
if(NOT PAPILIO_SANITIZE)
  target_compile_options(papilio_hardening INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>)
  target_link_options(papilio_hardening INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo>:LINKER:-z,relro,-z,now>)
endif()

# The components: libraries, options and what each needs of the others.
option(PAPILIO_SIGNAL "Build papilio::signal: STFT, windows, features, spectral estimation" ON)
option(PAPILIO_SOUND "Build papilio::sound: sound files, pictures, tables" ${PROJECT_IS_TOP_LEVEL})
option(PAPILIO_TENSOR "Build papilio::tensor: BLAS on views, einsum, decompositions, MP2"
  ${PROJECT_IS_TOP_LEVEL})
option(PAPILIO_DEVICE "Build papilio::device: the emulated accelerator and its kernels"
  ${PROJECT_IS_TOP_LEVEL})
option(PAPILIO_MPI "Build papilio::mpi: transforms of arrays that lie on many machines" OFF)
set(papilio_components core fft)
set(papilio_missing_components "")
foreach(component signal sound tensor device)
  string(TOUPPER ${component} name)
  if(PAPILIO_${name})
    list(APPEND papilio_components ${component})
  else()
    list(APPEND papilio_missing_components PAPILIO_${name})
  endif()
endforeach()
# What papilio::papilio leaves out: whoever links it has MPI.
set(papilio_alone_components "")
if(PAPILIO_MPI)
  list(APPEND papilio_alone_components mpi)
endif()

# Before 1.0 a minor version may break programs, from 1.0 on a major one.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(papilio_soversion 0.${PROJECT_VERSION_MINOR})
else()
  set(papilio_soversion ${PROJECT_VERSION_MAJOR})
endif()

# Components use each other's inside (PAPILIO_INTERNAL), which may change with every version: each refers to
# a symbol of all that it loads, targets NEEDS and what these need, that has the version in its name.
function(papilio_bind_version name needs)
  set(target papilio_${name})
  string(REPLACE "." "_" version ${PROJECT_VERSION})
  set(symbol ${target}_${version})
  foreach(need IN LISTS needs)
    get_target_property(more ${need} PAPILIO_COMPONENTS)
    list(TRANSFORM more PREPEND papilio_)
    list(APPEND needs ${more})
  endforeach()
  list(REMOVE_DUPLICATES needs)
  set(declarations "")
  set(references "")
  foreach(need IN LISTS needs)
    string(APPEND declarations "extern const char ${need}_${version};\n")
    string(APPEND references "&${need}_${version}, ")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/component_version.cpp.in ${PROJECT_BINARY_DIR}/src/${target}_version.cpp)
  target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/src/${target}_version.cpp)
endfunction()

# papilio_component(NAME DESCRIPTION ... COMPONENTS ... LIBRARIES ... MODULES ...): the library papilio::NAME
# of some folders. LIBRARIES of others are its own affair: no header of papilio has names of theirs.
function(papilio_component name)
  if(NOT name IN_LIST papilio_components AND NOT name IN_LIST papilio_alone_components)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "COMPONENTS;LIBRARIES;MODULES")
  set(target papilio_${name})
  add_library(${target})
  add_library(papilio::${name} ALIAS ${target})
  # Programs that were linked with a version run with every later one of the same soname.
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${papilio_soversion}
    INSTALL_RPATH "$ORIGIN"
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON)
  # For papilio_install.
  set_target_properties(${target} PROPERTIES
    PAPILIO_DESCRIPTION "${arg_DESCRIPTION}"
    PAPILIO_COMPONENTS "${arg_COMPONENTS}"
    PAPILIO_LIBRARIES "${arg_LIBRARIES}"
    PAPILIO_MODULES "${arg_MODULES}")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target}
    PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM arg_COMPONENTS PREPEND papilio_)
  target_link_libraries(${target} PUBLIC ${arg_COMPONENTS} PRIVATE
    $<BUILD_INTERFACE:papilio_simd>
    $<BUILD_INTERFACE:papilio_compile_options>
    $<BUILD_INTERFACE:papilio_hardening>
    ${arg_LIBRARIES})
  # All that a component uses is of the components and libraries that it names, and no others are loaded.
  if(NOT PAPILIO_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined LINKER:--as-needed)
  endif()
  # A library's own functions are its own, not those of a program that has the same templates: fewer
  # are looked up at the start, and sanitizers see those they have instrumented.
  target_link_options(${target} PRIVATE LINKER:-Bsymbolic-functions)
  papilio_bind_version(${name} "${arg_COMPONENTS}")
  foreach(module IN LISTS arg_MODULES)
    add_subdirectory(${PROJECT_SOURCE_DIR}/${module} ${PROJECT_BINARY_DIR}/${module})
  endforeach()
  if(PAPILIO_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <complex> <cstdint> <functional> <limits> <memory> <optional> <span>
      <string> <string_view> <utility> <vector>)
  endif()
endfunction()

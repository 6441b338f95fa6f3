# Installation: headers, libraries, program, CMake package and pkg-config files, of the components that
# are built. All of it is relocatable: nothing installed names the prefix.
include(CMakePackageConfigHelpers)

set(papilio_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/papilio)
foreach(target IN LISTS papilio_targets ITEMS papilio)
  # An export for each, so that a user of one component does not load the others.
  install(TARGETS ${target}
    EXPORT ${target}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${target} NAMESPACE papilio:: FILE ${target}.cmake DESTINATION ${papilio_cmake_dir})
endforeach()
foreach(target IN LISTS papilio_targets)
  get_target_property(modules ${target} PAPILIO_MODULES)
  foreach(module IN LISTS modules)
    cmake_path(GET module FILENAME module)
    install(FILES ${PROJECT_SOURCE_DIR}/include/papilio/${module}.hpp
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/papilio/${module})
      install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/papilio/${module}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio FILES_MATCHING PATTERN "*.hpp")
    endif()
  endforeach()
endforeach()
install(FILES
  ${PROJECT_SOURCE_DIR}/include/papilio/papilio.hpp ${PROJECT_SOURCE_DIR}/include/papilio/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio)

if(TARGET papilio_cli)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
    BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE papilio_lib_from_bin)
  set_target_properties(papilio_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${papilio_lib_from_bin}")
  install(TARGETS papilio_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET papilio_man)
  get_target_property(papilio_man_page papilio_man MAN_PAGE)
  install(FILES ${papilio_man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(PAPILIO_DEVICE)
  install(FILES ${PROJECT_SOURCE_DIR}/include/papilio/device.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio)
  install(FILES ${PROJECT_SOURCE_DIR}/kernels/published/published.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/papilio)
endif()

# How whoever links a static library finds what it asks for, as LIBRARY|PACKAGE|MODULE: by a package of
# CMake where it has one, and by a module of pkg-config; OpenMP has none and is named by its libraries.
set(papilio_requirements
  "OpenMP::OpenMP_CXX|OpenMP COMPONENTS CXX|"
  "PNG::PNG|PNG|libpng"
  "PkgConfig::fftwf||fftw3f"
  "PkgConfig::fftwl||fftw3l"
  "PkgConfig::fftw||fftw3"
  "PkgConfig::lapacke||lapacke"
  "PkgConfig::mpg123||libmpg123"
  "PkgConfig::openblas||openblas"
  "PkgConfig::pangocairo||pangocairo"
  "PkgConfig::sndfile||sndfile"
  "PkgConfig::soxr||soxr"
  "fmt::fmt|fmt CONFIG|fmt"
  "hwy::hwy|hwy CONFIG|libhwy")

# pkg-config: the prefix is reckoned from where the file lies.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE papilio_pc_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE papilio_pc_libdir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE papilio_pc_includedir)

# papilio_pkg_config(NAME DESCRIPTION [COMPONENTS ...] [MODULES ...] [LIBS ...] [PRIVATE_LIBS ...])
function(papilio_pkg_config name description)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMPONENTS;MODULES;LIBS;PRIVATE_LIBS")
  list(TRANSFORM arg_COMPONENTS REPLACE "(.+)" "papilio-\\1 = ${PROJECT_VERSION}")
  list(JOIN arg_COMPONENTS ", " requires)
  list(JOIN arg_MODULES " " requires_private)
  list(JOIN arg_LIBS " " libs)
  list(JOIN arg_PRIVATE_LIBS " " libs_private)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/papilio.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(papilio_component_table "")
foreach(component IN LISTS papilio_components)
  set(target papilio_${component})
  get_target_property(needs ${target} PAPILIO_COMPONENTS)
  get_target_property(libraries ${target} PAPILIO_LIBRARIES)
  get_target_property(description ${target} PAPILIO_DESCRIPTION)
  set(parts "")
  foreach(need IN LISTS needs)
    list(APPEND parts ${papilio_${need}_parts})
  endforeach()
  list(APPEND parts ${component})
  list(REMOVE_DUPLICATES parts)
  set(papilio_${component}_parts ${parts})

  # A static library leaves its private dependencies to whoever links it; a shared one does not.
  set(packages "")
  set(variables "")
  set(modules "")
  set(private_libs "")
  if(NOT BUILD_SHARED_LIBS)
    list(FILTER libraries EXCLUDE REGEX "^\\$<BUILD_INTERFACE:")
    foreach(library IN LISTS libraries)
      set(requirement ${papilio_requirements})
      list(FILTER requirement INCLUDE REGEX "^${library}\\|")
      if(NOT requirement MATCHES "^.*\\|(.*)\\|(.*)$")
        message(FATAL_ERROR "papilio_requirements has no line for ${library}")
      endif()
      set(module ${CMAKE_MATCH_2})
      if(CMAKE_MATCH_1)
        string(APPEND packages " \"${CMAKE_MATCH_1}\"")
      else()
        string(REGEX REPLACE "^PkgConfig::" "" variable ${library})
        string(APPEND variables " ${variable}=${module}")
      endif()
      list(APPEND modules ${module})
    endforeach()
    if(OpenMP::OpenMP_CXX IN_LIST libraries)
      list(TRANSFORM OpenMP_CXX_LIB_NAMES PREPEND "-l" OUTPUT_VARIABLE private_libs)
    endif()
    get_target_property(options ${target} INTERFACE_LINK_OPTIONS)
    if(options)
      list(TRANSFORM options REPLACE "^LINKER:" "-Wl,")
      list(APPEND private_libs ${options})
    endif()
  endif()
  string(APPEND papilio_component_table
    "set(papilio_${component}_parts ${parts})\n"
    "set(papilio_${component}_packages${packages})\n"
    "set(papilio_${component}_modules${variables})\n")
  papilio_pkg_config(papilio-${component} "${description}" COMPONENTS ${needs} MODULES ${modules}
    LIBS -l${target} PRIVATE_LIBS ${private_libs})
endforeach()
papilio_pkg_config(papilio "${PROJECT_DESCRIPTION}" COMPONENTS ${papilio_components})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/papilioConfig.cmake.in ${PROJECT_BINARY_DIR}/papilioConfig.cmake
  INSTALL_DESTINATION ${papilio_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/papilioConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/papilioConfig.cmake ${PROJECT_BINARY_DIR}/papilioConfigVersion.cmake
  DESTINATION ${papilio_cmake_dir})

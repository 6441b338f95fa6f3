# Installation: headers, libraries, program, CMake package and pkg-config files, of the components that
# are built. All of it is relocatable: nothing installed names the prefix. What is installed has CMake's
# install components: NAME and NAME-dev of each component, dev of them all, program and licence.
include(CMakePackageConfigHelpers)

set(papilio_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/papilio)
# An export for each, so that a user of one component does not load the others.
function(papilio_install_target target component)
  install(TARGETS ${target}
    EXPORT ${target}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT ${component}-dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}-dev
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()
function(papilio_install_export target component)
  install(EXPORT ${target} NAMESPACE papilio:: FILE ${target}.cmake
    DESTINATION ${papilio_cmake_dir} COMPONENT ${component})
endfunction()
foreach(component IN LISTS papilio_components papilio_alone_components)
  set(target papilio_${component})
  papilio_install_target(${target} ${component})
  papilio_install_export(${target} ${component}-dev)
  get_target_property(modules ${target} PAPILIO_MODULES)
  foreach(module IN LISTS modules)
    cmake_path(GET module FILENAME module)
    install(FILES ${PROJECT_SOURCE_DIR}/include/papilio/${module}.hpp
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio COMPONENT ${component}-dev)
    if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/include/papilio/${module})
      install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/papilio/${module}
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio COMPONENT ${component}-dev
        FILES_MATCHING PATTERN "*.hpp")
    endif()
  endforeach()
endforeach()
papilio_install_target(papilio core)
papilio_install_export(papilio dev)
install(FILES ${PROJECT_SOURCE_DIR}/include/papilio/papilio.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/include/papilio/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio COMPONENT core-dev)

if(TARGET papilio_cli)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
    BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE papilio_lib_from_bin)
  set_target_properties(papilio_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${papilio_lib_from_bin}")
  install(TARGETS papilio_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
if(TARGET papilio_pages)
  get_target_property(folder papilio_pages FOLDER_OF_PAGES)
  install(FILES ${folder}/papilio.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${folder}/papilio.bash RENAME papilio
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${folder}/papilio.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  # Where Debian's zsh looks; below /usr packages have a folder of their own.
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh_folder vendor-completions)
  endif()
  install(FILES ${folder}/papilio.zsh RENAME _papilio
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder} COMPONENT program)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT licence)
if(PAPILIO_DEVICE)
  install(FILES ${PROJECT_SOURCE_DIR}/include/papilio/device.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/papilio COMPONENT device-dev)
endif()

# How whoever links a static library finds what it asks for, as LIBRARY|PACKAGE|MODULE: by a package of
# CMake where it has one, and by a module of pkg-config; OpenMP has none and is named by its libraries.
set(papilio_requirements
  "OpenMP::OpenMP_CXX|OpenMP COMPONENTS CXX|"
  "PNG::PNG|PNG|libpng"
  "PkgConfig::fftwf||fftw3f"
  "PkgConfig::fftwl||fftw3l"
  "PkgConfig::fftw||fftw3"
  "PkgConfig::flac||flac"
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

# papilio_pkg_config(NAME INSTALL_COMPONENT DESCRIPTION [COMPONENTS ...] [PUBLIC_MODULES ...]
# [MODULES ...] [LIBS ...] [PRIVATE_LIBS ...])
function(papilio_pkg_config name install_component description)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "COMPONENTS;PUBLIC_MODULES;MODULES;LIBS;PRIVATE_LIBS")
  list(TRANSFORM arg_COMPONENTS REPLACE "(.+)" "papilio-\\1 = ${PROJECT_VERSION}")
  list(APPEND arg_COMPONENTS ${arg_PUBLIC_MODULES})
  list(JOIN arg_COMPONENTS ", " requires)
  list(JOIN arg_MODULES " " requires_private)
  list(JOIN arg_LIBS " " libs)
  list(JOIN arg_PRIVATE_LIBS " " libs_private)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/papilio.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${install_component})
endfunction()

set(papilio_component_table "")
foreach(component IN LISTS papilio_components papilio_alone_components)
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
  set(public_modules "")
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
  if(component STREQUAL "mpi")
    # Its headers have names of MPI's, so that programs need it, too.
    string(APPEND packages " \"MPI COMPONENTS CXX\"")
    set(public_modules mpi-cxx)
  endif()
  string(APPEND papilio_component_table
    "set(papilio_${component}_parts ${parts})\n"
    "set(papilio_${component}_packages${packages})\n"
    "set(papilio_${component}_modules${variables})\n")
  papilio_pkg_config(papilio-${component} ${component}-dev "${description}"
    COMPONENTS ${needs} PUBLIC_MODULES ${public_modules} MODULES ${modules} LIBS -l${target} PRIVATE_LIBS ${private_libs})
endforeach()
papilio_pkg_config(papilio dev "${PROJECT_DESCRIPTION}" COMPONENTS ${papilio_components})

configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/papilioConfig.cmake.in ${PROJECT_BINARY_DIR}/papilioConfig.cmake
  INSTALL_DESTINATION ${papilio_cmake_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/papilioConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/papilioConfig.cmake ${PROJECT_BINARY_DIR}/papilioConfigVersion.cmake
  DESTINATION ${papilio_cmake_dir} COMPONENT core-dev)

# Installation: headers, library, program, CMake package and pkg-config file. All of it is
# relocatable: nothing installed names the prefix.
include(CMakePackageConfigHelpers)

install(TARGETS papilio ${papilio_targets}
  EXPORT papilio_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/papilio
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

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

set(papilio_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/papilio)
install(EXPORT papilio_targets NAMESPACE papilio:: FILE papilioTargets.cmake
  DESTINATION ${papilio_cmake_dir})
# A static library leaves its private dependencies to whoever links it; a shared one does not.
if(BUILD_SHARED_LIBS)
  set(papilio_is_static OFF)
else()
  set(papilio_is_static ON)
endif()
# Of optional backends, as the imported targets and modules of papilio_dependencies.cmake.
set(papilio_optional_modules "")
if(PAPILIO_FFTW)
  set(papilio_optional_modules "fftw=fftw3;fftwf=fftw3f;fftwl=fftw3l")
endif()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/papilioConfig.cmake.in ${PROJECT_BINARY_DIR}/papilioConfig.cmake
  INSTALL_DESTINATION ${papilio_cmake_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/papilioConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/papilioConfig.cmake ${PROJECT_BINARY_DIR}/papilioConfigVersion.cmake
  DESTINATION ${papilio_cmake_dir})

# pkg-config: the prefix is reckoned from where the file lies.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE papilio_pc_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE papilio_pc_libdir)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE papilio_pc_includedir)
set(papilio_pc_private "")
if(papilio_is_static)
  list(TRANSFORM OpenMP_CXX_LIB_NAMES PREPEND "-l" OUTPUT_VARIABLE papilio_pc_openmp)
  list(JOIN papilio_pc_openmp " " papilio_pc_openmp)
  set(papilio_pc_fftw "")
  if(PAPILIO_FFTW)
    set(papilio_pc_fftw " fftw3 fftw3f fftw3l")
  endif()
  set(papilio_pc_private "Requires.private: libhwy fmt libpng sndfile libmpg123 soxr pangocairo lapacke openblas${papilio_pc_fftw}\n")
  set(papilio_pc_check "")
  if(papilio_simd_baseline)
    set(papilio_pc_check " -Wl,--undefined=papilio_check_processor")
  endif()
  string(APPEND papilio_pc_private "Libs.private: ${papilio_pc_openmp}${papilio_pc_check}\n")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/papilio.pc.in ${PROJECT_BINARY_DIR}/papilio.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/papilio.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/kernels/published/published.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/papilio)

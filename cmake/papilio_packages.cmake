# Debian packages by cpack, of what papilio_install installs: libpapilio-NAME0.2 and libpapilio-NAME-dev
# of each component, libpapilio-dev of them all, papilio (the program) and papilio-doc.
if(NOT PAPILIO_INSTALL OR NOT PAPILIO_BUILD_CLI OR NOT BUILD_SHARED_LIBS)
  message(FATAL_ERROR "PAPILIO_PACKAGES needs PAPILIO_INSTALL, PAPILIO_BUILD_CLI and BUILD_SHARED_LIBS")
endif()
set(papilio_doc_dir ${CMAKE_INSTALL_DATADIR}/doc)
set(PAPILIO_MAINTAINER "papilio developers <papilio@localhost>" CACHE STRING
  "Who answers for the packages, as NAME <ADDRESS>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME papilio)
set(CPACK_PACKAGE_VENDOR papilio)
# cpack puts any other one before the description of every package.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CMAKE_PROJECT_NAME} built using CMake")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/compress_pages.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${PAPILIO_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)

# Debian's form of the log of changes; the changes themselves are in CHANGELOG.md of papilio-doc.
string(TIMESTAMP papilio_package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${PROJECT_SOURCE_DIR}/packaging/debian/changelog.in packages/changelog.Debian @ONLY)
find_program(papilio_gzip gzip REQUIRED)
execute_process(COMMAND ${papilio_gzip} -9nf ${PROJECT_BINARY_DIR}/packages/changelog.Debian
  COMMAND_ERROR_IS_FATAL ANY)

# papilio_package(COMPONENT PACKAGE SECTION SUMMARY CONTENTS [DEPENDS COMPONENT...] [BINARY]
# [ALL_ARCHITECTURES]): the package of one component of papilio_install's.
function(papilio_package component package section summary contents)
  cmake_parse_arguments(PARSE_ARGV 5 arg "ALL_ARCHITECTURES;BINARY" "" "DEPENDS")
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright
    ${PROJECT_BINARY_DIR}/packages/changelog.Debian.gz
    DESTINATION ${papilio_doc_dir}/${package} COMPONENT ${component})
  string(TOUPPER ${component} name)
  set(deb CPACK_DEBIAN_${name})
  set(${deb}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(${deb}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  if(arg_BINARY)
    set(${deb}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  endif()
  if(section STREQUAL "libs")
    set(${deb}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/triggers PARENT_SCOPE)
  endif()
  if(arg_ALL_ARCHITECTURES)
    set(${deb}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
  endif()
  set(${deb}_DESCRIPTION "${summary}\n${papilio_about}\n.\nThis package has ${contents}." PARENT_SCOPE)
  set(CPACK_COMPONENT_${name}_DEPENDS ${arg_DEPENDS} PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

string(CONCAT papilio_about
  "papilio takes FFTs and spectra of sound files and of arrays, contracts and\n"
  "decomposes tensors, and predicts what transforms would take on a\n"
  "tensor-engine accelerator.")
set(CPACK_COMPONENTS_ALL "")
foreach(component IN LISTS papilio_components)
  get_target_property(needs papilio_${component} PAPILIO_COMPONENTS)
  get_target_property(summary papilio_${component} PAPILIO_DESCRIPTION)
  list(TRANSFORM needs APPEND -dev OUTPUT_VARIABLE needs_dev)
  papilio_package(${component} libpapilio-${component}${papilio_soversion} libs "${summary}"
    "the library papilio::${component}" BINARY DEPENDS ${needs})
  papilio_package(${component}-dev libpapilio-${component}-dev libdevel "${summary} - headers"
    "the headers of papilio::${component},\nand its files for CMake and pkg-config"
    DEPENDS ${component} ${needs_dev})
endforeach()
list(TRANSFORM papilio_components APPEND -dev OUTPUT_VARIABLE papilio_all_dev)
papilio_package(dev libpapilio-dev libdevel "FFT and spectral analysis in C++ - all headers"
  "papilio::papilio, which is all components,\nand brings their headers" DEPENDS ${papilio_all_dev})
papilio_package(program papilio sound "Spectrograms, spectra and features of sound files"
  "the program papilio, its manual page,\nand completions for bash, zsh and fish"
  BINARY DEPENDS ${papilio_components})
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg, papilio-doc")
papilio_package(doc papilio-doc doc "FFT and spectral analysis in C++ - documents and examples"
  "the documents and the examples" ALL_ARCHITECTURES)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${papilio_doc_dir}/papilio COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${papilio_doc_dir}/papilio COMPONENT doc PATTERN CMakeLists.txt EXCLUDE)
include(CPack)

enable_testing()
add_test(NAME packages.bare_debian
  COMMAND ${PROJECT_SOURCE_DIR}/tests/packages/bare_debian.sh ${CPACK_PACKAGE_DIRECTORY}
    ${PROJECT_BINARY_DIR}/root)
set_tests_properties(packages.bare_debian PROPERTIES LABELS packages TIMEOUT 1800 SKIP_RETURN_CODE 77)

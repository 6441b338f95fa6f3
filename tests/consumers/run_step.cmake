# One step of the packaging test: STEP is install, find_package, pkg_config, needed, add_subdirectory
# or FetchContent.
set(prefix "${WORK}/installed here")
set(flags "-O0")
if(SANITIZE)
  string(APPEND flags " -fsanitize=${SANITIZE}")
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(run_programs folder)
  foreach(program core fft signal sound tensor device papilio)
    execute_process(COMMAND ./${program} WORKING_DIRECTORY ${folder} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

set(build "${WORK}/${STEP}_build")
file(REMOVE_RECURSE "${build}")
if(STEP STREQUAL "install")
  file(REMOVE_RECURSE "${WORK}/staging" "${prefix}")
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/staging)
  file(RENAME "${WORK}/staging" "${prefix}")
  if(EXISTS "${prefix}/bin/papilio")
    run("${prefix}/bin/papilio" --version)
  endif()
elseif(STEP STREQUAL "find_package")
  # As some distributions link: papilio's libraries must find each other without the program's help.
  run(${CMAKE_COMMAND} -S ${SOURCE}/find_package -B ${build} -G ${GENERATOR}
    "-DCMAKE_PREFIX_PATH=${prefix}" -DCMAKE_CXX_COMPILER=${CXX} "-DCMAKE_CXX_FLAGS=${flags}"
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed)
  run(${CMAKE_COMMAND} --build ${build} --parallel 2)
  run_programs(${build}/programs)
elseif(STEP STREQUAL "pkg_config")
  file(COPY ${SOURCE}/programs/ ${SOURCE}/pkg_config/ DESTINATION ${build})
  set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
  set(ENV{LD_LIBRARY_PATH} "${prefix}/${LIBDIR}")
  set(static "")
  if(NOT SHARED)
    # All of a library is linked, not only what the program calls, so that a missing dependency shows.
    set(static "WHOLE=-Wl,--whole-archive '${prefix}/${LIBDIR}/libpapilio_%.a' -Wl,--no-whole-archive"
      "PKG_CONFIG=pkg-config --static")
  endif()
  run(make -C ${build} -j2 "CXX=${CXX}" "CXXFLAGS=-std=c++20 ${flags}" ${static})
  run_programs(${build})
elseif(STEP STREQUAL "needed")
  run(sh ${SOURCE}/needed.sh "${prefix}/${LIBDIR}" ${FFTW})
elseif(STEP MATCHES "^(add_subdirectory|FetchContent)$")
  run(${CMAKE_COMMAND} -S ${SOURCE}/subproject -B ${build} -G ${GENERATOR} -DROUTE=${STEP}
    -DPAPILIO=${SOURCE}/../.. -DCMAKE_CXX_COMPILER=${CXX})
else()
  message(FATAL_ERROR "no such step: ${STEP}")
endif()

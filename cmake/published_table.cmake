# Makes C++ of the rows of kernels/published/published.json, at build time:
#   cmake -DINPUT=published.json -DOUTPUT=published_rows.cpp -P published_table.cmake
cmake_minimum_required(VERSION 3.22)

file(READ ${INPUT} json)
string(JSON rows GET "${json}" rows)
string(JSON count LENGTH "${rows}")
math(EXPR last "${count} - 1")

set(body "")
foreach(i RANGE ${last})
  string(JSON row GET "${rows}" ${i})
  foreach(field system version sdk source op shape precision path where kind us)
    string(JSON ${field} GET "${row}" ${field})
    string(REGEX MATCH "[\"\\\\\n]" unquotable "${${field}}")
    if(unquotable)
      message(FATAL_ERROR "${INPUT}: rows[${i}].${field}: a quote, backslash or line break")
    endif()
  endforeach()
  string(JSON note ERROR_VARIABLE absent GET "${row}" note)
  if(absent)
    set(note "")
  endif()
  string(JSON role ERROR_VARIABLE absent GET "${row}" role)
  if(absent)
    set(role "none")
  endif()
  string(JSON kernel ERROR_VARIABLE absent GET "${row}" kernel)
  if(absent)
    set(kernel "")
  endif()
  # Of a kernel's profile, what was published; the names are those of the struct.
  set(profile "")
  foreach(field vector scalar gpsimd dma hbm_read_bytes hbm_write_bytes spills)
    string(JSON value ERROR_VARIABLE absent GET "${row}" profile ${field})
    if(NOT absent)
      string(REPLACE ON true value "${value}")
      string(APPEND profile ".${field} = ${value}, ")
    endif()
  endforeach()
  string(JSON sizes GET "${row}" sizes)
  string(REGEX REPLACE "[^0-9,]" "" sizes "${sizes}")
  if(us LESS_EQUAL 0)
    message(FATAL_ERROR "${INPUT}: rows[${i}].us: must be above 0, is ${us}")
  endif()
  string(APPEND body "    {.system = \"${system}\",
     .version = \"${version}\",
     .sdk = \"${sdk}\",
     .source = \"${source}\",
     .op = \"${op}\",
     .shape = \"${shape}\",
     .precision = \"${precision}\",
     .path = \"${path}\",
     .note = \"${note}\",
     .where = row_place::${where},
     .role = row_role::${role},
     .kind = row_kind::${kind},
     .sizes = {${sizes}},
     .us = ${us},
     .kernel = \"${kernel}\",
     .profile = {${profile}}},\n")
endforeach()

file(WRITE ${OUTPUT} "// Made of kernels/published/published.json by cmake/published_table.cmake.
#include \"kernels/published/published_table.hpp\"

namespace papilio::kernels::published {
namespace {

const table_row rows[] = {
${body}};

}  // namespace

std::span<const table_row> table() { return rows; }

}  // namespace papilio::kernels::published
")

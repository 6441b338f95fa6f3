# Makes C++ of text files, at build time: each is a constant named as the file, page.css as page_css,
# which the header declares.
#   cmake -DOUTPUT=texts.cpp -DHEADER=cli/page/texts.hpp -DNAMESPACE=papilio::cli::page
#     "-DINPUTS=page.css|page.js" -P embedded_texts.cmake
cmake_minimum_required(VERSION 3.22)

string(REPLACE "|" ";" inputs "${INPUTS}")
set(body "")
foreach(input IN LISTS inputs)
  get_filename_component(name ${input} NAME)
  string(REPLACE "." "_" name ${name})
  # Brackets and semicolons would be taken for those of lists, so the text is read as it is.
  file(READ ${input} text)
  string(FIND "${text}" ")text\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${input}: holds )text\", which ends a raw string")
  endif()
  string(LENGTH "${text}" length)
  if(length GREATER 65000)
    message(FATAL_ERROR "${input}: is longer than 65000 characters, which compilers need not take")
  endif()
  string(APPEND body "const char* const ${name} = R\"text(${text})text\";\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/embedded_texts.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

${body}
}  // namespace ${NAMESPACE}
")

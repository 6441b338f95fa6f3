# Compares the verdicts, with their times, that the two forms of an example print.
execute_process(COMMAND "${CPP}" 300 4100 OUTPUT_VARIABLE cpp COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PYTHON}" -m papilio.nki "${EXAMPLES}/nki_fused_multiply_add.py" 300 4100
  OUTPUT_VARIABLE nki COMMAND_ERROR_IS_FATAL ANY)
foreach(line "bound by [^\n]*" "it waited [^\n]*" "the floor is [^\n]*")
  string(REGEX MATCH "${line}" from_cpp "${cpp}")
  string(REGEX MATCH "${line}" from_nki "${nki}")
  if(from_cpp STREQUAL "" OR NOT from_cpp STREQUAL from_nki)
    message(FATAL_ERROR "C++: ${from_cpp}\nNKI: ${from_nki}")
  endif()
endforeach()

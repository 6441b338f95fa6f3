#pragma once

#if __cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L)
#error "papilio needs C++20: compile with -std=c++20, or ask CMake for cxx_std_20"
#endif

// Marks what the shared library exports; everything else is hidden.
#if defined(_WIN32)
#define PAPILIO_API
#else
#define PAPILIO_API __attribute__((visibility("default")))
#endif

#pragma once

// Marks what the shared library exports; everything else is hidden.
#if defined(_WIN32)
#define PAPILIO_API
#else
#define PAPILIO_API __attribute__((visibility("default")))
#endif

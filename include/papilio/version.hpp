#pragma once

// Version of these headers, by semantic versioning; a test holds it to that of the build.
#define PAPILIO_VERSION_MAJOR 0
#define PAPILIO_VERSION_MINOR 2
#define PAPILIO_VERSION_PATCH 0
#define PAPILIO_VERSION "0.2.0"

#pragma once

#include "papilio/base/export.hpp"

// Marks what other components of papilio use of a component's inside: exported, but not installed, and
// of no other version than their own.
#define PAPILIO_INTERNAL PAPILIO_API

#pragma once

#include <string>

#include "base/internal.hpp"

namespace papilio::base_detail {

/// Vendor, family and model of the processor, one word; measured times are compared on equal ones.
PAPILIO_INTERNAL std::string processor_key();

}  // namespace papilio::base_detail

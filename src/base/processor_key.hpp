#pragma once

#include <string>

namespace papilio::base_detail {

/// Vendor, family and model of the processor, one word; measured times are compared on equal ones.
std::string processor_key();

}  // namespace papilio::base_detail

#pragma once

#include <cstddef>

#include "papilio/signal/window.hpp"

namespace papilio::signal_detail {

/// The parameter in effect for a window of this period, 0 for a kind without one. invalid_argument
/// in the name of `function` if it is out of range or the kind takes none.
double window_parameter(const char* function, const window_spec& window, std::size_t period);

}  // namespace papilio::signal_detail

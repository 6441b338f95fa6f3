#pragma once

#include "papilio/signal/stft.hpp"

namespace papilio::signal_detail {

/// The options with window_length resolved; invalid_argument naming the option, the bound and the
/// value.
stft_options checked(stft_options options);

}  // namespace papilio::signal_detail

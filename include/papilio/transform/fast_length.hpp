#pragma once

#include <cstddef>

#include "papilio/base/export.hpp"

namespace papilio {

/// The least length >= target that papilio transforms by short passes alone: 2^a 3^b 5^c 7^d, or
/// that times 11 or 13. With `real`, an even one (or 1) of which half is such a length, because a
/// real transform of even length runs at half length. Pad to it where any greater length serves.
/// (As scipy.fft.next_fast_len; what is fast is papilio's.)
/// invalid_argument if target is below 1; resource_error if there is no such number.
PAPILIO_API std::size_t next_fast_len(std::ptrdiff_t target, bool real = false);

}  // namespace papilio

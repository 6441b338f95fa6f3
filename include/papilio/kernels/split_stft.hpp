#pragma once

#include "papilio/base/export.hpp"
#include "papilio/kernels/group_split.hpp"
#include "papilio/kernels/stft.hpp"

namespace papilio::kernels {

/// stft_kernel in parts: of channels where there are at least as many as cores, else of consecutive
/// segments, each core reading its stretch of the signal, which overlaps the next one's. Every
/// value has the bits that it has on one core. invalid_argument for cores < 1, and for segments of
/// a centred signal: what stands beyond its ends is part of the whole, so such a signal is padded
/// before. Else as stft_kernel.
PAPILIO_API group_split split_stft(const stft_shape& shape, int cores,
                                   const engine::machine_spec& machine);

}  // namespace papilio::kernels

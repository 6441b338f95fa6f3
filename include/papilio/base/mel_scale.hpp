#pragma once

#include "papilio/base/export.hpp"

namespace papilio {

/// slaney: 3 f / 200 up to 1000 Hz, above it 15 + 27 ln(f / 1000) / ln 6.4 (Slaney, M. (1998),
/// Auditory Toolbox; librosa's default). htk: 2595 log10(1 + f / 700) (O'Shaughnessy, D. (1987),
/// Speech Communication, and the HTK book; torchaudio's default).
enum class mel_scale { slaney, htk };

PAPILIO_API double hz_to_mel(double hz, mel_scale scale = mel_scale::slaney);
PAPILIO_API double mel_to_hz(double mel, mel_scale scale = mel_scale::slaney);

}  // namespace papilio

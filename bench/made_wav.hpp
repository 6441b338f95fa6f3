#pragma once

#include <filesystem>

namespace papilio::bench {

/// Two gliding tones over noise, stereo, 44.1 kHz, 16 bit.
void write_wav(const std::filesystem::path& path, int seconds);

}  // namespace papilio::bench

#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "support/child_process.hpp"

namespace papilio::test {

/// The samples of `path` as the ffmpeg program decodes them, channels interleaved.
inline std::vector<float> decoded_by_ffmpeg(const std::filesystem::path& path) {
  const child_result result = run_child({"/usr/bin/env", "ffmpeg", "-v", "quiet", "-nostdin", "-i",
                                         path.string(), "-map", "0:a:0", "-f", "f32le", "-"});
  EXPECT_EQ(result.exit_code, 0) << "ffmpeg: " << path << ": " << result.errors;
  std::vector<float> samples(result.output.size() / sizeof(float));
  std::memcpy(samples.data(), result.output.data(), samples.size() * sizeof(float));
  return samples;
}

}  // namespace papilio::test

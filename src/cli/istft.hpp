#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "papilio/signal.hpp"

namespace papilio::cli {

/// How spectra were made: all that their inverse has to know.
struct spectra_description {
  stft_options options;
  int rate_hz = 0;
  std::optional<std::uint64_t> frames;  ///< of the sound; none: what the segments stand for
};

/// The file beside an NPY that says what the array holds: its name with ".json" after it.
std::filesystem::path description_of(const std::filesystem::path& npy);

/// The description that stft left beside an NPY of these extents and elements; io_error if it is
/// not there, or does not fit.
spectra_description read_description(const std::filesystem::path& npy,
                                     const std::vector<std::uint64_t>& extents,
                                     const std::string& element_type);

}  // namespace papilio::cli

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "papilio/audio.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// How spectra were made: all that their inverse has to know.
struct spectra_description {
  stft_options options;
  int rate_hz = 0;
  std::optional<std::uint64_t> frames;  ///< of the sound; none: what the segments stand for
};

struct istft_request {
  std::string npy;
  std::optional<spectra_description> description;  ///< none: what stands in the file beside the NPY
  std::optional<std::uint64_t> frames;             ///< of the output; none: the description's
  std::string out;
  sound_writer_options output;  ///< rate and channels are filled in
};

struct istft_result {
  spectra_description description;
  std::uint64_t segments = 0;
  sound_writer writer;
};

/// The description that write_stft left beside an NPY of these extents and elements; io_error if it
/// is not there, or does not fit.
spectra_description read_description(const std::filesystem::path& npy,
                                     const std::vector<std::uint64_t>& extents,
                                     const std::string& element_type);

/// Sound from the complex spectra of an NPY, [segments, bins] or [channels, segments, bins], in
/// memory that does not depend on their number. io_error for what the files are to blame for.
istft_result write_istft(const istft_request& request);

}  // namespace papilio::cli

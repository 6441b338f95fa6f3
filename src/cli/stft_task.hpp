#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/excerpt_reader.hpp"
#include "cli/json_value.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/signal.hpp"

namespace papilio::cli {

/// The flag's words for what is stored of each bin, "complex", "magnitude", "power" and "db", for
/// decibels; and back, invalid_argument for any other word.
std::string to_string(spectrum_form form);
spectrum_form parse_stft_form(const std::string& word);

struct stft_request {
  sound_source source;
  stft_flags segments;
  std::filesystem::path out;  ///< the NPY file; its description goes to description_of(out)
  spectrum_form form = spectrum_form::complex;
  double floor_db = -120;  ///< of the form db
};

struct stft_report {
  sound_facts sound;
  std::vector<std::uint64_t> extents;  ///< [segments, bins], or [channels, segments, bins]
  std::string element_type;            ///< NumPy's
  std::uint64_t segments = 0;
  stft_options options;
  std::vector<std::string> warnings;
  json_value description;  ///< what the file beside the NPY says
};

/// The file beside an NPY that says what the array holds: its name with ".json" after it.
std::filesystem::path description_of(const std::filesystem::path& npy);
inline constexpr std::size_t most_description_bytes = std::size_t{1} << 16;

/// Short-time spectra of a sound as float NPY, segment after segment, in memory that does not
/// depend on the sound's length: [segments, bins] of one channel, whether it is the file's only or
/// chosen, else [channels, segments, bins]. Both files appear whole, the description last and
/// never beside another NPY. io_error for what the files are to blame for.
stft_report write_stft(const stft_request& request, plan_store& plans);

}  // namespace papilio::cli

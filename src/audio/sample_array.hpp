#pragma once

#include <string>

#include "audio/file_bytes.hpp"
#include "audio/sndfile_decoder.hpp"

namespace papilio::audio_detail {

/// Plain samples that an array holds, and the name of its format.
struct sample_array {
  plain_samples samples;
  const char* container;
};

/// Reads the head of an array of samples, [frames] or [frames, channels], which the bytes then hold:
/// - NPY: int8, int16, int32, uint8, float32 or float64, of either byte order. In Fortran order they
///   are first rearranged in a file without a name;
/// - NPZ: the one array in it that has a rank, unpacked into such a file;
/// - CSV: a channel a column, numbers with commas, semicolons or spaces between them, after at most
///   one line of names. Lines that are empty or begin with # are left out.
/// io_error naming `name` for anything else.
sample_array open_sample_array(file_bytes& bytes, const std::string& name, int rate_hz);

}  // namespace papilio::audio_detail

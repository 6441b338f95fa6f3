#pragma once

#include <string>

#include "audio/file_bytes.hpp"

namespace papilio::audio_detail {

/// Says what a file without a known sound format seems to be: "the format is not recognised: ...".
std::string describe_unknown_format(file_bytes& file);

}  // namespace papilio::audio_detail

#pragma once

#include <string>

#include "audio/file_bytes.hpp"

namespace papilio::audio_detail {

/// Likely format of a file that libsndfile does not know.
struct unknown_format {
  std::string kind;     ///< "a PNG picture"; empty where it is nothing known
  bool may_hold_sound;  ///< whether another program may decode it
};

unknown_format look_at_unknown_format(file_bytes& file);

}  // namespace papilio::audio_detail

#pragma once

#include <string>

#include "audio/file_bytes.hpp"

namespace papilio::audio_detail {

/// What a file seems to be that libsndfile does not know.
struct unknown_format {
  std::string kind;     ///< "a PNG picture"; empty where it is nothing known
  bool may_hold_sound;  ///< that another program may decode
};

unknown_format look_at_unknown_format(file_bytes& file);

}  // namespace papilio::audio_detail

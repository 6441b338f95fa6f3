#pragma once

#include "cli/excerpt.hpp"
#include "cli/feature_flags.hpp"
#include "cli/outputs.hpp"
#include "cli/sound_flags.hpp"
#include "cli/stft_flags.hpp"
#include "cli/task.hpp"

namespace papilio::cli {

struct features_arguments {
  feature_flags features;
  stft_flags stft;  ///< --scaling does not matter
  excerpt_request part;
  sound_flags sound;
  bool with_time = true, time_in_npy = true;
};

/// What features does with a file. usage_error, naming the flag, for flags that do not fit each
/// other.
file_task features_task(const features_arguments& args);
extern const output_kinds features_kinds;

}  // namespace papilio::cli

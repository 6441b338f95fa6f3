#pragma once

#include <string>

namespace papilio::audio_detail {

/// Reads `descriptor` to its end into a file without a name in the folder for temporary files
/// ($TMPDIR, or /tmp), which vanishes with the last of its descriptors; the descriptor of that
/// file. io_error, beginning with `name`, if reading or writing fails; a full disk is such a
/// failure.
int spool(int descriptor, const std::string& name);

}  // namespace papilio::audio_detail

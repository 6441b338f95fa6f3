#pragma once

#include <sndfile.h>

#include <memory>
#include <optional>

#include "papilio/audio.hpp"

namespace papilio::audio_detail {

struct sndfile_closer {
  void operator()(SNDFILE* handle) const { sf_close(handle); }
};
using sndfile_handle = std::unique_ptr<SNDFILE, sndfile_closer>;

/// libsndfile's number for samples so stored.
int subtype_of(sample_encoding encoding);

/// How the samples of a subtype are stored once it is unpacked; none where that is no
/// sample_encoding.
std::optional<sample_encoding> encoding_of(int subtype);

}  // namespace papilio::audio_detail

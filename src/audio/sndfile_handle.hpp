#pragma once

#include <sndfile.h>

#include <memory>
#include <optional>
#include <string>

#include "papilio/audio.hpp"

namespace papilio::audio_detail {

struct sndfile_closer {
  void operator()(SNDFILE* handle) const { sf_close(handle); }
};
using sndfile_handle = std::unique_ptr<SNDFILE, sndfile_closer>;

/// A file opened by libsndfile, or why it is none.
struct sndfile_opening {
  sndfile_handle handle;
  int code = 0;  ///< libsndfile's number of the failure
  std::string failure;
};

/// Opens what the callbacks of `io` read or write. libsndfile keeps the reason of a failed opening
/// in one place for all threads, so that threads open one after the other. Throws std::bad_alloc
/// where no memory is left, for which libsndfile has no number of its own.
sndfile_opening open_sndfile(SF_VIRTUAL_IO io, int mode, SF_INFO& info, void* user);

/// libsndfile's number for samples so stored.
int subtype_of(sample_encoding encoding);

/// Returns how the samples of a subtype are stored once it is unpacked; none where that is no
/// sample_encoding.
std::optional<sample_encoding> encoding_of(int subtype);

}  // namespace papilio::audio_detail

#include "audio/sndfile_handle.hpp"

#include <cerrno>
#include <mutex>
#include <new>
#include <utility>

namespace papilio::audio_detail {
namespace {

// The plain ones first: one for each encoding.
constexpr std::pair<int, sample_encoding> subtypes[] = {
    {SF_FORMAT_PCM_S8, sample_encoding::s8},   {SF_FORMAT_PCM_U8, sample_encoding::u8},
    {SF_FORMAT_PCM_16, sample_encoding::s16},  {SF_FORMAT_PCM_24, sample_encoding::s24},
    {SF_FORMAT_PCM_32, sample_encoding::s32},  {SF_FORMAT_FLOAT, sample_encoding::f32},
    {SF_FORMAT_DOUBLE, sample_encoding::f64},  {SF_FORMAT_ALAC_16, sample_encoding::s16},
    {SF_FORMAT_ALAC_24, sample_encoding::s24}, {SF_FORMAT_ALAC_32, sample_encoding::s32},
};

std::mutex one_opening;

}  // namespace

sndfile_opening open_sndfile(SF_VIRTUAL_IO io, int mode, SF_INFO& info, void* user) {
  const std::scoped_lock lock(one_opening);
  errno = 0;
  sndfile_opening opening;
  opening.handle.reset(sf_open_virtual(&io, mode, &info, user));
  if (opening.handle) return opening;
  if (errno == ENOMEM) throw std::bad_alloc();
  opening.code = sf_error(nullptr);
  opening.failure = sf_strerror(nullptr);
  return opening;
}

int subtype_of(sample_encoding encoding) {
  for (const auto& [subtype, stored] : subtypes)
    if (stored == encoding) return subtype;
  return 0;
}

std::optional<sample_encoding> encoding_of(int subtype) {
  for (const auto& [known, encoding] : subtypes)
    if (known == subtype) return encoding;
  return std::nullopt;
}

}  // namespace papilio::audio_detail

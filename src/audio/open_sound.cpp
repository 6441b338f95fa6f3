#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "audio/byte_search.hpp"
#include "audio/ffmpeg_decoder.hpp"
#include "audio/flac_decoder.hpp"
#include "audio/not_sound.hpp"
#include "audio/ogg_decoder.hpp"
#include "audio/sample_array.hpp"
#include "audio/sound_reader_state.hpp"

namespace papilio {

void sound_reader::state::check_format(std::optional<double> rate_hz,
                                       std::optional<std::uint32_t> channels) const {
  if (channels && *channels == 0) fail("the header says 0 channels");
  if (channels && *channels > most_channels)
    fail(fmt::format("{} channels; at most {} can be read", *channels, most_channels));
  if (!rate_hz) return;
  if (!(*rate_hz >= 1)) fail(fmt::format("the sample rate is {} Hz", *rate_hz));
  if (*rate_hz > highest_rate_hz)
    fail(fmt::format("the sample rate is {:.0f} Hz; at most {} Hz is believed", *rate_hz,
                     highest_rate_hz));
}

void sound_reader::state::choose_decoder() {
  claim = {};
  by_libsndfile = nullptr;
  rest_bytes = 0;
  rest_is_least = rest_is_known = false;
  if (options.raw) return open_plain_samples(audio_detail::plain_samples_of(*options.raw));
  if (options.array_rate_hz) {
    const auto array = audio_detail::open_sample_array(bytes, path, *options.array_rate_hz);
    array_container = array.container;
    return open_plain_samples(array.samples);
  }
  if (open_in_sequence()) return;
  claim = audio_detail::read_header_claim(bytes);
  check_format(claim.rate_hz, claim.channels);
  const bool is_plain = claim.plain_format != 0 && claim.data;
  if (!bytes.is_whole() && is_plain) return open_plain_data();
  if (!bytes.is_whole()) {
    bytes.finish();
    claim = audio_detail::read_header_claim(bytes);
  }
  if (claim.data && (claim.format_tag == 0x50u || claim.format_tag == 0x55u))
    return open_mpeg_in_wav();
  // libsndfile believes a header where it is wrong, and refuses some where it is right.
  if (is_plain && claim.data->is_long) return open_plain_data();
  if (open_by_libsndfile()) return;
  if (is_plain) return open_plain_data();
  const std::string refusal = refusal_of_libsndfile();
  if (!open_behind_junk()) open_by_ffmpeg(refusal);
}

/// Opens what is read from its beginning to its end: MPEG, FLAC, Ogg.
bool sound_reader::state::open_in_sequence() {
  const std::uint64_t at = audio_detail::behind_id3_tags(bytes);
  if (const auto place = audio_detail::find_mpeg(bytes)) {
    if (place->is_free_format) bytes.finish();
    open_mpeg(bytes, *place);
    return true;
  }
  if (audio_detail::has_bytes(bytes, at, "OggS"))
    decode = std::make_unique<audio_detail::ogg_decoder>(bytes, at);
  else if (audio_detail::has_bytes(bytes, at, "fLaC"))
    decode = std::make_unique<audio_detail::flac_chain>(bytes, at);
  else
    return false;
  if (decode->open()) return true;
  bytes.check();
  open_by_ffmpeg(decode->failure());
  return true;
}

/// Opens Ogg or MPEG behind what is none.
bool sound_reader::state::open_behind_junk() {
  const auto ogg = audio_detail::find_bytes(bytes, 0, audio_detail::most_junk_bytes,
                                            std::string_view("OggS\0\2", 6));
  const auto mpeg = audio_detail::search_mpeg(bytes);
  if (mpeg && (!ogg || mpeg->begin < *ogg))
    decode = std::make_unique<audio_detail::mpeg_decoder>(bytes, *mpeg);
  else if (ogg)
    decode = std::make_unique<audio_detail::ogg_decoder>(bytes, *ogg);
  else
    return false;
  by_libsndfile = nullptr;
  return decode->open();
}

void sound_reader::state::open_plain_samples(const audio_detail::plain_samples& form,
                                             std::uint64_t size_bytes) {
  part = std::make_unique<audio_detail::byte_range>(bytes, 0, size_bytes);
  auto samples = std::make_unique<audio_detail::sndfile_decoder>(*part, form);
  by_libsndfile = samples.get();
  decode = std::move(samples);
  if (!decode->open()) fail(decode->failure());
}

void sound_reader::state::open_plain_data() {
  const audio_detail::data_claim& data = *claim.data;
  open_plain_samples(
      {claim.plain_format, static_cast<int>(*claim.rate_hz), static_cast<int>(*claim.channels),
       data.offset},
      data.unknown ? audio_detail::byte_source::unknown_size : data.offset + data.size_bytes);
}

void sound_reader::state::open_mpeg(audio_detail::byte_source& from,
                                    const audio_detail::mpeg_place& place) {
  decode = std::make_unique<audio_detail::mpeg_decoder>(from, place);
  if (decode->open()) return;
  bytes.check();
  open_by_ffmpeg("the format is not recognised: MPEG audio without a second frame");
}

void sound_reader::state::open_mpeg_in_wav() {
  const audio_detail::data_claim& data = *claim.data;
  part = std::make_unique<audio_detail::byte_range>(
      bytes, data.offset, data.unknown ? audio_detail::byte_source::unknown_size : data.size_bytes);
  auto place = audio_detail::find_mpeg(*part);
  if (!place) place = audio_detail::search_mpeg(*part);
  if (!place) return open_by_ffmpeg("no frame of MPEG audio is in the WAV file");
  open_mpeg(*part, *place);
}

bool sound_reader::state::open_by_libsndfile() {
  if (claim.data && (claim.data->unknown || claim.data->beyond_end) &&
      !claim.data->corrected_size_field.empty())
    bytes.replace(claim.data->size_field_offset, claim.data->corrected_size_field);
  auto samples = std::make_unique<audio_detail::sndfile_decoder>(bytes);
  by_libsndfile = samples.get();
  decode = std::move(samples);
  return decode->open();
}

/// Why libsndfile does not read the file; fails where nothing else will.
std::string sound_reader::state::refusal_of_libsndfile() {
  bytes.check();
  if (claim.is_chunked && !claim.data)
    fail(fmt::format("the header is cut short or broken: no sample data in its {} bytes",
                     bytes.size()));
  if (claim.is_chunked && claim.format_tag)
    return fmt::format("{} (WAV format tag 0x{:04X})", decode->failure(), *claim.format_tag);
  const audio_detail::unknown_format found = audio_detail::look_at_unknown_format(bytes);
  if (!found.may_hold_sound) fail("the format is not recognised: this is " + found.kind);
  if (by_libsndfile->failure_code() != SF_ERR_UNRECOGNISED_FORMAT) return decode->failure();
  return found.kind.empty() ? "the format is not recognised as a sound file"
                            : "libsndfile does not read " + found.kind;
}

void sound_reader::state::open_by_ffmpeg(const std::string& refusal) {
  if (!audio_detail::ffmpeg_process::is_installed())
    fail(refusal + "; the program ffmpeg may, once it is installed (apt install ffmpeg)");
  by_libsndfile = nullptr;
  bytes.finish();
  decode = std::make_unique<audio_detail::ffmpeg_decoder>(bytes);
  if (!decode->open()) fail(fmt::format("{}; ffmpeg: {}", refusal, decode->failure()));
}

}  // namespace papilio

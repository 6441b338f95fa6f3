#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "audio/byte_search.hpp"
#include "audio/decoder.hpp"
#include "audio/encode_samples.hpp"
#include "audio/ffmpeg_decoder.hpp"
#include "audio/file_bytes.hpp"
#include "audio/flac_decoder.hpp"
#include "audio/header_claim.hpp"
#include "audio/mpeg_decoder.hpp"
#include "audio/not_sound.hpp"
#include "audio/ogg_decoder.hpp"
#include "audio/sample_array.hpp"
#include "audio/sndfile_decoder.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

bool any_not_finite(std::span<const float> samples) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t found = 0;
  for (const float x : samples)
    found |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(x) & exponent) == exponent);
  return found != 0;
}

const sound_options& checked(const sound_options& options) {
  if (const int rate_hz = options.array_rate_hz.value_or(1);
      rate_hz < 1 || rate_hz > highest_rate_hz || (options.array_rate_hz && options.raw))
    throw invalid_argument(base_detail::message("sound_reader: array_rate_hz must be from 1 to ",
                                                highest_rate_hz, ", without raw, got ", rate_hz));
  if (!options.raw) return options;
  const raw_pcm& raw = *options.raw;
  if (raw.rate_hz < 1 || raw.rate_hz > highest_rate_hz)
    throw invalid_argument(base_detail::message("sound_reader: raw.rate_hz must be from 1 to ",
                                                highest_rate_hz, ", got ", raw.rate_hz));
  if (raw.channels < 1 || raw.channels > most_channels)
    throw invalid_argument(base_detail::message("sound_reader: raw.channels must be from 1 to ",
                                                most_channels, ", got ", raw.channels));
  sample_bytes(raw.encoding);
  return options;
}

}  // namespace

struct sound_reader::state {
  state(const std::filesystem::path& file, const sound_options& wishes);

  [[noreturn]] void fail(const std::string& reason) const { throw io_error(path, reason); }
  void check_format(std::optional<double> rate_hz, std::optional<std::uint32_t> channels) const;
  void open();
  void choose_decoder();
  void open_plain_samples(const audio_detail::plain_samples& form,
                          std::uint64_t size_bytes = audio_detail::byte_source::unknown_size);
  void open_plain_data();
  void open_mpeg(audio_detail::byte_source& from, const audio_detail::mpeg_place& place);
  void open_mpeg_in_wav();
  bool open_in_sequence();
  bool open_behind_junk();
  bool open_by_libsndfile();
  void open_by_ffmpeg(const std::string& refusal);
  std::string refusal_of_libsndfile();
  void find_length();
  void measure();
  void begin_again();
  void require_kept() const;
  void find_left_over();
  std::uint64_t promise() const;
  std::uint64_t plain_frame_bytes() const;
  double frame_bytes() const;
  std::string rate_warning() const;
  void check_length() const;
  std::vector<std::string> faults() const;
  void ended();
  void met_end();
  void check_samples(std::span<float> samples, std::uint64_t first_frame);

  std::string path;
  sound_options options;
  audio_detail::file_bytes bytes;
  audio_detail::header_claim claim;
  std::unique_ptr<audio_detail::byte_source> part;  // of the bytes, where the decoder sees not all
  std::unique_ptr<audio_detail::decoder> decode;
  const audio_detail::sndfile_decoder* by_libsndfile = nullptr;  // decode, where it is that
  sound_info info;
  const char* array_container = nullptr;  // where the file is an array
  std::uint64_t position = 0;
  std::uint64_t replaced = 0;
  std::uint64_t left_over = 0;   // bytes of a raw file after its last whole frame
  std::uint64_t rest_bytes = 0;  // behind what the header counts, not read
  bool rest_is_known = false;    // of a pipe, once its end was met
  std::string trouble;           // that ffmpeg had on its way to the end
};

sound_reader::state::state(const std::filesystem::path& file, const sound_options& wishes)
    : path(audio_detail::display_name(file)), options(checked(wishes)), bytes(file) {
  if (options.reading == sound_reading::whole) bytes.finish();
  char first = 0;
  if (bytes.read(0, &first, 1) == 0) {
    bytes.check();
    fail("the file is empty");
  }
  open();
  if (options.reading == sound_reading::once) bytes.forget();
}

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

void sound_reader::state::open() {
  choose_decoder();
  info = decode->describe();
  if (array_container != nullptr) info.container = array_container;
  // A rate is a whole number in all that is read, analysed and written; the nearest is nearer than
  // the one below it, which libsndfile takes.
  if (by_libsndfile != nullptr && claim.rate_hz)
    info.rate_hz = static_cast<int>(std::lround(*claim.rate_hz));
  if (claim.format_tag && info.decoded_by == "libmpg123") info.container = "WAV (Microsoft)";
  check_format(info.rate_hz, static_cast<std::uint32_t>(info.channels));
  find_length();
  bytes.check();
  if (info.length_known) check_length();
}

void sound_reader::state::choose_decoder() {
  claim = {};
  by_libsndfile = nullptr;
  rest_bytes = 0;
  rest_is_known = false;
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

void sound_reader::state::find_length() {
  info.length_known = true;
  if (const auto frames = decode->frames()) {
    info.frames = *frames;
    // Of the last block of packed samples some are none, and libsndfile takes a byte that fills up
    // the chunk for one block more.
    if (claim.packed_frames && *claim.packed_frames < *frames &&
        *frames - *claim.packed_frames < 2 * claim.block_frames)
      info.frames = *claim.packed_frames;
    // libsndfile reads a W64 to the end of the file.
    const std::uint64_t plain_frame = plain_frame_bytes();
    if (plain_frame > 0 && claim.data && !claim.data->unknown)
      info.frames = std::min(info.frames, claim.data->size_bytes / plain_frame);
    info.promised_frames = promise();
    if (options.raw) find_left_over();
    if (claim.data) rest_bytes = claim.data->bytes_behind;
    return;
  }
  if (!bytes.is_whole() && claim.data && !claim.data->unknown) {
    info.frames = info.promised_frames = promise();
    return;
  }
  info.length_known =
      options.reading == sound_reading::whole || (bytes.is_whole() && by_libsndfile != nullptr);
  info.promised_frames = decode->promised_frames();
  if (!info.length_known) return;
  info.frames = decode->count_frames();
  if (by_libsndfile == nullptr) trouble = decode->failure();
  if (!decode->open()) fail(decode->failure());
}

void sound_reader::state::find_left_over() {
  const std::uint64_t data = bytes.size() - std::min(bytes.size(), options.raw->skip_bytes);
  left_over = data % (std::uint64_t{sample_bytes(options.raw->encoding)} *
                      static_cast<std::uint64_t>(options.raw->channels));
}

void sound_reader::state::require_kept() const {
  if (!bytes.keeps())
    throw invalid_argument(
        "sound_reader: what came through a pipe and was read with sound_reading::once is not kept, "
        "so that it cannot be read again");
}

void sound_reader::state::begin_again() {
  require_kept();
  if (!decode->open()) fail(decode->failure());
  position = 0;
}

void sound_reader::state::measure() {
  if (info.length_known) return;
  require_kept();
  bytes.finish();
  options.reading = sound_reading::whole;
  position = 0;
  open();
}

/// What a rounded rate does. No sound is missing, so that a strict reader takes it.
std::string sound_reader::state::rate_warning() const {
  const double stated = claim.rate_hz.value_or(info.rate_hz);
  if (by_libsndfile == nullptr || stated == info.rate_hz) return "";
  const bool higher = info.rate_hz > stated;
  return fmt::format(
      "the sample rate {} Hz is read as {} Hz: times are {:.2g} millionths {}, frequencies {}",
      stated, info.rate_hz, std::abs(info.rate_hz / stated - 1) * 1e6,
      higher ? "shorter" : "longer", higher ? "higher" : "lower");
}

/// Bytes of a frame where all have as many, else 0.
std::uint64_t sound_reader::state::plain_frame_bytes() const {
  const std::uint64_t sample_bytes = by_libsndfile != nullptr ? by_libsndfile->sample_bytes() : 0;
  return sample_bytes * static_cast<std::uint64_t>(info.channels);
}

/// Bytes of a frame, on average where they differ.
double sound_reader::state::frame_bytes() const {
  if (plain_frame_bytes() > 0) return static_cast<double>(plain_frame_bytes());
  return static_cast<double>(claim.data->size_bytes) / static_cast<double>(info.frames);
}

/// Frames that the header promises. Where frames have no fixed size, in proportion to the bytes.
std::uint64_t sound_reader::state::promise() const {
  if (!claim.data) return by_libsndfile != nullptr ? info.frames : decode->promised_frames();
  const audio_detail::data_claim& data = *claim.data;
  if (data.unknown) return 0;
  const std::uint64_t frame_bytes = plain_frame_bytes();
  if (frame_bytes == 0) {
    if (!data.beyond_end)
      return std::max(info.frames, claim.packed_frames ? 0 : decode->promised_frames());
    const double present = static_cast<double>(bytes.size()) - static_cast<double>(data.offset);
    if (present <= 0) return claim.frames.value_or(0);
    const double ratio = static_cast<double>(data.size_bytes) / present;
    return static_cast<std::uint64_t>(std::min(static_cast<double>(info.frames) * ratio, 0x1p62));
  }
  if (!data.beyond_end && bytes.is_whole()) return std::max(info.frames, claim.frames.value_or(0));
  return std::max(info.frames, data.size_bytes / frame_bytes);
}

std::vector<std::string> sound_reader::state::faults() const {
  std::vector<std::string> all;
  if (left_over > 0)
    all.push_back(fmt::format("the data end within a frame: the last {} of {} bytes are not read",
                              left_over,
                              bytes.size() - std::min(bytes.size(), options.raw->skip_bytes)));
  else if (info.promised_frames > info.frames)
    all.push_back(fmt::format("truncated or damaged: promised {} frames, {} read",
                              info.promised_frames, info.frames));
  else if (!trouble.empty())
    all.push_back(fmt::format("damaged: {} says: {}", info.decoded_by, trouble));
  if (rest_bytes > 0)
    all.push_back(fmt::format(
        "not all is read: behind what the header counts are {} bytes (about {:.3f} s) more",
        rest_bytes, static_cast<double>(rest_bytes) / frame_bytes() / info.rate_hz));
  for (const std::string& fault : decode->faults()) all.push_back(fault);
  return all;
}

/// Fails where there is no sound, or less than a strict reader takes.
void sound_reader::state::check_length() const {
  const std::vector<std::string> all = faults();
  if (info.frames == 0) fail(all.empty() ? "no samples" : "no samples (" + all.front() + ")");
  if (options.strict && !all.empty()) fail(all.front());
}

/// The data ended at `position`.
void sound_reader::state::ended() {
  bytes.check();
  if (info.length_known) info.promised_frames = std::max(info.promised_frames, info.frames);
  info.length_known = rest_is_known = true;
  info.frames = position;
  if (by_libsndfile == nullptr) trouble = decode->failure();
  if (options.raw) find_left_over();
}

/// All that the header counts was read. Of a pipe only now can be known whether more follows.
void sound_reader::state::met_end() {
  if (!bytes.is_whole() && !std::exchange(rest_is_known, true)) {
    if (claim.data) rest_bytes = audio_detail::find_bytes_behind(bytes, *claim.data);
    bytes.check();
  }
  check_length();
}

void sound_reader::state::check_samples(std::span<float> samples, std::uint64_t first_frame) {
  const bool may_be = !info.stored_as || !audio_detail::is_integer(*info.stored_as);
  if (!may_be || !any_not_finite(samples)) return;
  const auto channels = static_cast<std::size_t>(info.channels);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::isfinite(samples[i])) continue;
    if (options.nan == nan_policy::refuse) {
      std::string value = std::isnan(samples[i]) ? "NaN" : samples[i] > 0 ? "+Inf" : "-Inf";
      if (const auto stored = by_libsndfile->beyond_float(first_frame * channels + i))
        value = fmt::format("{:g}, which is beyond the largest float", *stored);
      fail(fmt::format("frame {}, channel {}: the sample is {}", first_frame + i / channels,
                       i % channels + 1, value));
    }
    samples[i] = 0;
    ++replaced;
  }
}

sound_reader::sound_reader(const std::filesystem::path& path, const sound_options& options)
    : state_(std::make_unique<state>(path, options)) {}
sound_reader::~sound_reader() = default;
sound_reader::sound_reader(sound_reader&&) noexcept = default;
sound_reader& sound_reader::operator=(sound_reader&&) noexcept = default;

const sound_info& sound_reader::info() const { return state_->info; }
std::uint64_t sound_reader::position() const { return state_->position; }
std::uint64_t sound_reader::replaced_samples() const { return state_->replaced; }

std::size_t sound_reader::read(view<float, 2> out) {
  state& s = *state_;
  const auto channels = static_cast<std::size_t>(s.info.channels);
  if (out.extent(1) != channels)
    throw shape_error(base_detail::message("sound_reader::read: out has ", out.extent(1),
                                           " channels, the file ", channels));
  if (!out.is_contiguous())
    throw shape_error("sound_reader::read: out must be row-major without gaps");
  std::size_t wanted = out.extent(0);
  if (s.info.length_known)
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, s.info.frames - s.position));
  const std::size_t got = s.decode->read(out.data(), wanted);
  const std::uint64_t first = std::exchange(s.position, s.position + got);
  if (!s.info.length_known) s.info.frames = std::max(s.info.frames, s.position);
  s.check_samples({out.data(), got * channels}, first);
  if (got < wanted) s.ended();
  if (s.info.length_known && s.position == s.info.frames) s.met_end();
  return got;
}

void sound_reader::seek(std::uint64_t frame) {
  state& s = *state_;
  if (s.info.length_known && frame > s.info.frames)
    throw invalid_argument(base_detail::message("sound_reader::seek: frame must be at most ",
                                                s.info.frames, ", got ", frame));
  if (frame == s.position) return;
  if (frame < s.position && !s.bytes.keeps()) s.begin_again();
  const bool at_end = s.info.length_known && frame == s.info.frames;
  if (!at_end && !s.decode->seek(frame)) {
    s.bytes.check();
    const std::string reason = s.decode->failure();
    s.fail(fmt::format("cannot go to frame {}: {}", frame,
                       reason.empty() ? "the data end before it" : reason));
  }
  s.position = frame;
}

void sound_reader::restart() {
  state_->begin_again();
  state_->replaced = 0;
}

void sound_reader::measure() { state_->measure(); }

std::vector<std::string> sound_reader::warnings() const {
  std::vector<std::string> result = state_->faults();
  if (const std::string rate = state_->rate_warning(); !rate.empty()) result.push_back(rate);
  if (state_->replaced > 0)
    result.push_back(
        fmt::format("{} samples that were NaN, infinite or beyond the largest float are read as 0",
                    state_->replaced));
  return result;
}

}  // namespace papilio

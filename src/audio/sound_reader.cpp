#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "audio/decoder.hpp"
#include "audio/file_bytes.hpp"
#include "audio/header_claim.hpp"
#include "audio/not_sound.hpp"
#include "papilio/audio/sound_file.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

constexpr auto unknown_length = std::numeric_limits<sf_count_t>::max();

bool any_not_finite(std::span<const float> samples) {
  constexpr std::uint32_t exponent = 0x7f800000;
  std::uint32_t found = 0;
  for (const float x : samples)
    found |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(x) & exponent) == exponent);
  return found != 0;
}

const sound_options& checked(const sound_options& options) {
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
  std::string open_failure();
  void find_length();
  std::uint64_t promise() const;
  void check_strict() const;
  std::string length_warning() const;
  void ended_early();
  void check_samples(std::span<float> samples, std::uint64_t first_frame);

  std::string path;
  sound_options options;
  audio_detail::file_bytes bytes;
  audio_detail::header_claim claim;
  audio_detail::decoder decode;
  sound_info info;
  std::uint64_t position = 0;
  std::uint64_t replaced = 0;
  bool streamed = false;        // the header says that the writer did not know the length
  std::uint64_t left_over = 0;  // bytes of a raw file after its last whole frame
  bool no_end_mark = false;     // the stream ends without the mark of its end
};

sound_reader::state::state(const std::filesystem::path& file, const sound_options& wishes)
    : path(audio_detail::display_name(file)),
      options(checked(wishes)),
      bytes(file),
      decode(bytes, wishes.raw) {
  if (bytes.size() == 0) fail("the file is empty");
  if (options.raw)
    bytes.skip(options.raw->skip_bytes);
  else
    claim = audio_detail::read_header_claim(bytes);
  check_format(claim.rate_hz, claim.channels);
  open();
  check_format(decode.format().samplerate, static_cast<std::uint32_t>(decode.format().channels));
  info = decode.describe();
  find_length();
  if (bytes.failure() != 0) fail(std::generic_category().message(bytes.failure()));
  if (info.frames == 0) {
    const std::string length = length_warning();
    fail(length.empty() ? "no samples" : "no samples (" + length + ")");
  }
  check_strict();
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
  if (claim.data && (claim.data->unknown || claim.data->beyond_end) &&
      !claim.data->corrected_size_field.empty())
    bytes.replace(claim.data->size_field_offset, claim.data->corrected_size_field);
  if (!decode.open()) fail(open_failure());
}

std::string sound_reader::state::open_failure() {
  if (bytes.failure() != 0) return std::generic_category().message(bytes.failure());
  if (claim.is_chunked && !claim.data)
    return fmt::format("the header is cut short or broken: no sample data in its {} bytes",
                       bytes.size());
  if (claim.is_chunked && claim.format_tag)
    return fmt::format("{} (WAV format tag 0x{:04X})", decode.failure(), *claim.format_tag);
  if (decode.failure_code() == SF_ERR_UNRECOGNISED_FORMAT)
    return audio_detail::describe_unknown_format(bytes);
  return decode.failure();
}

void sound_reader::state::find_length() {
  streamed = claim.data && claim.data->unknown;
  if (options.raw)
    left_over = bytes.size() % (std::uint64_t{sample_bytes(options.raw->encoding)} *
                                static_cast<std::uint64_t>(options.raw->channels));
  if (decode.format().frames != unknown_length) {
    info.frames = static_cast<std::uint64_t>(std::max<sf_count_t>(0, decode.format().frames));
    info.promised_frames = promise();
    return;
  }
  const bool ogg = (decode.format().format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG;
  no_end_mark = ogg;
  streamed = !ogg;
  info.frames = decode.count_frames();
}

/// Frames that the header promises. Where frames have no fixed size, in proportion to the bytes.
std::uint64_t sound_reader::state::promise() const {
  if (!claim.data) return info.frames;
  const audio_detail::data_claim& data = *claim.data;
  if (data.unknown && data.size_bytes == 0) return 0;
  const std::uint64_t frame_bytes =
      std::uint64_t{decode.sample_bytes()} * static_cast<std::uint64_t>(info.channels);
  if (frame_bytes == 0) {
    if (!data.beyond_end) return info.frames;
    const double present = static_cast<double>(bytes.size()) - static_cast<double>(data.offset);
    if (present <= 0) return claim.frames.value_or(0);
    const double ratio = static_cast<double>(data.size_bytes) / present;
    return static_cast<std::uint64_t>(std::min(static_cast<double>(info.frames) * ratio,
                                               static_cast<double>(unknown_length / 2)));
  }
  if (!data.beyond_end) return std::max(info.frames, claim.frames.value_or(0));
  return std::max(info.frames, data.size_bytes / frame_bytes);
}

std::string sound_reader::state::length_warning() const {
  if (streamed)
    return fmt::format(
        "the header does not know the length, as streaming writers leave it: "
        "promised {} frames, {} read",
        info.promised_frames, info.frames);
  if (no_end_mark)
    return fmt::format(
        "truncated: the stream has no end mark and no promised length, {} frames read",
        info.frames);
  if (left_over > 0)
    return fmt::format("the data end within a frame: the last {} of {} bytes are not read",
                       left_over, bytes.size());
  if (info.promised_frames > info.frames)
    return fmt::format("truncated or damaged: promised {} frames, {} read", info.promised_frames,
                       info.frames);
  return "";
}

void sound_reader::state::check_strict() const {
  const std::string length = length_warning();
  if (options.strict && !length.empty()) fail(length);
}

/// Decoding stopped at `position`, before the end that was expected.
void sound_reader::state::ended_early() {
  if (bytes.failure() != 0) fail(std::generic_category().message(bytes.failure()));
  info.promised_frames = std::max(info.promised_frames, info.frames);
  info.frames = position;
  if (info.frames == 0) fail(fmt::format("no samples ({})", length_warning()));
  check_strict();
}

void sound_reader::state::check_samples(std::span<float> samples, std::uint64_t first_frame) {
  if (!any_not_finite(samples)) return;
  const auto channels = static_cast<std::size_t>(info.channels);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::isfinite(samples[i])) continue;
    if (options.nan == nan_policy::refuse)
      fail(fmt::format("frame {}, channel {}: the sample is {}", first_frame + i / channels,
                       i % channels + 1,
                       std::isnan(samples[i]) ? "NaN" : (samples[i] > 0 ? "+Inf" : "-Inf")));
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
  const auto wanted =
      static_cast<std::size_t>(std::min<std::uint64_t>(out.extent(0), s.info.frames - s.position));
  const std::size_t got = s.decode.read(out.data(), wanted);
  const std::uint64_t first = std::exchange(s.position, s.position + got);
  s.check_samples({out.data(), got * channels}, first);
  if (got < wanted) s.ended_early();
  return got;
}

void sound_reader::seek(std::uint64_t frame) {
  state& s = *state_;
  if (frame > s.info.frames)
    throw invalid_argument(base_detail::message("sound_reader::seek: frame must be at most ",
                                                s.info.frames, ", got ", frame));
  if (frame == s.position) return;
  if (frame < s.info.frames && !s.decode.seek(frame)) {
    const std::string reason = s.decode.last_error();
    s.fail(fmt::format("cannot go to frame {}: {}", frame,
                       reason.empty() ? "the data end before it" : reason));
  }
  s.position = frame;
}

void sound_reader::restart() {
  if (!state_->decode.open()) state_->fail(state_->open_failure());
  state_->position = 0;
  state_->replaced = 0;
}

std::vector<std::string> sound_reader::warnings() const {
  std::vector<std::string> result;
  if (const std::string length = state_->length_warning(); !length.empty())
    result.push_back(length);
  if (state_->replaced > 0)
    result.push_back(
        fmt::format("{} samples that were NaN or infinite are read as 0", state_->replaced));
  return result;
}

}  // namespace papilio

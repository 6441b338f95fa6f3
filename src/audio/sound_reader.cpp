#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include "audio/encode_samples.hpp"
#include "audio/sound_reader_state.hpp"
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

void sound_reader::state::find_length() {
  info.length_known = true;
  if (const auto frames = decode->frames()) {
    info.frames = *frames;
    // The last block of packed samples may be filled up, and libsndfile takes a byte that fills up
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

/// Tells how a rounded rate changes times. No sound is missing, so that a strict reader takes it.
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
        "not all is read: behind what the header counts are {}{} bytes (about {:.3f} s) more",
        rest_is_least ? "at least " : "", rest_bytes,
        static_cast<double>(rest_bytes) / frame_bytes() / info.rate_hz));
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
    if (claim.data) rest_bytes = audio_detail::find_bytes_behind(bytes, *claim.data, rest_is_least);
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
      const auto stored = by_libsndfile != nullptr
                              ? by_libsndfile->beyond_float(first_frame * channels + i)
                              : std::nullopt;
      if (stored) value = fmt::format("{:g}, which is beyond the largest float", *stored);
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

#include "papilio/audio.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "audio/encode_samples.hpp"
#include "audio/sound_encoder.hpp"
#include "papilio/base/error.hpp"

namespace papilio {
namespace {

using base_detail::message;

constexpr std::size_t block_samples = std::size_t{1} << 14;
constexpr std::uint64_t most_frames = std::uint64_t{1} << 48;

constexpr std::pair<std::string_view, sound_format> extensions[] = {
    {".wav", sound_format::wav},   {".wave", sound_format::wav}, {".rf64", sound_format::wav},
    {".flac", sound_format::flac}, {".ogg", sound_format::ogg},  {".oga", sound_format::ogg},
};

void check_encoding(const sound_writer_options& o) {
  if (o.quality && *o.format != sound_format::ogg)
    throw invalid_argument("sound_writer: quality must be none where the format is not Ogg");
  if (*o.format == sound_format::ogg) {
    if (o.encoding)
      throw invalid_argument(message("sound_writer: encoding must be none in Ogg Vorbis, got ",
                                     to_string(*o.encoding)));
    if (o.quality && !(*o.quality >= 0 && *o.quality <= 1))
      throw invalid_argument(
          message("sound_writer: quality must be from 0 to 1, got ", *o.quality));
    return;
  }
  const std::string name = to_string(*o.encoding);
  const unsigned bytes = sample_bytes(*o.encoding);
  if (*o.format == sound_format::wav && *o.encoding == sample_encoding::s8)
    throw invalid_argument("sound_writer: encoding: 8 bits of WAV are u8, got s8");
  if (*o.format == sound_format::flac && (name[0] != 's' || bytes > 3))
    throw invalid_argument(message("sound_writer: encoding: FLAC has s8, s16, s24; got ", name));
}

sound_writer_options completed(const std::filesystem::path& path, sound_writer_options o) {
  if (!o.format) o.format = sound_format_of(path);
  if (o.rate_hz < 1 || o.rate_hz > highest_rate_hz)
    throw invalid_argument(
        message("sound_writer: rate_hz must be from 1 to ", highest_rate_hz, ", got ", o.rate_hz));
  if (o.channels < 1 || o.channels > most_channels)
    throw invalid_argument(
        message("sound_writer: channels must be from 1 to ", most_channels, ", got ", o.channels));
  if (o.frames.value_or(0) > most_frames)
    throw invalid_argument(
        message("sound_writer: frames must be at most ", most_frames, ", got ", *o.frames));
  if (!o.encoding && *o.format != sound_format::ogg) o.encoding = sample_encoding::s16;
  check_encoding(o);
  if (*o.format != sound_format::wav) audio_detail::check_library_format(o);
  return o;
}

std::unique_ptr<audio_detail::sound_encoder> encoder_of(atomic_file& file,
                                                        const sound_writer_options& options) {
  return *options.format == sound_format::wav ? audio_detail::make_wav_encoder(file, options)
                                              : audio_detail::make_library_encoder(file, options);
}

}  // namespace

sound_format sound_format_of(const std::filesystem::path& path) {
  if (path == "-") return sound_format::wav;
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string known;
  for (const auto& [extension, format] : extensions) {
    if (ending == extension) return format;
    known += (known.empty() ? "" : ", ") + std::string(extension);
  }
  throw invalid_argument(message("sound_format_of: the name must end in one of ", known, "; got \"",
                                 path.string(), "\""));
}

struct sound_writer::state {
  state(const std::filesystem::path& path, const sound_writer_options& wishes)
      : options(completed(path, wishes)),
        file(path == "-" ? "/dev/stdout" : path),
        encoder(encoder_of(file, options)) {}

  template <class T>
  void write(view<const T, 2> block);
  template <class T>
  void check(view<const T, 2> block) const;

  sound_writer_options options;
  atomic_file file;
  std::unique_ptr<audio_detail::sound_encoder> encoder;
  std::uint64_t frames = 0, clipped = 0;
};

template <class T>
void sound_writer::state::check(view<const T, 2> block) const {
  if (block.extent(1) != static_cast<std::size_t>(options.channels))
    throw shape_error(message("sound_writer::write: the block has ", block.extent(1),
                              " channels, the file ", options.channels));
  if (options.frames && block.extent(0) > *options.frames - frames)
    throw invalid_argument(message("sound_writer::write: more frames than the ", *options.frames,
                                   " that were promised"));
  if (options.encoding && !audio_detail::is_integer(*options.encoding)) return;
  for (std::size_t i = 0; i < block.extent(0); ++i)
    for (std::size_t c = 0; c < block.extent(1); ++c)
      if (!std::isfinite(block(i, c)))
        throw invalid_argument(message("sound_writer::write: frame ", frames + i, ", channel ",
                                       c + 1, ": ", block(i, c), " cannot be stored"));
}

template <class T>
void sound_writer::state::write(view<const T, 2> block) {
  check(block);
  const std::size_t channels = block.extent(1);
  const std::size_t most = std::max<std::size_t>(1, block_samples / channels);
  std::vector<T> gathered;
  for (std::size_t done = 0; done < block.extent(0);) {
    const view<const T, 2> part = block.slice(0, done, std::min(most, block.extent(0) - done));
    std::span<const T> samples(part.data(), part.size());
    if (!part.is_contiguous()) {
      gathered.resize(part.size());
      for (std::size_t i = 0; i < part.extent(0); ++i)
        for (std::size_t c = 0; c < channels; ++c) gathered[i * channels + c] = part(i, c);
      samples = gathered;
    }
    clipped += encoder->write(samples);
    frames += part.extent(0);
    done += part.extent(0);
  }
}

sound_writer::sound_writer(const std::filesystem::path& path, const sound_writer_options& options)
    : state_(std::make_unique<state>(path, options)) {}
sound_writer::~sound_writer() = default;
sound_writer::sound_writer(sound_writer&&) noexcept = default;
sound_writer& sound_writer::operator=(sound_writer&&) noexcept = default;

void sound_writer::write(view<const float, 2> frames) { state_->write(frames); }
void sound_writer::write(view<const double, 2> frames) { state_->write(frames); }

void sound_writer::commit() {
  if (state_->options.frames && state_->frames != *state_->options.frames)
    throw invalid_argument(message("sound_writer::commit: ", state_->frames, " frames came of ",
                                   *state_->options.frames, " promised"));
  state_->encoder->finish(state_->frames);
  state_->file.commit();
}

const sound_writer_options& sound_writer::options() const { return state_->options; }
std::uint64_t sound_writer::frames() const { return state_->frames; }
std::uint64_t sound_writer::clipped_samples() const { return state_->clipped; }

std::uint64_t write_sound(const std::filesystem::path& path, view<const float, 2> samples,
                          sound_writer_options options) {
  if (options.channels == 0) options.channels = static_cast<int>(samples.extent(1));
  sound_writer writer(path, options);
  writer.write(samples);
  writer.commit();
  return writer.clipped_samples();
}

}  // namespace papilio

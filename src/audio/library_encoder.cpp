#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "audio/encode_samples.hpp"
#include "audio/sndfile_handle.hpp"
#include "audio/sound_encoder.hpp"
#include "papilio/base/error.hpp"

namespace papilio::audio_detail {
namespace {

constexpr int most_vorbis_channels = 255, highest_vorbis_rate_hz = 200'000;

SF_INFO info_of(const sound_writer_options& options) {
  SF_INFO info{};
  info.samplerate = options.rate_hz;
  info.channels = options.channels;
  info.format = *options.format == sound_format::flac
                    ? SF_FORMAT_FLAC | subtype_of(*options.encoding)
                    : SF_FORMAT_OGG | SF_FORMAT_VORBIS;
  return info;
}

/// Target of the library's bytes. No exception can pass through the library, so an error waits
/// here.
struct sink {
  atomic_file* file = nullptr;
  sf_count_t position = 0, size = 0;
  bool closed = false;  // drop what comes: the file will not be committed
  std::exception_ptr failure;

  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }
  sf_count_t write(const char* data, sf_count_t count) noexcept;
};

// Bytes that would correct the header of a pipe are dropped: both formats are whole without.
sf_count_t sink::write(const char* data, sf_count_t count) noexcept {
  if (failure) return 0;
  if (closed || count <= 0) return std::max<sf_count_t>(count, 0);
  try {
    const sf_count_t old = std::clamp<sf_count_t>(size - position, 0, count);
    if (old > 0 && file->is_rewritable())
      file->write_at(static_cast<std::uint64_t>(position), data, static_cast<std::size_t>(old));
    if (old < count) file->write(data + old, static_cast<std::size_t>(count - old));
    position += count;
    size = std::max(size, position);
    return count;
  } catch (...) {
    failure = std::current_exception();
    return 0;
  }
}

SF_VIRTUAL_IO callbacks() {
  SF_VIRTUAL_IO io{};
  io.get_filelen = [](void* user) { return static_cast<sink*>(user)->size; };
  io.seek = [](sf_count_t offset, int whence, void* user) {
    sink& s = *static_cast<sink*>(user);
    const sf_count_t base = whence == SEEK_CUR ? s.position : whence == SEEK_END ? s.size : 0;
    const sf_count_t target = base + offset;
    return target < 0 || target > s.size ? sf_count_t{-1} : s.position = target;
  };
  io.read = [](void*, sf_count_t, void*) { return sf_count_t{0}; };
  io.write = [](const void* data, sf_count_t count, void* user) {
    return static_cast<sink*>(user)->write(static_cast<const char*>(data), count);
  };
  io.tell = [](void* user) { return static_cast<sink*>(user)->position; };
  return io;
}

class library_encoder final : public sound_encoder {
 public:
  library_encoder(atomic_file& file, const sound_writer_options& options) : options_(options) {
    sink_.file = &file;
    SF_INFO info = info_of(options);
    sndfile_opening opening = open_sndfile(callbacks(), SFM_WRITE, info, &sink_);
    handle_ = std::move(opening.handle);
    sink_.rethrow();
    if (!handle_)
      throw invalid_argument(
          fmt::format("sound_writer: {} Hz and {} channels cannot be written: {}", options.rate_hz,
                      options.channels, opening.failure));
    sf_set_string(handle_.get(), SF_STR_SOFTWARE, "papilio");
    double quality = options.quality.value_or(0.4);
    if (!options.encoding)
      sf_command(handle_.get(), SFC_SET_VBR_ENCODING_QUALITY, &quality, sizeof quality);
  }

  ~library_encoder() override { sink_.closed = true; }

  std::uint64_t write(std::span<const float> samples) override { return put(samples); }
  std::uint64_t write(std::span<const double> samples) override { return put(samples); }

  void finish(std::uint64_t frames) override {
    if (frames == 0)
      throw invalid_argument("sound_writer::commit: a FLAC or Ogg file holds at least one frame");
    const int code = sf_close(handle_.release());
    sink_.rethrow();
    if (code != 0) fail(sf_error_number(code));
  }

 private:
  template <class T>
  std::uint64_t put(std::span<const T> samples) {
    std::uint64_t clipped = 0;
    sf_count_t written = 0;
    const auto count = static_cast<sf_count_t>(samples.size());
    if (options_.encoding) {
      const unsigned bits = 8 * sample_bytes(*options_.encoding);
      integers_.resize(samples.size());
      clipped = quantise<T>(samples, bits, integers_);
      for (std::int32_t& x : integers_) x *= std::int32_t{1} << (32 - bits);
      written = sf_write_int(handle_.get(), integers_.data(), count);
    } else if constexpr (std::is_same_v<T, float>) {
      written = sf_write_float(handle_.get(), samples.data(), count);
    } else {
      written = sf_write_double(handle_.get(), samples.data(), count);
    }
    sink_.rethrow();
    if (written != count) fail(sf_strerror(handle_.get()));
    return clipped;
  }

  [[noreturn]] void fail(const char* reason) const {
    throw io_error(sink_.file->path().string(), reason);
  }

  sound_writer_options options_;
  sink sink_;
  sndfile_handle handle_;  // writes to the sink as it is closed
  std::vector<std::int32_t> integers_;
};

}  // namespace

void check_library_format(const sound_writer_options& options) {
  SF_INFO info = info_of(options);
  const bool flac = *options.format == sound_format::flac;
  // The header of a FLAC frame has 16 bits for the rate, in Hz or in tens of Hz.
  const bool beyond_flac = options.rate_hz > 0xffff && options.rate_hz % 10 != 0;
  // Beyond these limits the library writes files that nobody can read, without a word.
  const bool beyond_vorbis =
      options.channels > most_vorbis_channels || options.rate_hz > highest_vorbis_rate_hz;
  if (sf_format_check(&info) == SF_FALSE || (flac ? beyond_flac : beyond_vorbis))
    throw invalid_argument(fmt::format("sound_writer: {} cannot hold {} channels at {} Hz",
                                       flac ? "FLAC" : "Ogg Vorbis", options.channels,
                                       options.rate_hz));
}

std::unique_ptr<sound_encoder> make_library_encoder(atomic_file& file,
                                                    const sound_writer_options& options) {
  return std::make_unique<library_encoder>(file, options);
}

}  // namespace papilio::audio_detail

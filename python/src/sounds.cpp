// papilio's sound files over numpy's arrays.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adopted.hpp"
#include "exclusively.hpp"
#include "frames.hpp"
#include "lines.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/base/error.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using std::filesystem::path;

nb::dict described(const sound_info& info) {
  nb::dict d;
  d["frames"] = info.frames;
  d["channels"] = info.channels;
  d["rate"] = info.rate_hz;
  d["duration"] = info.duration_seconds();
  d["container"] = info.container;
  d["encoding"] = info.encoding;
  d["bits"] = info.bits;
  d["stored_as"] = info.stored_as ? nb::cast(to_string(*info.stored_as)) : nb::none();
  d["tags"] = info.tags;
  d["decoded_by"] = info.decoded_by;
  return d;
}

sound_options options_of(bool strict, const std::string& nan,
                         const std::optional<std::string>& raw) {
  if (nan != "refuse" && nan != "zero")
    throw invalid_argument(message("read: nan must be refuse or zero, got ", nan));
  sound_options options{.strict = strict,
                        .nan = nan == "zero" ? nan_policy::zero : nan_policy::refuse};
  if (raw) options.raw = parse_raw_pcm(*raw);
  return options;
}

/// Samples [channels, frames] over the interleaved memory.
numpy_array by_channels(array<float, 2> samples) {
  return nb::object(adopted(std::move(samples)).attr("T"));
}

nb::dict info_of(const path& file, const std::optional<std::string>& raw) {
  const sound_options options = options_of(false, "refuse", raw);
  sound_info info;
  {
    const without_gil released;
    info = sound_reader(file, options).info();
  }
  return described(info);
}

resampling_quality quality_of(const std::string& name) {
  const std::pair<const char*, resampling_quality> names[] = {
      {"low", resampling_quality::low},
      {"medium", resampling_quality::medium},
      {"high", resampling_quality::high},
      {"very_high", resampling_quality::very_high}};
  for (const auto& [word, quality] : names)
    if (name == word) return quality;
  throw invalid_argument(
      message("resample: quality must be low, medium, high or very_high, got ", name));
}

/// Frames one after the other without gaps: themselves, or copied to `copy`.
view<const float, 2> interleaved(view<const float, 2> frames, array<float, 2>& copy) {
  if (frames.is_contiguous()) return frames;
  copy = array<float, 2>(frames.extents(), uninitialized);
  for (std::size_t i = 0; i < frames.extent(0); ++i)
    for (std::size_t c = 0; c < frames.extent(1); ++c) copy(i, c) = frames[i][c];
  return std::as_const(copy).view();
}

numpy_array resampled(nb::handle samples, int from, int to, const std::string& quality) {
  const resampling_quality q = quality_of(quality);
  const ndarray in = ndarray::operand("resample", samples, single, "samples");
  const view<const float, 2> frames = frames_of("resample", in);
  array<float, 2> result;
  {
    const without_gil released;
    array<float, 2> copy;
    result = resample(interleaved(frames, copy), from, to, q);
  }
  nb::object all = by_channels(std::move(result));
  return in.rank() == 1 ? nb::object(all[0]) : all;
}

/// A part of a sound file, on demand as the mean of its channels and at another rate. Only that part is
/// decoded where the format can be entered there.
class reader {
 public:
  reader(const path& file, double start, std::optional<double> duration, bool mono,
         std::optional<int> rate, bool strict, const std::string& nan,
         const std::optional<std::string>& raw)
      : reader_(open(file, options_of(strict, nan, raw))),
        mono_(mono && reader_.info().channels > 1),
        first_(first_frame(start)),
        end_(end_frame(start, duration)) {
    if (rate && (*rate < 1 || *rate > highest_rate_hz))
      throw invalid_argument(
          message("read: rate must be from 1 to ", highest_rate_hz, ", got ", *rate));
    if (rate && *rate != reader_.info().rate_hz) {
      change_.emplace(reader_.info().rate_hz, *rate, static_cast<int>(channels()));
      block_ = array<float, 2>({4096, channels()});
    }
    const without_gil released;
    reader_.seek(first_);
  }

  /// The next frames, so many at most; memory follows what the file has, not what its header states.
  numpy_array read(std::uint64_t most) {
    const exclusively held(mutex_);
    const std::uint64_t all = left();
    const auto frames = static_cast<std::size_t>(std::min(most, all));
    std::size_t room =
        std::min(frames, std::max<std::size_t>(1, (std::size_t{1} << 22) / channels()));
    array<float, 2> samples({room, channels()});
    std::size_t done = 0;
    {
      const without_gil released;
      while (room > 0) {
        done += give(samples.view().slice(0, done, room - done));
        if (done < room || room == frames) break;
        room = room > frames / 2 ? frames : 2 * room;
        samples = resized(samples, room);
      }
      if (done < room) samples = resized(samples, done);
    }
    given_ += done;
    return by_channels(std::move(samples));
  }
  void seek(std::uint64_t frame) {
    const exclusively held(mutex_);
    if (change_)
      throw invalid_argument("SoundReader.seek: rate must be None, got a rate to resample to");
    if (frame > end_ - first_)
      throw invalid_argument(
          message("SoundReader.seek: frame must be at most ", end_ - first_, ", got ", frame));
    const without_gil released;
    reader_.seek(first_ + frame);
    given_ = frame;
  }
  nb::dict info() const { return described(reader_.info()); }
  int rate() const { return change_ ? change_->to_hz : reader_.info().rate_hz; }
  std::uint64_t position() const { return given_; }
  /// Frames that there are altogether.
  std::uint64_t frames() const {
    const std::uint64_t part = std::max(std::min(end_, reader_.info().frames), first_) - first_;
    return change_ ? resampled_frames(part, change_->from_hz, change_->to_hz) : part;
  }
  std::vector<std::string> warnings() const { return reader_.warnings(); }

 private:
  struct rate_change {
    rate_change(int from, int to, int channels)
        : from_hz(from), to_hz(to), made(from, to, channels) {}
    int from_hz, to_hz;
    resampler made;
    view<const float, 2> rest = {};  ///< of the block, not yet taken
    bool ended = false;
  };

  static sound_reader open(const path& file, const sound_options& options) {
    const without_gil released;
    return sound_reader(file, options);
  }
  std::uint64_t first_frame(double start) const {
    const sound_info& info = reader_.info();
    if (!(start >= 0 && std::isfinite(start)))
      throw invalid_argument(message("read: start must be finite and at least 0, got ", start));
    const std::uint64_t first = nearest_frame(start, info.rate_hz);
    if (first > info.frames)
      throw invalid_argument(message("read: start must be at most ", info.duration_seconds(),
                                     ", the sound's length in seconds, got ", start));
    return first;
  }
  std::uint64_t end_frame(double start, std::optional<double> duration) const {
    const sound_info& info = reader_.info();
    if (!duration) return info.frames;
    if (!(*duration >= 0 && std::isfinite(*duration)))
      throw invalid_argument(
          message("read: duration must be finite and at least 0, got ", *duration));
    // The end, not the duration, is rounded: where one part ends the next one begins.
    return std::min(info.frames, nearest_frame(start + *duration, info.rate_hz));
  }
  std::size_t channels() const {
    return mono_ ? 1 : static_cast<std::size_t>(reader_.info().channels);
  }
  std::uint64_t left() const {
    const std::uint64_t all = frames();
    return all - std::min(all, given_);
  }

  /// Fills `out` with the next frames of the part, fewer only at its end.
  std::size_t take(view<float, 2> out) {
    const std::uint64_t left = end_ - std::min(end_, reader_.position());
    std::size_t frames = std::min<std::uint64_t>(out.extent(0), left), done = 0;
    if (!mono_) return frames > 0 ? reader_.read(out.slice(0, 0, frames)) : 0;
    const auto channels = static_cast<std::size_t>(reader_.info().channels);
    array<float, 2> block({std::min(frames, std::size_t{1} << 14), channels});
    while (done < frames) {
      const std::size_t asked = std::min(block.extent(0), frames - done);
      const std::size_t got = reader_.read(block.view().slice(0, 0, asked));
      for (std::size_t i = 0; i < got; ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < channels; ++c) sum += block(i, c);
        out(done + i, 0) = sum / static_cast<float>(channels);
      }
      done += got;
      if (got < asked) break;
    }
    return done;
  }
  /// Fills `out` with the next frames at the rate that was asked for, fewer only at the end.
  std::size_t give(view<float, 2> out) {
    if (!change_) return take(out);
    std::size_t done = 0;
    while (done < out.extent(0)) {
      const view<float, 2> rest = out.slice(0, done, out.extent(0) - done);
      if (change_->rest.extent(0) == 0 && !change_->ended) {
        const std::size_t got = take(block_.view());
        change_->rest = std::as_const(block_).view().slice(0, 0, got);
        change_->ended = got == 0;
      }
      if (change_->ended) {
        const std::size_t given = change_->made.finish(rest);
        if (given == 0) break;
        done += given;
      } else {
        const auto [taken, given] = change_->made.process(change_->rest, rest);
        change_->rest = change_->rest.slice(0, taken, change_->rest.extent(0) - taken);
        done += given;
      }
    }
    return done;
  }
  static array<float, 2> resized(const array<float, 2>& samples, std::size_t frames) {
    array<float, 2> result({frames, samples.extent(1)});
    std::copy_n(samples.data(), std::min(samples.size(), result.size()), result.data());
    return result;
  }

  std::mutex mutex_;
  sound_reader reader_;
  bool mono_;
  std::uint64_t first_, end_, given_ = 0;
  std::optional<rate_change> change_;
  array<float, 2> block_;
};

/// sound_writer.
class writer {
 public:
  writer(const path& file, int rate, int channels, const std::optional<std::string>& format,
         const std::optional<std::string>& encoding, std::optional<double> quality,
         std::optional<std::uint64_t> frames)
      : writer_(file, writing(rate, channels, format, encoding, quality, frames)) {}

  void write(nb::handle samples) {
    const ndarray in = real_operand("SoundWriter.write", "samples", samples);
    const exclusively held(mutex_);
    visit_signal(in.type(), [&]<class T>(T) {
      const view<const T, 2> frames = frames_of<T>("SoundWriter.write", in);
      const without_gil released;
      in_blocks(frames, [&](view<const T, 2> block) { writer_.write(block); });
    });
  }
  void commit() {
    const exclusively held(mutex_);
    const without_gil released;
    writer_.commit();
  }
  std::uint64_t frames() const { return writer_.frames(); }
  std::uint64_t clipped() const { return writer_.clipped_samples(); }

 private:
  static sound_writer_options writing(int rate, int channels,
                                      const std::optional<std::string>& format,
                                      const std::optional<std::string>& encoding,
                                      std::optional<double> quality,
                                      std::optional<std::uint64_t> frames) {
    sound_writer_options options{.rate_hz = rate, .channels = channels};
    if (format) options.format = sound_format_of(path("x." + *format));
    if (encoding) options.encoding = parse_sample_encoding(*encoding);
    options.quality = quality;
    options.frames = frames;
    return options;
  }

  std::mutex mutex_;
  sound_writer writer_;
};

void write_bytes(const path& file, const nb::bytes& bytes) {
  const without_gil released;
  atomic_file to(file);
  to.write(bytes.data(), bytes.size());
  to.commit();
}

/// resampler, and the frames that it gave.
class rate_changer {
 public:
  rate_changer(int from, int to, int channels, const std::string& quality)
      : resampler_(from, to, channels, quality_of(quality)),
        block_({4096, static_cast<std::size_t>(channels)}) {}

  numpy_array process(nb::handle samples) {
    const ndarray in = ndarray::operand("Resampler.process", samples, single, "block");
    const exclusively held(mutex_);
    const view<const float, 2> frames = frames_of("Resampler.process", in);
    {
      const without_gil released;
      array<float, 2> copy;
      for (view<const float, 2> rest = interleaved(frames, copy); rest.extent(0) > 0;) {
        const auto [taken, given] = resampler_.process(rest, block_);
        add(given);
        rest = rest.slice(0, taken, rest.extent(0) - taken);
      }
    }
    return given();
  }
  numpy_array finish() {
    const exclusively held(mutex_);
    {
      const without_gil released;
      while (const std::size_t given = resampler_.finish(block_)) add(given);
    }
    return given();
  }

 private:
  void add(std::size_t frames) {
    values_.insert(values_.end(), block_.data(), block_.data() + frames * block_.extent(1));
  }
  numpy_array given() {
    array<float, 2> all({values_.size() / block_.extent(1), block_.extent(1)}, uninitialized);
    std::ranges::copy(values_, all.data());
    values_.clear();
    return by_channels(std::move(all));
  }

  std::mutex mutex_;
  resampler resampler_;
  array<float, 2> block_;
  std::vector<float> values_;
};

}  // namespace

void define_sounds(nb::module_& m) {
  m.def("nearest_frame", &nearest_frame, nb::arg("seconds"), nb::arg("rate"));
  m.def("sound_info", &info_of, nb::arg("file"), nb::arg("raw").none());
  m.def("write_bytes", &write_bytes);
  m.def("resample", &resampled, nb::arg("samples"), nb::arg("from_rate"), nb::arg("to_rate"),
        nb::arg("quality"));
  nb::class_<reader>(m, "SoundReader")
      .def(nb::init<const path&, double, std::optional<double>, bool, std::optional<int>, bool,
                    const std::string&, const std::optional<std::string>&>(),
           nb::arg("file"), nb::arg("start"), nb::arg("duration").none(), nb::arg("mono"),
           nb::arg("rate").none(), nb::arg("strict"), nb::arg("nan"), nb::arg("raw").none())
      .def("read", &reader::read, nb::arg("frames"))
      .def("seek", &reader::seek, nb::arg("frame"))
      .def_prop_ro("info", &reader::info)
      .def_prop_ro("rate", &reader::rate)
      .def_prop_ro("frames", &reader::frames)
      .def_prop_ro("position", &reader::position)
      .def_prop_ro("warnings", &reader::warnings);
  nb::class_<writer>(m, "SoundWriter")
      .def(nb::init<const path&, int, int, const std::optional<std::string>&,
                    const std::optional<std::string>&, std::optional<double>,
                    std::optional<std::uint64_t>>(),
           nb::arg("file"), nb::arg("rate"), nb::arg("channels"), nb::arg("format").none(),
           nb::arg("encoding").none(), nb::arg("quality").none(), nb::arg("frames").none())
      .def("write", &writer::write, nb::arg("samples"))
      .def("commit", &writer::commit)
      .def_prop_ro("frames", &writer::frames)
      .def_prop_ro("clipped", &writer::clipped);
  nb::class_<rate_changer>(m, "Resampler")
      .def(nb::init<int, int, int, const std::string&>(), nb::arg("from_rate"), nb::arg("to_rate"),
           nb::arg("channels"), nb::arg("quality"))
      .def("process", &rate_changer::process, nb::arg("block"))
      .def("finish", &rate_changer::finish);
}

}  // namespace papilio::python

// papilio's sound files and pictures over numpy's arrays.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/audio.hpp"
#include "papilio/base/error.hpp"
#include "papilio/render.hpp"
#include "papilio/signal.hpp"

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
nb::object by_channels(array<float, 2> samples) {
  auto* const owner = new array<float, 2>(std::move(samples));
  const nb::capsule keeper(owner,
                           [](void* p) noexcept { delete static_cast<array<float, 2>*>(p); });
  const std::size_t frames = owner->extent(0), channels = owner->extent(1);
  const std::size_t extents[] = {channels, frames};
  const std::ptrdiff_t strides[] = {1, static_cast<std::ptrdiff_t>(channels)};
  return ndarray::over(owner->data(), {false, real_type::single_precision}, extents, strides,
                       keeper)
      .object();
}

/// [frames, channels] of samples [frames] or [channels, frames].
view<const float, 2> frames_of(const char* function, const ndarray& x) {
  const auto* const data = static_cast<const float*>(x.data());
  if (x.rank() == 1) return {data, {x.extent(0), 1}, {x.strides()[0], 1}};
  if (x.rank() == 2) return {data, {x.extent(1), x.extent(0)}, {x.strides()[1], x.strides()[0]}};
  throw shape_error(message(function, ": samples must be [frames] or [channels, frames], got ",
                            x.rank(), " axes"));
}

nb::tuple read(const path& file, bool strict, const std::string& nan,
               const std::optional<std::string>& raw) {
  const sound_options options = options_of(strict, nan, raw);
  sound s;
  {
    const nb::gil_scoped_release released;
    s = read_sound(file, options);
  }
  const nb::dict info = described(s.info);
  return nb::make_tuple(by_channels(std::move(s.samples)), info, s.warnings);
}

nb::dict info_of(const path& file, const std::optional<std::string>& raw) {
  const sound_options options = options_of(false, "refuse", raw);
  sound_info info;
  {
    const nb::gil_scoped_release released;
    info = sound_reader(file, options).info();
  }
  return described(info);
}

constexpr element single{false, real_type::single_precision};

void write(const path& file, nb::handle samples, int rate, const std::optional<std::string>& format,
           const std::optional<std::string>& encoding, std::optional<double> quality) {
  const ndarray in = ndarray::operand("write", samples, single);
  const view<const float, 2> frames = frames_of("write", in);
  sound_writer_options options{.rate_hz = rate,
                               .channels = checked_cast<int>(frames.extent(1), "write: channels")};
  if (format) {
    const auto extension = path("." + *format);
    options.format = sound_format_of(path("x").replace_extension(extension));
  }
  if (encoding) options.encoding = parse_sample_encoding(*encoding);
  options.quality = quality;
  options.frames = frames.extent(0);
  const nb::gil_scoped_release released;
  sound_writer writer(file, options);
  writer.write(frames);
  writer.commit();
}

nb::object resampled(nb::handle samples, int from, int to, const std::string& quality) {
  const std::pair<const char*, resampling_quality> names[] = {
      {"low", resampling_quality::low},
      {"medium", resampling_quality::medium},
      {"high", resampling_quality::high},
      {"very_high", resampling_quality::very_high}};
  const auto* const found =
      std::ranges::find_if(names, [&](const auto& n) { return quality == n.first; });
  if (found == std::end(names))
    throw invalid_argument(
        message("resample: quality must be low, medium, high or very_high, got ", quality));
  const ndarray in = ndarray::operand("resample", samples, single);
  const view<const float, 2> frames = frames_of("resample", in);
  array<float, 2> result;
  {
    // The library takes whole frames, one after the other.
    const nb::gil_scoped_release released;
    array<float, 2> interleaved(frames.extents());
    for (std::size_t i = 0; i < frames.extent(0); ++i)
      for (std::size_t c = 0; c < frames.extent(1); ++c) interleaved.view()[i][c] = frames[i][c];
    result = resample(std::as_const(interleaved).view(), from, to, found->second);
  }
  nb::object all = by_channels(std::move(result));
  return in.rank() == 1 ? nb::object(all[0]) : all;
}

frequency_axis axis_of(const std::string& scale, std::optional<double> low,
                       std::optional<double> high, double rate, std::size_t n_fft) {
  const frequency_scale s = frequency_scale_named(scale);
  // Two bins, as far as the main lobe of most windows reaches; 20 to 50 Hz for rates of sound.
  const double least = std::min(20.0, rate / 200);
  const double first = s == frequency_scale::logarithmic
                           ? std::clamp(2 * rate / static_cast<double>(n_fft), least, 2.5 * least)
                           : 0.0;
  return {s, low.value_or(first), high.value_or(rate / 2)};
}

nb::bytes picture(nb::handle x, double rate, std::size_t n_fft, std::optional<std::size_t> hop,
                  const std::string& window, const std::string& frequency_scale,
                  std::optional<double> fmin, std::optional<double> fmax, double range_db,
                  const std::string& colors, const std::string& title, std::size_t width,
                  std::size_t height, const std::string& format) {
  const ndarray in = ndarray::operand("spectrogram_picture", x, single);
  const view<const float, 2> frames = frames_of("spectrogram_picture", in);
  if (!(range_db >= 1 && range_db <= 1000))
    throw invalid_argument(
        message("spectrogram_picture: range_db must be 1 ... 1000, got ", range_db));
  const picture_format as = picture_format_of(path("x." + format));
  const plot_extent plot = spectrogram_plot_extent(width, height);
  pooled_spectrogram_options options{
      .stft = {.n_fft = n_fft,
               .hop = hop.value_or(std::max<std::size_t>(1, n_fft / 4)),
               .window = parse_window(window)},
      .channels = frames.extent(1),
      .samples = frames.extent(0),
      .rows = plot.height,
      .columns = plot.width,
      .axis = axis_of(frequency_scale, fmin, fmax, rate, n_fft),
      .rate_hz = rate};
  spectrogram_picture p;
  p.scale = options.axis->scale;
  p.low_hz = options.axis->low_hz;
  p.high_hz = options.axis->high_hz;
  p.duration_seconds = static_cast<double>(frames.extent(0)) / rate;
  p.title = title;
  p.colors = color_map_named(colors);
  p.width = width;
  p.height = height;
  std::vector<std::byte> image;
  {
    const nb::gil_scoped_release released;
    pooled_spectrogram made(options);
    made.push(frames);
    made.finish();
    array<float, 2> levels({made.levels().extent(0), made.levels().extent(1)});
    float most = 0;
    for (std::size_t i = 0; i < levels.extent(0); ++i)
      for (std::size_t k = 0; k < levels.extent(1); ++k) {
        const float power = made.levels()[i][k];
        levels.view()[i][k] = static_cast<float>(power_to_db(double{power}));
        most = std::max(most, power);
      }
    p.ceiling_db = most > 0 ? static_cast<float>(power_to_db(double{most})) : 0.0f;
    p.floor_db = p.ceiling_db - static_cast<float>(range_db);
    p.level_db = std::as_const(levels).view();
    image = spectrogram_image(p, as);
  }
  return nb::bytes(image.data(), image.size());
}

}  // namespace

void define_sounds(nb::module_& m) {
  m.def("read", &read);
  m.def("sound_info", &info_of);
  m.def("write", &write);
  m.def("resample", &resampled);
  m.def("spectrogram_picture", &picture);
}

}  // namespace papilio::python

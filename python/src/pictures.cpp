// Pictures of sound in numpy's arrays, with the choices of `papilio spectrogram`.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "cli/partials.hpp"
#include "cli/picture_presets.hpp"
#include "cli/sound_strip.hpp"
#include "frames.hpp"
#include "papilio/render.hpp"
#include "papilio/signal.hpp"
#include "segments.hpp"

namespace papilio::python {
namespace {

using base_detail::message;

constexpr std::size_t most_peaks = 100;  // as in the program

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw invalid_argument(message("spectrogram_picture: ", parts...));
}

/// The keywords of Python's function.
class keywords {
 public:
  explicit keywords(const nb::dict& given) : given_(given) {}

  template <class T>
  T get(const char* name) const {
    return as<T>(name, given_[name]);
  }
  template <class T>
  static T as(const char* name, nb::handle value) {
    try {
      return nb::cast<T>(value);
    } catch (const std::bad_cast&) {
      throw nb::type_error(
          message("spectrogram_picture: ", name, " cannot be ", nb::repr(value).c_str()).c_str());
    }
  }
  template <class T>
  std::optional<T> maybe(const char* name) const {
    return get<std::optional<T>>(name);
  }
  nb::object object(const char* name) const { return given_[name]; }
  /// Whether the text is the second of two words; refused where it is neither.
  bool is_second(const char* name, const char* first, const char* second) const {
    const auto word = get<std::string>(name);
    if (word != first && word != second)
      refuse(name, " must be \"", first, "\" or \"", second, "\", not \"", word, '"');
    return word == second;
  }

 private:
  const nb::dict& given_;
};

/// A choice by its word; the library's message of another one names the keyword.
template <class Choose>
auto chosen(const char* name, const std::string& word, const Choose& choose) {
  try {
    return choose(word);
  } catch (const invalid_argument& e) {
    const std::string text = e.what(), ours = ": name must";
    const std::size_t at = text.find(ours);
    if (at == std::string::npos) throw;
    refuse(name, " must", text.substr(at + ours.size()));
  }
}

const cli::picture_preset* preset_of(const keywords& of) {
  const auto name = of.maybe<std::string>("preset");
  if (!name) return nullptr;
  const cli::picture_preset* const found = cli::picture_preset_named(*name);
  if (found == nullptr) {
    std::string names;
    for (const cli::picture_preset& one : cli::picture_presets())
      names += std::string(names.empty() ? "" : ", ") + one.name;
    refuse("preset must be one of ", names, ", not \"", *name, '"');
  }
  return found;
}

/// How a picture is made: all that Python says, read while it may be.
struct request {
  stft_options stft;
  bool chooses_hop, is_stacked;
  pooling pool;
  frequency_axis axis;
  double rate_hz;
  std::optional<cli::sound_strip::kind> strip;
  std::size_t peaks;
  std::optional<double> below_maximum_db;  ///< none: the picture has its levels
  spectrogram_picture picture;             ///< without what the sound says
  picture_format format;
};

stft_options segments_of(const keywords& of, double rate_hz, const cli::picture_preset* preset) {
  auto n_fft = of.maybe<std::size_t>("n_fft"), hop = of.maybe<std::size_t>("hop"),
       length = of.maybe<std::size_t>("window_length");
  window_spec window = window_kind::hann;
  if (preset != nullptr) {
    preset->fill(rate_hz, n_fft, length, hop);
    window = preset->window;
  }
  if (const nb::object given = of.object("window"); !given.is_none()) window = window_of(given);
  const std::size_t points = n_fft.value_or(length ? 2048 : cli::picture_n_fft(rate_hz));
  return {.n_fft = points,
          .hop = hop.value_or(std::max<std::size_t>(1, points / 4)),
          .window_length = length.value_or(0),
          .window = window,
          .padding = parse_edge_padding(of.get<std::string>("padding"))};
}

frequency_axis axis_of(const keywords& of, double rate_hz, std::size_t n_fft,
                       const cli::picture_preset* preset) {
  const auto scale = of.maybe<std::string>("frequency_axis");
  auto low = of.maybe<double>("fmin"), high = of.maybe<double>("fmax");
  if (preset != nullptr) preset->fill_band(rate_hz, low, high);
  const frequency_scale usual = preset != nullptr ? preset->scale : frequency_scale::logarithmic;
  return spectrogram_axis(scale ? chosen("frequency_axis", *scale, frequency_scale_named) : usual,
                          rate_hz, n_fft, low, high);
}

void choose_levels(const keywords& of, const cli::picture_preset* preset, request& r) {
  const nb::object range = of.object("range_db");
  if (nb::isinstance<nb::tuple>(range) || nb::isinstance<nb::list>(range)) {
    const auto ends = keywords::as<std::pair<float, float>>("range_db", range);
    if (!(ends.second - ends.first >= 1) || ends.first < -1000 || ends.second > 1000)
      refuse("range_db must be from -1000 to 1000 and at least 1 apart, got ", ends.first, " and ",
             ends.second);
    r.picture.floor_db = ends.first;
    r.picture.ceiling_db = ends.second;
    return;
  }
  const double usual = preset != nullptr ? double{preset->range_db} : 80.0;
  r.below_maximum_db = range.is_none() ? usual : keywords::as<double>("range_db", range);
  if (!(*r.below_maximum_db >= 1 && *r.below_maximum_db <= 1000))
    refuse("range_db must be 1 ... 1000, got ", *r.below_maximum_db);
}

request request_of(const keywords& of, double rate_hz, std::size_t channels) {
  const cli::picture_preset* const preset = preset_of(of);
  if (!(rate_hz > 0) || !std::isfinite(rate_hz))
    refuse("rate must be finite and above 0, got ", rate_hz);
  for (const char* name : {"n_fft", "window_length"})
    if (const auto points = of.maybe<std::size_t>(name); points && *points > max_n_fft)
      refuse(name, " must be at most ", max_n_fft, ", got ", *points);
  request r{};
  r.rate_hz = rate_hz;
  r.format = picture_format_of("x." + of.get<std::string>("format"));
  r.stft = segments_of(of, rate_hz, preset);
  r.chooses_hop = of.object("hop").is_none();
  r.axis = axis_of(of, rate_hz, r.stft.n_fft, preset);
  r.pool = of.is_second("pool", "max", "mean") ? pooling::mean : pooling::maximum;
  r.is_stacked = of.is_second("channels", "mixed", "stacked") && channels > 1;
  if (!of.object("strip").is_none())
    r.strip = of.is_second("strip", "level", "waveform") ? cli::sound_strip::kind::waveform
                                                         : cli::sound_strip::kind::level;
  r.peaks = of.get<std::size_t>("peaks");
  if (r.peaks > most_peaks) refuse("peaks must be at most ", most_peaks, ", got ", r.peaks);
  choose_levels(of, preset, r);
  spectrogram_picture& p = r.picture;
  p.scale = r.axis.scale;
  p.low_hz = r.axis.low_hz;
  p.high_hz = r.axis.high_hz;
  p.title = of.get<std::string>("title");
  p.colors = chosen("colors", of.get<std::string>("colors"), color_map_named);
  p.theme = chosen("theme", of.get<std::string>("theme"), picture_theme_named);
  p.dpi = of.maybe<double>("dpi");
  p.width = of.get<std::size_t>("width");
  p.height = of.get<std::size_t>("height");
  p.waterfall = of.get<bool>("waterfall");
  if (r.strip) p.strip.emplace();
  p.panels.resize(r.is_stacked ? channels : 1);
  return r;
}

std::span<const double> powers_of(const pooled_spectrogram& of) {
  return {of.levels().data(), of.levels().size()};
}

/// The bytes of the picture of [frames, channels], without the GIL.
std::vector<std::byte> drawn(request r, view<const float, 2> frames) {
  const without_gil released;
  spectrogram_picture& p = r.picture;
  const plot_extent plot = spectrogram_panel_extents(p).front();
  const std::size_t over_time = p.waterfall ? plot.height : plot.width;
  if (r.chooses_hop) r.stft.hop = spectrogram_hop(r.stft, frames.extent(0), over_time);
  const pooled_spectrogram_options options{.stft = r.stft,
                                           .channels = r.is_stacked ? 1 : frames.extent(1),
                                           .samples = frames.extent(0),
                                           .rows = p.waterfall ? plot.width : plot.height,
                                           .columns = over_time,
                                           .pool = r.pool,
                                           .axis = r.axis,
                                           .rate_hz = r.rate_hz};
  std::vector<pooled_spectrogram> made;
  while (made.size() < p.panels.size()) made.emplace_back(options);
  std::optional<cli::sound_strip> strip;
  if (r.strip) strip.emplace(*r.strip, frames.extent(0), over_time);
  in_blocks(frames, [&](view<const float, 2> block) {
    for (std::size_t c = 0; c < made.size(); ++c)
      made[c].push(r.is_stacked ? block.slice(1, c, 1) : block);
    if (strip) strip->push(block);
  });
  if (strip) p.strip = strip->made(0);

  std::vector<array<float, 2>> levels;
  std::vector<double> mean(options.stft.n_fft / 2 + 1);
  double most = 0;
  for (pooled_spectrogram& one : made) {
    one.finish();
    for (const double power : powers_of(one)) most = std::max(most, power);
    for (std::size_t k = 0; k < mean.size(); ++k)
      mean[k] += one.mean_power()[k] / static_cast<double>(made.size());
  }
  if (r.below_maximum_db) {
    p.ceiling_db = most > 0 ? static_cast<float>(power_to_db(most)) : 0.0f;
    p.floor_db = p.ceiling_db - static_cast<float>(*r.below_maximum_db);
  }
  for (std::size_t c = 0; c < made.size(); ++c) {
    array<float, 2> shown(made[c].levels().extents());
    power_to_db(powers_of(made[c]), shown.flat(), 1.0, p.floor_db);
    levels.push_back(spread_columns(shown.view(), made[c].columns(), frames.extent(0), over_time));
  }
  for (std::size_t c = 0; c < made.size(); ++c)
    p.panels[c] = {std::as_const(levels[c]).view(), message("Channel ", c + 1)};
  if (r.peaks > 0)
    p.marks =
        cli::marks_of(cli::partials(mean, {r.stft, r.rate_hz, frames.extent(0), r.axis}, r.peaks));
  p.duration_seconds = static_cast<double>(frames.extent(0)) / r.rate_hz;
  const std::size_t length = r.stft.window_length;
  p.caption = message(
      "n_fft ", r.stft.n_fft, ", hop ", r.stft.hop, ", ", to_string(r.stft.window), " window",
      length == 0 || length == r.stft.n_fft ? "" : message(" of ", length), ", ", r.rate_hz, " Hz");
  return spectrogram_image(p, r.format);
}

nb::bytes bytes_of(const std::vector<std::byte>& image) {
  return nb::bytes(image.data(), image.size());
}

nb::bytes picture(nb::handle x, double rate_hz, const nb::dict& given) {
  const ndarray in = ndarray::operand("spectrogram_picture", x, single);
  const view<const float, 2> frames = frames_of("spectrogram_picture", in);
  return bytes_of(drawn(request_of(keywords(given), rate_hz, frames.extent(1)), frames));
}

/// Levels [rows, columns], row 0 the lowest in frequency, from `start` on.
nb::bytes picture_of_levels(nb::handle levels, double start, double duration,
                            const std::pair<double, double>& band, const std::string& scale,
                            const std::pair<float, float>& range, const std::string& unit,
                            const std::string& title, std::size_t width, std::size_t height,
                            const std::string& format) {
  const ndarray in = ndarray::operand("picture", levels, single, "levels");
  spectrogram_picture p;
  p.level_db = {static_cast<const float*>(in.data()),
                {in.extent(0), in.extent(1)},
                {in.strides()[0], in.strides()[1]}};
  p.start_seconds = start;
  p.duration_seconds = duration;
  std::tie(p.low_hz, p.high_hz) = band;
  std::tie(p.floor_db, p.ceiling_db) = range;
  p.scale = frequency_scale_named(scale);
  p.level_unit = unit;
  p.title = title;
  p.width = width;
  p.height = height;
  return bytes_of(spectrogram_image(p, picture_format_of("x." + format)));
}

/// Curves [curves, points] over x [points].
nb::bytes picture_of_curves(nb::handle x, nb::handle curves, const std::vector<std::string>& names,
                            const std::pair<std::string, std::string>& x_axis,
                            const std::pair<std::string, std::string>& y_axis,
                            const std::string& title, std::size_t width, std::size_t height,
                            const std::string& format) {
  constexpr element in_double{false, real_type::double_precision};
  const ndarray over = contiguous(ndarray::operand("picture", x, in_double));
  const ndarray lines = contiguous(ndarray::operand("picture", curves, in_double, "curves"));
  line_plot p;
  for (std::size_t i = 0; i < lines.extent(0); ++i)
    p.curves.push_back(
        {.y = {static_cast<const double*>(lines.data()) + i * over.size(), over.size()},
         .x = {static_cast<const double*>(over.data()), over.size()},
         .name = names.at(i)});
  std::tie(p.x_quantity, p.x_unit) = x_axis;
  std::tie(p.y_quantity, p.y_unit) = y_axis;
  p.title = title;
  p.width = width;
  p.height = height;
  return bytes_of(line_plot_image(p, picture_format_of("x." + format)));
}

}  // namespace

void define_pictures(nb::module_& m) {
  m.def("picture_of_levels", &picture_of_levels, nb::arg("levels"), nb::arg("start"),
        nb::arg("duration"), nb::arg("band"), nb::arg("scale"), nb::arg("range"), nb::arg("unit"),
        nb::arg("title"), nb::arg("width"), nb::arg("height"), nb::arg("format"));
  m.def("picture_of_curves", &picture_of_curves, nb::arg("x"), nb::arg("curves"), nb::arg("names"),
        nb::arg("x_axis"), nb::arg("y_axis"), nb::arg("title"), nb::arg("width"), nb::arg("height"),
        nb::arg("format"));
  m.def("spectrogram_picture", &picture, nb::arg("x"), nb::arg("rate"), nb::arg("options"));
}

}  // namespace papilio::python

#include "cli/sound_flags.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>

#include "cli/own_files.hpp"
#include "papilio/base/atomic_file.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

void sound_flags::add_to(command& verb) {
  verb.add({{"--strict", strict,
             "Refuse a file that is cut short, is damaged or holds more than is read"},
            {"--nan", nan, "Samples that are not numbers: refuse the file, or zero them",
             exactly_one_of({"refuse", "zero"})}});
  add_raw_to(verb);
}

void sound_flags::add_raw_to(command& verb) {
  verb.add(
      {{"--raw", raw,
        "The files have no header: samples of s8, u8, s16, s24, s32, f32 or f64 (s16be:\n"
        "big-endian), as in s16:44100:2, after SKIP bytes",
        read_by([](std::string& text) { parse_raw_pcm(text); }, "ENCODING:RATE:CHANNELS[:SKIP]")},
       {rate_name, rate_hz,
        "The files are arrays, NPY, NPZ or CSV, [frames] or [frames, channels], of so many\n"
        "samples per second; integers are scaled by their width",
        whole_number_from(1, highest_rate_hz)}});
}

sound_options sound_flags::options(const std::string& file) const {
  if (rate_hz && !raw.empty()) throw usage_error("{}: not with --raw", rate_name);
  const std::string ending = lower_case(std::filesystem::path(file).extension().string());
  if ((ending == ".npy" || ending == ".npz" || ending == ".csv") && !rate_hz && raw.empty())
    throw usage_error("{}: is needed for \"{}\", an array that has no sample rate of its own",
                      rate_name, file);
  return {.strict = strict,
          .nan = nan == "zero" ? nan_policy::zero : nan_policy::refuse,
          .raw = raw.empty() ? std::nullopt : std::optional(parse_raw_pcm(raw)),
          .array_rate_hz = rate_hz};
}

void peak_flags::add_to(command& verb) {
  verb.add(
      {{"--peaks", count, "Strongest peaks that are listed", whole_number_from(0, 1000)},
       {"--peak-range", range_db, "Peaks further below the strongest than this are not listed, dB",
        number_from(0, 1000)}});
}

report& add_sound(report& to, const std::string& file, const sound_info& info) {
  to.line("format", "{}, {}, {} Hz, {}{}", info.container, info.encoding, info.rate_hz,
          counted(static_cast<std::uint64_t>(info.channels), "channel"),
          info.decoded_by == "ffmpeg" ? ", decoded by ffmpeg" : "");
  if (info.length_known)
    to.line("duration", "{} ({})", format_duration(info.duration_seconds()),
            counted(info.frames, "frame"));
  else
    to.line("duration", "not known: not read to its end");
  const auto known = [&](auto value) {
    return info.length_known ? json_value(value) : json_value();
  };
  return to.fields("file", file, "container", info.container, "encoding", info.encoding, "bits",
                   info.bits, "decoded_by", info.decoded_by, "rate_hz", info.rate_hz, "channels",
                   info.channels, "frames", known(info.frames), "promised_frames",
                   info.promised_frames, "duration_seconds", known(info.duration_seconds()), "tags",
                   info.tags);
}

void full_scale_flag::add_to(command& verb) {
  verb.add({{"--full-scale", db_spl,
             "Sound pressure level of a full-scale sine, as 94dB: levels are in dB SPL [dBFS]",
             level_from(-300, 300)}});
}

bool is_picture(const std::string& kind) { return kind == "png" || kind == "svg" || kind == "pdf"; }

void look_flags::add_to(command& verb) {
  verb.add({{"--theme", theme,
             fmt::format("Dark text on white, or light text on near-black [light{}]",
                         verb.name() == "spectrogram" ? "; in the terminal dark" : ""),
             one_of({"light", "dark"})},
            {"--dpi", dpi,
             "Pixels an inch: text grows with it, PNG states it, SVG and PDF shrink by it [96]",
             number_from(minimum_picture_dpi, maximum_picture_dpi)}});
}

picture_theme look_flags::theme_or(const char* otherwise) const {
  return picture_theme_named(theme.empty() ? otherwise : theme);
}

namespace {

constexpr std::size_t most_labels = 100;
/// Peaks nearer to a stronger one than this part of the axis are not labelled.
constexpr double least_gap = 0.02;

}  // namespace

void plot_flags::add_to(command& verb, const std::string& lowest) {
  verb.add({{"--frequency-axis", frequency_axis,
             "Frequency axis of the picture: log in decades, from 1/2000 of its end and without\n"
             "0 Hz, or linear [log; linear where 0 Hz is the only bin]",
             one_of({"linear", "log"})},
            {"--log-frequency", log_frequency, "", flag_trait::hidden},
            {"--label-peaks", labels,
             "Strongest peaks of each curve that the picture labels, where there is room; 0: none\n"
             "[5; of several curves 2]",
             whole_number_from(0, most_labels)},
            {"--min-db", min_db, fmt::format("Lowest level of the picture [{}]", lowest),
             number_from(-1000, 1000)},
            {"--title", title, "Title of the picture [the file's name]"},
            {"--width", width, "Width of the picture in pixels [1280]",
             whole_number_from(minimum_picture_width, maximum_picture_side)},
            {"--height", height, "Height of the picture in pixels [640]",
             whole_number_from(minimum_picture_height, maximum_picture_side)}});
  look.add_to(verb);
}

void plot_flags::require_picture(const output_flags& outputs, const full_scale_flag& scale) const {
  if (min_db && *min_db >= scale.offset_db())
    throw usage_error("--min-db: must be below a full-scale sine's {} {}, got {}",
                      scale.offset_db(), scale.unit(), *min_db);
  if (outputs.may_be({"png", "svg", "pdf"})) return;
  if (log_frequency || !frequency_axis.empty() || !title.empty() || width || height || min_db ||
      labels || look.are_given())
    throw usage_error(
        "--frequency-axis, --label-peaks, --min-db, --title, --width, --height, --theme, --dpi: "
        "are "
        "for pictures, and --out names none");
}

// Some of them are beyond the ends of the axes, or too near to a stronger one.
std::size_t plot_flags::wanted_peaks() const { return labels == 0 ? 0 : labels.value_or(5) + 96; }

std::string picture_title(const std::string& given, const std::string& file) {
  return given.empty() ? std::filesystem::path(shown_name(file)).filename().string() : given;
}

namespace {

/// The names of the files, with their folders where they would else be alike.
std::vector<std::string> titles_of(std::span<const level_curves> files) {
  std::vector<std::string> names, distinct;
  for (const level_curves& of : files) names.push_back(picture_title("", of.file));
  for (std::size_t i = 0; i < names.size(); ++i)
    distinct.push_back(std::ranges::count(names, names[i]) > 1 ? shown_name(files[i].file)
                                                               : names[i]);
  return distinct;
}

/// "1000 Hz -6.0 dB": with the decimals of a Hz that a tenth of a bin needs.
std::string peak_label(const level_curves::peak& peak, double step_hz, double level_db) {
  const int decimals = std::clamp(static_cast<int>(std::ceil(1 - std::log10(step_hz))), 0, 3);
  return fmt::format("{:.{}f} Hz  {}{:.1f} dB", peak.frequency_hz, decimals,
                     level_db < -0.05 ? "\u2212" : "", std::abs(level_db));
}

}  // namespace

void plot_flags::draw(const output& out, std::span<const level_curves> files,
                      const full_scale_flag& scale, const std::string& per) const {
  const bool has_tones =
      std::ranges::any_of(files, [](const level_curves& of) { return of.levels_db.extent(1) > 1; });
  const bool is_log =
      log_frequency || (frequency_axis.empty() ? has_tones : frequency_axis == "log");
  const double offset_db = scale.offset_db();
  line_plot plot{.x_scale = is_log ? axis_scale::logarithmic : axis_scale::linear,
                 .x_quantity = "Frequency",
                 .x_unit = "Hz",
                 .y_quantity = "Level",
                 .y_unit = scale.unit() + per,
                 .width = width.value_or(1280),
                 .height = height.value_or(640),
                 .theme = look.theme_or("light"),
                 .dpi = look.dpi};
  double ceiling = offset_db, step_hz = files.front().step_hz, high_hz = 0;
  std::size_t curves = 0;
  for (const level_curves& of : files) {
    curves += of.levels_db.extent(0);
    step_hz = std::min(step_hz, of.step_hz);
    high_hz = std::max(high_hz, of.high_hz);
  }
  // Three decades are shown, as in music, or all bins if they are fewer.
  plot.x_range =
      value_range{is_log ? std::min(std::max(step_hz, high_hz / 2000), high_hz / 2) : 0, high_hz};
  const papilio::frequency_axis axis{
      is_log ? frequency_scale::logarithmic : frequency_scale::linear, plot.x_range->low,
      plot.x_range->high};
  const std::vector<std::string> names = titles_of(files);
  std::deque<std::vector<double>> levels;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const level_curves& of = files[f];
    const std::size_t channels = of.levels_db.extent(0);
    for (std::size_t c = 0; c < channels; ++c) {
      std::vector<double>& y = levels.emplace_back();
      for (std::size_t k = 0; k < of.levels_db.extent(1); ++k) {
        const double level = of.levels_db(c, k) + offset_db;
        ceiling = std::max(ceiling, level);
        // Silence is a line out of the plot's floor, not a gap.
        y.push_back(min_db ? std::max(level, *min_db - 1000) : level);
      }
      const std::size_t most = labels.value_or(curves > 1 ? 2 : 5);
      std::vector<double> places;
      for (const level_curves::peak& peak : of.peaks) {
        const double place = axis.place(peak.frequency_hz);
        if (peak.channel != c || places.size() == most || !(place >= 0 && place <= 1) ||
            std::ranges::any_of(places, [&](double p) { return std::abs(p - place) < least_gap; }))
          continue;
        places.push_back(place);
        const double level_db = peak.level_db + offset_db;
        plot.marks.push_back({.x = peak.frequency_hz,
                              .y = level_db,
                              .name = peak_label(peak, of.step_hz, level_db),
                              .color = plot.curves.size()});
      }
      std::string name = files.size() > 1 ? names[f] : std::string();
      if (channels > 1) name += fmt::format("{}channel {}", name.empty() ? "" : ", ", c + 1);
      plot.curves.push_back({.y = y, .step_x = of.step_hz, .name = name});
    }
  }
  std::ranges::stable_sort(plot.marks, std::greater<>(), &plot_mark::y);
  plot.marks.resize(std::min(plot.marks.size(), most_plot_marks));
  plot.title = title.empty() ? fmt::format("{}", fmt::join(names, ", ")) : title;
  if (min_db) plot.y_range = value_range{*min_db, 10 * std::ceil(ceiling / 10)};
  const std::vector<std::byte> image = line_plot_image(plot, picture_format_of("x." + out.kind));
  atomic_file written(out.path());
  written.write(image.data(), image.size());
  written.commit();
}

namespace {

const char* name_of(sound_format format) {
  switch (format) {
    case sound_format::flac:
      return "FLAC";
    case sound_format::ogg:
      return "Ogg Vorbis";
    default:
      return "WAV";
  }
}

std::vector<std::string> encodings_of(sound_format format) {
  if (format == sound_format::flac) return {"s8", "s16", "s24"};
  if (format == sound_format::ogg) return {};
  return {"u8", "s16", "s24", "s32", "f32", "f64"};
}

}  // namespace

output_kinds sound_kinds(std::string suffix) {
  output_kinds can;
  can.kinds = {"wav", "flac", "ogg"};
  can.streamed = {"wav"};
  can.one = can.second_is_output = true;
  can.is_own = own_files();
  can.suffix = std::move(suffix);
  return can;
}

std::string sound_out_help(const std::string& suffix) {
  return fmt::format(
      "Sound to write: .wav, .flac or .ogg; a folder; - is WAV on standard output\n"
      "[FILE's name{}.wav]",
      suffix);
}

void sound_output_flags::add_to(command& verb, const std::string& usual) {
  verb.add({{"--encoding", encoding,
             fmt::format(
                 "Samples of the output: u8, s16, s24, s32, f32, f64 in WAV; s8, s16, s24 in FLAC\n"
                 "[{}]; f32 and f64 are not clipped",
                 usual),
             one_of({"s8", "u8", "s16", "s24", "s32", "f32", "f64"})},
            {"--quality", quality, "Quality of Ogg Vorbis, from 0 to 1 [0.4]", number_from(0, 1)}});
}

void sound_output_flags::require_fit(const output_flags& outputs) const {
  for (const std::string& kind : outputs.can().kinds)
    if (outputs.may_be({kind})) options(kind);
}

sound_writer_options sound_output_flags::options(const std::string& kind) const {
  sound_writer_options o;
  o.format = sound_format_of("x." + kind);
  if (quality && o.format != sound_format::ogg)
    throw usage_error("--quality: is for Ogg Vorbis, not {}", name_of(*o.format));
  o.quality = quality;
  if (encoding.empty()) return o;
  const std::vector<std::string> there = encodings_of(*o.format);
  if (there.empty()) throw usage_error("--encoding: Ogg Vorbis has none; there is --quality");
  if (std::find(there.begin(), there.end(), encoding) == there.end())
    throw usage_error("--encoding: {} has {}, got {}", name_of(*o.format), fmt::join(there, ", "),
                      encoding);
  o.encoding = parse_sample_encoding(encoding);
  return o;
}

sound_writer_options sound_output_flags::options_like(const std::string& kind,
                                                      const sound_info& sound) const {
  sound_writer_options o = options(kind);
  o.rate_hz = sound.rate_hz;
  o.channels = sound.channels;
  if (o.encoding || !sound.stored_as) return o;
  const std::vector<std::string> there = encodings_of(*o.format);
  if (std::ranges::find(there, papilio::to_string(*sound.stored_as)) != there.end())
    o.encoding = sound.stored_as;
  return o;
}

void add_written(report& made, const output& out, const sound_writer& writer) {
  const sound_writer_options& o = writer.options();
  const std::string name =
      out.to_standard_output() ? std::string("standard output") : out.name.string();
  made.line("written", "{} ({}{}, {} Hz, {}, {})", name, name_of(*o.format),
            o.encoding ? ", " + papilio::to_string(*o.encoding) : std::string(), o.rate_hz,
            counted(static_cast<std::uint64_t>(o.channels), "channel"),
            counted(writer.frames(), "frame"));
  made.add("clipped_samples", writer.clipped_samples());
  if (writer.clipped_samples() == 0) return;
  made.line("clipped", "{} beyond full scale", counted(writer.clipped_samples(), "sample"));
  made.caution(fmt::format("{}: {} beyond full scale clipped; --encoding f32 keeps them", name,
                           counted(writer.clipped_samples(), "sample")));
}

}  // namespace papilio::cli

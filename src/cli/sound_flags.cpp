#include "cli/sound_flags.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "papilio/base/atomic_file.hpp"
#include "papilio/render.hpp"

namespace papilio::cli {

void sound_flags::add_to(command& verb) {
  verb.add({{"--strict", strict, "Refuse a file that holds less sound than its header promises"},
            {"--nan", nan, "Samples that are not numbers: refuse the file, or zero them",
             exactly_one_of({"refuse", "zero"})}});
  add_raw_to(verb);
}

void sound_flags::add_raw_to(command& verb) {
  verb.add(
      {{"--raw", raw,
        "The files have no header: samples of s8, u8, s16, s24, s32, f32 or f64 (s16be:\n"
        "big-endian), as in s16:44100:2, after SKIP bytes",
        read_by([](std::string& text) { parse_raw_pcm(text); }, "ENCODING:RATE:CHANNELS[:SKIP]")}});
}

sound_options sound_flags::options() const {
  return {.strict = strict,
          .nan = nan == "zero" ? nan_policy::zero : nan_policy::refuse,
          .raw = raw.empty() ? std::nullopt : std::optional(parse_raw_pcm(raw))};
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

void plot_flags::add_to(command& verb, const std::string& lowest) {
  verb.add({{"--frequency-axis", frequency_axis,
             "Frequency axis of the picture: linear, or log in decades, from 1/2000 of its end",
             one_of({"linear", "log"})},
            {"--log-frequency", log_frequency, "", flag_trait::hidden},
            {"--min-db", min_db, fmt::format("Lowest level of the picture [{}]", lowest),
             number_from(-1000, -1)},
            {"--title", title, "Title of the picture [the file's name]"},
            {"--width", width, "Width of the picture in pixels [1280]",
             whole_number_from(minimum_picture_width, maximum_picture_side)},
            {"--height", height, "Height of the picture in pixels [640]",
             whole_number_from(minimum_picture_height, maximum_picture_side)}});
  look.add_to(verb);
}

void plot_flags::require_picture(const output_flags& outputs) const {
  if (outputs.may_be({"png", "svg", "pdf"})) return;
  if (log_frequency || frequency_axis == "log" || !title.empty() || width || height || min_db ||
      look.are_given())
    throw usage_error(
        "--frequency-axis, --min-db, --title, --width, --height, --theme, --dpi: are for pictures, "
        "and --out names none");
}

std::string picture_title(const std::string& given, const std::string& file) {
  return given.empty() ? std::filesystem::path(shown_name(file)).filename().string() : given;
}

void plot_flags::draw(const output& out, const std::string& file, const level_curves& of) const {
  const bool is_log = log_frequency || frequency_axis == "log";
  const std::size_t curves = of.levels_db.extent(0), bins = of.levels_db.extent(1);
  array<double, 2> levels(of.levels_db.extents());
  double ceiling = 0;
  for (std::size_t c = 0; c < curves; ++c)
    for (std::size_t k = 0; k < bins; ++k) {
      ceiling = std::max(ceiling, of.levels_db(c, k));
      // Silence is a line out of the plot's floor, not a gap.
      levels(c, k) = min_db ? std::max(of.levels_db(c, k), *min_db - 1000) : of.levels_db(c, k);
    }
  line_plot plot{.x_scale = is_log ? axis_scale::logarithmic : axis_scale::linear,
                 .title = picture_title(title, file),
                 .x_quantity = "Frequency",
                 .x_unit = "Hz",
                 .y_quantity = "Level",
                 .y_unit = of.unit,
                 .width = width.value_or(1280),
                 .height = height.value_or(640),
                 .theme = look.theme_or("light"),
                 .dpi = look.dpi};
  for (std::size_t c = 0; c < curves; ++c)
    plot.curves.push_back({.y = std::span<const double>(&levels(c, 0u), bins),
                           .step_x = of.step_hz,
                           .name = curves > 1 ? fmt::format("channel {}", c + 1) : std::string()});
  // Three decades are shown, as in music, or all bins if they are fewer.
  plot.x_range = value_range{
      is_log ? std::min(std::max(of.step_hz, of.high_hz / 2000), of.high_hz / 2) : 0, of.high_hz};
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

output_kinds sound_kinds() {
  output_kinds can;
  can.kinds = {"wav", "flac", "ogg"};
  can.streamed = {"wav"};
  can.one = can.required = true;
  return can;
}

void sound_output_flags::add_to(command& verb) {
  verb.add({{"--encoding", encoding,
             "Samples of the output: u8, s16, s24, s32, f32, f64 in WAV; s8, s16, s24 in FLAC\n"
             "[s16]; f32 and f64 are not clipped",
             one_of({"s8", "u8", "s16", "s24", "s32", "f32", "f64"})},
            {"--quality", quality, "Quality of Ogg Vorbis, from 0 to 1 [0.4]", number_from(0, 1)}});
}

void sound_output_flags::require_fit(const output_flags& outputs) const {
  for (const std::string& kind : sound_kinds().kinds)
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

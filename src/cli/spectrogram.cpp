#include <algorithm>
#include <cmath>

#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/io.hpp"
#include "papilio/render.hpp"
#include "signal/panel_spectrograms.hpp"

namespace papilio::cli {

namespace {
namespace spectrogram_parts {

struct arguments {
  std::string shown_for, pool = "max", colors = "magma", range, title;
  std::string frequency_axis, channels = "mixed";
  std::optional<double> low_hz, high_hz;
  std::size_t width = 1280, height = 640;
  stft_flags stft;
  excerpt_request part;
  sound_flags sound;
  look_flags look;

  void add_to(command& verb) {
    std::vector<std::string> kinds;
    for (const picture_preset& preset : picture_presets()) kinds.emplace_back(preset.name);
    verb.add({{"--for", shown_for,
               "What is to be seen: sets segments, window, frequency axis and range where their\n"
               "flags do not",
               one_of(std::move(kinds))}});
    stft.add_to(verb, {.scaling = false, .use = preset_use::pictures});
    part.add_to(verb);
    std::vector<std::string> color_names;
    for (const color_map map : all_color_maps) color_names.emplace_back(to_string(map));
    color_names.emplace_back("gray");
    verb.add(
        {{"--pool", pool, "Maximum or mean of the segments and bins that a pixel covers",
          one_of({"max", "mean"})},
         {"--channels", channels,
          "One spectrogram of the channels' mean power, or one for each, stacked",
          one_of({"mixed", "stacked"})},
         {"--frequency-axis", frequency_axis,
          "Even in Hz, in octaves, in mel (Slaney's) or in Bark; notes: in octaves, labelled by\n"
          "notes [log]",
          one_of({"linear", "log", "mel", "bark", "notes"})},
         {"--fmin", low_hz, "Lowest frequency shown, in Hz [0; log and notes 2 bins, 20 to 50]",
          number_from(0, 1e9)},
         {"--fmax", high_hz, "Highest frequency shown, in Hz [half the rate]",
          number_from(1e-6, 1e9)},
         {"--range", range,
          "Levels shown: N, the N dB below the picture's maximum, or LOW:HIGH in dBFS [80]"},
         {"--width", width, "Width of the picture in pixels",
          whole_number_from(minimum_picture_width, maximum_picture_side)},
         {"--height", height, "Height of the picture in pixels",
          whole_number_from(minimum_picture_height, maximum_picture_side)},
         {"--colors", colors, "Colour map, from dark to light", one_of(std::move(color_names))},
         {"--title", title, "Title above the picture [the file's name]"}});
    look.add_to(verb);
    sound.add_to(verb);
    verb.exclude("--for", "--preset");
  }
};

constexpr std::size_t peak_count = 5;

/// Levels shown, in dBFS; relative to the picture's highest where that is said.
struct shown_levels {
  float floor_db, ceiling_db;
  bool below_maximum;
};

// "-100:-20", or "80" for those 80 dB that end at the picture's maximum.
shown_levels parse_range(const std::string& text) {
  const std::vector<std::string> ends = split_words(text, ':');
  const bool below_maximum = ends.size() == 1;
  std::optional<float> low = read_number<float>(ends.front()),
                       high = read_number<float>(ends.back());
  if (below_maximum && low) {
    high = 0.0f;
    low = -std::abs(*low);
  }
  if (!low || !high || ends.size() > 2 || !(*high - *low >= 1) || *low < -1000 || *high > 1000)
    throw usage_error(
        "--range: must be LOW:HIGH in dBFS, from -1000 to 1000 and at least 1 apart, "
        "or N, from 1 to 1000, for N dB below the picture's maximum; got \"{}\"",
        text);
  return {*low, *high, below_maximum};
}

/// In dBFS, whatever it is relative to. Digital silence has no maximum: 0 dBFS stands for it.
shown_levels in_dbfs(const shown_levels& range, const std::vector<array<float, 2>>& powers) {
  if (!range.below_maximum) return range;
  float most = 0;
  for (const array<float, 2>& panel : powers)
    for (const float power : panel) most = std::max(most, power);
  const float maximum_db = most > 0 ? static_cast<float>(power_to_db(double{most})) : 0.0f;
  return {range.floor_db + maximum_db, range.ceiling_db + maximum_db, false};
}

shown_levels range_of(const arguments& args, const picture_preset* preset) {
  return parse_range(!args.range.empty() ? args.range : preset != nullptr ? preset->range : "80");
}

frequency_scale scale_of(const arguments& args, const picture_preset* preset) {
  if (!args.frequency_axis.empty()) return frequency_scale_named(args.frequency_axis);
  return preset != nullptr ? preset->scale : frequency_scale::logarithmic;
}

/// The flags are those of any file. usage_error, naming the flag, where they fit none.
struct request {
  arguments args;
  const picture_preset* preset;
  shown_levels range;
  frequency_scale scale;

  explicit request(const arguments& of)
      : args(of),
        preset(picture_preset_named(of.shown_for)),
        range(range_of(of, preset)),
        scale(scale_of(of, preset)) {
    args.stft.picture_options(44100, preset);  // refuses what is wrong at any rate
    const std::optional<double> low = args.low_hz, high = args.high_hz;
    if (is_logarithmic(scale) && low && !(*low >= 1e-9))
      throw usage_error(
          "--fmin: must be above 0 on a logarithmic axis, got {}; --frequency-axis "
          "linear, mel and bark begin at 0",
          *low);
    if (low && high && *low >= *high)
      throw usage_error("--fmin: must be below --fmax {}, got {}", *high, *low);
    if (is_stacked() && args.part.channel)
      throw usage_error("--channels: stacked are all of them, but --channel chooses one");
  }

  bool is_stacked() const { return args.channels == "stacked"; }
};

struct analysis {
  sound_facts sound;
  stft_options stft;
  std::uint64_t segments;
  frequency_axis axis;
  /// Levels in dBFS, [rows, columns]: one for each panel of the picture.
  std::vector<array<float, 2>> levels;
  std::vector<spectral_peak> peaks;
};

frequency_axis axis_of(const request& r, const std::string& file, const stft_options& stft,
                       const sound_info& info) {
  const double top = info.rate_hz / 2.0;
  std::optional<double> low = r.args.low_hz, high = r.args.high_hz;
  if (r.preset != nullptr) {
    if (!high && r.preset->high_hz > low.value_or(0)) high = std::min(r.preset->high_hz, top);
    if (!low && r.preset->low_hz > 0 && r.preset->low_hz < high.value_or(top))
      low = r.preset->low_hz;
  }
  const frequency_axis axis = spectrogram_axis(r.scale, info.rate_hz, stft.n_fft, low, high);
  if (axis.high_hz > top)
    throw bad_file(file, "--fmax {} Hz is above half its rate, {} Hz", axis.high_hz, top);
  if (axis.low_hz >= axis.high_hz)
    throw bad_file(file, "--fmin {} Hz is not below {} {} Hz", axis.low_hz,
                   r.args.high_hz ? "--fmax" : "half its rate,", axis.high_hz);
  return axis;
}

/// The picture's size and look; with so many panels.
spectrogram_picture bare_picture(const request& r, std::size_t panels) {
  spectrogram_picture picture;
  picture.panels.resize(panels);
  picture.width = r.args.width;
  picture.height = r.args.height;
  picture.colors = color_map_named(r.args.colors);
  picture.theme = picture_theme_named(r.args.look.theme);
  picture.dpi = r.args.look.dpi;
  return picture;
}

plot_extent panel_extent(const request& r, const std::string& file, std::size_t panels) {
  try {
    return spectrogram_panel_extents(bare_picture(r, panels)).front();
  } catch (const invalid_argument&) {
    throw bad_file(file,
                   "--channels stacked: its {} channels do not fit a picture {} pixels "
                   "high; choose a greater --height, or one with --channel",
                   panels, r.args.height);
  }
}

analysis analyse(const request& r, const file_request& of) {
  excerpt_reader reader(of.file, r.args.sound, r.args.part, of.progress);
  const stft_options stft = r.args.stft.picture_options(reader.info().rate_hz, r.preset);
  const auto memory = begin_work(of.file, reader.work(stft.n_fft, stft.hop), of.around);
  // A file that ends before its header says is analysed again, so that the picture has no blank
  // rest.
  for (;;) {
    const std::uint64_t expected = reader.part().frames;
    const frequency_axis axis = axis_of(r, of.file, stft, reader.info());
    const std::size_t panels = r.is_stacked() ? reader.channels() : 1;
    const plot_extent extent = panel_extent(r, of.file, panels);
    stft_options levels = stft;
    levels.scaling = stft_scaling::dbfs;
    signal_detail::panel_spectrograms spectrograms(
        of.plans.stft(levels), panels,
        {.channels = panels > 1 ? 1 : reader.channels(),
         .samples = expected,
         .rows = extent.height,
         .columns = extent.width,
         .pool = r.args.pool == "mean" ? pooling::mean : pooling::maximum,
         .axis = axis,
         .rate_hz = static_cast<double>(reader.info().rate_hz)});
    reader.read([&](view<const float, 2> block) { spectrograms.push(block); });
    if (reader.part().frames != expected) continue;
    spectrograms.finish();
    const sound_facts sound = reader.facts();
    return {.sound = sound,
            .stft = stft,
            .segments = spectrograms.segments(),
            .axis = axis,
            .levels = spectrograms.levels(),
            .peaks = find_peaks(spectrograms.mean_power(), stft, sound.info.rate_hz, peak_count)};
  }
}

std::vector<std::string> warnings_of(const analysis& a) {
  const std::uint64_t frames = a.sound.part.frames;
  const std::size_t window = a.stft.window_length == 0 ? a.stft.n_fft : a.stft.window_length;
  std::vector<std::string> warnings;
  add_hop_warning(a.sound, a.stft, warnings);
  if (frames < window)
    warnings.push_back(fmt::format("the window of {} is longer than {}: levels read low", window,
                                   counted(frames, "sample")));
  return warnings;
}

// Where a cell's middle lies, as a share of the axis.
double middle(std::size_t cell, std::size_t cells) {
  return (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
}

void write_npy_levels(const output& out, const std::vector<array<float, 2>>& panels) {
  std::vector<std::uint64_t> extents{panels[0].extent(0), panels[0].extent(1)};
  if (panels.size() > 1) extents.insert(extents.begin(), panels.size());
  npy_region_writer<float> npy(out.path(), extents);
  for (std::size_t p = 0; p < panels.size(); ++p)
    npy.write(p * panels[p].size(), std::span<const float>(panels[p].data(), panels[p].size()));
  npy.commit();
}

void write_csv_levels(const output& out, const spectrogram_picture& picture,
                      const frequency_axis& axis, const std::vector<array<float, 2>>& panels) {
  const std::size_t rows = panels[0].extent(0), columns = panels[0].extent(1);
  std::vector<std::string> names{"frequency_hz"};
  if (panels.size() > 1) names.insert(names.begin(), "channel");
  for (std::size_t c = 0; c < columns; ++c)
    names.push_back(
        csv_field(picture.start_seconds + picture.duration_seconds * middle(c, columns)).text());
  csv_writer csv(out.path(), names);
  std::vector<csv_field> fields;
  for (std::size_t p = 0; p < panels.size(); ++p)
    for (std::size_t r = 0; r < rows; ++r) {
      fields.clear();
      if (panels.size() > 1) fields.emplace_back(p + 1);
      fields.emplace_back(axis.hz(middle(r, rows)));
      for (std::size_t c = 0; c < columns; ++c) fields.emplace_back(panels[p](r, c));
      csv.write_row(fields);
    }
  csv.commit();
}

void write_output(const output& out, const spectrogram_picture& picture, const analysis& a) {
  if (out.kind == "npy")
    write_npy_levels(out, a.levels);
  else if (out.kind == "csv")
    write_csv_levels(out, picture, a.axis, a.levels);
  else if (out.kind == "png")
    write_spectrogram_png(out.path(), picture);
  else
    write_spectrogram(out.path(), picture);
}

/// Turns the powers into levels; the picture holds views of them.
spectrogram_picture picture_of(const request& r, analysis& a) {
  const arguments& flags = r.args;
  const shown_levels shown = in_dbfs(r.range, a.levels);
  spectrogram_picture picture = bare_picture(r, 0);
  picture.floor_db = shown.floor_db;
  picture.ceiling_db = shown.ceiling_db;
  for (array<float, 2>& levels : a.levels) {
    power_to_db<float>(levels.flat(), levels.flat(), 1.0, picture.floor_db);
    picture.panels.push_back({levels.view(), fmt::format("Channel {}", picture.panels.size() + 1)});
  }
  picture.start_seconds = a.sound.part.start_seconds(a.sound.info);
  picture.duration_seconds = a.sound.part.duration_seconds(a.sound.info);
  picture.scale = a.axis.scale;
  picture.low_hz = a.axis.low_hz;
  picture.high_hz = a.axis.high_hz;
  picture.title = picture_title(flags.title, a.sound.file);
  picture.caption = fmt::format("{}, {} Hz", segments_text(a.stft), a.sound.info.rate_hz);
  return picture;
}

report report_of(const request& r, const std::vector<output>& outs,
                 const spectrogram_picture& picture, const analysis& a) {
  report made;
  for (const output& out : outs)
    if (out.kind == "npy" || out.kind == "csv")
      made.line("levels", "{}", out.name.string());
    else
      made.line("picture", "{} ({} x {})", out.name.string(), picture.width, picture.height);
  const bool each = r.is_stacked() && a.sound.info.channels > 1;
  made.append(sound_report(a.sound))
      .add("picture", outs[0].name.string())
      .add(segments_fields(a.segments, a.stft))
      .fields("levels", json_object("low_dbfs", picture.floor_db, "high_dbfs", picture.ceiling_db),
              "frequency_axis",
              json_object("scale", to_string(a.axis.scale), "low_hz", a.axis.low_hz, "high_hz",
                          a.axis.high_hz),
              "stacked", r.is_stacked())
      .line("analysis", "{}, {}, {}", counted(a.segments, "segment"), segments_text(a.stft),
            each ? fmt::format("each of {} channels", a.sound.info.channels)
                 : channels_text(r.args.part, a.sound.info))
      .line("axis", "{}, {:.6g} to {:.6g} Hz", to_string(a.axis.scale), a.axis.low_hz,
            a.axis.high_hz)
      .line("levels", "{:.1f} to {:.1f} dBFS", picture.floor_db, picture.ceiling_db);
  if (a.peaks.empty()) made.line("peaks", "none: digital silence");
  if (outs.size() > 1) made.add("outputs", names_of(outs));
  return add_peaks(made, a.peaks).warn(warnings_of(a));
}

file_task task_of(arguments& args, const output_flags&) {
  return [r = request(args)](const file_request& of) {
    analysis found = analyse(r, of);
    const spectrogram_picture picture = picture_of(r, found);
    for (const output& out : of.outs) write_output(out, picture, found);
    return report_of(r, of.outs, picture, found);
  };
}

}  // namespace spectrogram_parts
}  // namespace

sound_verb spectrogram_verb() {
  sound_verb of("spectrogram", "Draw spectrograms of sound files as PNG, SVG or PDF");
  of.outputs.kinds = {"png", "svg", "pdf", "npy", "csv"};
  of.outputs.streamed = {"png", "csv"};
  of.outputs.named_by_input = true;
  of.out_help =
      "PNG, SVG or PDF to write; NPY or CSV of the levels shown, in dBFS; several, each\n"
      "with its own -o; or a folder [FILE's name.png, stdin.png]";
  of.prepare = prepared_by(spectrogram_parts::task_of);
  of.footer =
      R"(Levels are relative to a full-scale sine, which reads 0 dBFS. Every segment and every bin
is shown: a pixel is the maximum (or mean) of all it covers, and a row narrower than a bin lies
between two. Tables hold the same levels, rows from the lowest frequency up, columns in time:
NPY [rows, columns], of stacked channels [channels, rows, columns]; CSV with the frequency at
the beginning of each row and the times in the first. What --out names is replaced; without it
a picture replaces no file. Folders are made.)";
  of.examples.emplace_back("papilio spectrogram song.flac", "writes song.png");
  of.examples.emplace_back("papilio spectrogram song.flac --start 1:05 --duration 10 -o chorus.svg",
                           "ten seconds of it as SVG");
  of.examples.emplace_back("papilio spectrogram song.flac -o song.png -o song.npy -o song.csv",
                           "picture and numbers, reading the file once");
  of.examples.emplace_back("ffmpeg -i film.mkv -f wav - | papilio spectrogram - -o film.png",
                           "sound from a pipe");
  of.one_is_list = true;
  return of;
}

void add_spectrogram(program& app) { add_sound_verb(app, spectrogram_verb()); }

}  // namespace papilio::cli

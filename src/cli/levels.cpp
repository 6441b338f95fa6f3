#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cli/sound_verb.hpp"
#include "io/number_table.hpp"

namespace papilio::cli {
namespace {
namespace levels_parts {

struct arguments {
  std::string weighting, time = "fast", title;
  std::optional<std::size_t> octave, width, height;
  std::optional<double> low_hz, high_hz;
  full_scale_flag full_scale;
  look_flags look;
  excerpt_request part;
  sound_flags sound;

  void add_to(command& verb) {
    verb.add(
        {{"--weighting", weighting, "Frequency weighting [A; of bands Z]", one_of({"A", "C", "Z"})},
         {"--time", time, "Time weighting: an average of 125 ms, or of 1 s",
          one_of({"fast", "slow"})},
         {"--octave", octave, "Levels in bands of 1/N octave too, 1 or 3 most often",
          whole_number_from(1, 48).called("N")},
         {"--fmin", low_hz, "Name of the lowest band, Hz [20]", number_from(1e-3, 1e9)},
         {"--fmax", high_hz, "Name of the highest band, Hz [20000, or as the rate allows]",
          number_from(1e-3, 1e9)}});
    full_scale.add_to(verb);
    verb.add({{"--title", title, "Title of the picture [the file's name]"},
              {"--width", width, "Width of the picture in pixels [1280]",
               whole_number_from(minimum_picture_width, maximum_picture_side)},
              {"--height", height, "Height of the picture in pixels [640]",
               whole_number_from(minimum_picture_height, maximum_picture_side)}});
    look.add_to(verb);
    part.add_to(verb, "each");
    sound.add_to(verb);
  }

  std::string level_weighting() const { return weighting.empty() ? "A" : weighting; }
  std::string band_weighting() const { return weighting.empty() ? "Z" : weighting; }
};

frequency_weighting weighting_of(const std::string& word) {
  return word == "A"   ? frequency_weighting::a
         : word == "C" ? frequency_weighting::c
                       : frequency_weighting::z;
}

struct band_result {
  std::vector<octave_band> bands;
  std::vector<std::vector<band_levels>> levels;  // [channels][bands]
};

struct level_result {
  sound_facts sound;
  std::vector<sound_levels> levels;  // [channels]
  std::optional<band_result> in_bands = {};

  /// Number of a channel in the file, from 1.
  std::size_t channel_number(const arguments& args, std::size_t c) const {
    return args.part.channel ? static_cast<std::size_t>(*args.part.channel) : c + 1;
  }
};

std::vector<octave_band> bands_of(const arguments& args, const std::string& file, double rate_hz) {
  const std::vector<octave_band> bands =
      octave_bands(*args.octave, args.low_hz.value_or(20), args.high_hz.value_or(20000), rate_hz);
  if (bands.empty())
    throw bad_file(file, "--octave {}: at {} Hz there is no band from {} Hz to {} Hz", *args.octave,
                   rate_hz, args.low_hz.value_or(20), args.high_hz.value_or(20000));
  return bands;
}

level_result measure(const arguments& args, const file_request& of) {
  excerpt_reader reader(of.file, args.sound, args.part, of.progress);
  const double rate_hz = reader.info().rate_hz;
  if (rate_hz < 1000)
    throw bad_file(of.file, "its rate must be at least 1000 Hz for weightings, got {}", rate_hz);
  const auto memory = begin_work(of.file, reader.work(2048, 2048), of.around);
  sound_level_options options{
      .rate_hz = rate_hz,
      .weighting = weighting_of(args.level_weighting()),
      .time = args.time == "slow" ? time_weighting::slow : time_weighting::fast,
      .full_scale_db = args.full_scale.offset_db()};
  level_meter<float> meter(options, reader.channels());
  std::optional<octave_band_meter<float>> band_meter;
  if (args.octave) {
    options.weighting = weighting_of(args.band_weighting());
    band_meter.emplace(options, bands_of(args, of.file, rate_hz), reader.channels());
  }
  reader.read([&](view<const float, 2> block) {
    meter.push(block);
    if (band_meter) band_meter->push(block);
  });
  if (meter.samples() == 0) throw bad_file(of.file, "there are no frames to measure");
  level_result r{.sound = reader.facts(), .levels = {}};
  for (std::size_t c = 0; c < reader.channels(); ++c) r.levels.push_back(meter.levels(c));
  if (!band_meter) return r;
  band_result& found = r.in_bands.emplace();
  found.bands.assign(band_meter->bands().begin(), band_meter->bands().end());
  for (std::size_t c = 0; c < reader.channels(); ++c) {
    std::vector<band_levels>& levels = found.levels.emplace_back();
    for (std::size_t b = 0; b < found.bands.size(); ++b) levels.push_back(band_meter->levels(c, b));
  }
  return r;
}

std::array<double, 8> values_of(const sound_levels& l) {
  return {l.leq_db, l.max_db, l.min_db, l.exposure_db, l.l10_db, l.l50_db, l.l90_db, l.peak_db};
}

constexpr std::array level_names{"leq_db", "lmax_db", "lmin_db", "le_db",
                                 "l10_db", "l50_db",  "l90_db",  "lpeak_db"};

std::unique_ptr<io_detail::number_table> written_table(const arguments& args, const output& out,
                                                       const level_result& r) {
  std::vector<std::string> columns{"channel"};
  std::vector<double> values;
  if (r.in_bands) {
    columns.insert(columns.end(),
                   {"nominal_hz", "low_hz", "high_hz", "leq_db", "lmax_db", "lmin_db"});
    const band_result& of = *r.in_bands;
    for (std::size_t c = 0; c < of.levels.size(); ++c)
      for (std::size_t b = 0; b < of.bands.size(); ++b) {
        const octave_band& band = of.bands[b];
        const band_levels& l = of.levels[c][b];
        values.insert(values.end(),
                      {static_cast<double>(r.channel_number(args, c)), band.nominal_hz, band.low_hz,
                       band.high_hz, l.leq_db, l.max_db, l.min_db});
      }
  } else {
    columns.insert(columns.end(), level_names.begin(), level_names.end());
    for (std::size_t c = 0; c < r.levels.size(); ++c) {
      values.push_back(static_cast<double>(r.channel_number(args, c)));
      const auto row = values_of(r.levels[c]);
      values.insert(values.end(), row.begin(), row.end());
    }
  }
  auto table = io_detail::make_number_table(out.path(), out.kind, false, columns);
  table->write_rows(
      {}, view<const double, 2>(values.data(), {values.size() / columns.size(), columns.size()}));
  return table;
}

/// Draws each channel's bands as the outline of bars, from the picture's floor up.
void draw(const arguments& args, const output& out, const level_result& r) {
  const band_result& of = *r.in_bands;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const auto& levels : of.levels)
    for (const band_levels& l : levels)
      if (std::isfinite(l.leq_db)) {
        low = std::min(low, l.leq_db);
        high = std::max(high, l.leq_db);
      }
  if (!(low <= high)) low = high = args.full_scale.offset_db();
  const double floor = 10 * std::floor(low / 10 - 0.2), ceiling = 10 * std::ceil(high / 10 + 0.1);
  std::vector<std::vector<double>> x(of.levels.size()), y(of.levels.size());
  line_plot plot{.x_scale = axis_scale::logarithmic,
                 .x_range = value_range{of.bands.front().low_hz, of.bands.back().high_hz},
                 .y_range = value_range{floor, ceiling},
                 .title = picture_title(args.title, r.sound.file),
                 .x_quantity = "Frequency",
                 .x_unit = "Hz",
                 .y_quantity = fmt::format("L{}eq", args.band_weighting()),
                 .y_unit = args.full_scale.unit(),
                 .width = args.width.value_or(1280),
                 .height = args.height.value_or(640),
                 .theme = args.look.theme_or("light"),
                 .dpi = args.look.dpi};
  for (std::size_t c = 0; c < of.levels.size(); ++c) {
    for (std::size_t b = 0; b < of.bands.size(); ++b) {
      const double level = of.levels[c][b].leq_db;
      const double top = std::isfinite(level) ? level : floor - 10;
      const octave_band& band = of.bands[b];
      x[c].insert(x[c].end(), {band.low_hz, band.low_hz, band.high_hz, band.high_hz});
      y[c].insert(y[c].end(), {floor - 10, top, top, floor - 10});
    }
    plot.curves.push_back(
        {.y = y[c], .x = x[c], .name = fmt::format("channel {}", r.channel_number(args, c))});
  }
  const std::vector<std::byte> image = line_plot_image(plot, picture_format_of("x." + out.kind));
  atomic_file written(out.path());
  written.write(image.data(), image.size());
  written.commit();
}

void write_outputs(const arguments& args, const std::vector<output>& outs, const level_result& r) {
  commit_group together;
  std::vector<std::unique_ptr<io_detail::number_table>> tables;
  for (const output& out : outs)
    if (!is_picture(out.kind)) tables.push_back(written_table(args, out, r));
  for (const output& out : outs)
    if (is_picture(out.kind)) draw(args, out, r);
  for (const auto& table : tables) table->commit();
  together.finish();
}

json_value number(double db) { return std::isfinite(db) ? json_value(db) : json_value(); }

void add_levels(report& made, const arguments& args, const level_result& r) {
  const std::string w = args.level_weighting(), t = args.time == "slow" ? "S" : "F";
  const std::array<std::string, 8> headers{
      fmt::format("L{}eq", w),       fmt::format("L{}{}max", w, t),
      fmt::format("L{}{}min", w, t), fmt::format("L{}E", w),
      fmt::format("L{}{}10", w, t),  fmt::format("L{}{}50", w, t),
      fmt::format("L{}{}90", w, t),  "LCpeak"};
  std::vector<report::column> columns{{"channel", "{:>7}", "channel"}};
  for (std::size_t i = 0; i < headers.size(); ++i)
    columns.push_back({level_names[i], " {:>7.1f}", headers[i]});
  table_rows rows;
  for (std::size_t c = 0; c < r.levels.size(); ++c) {
    rows.add(r.channel_number(args, c));
    for (const double db : values_of(r.levels[c])) rows.more(number(db));
  }
  made.table("levels", "", columns, rows);
}

void add_bands(report& made, const arguments& args, const level_result& r) {
  const band_result& of = *r.in_bands;
  const std::string w = args.band_weighting(), t = args.time == "slow" ? "S" : "F";
  const std::string leq = fmt::format("L{}eq", w), highest = fmt::format("L{}{}max", w, t),
                    lowest = fmt::format("L{}{}min", w, t);
  table_rows rows;
  for (std::size_t c = 0; c < of.levels.size(); ++c)
    for (std::size_t b = 0; b < of.bands.size(); ++b) {
      const band_levels& l = of.levels[c][b];
      rows.add(r.channel_number(args, c), of.bands[b].nominal_hz, of.bands[b].mid_hz,
               number(l.leq_db), number(l.max_db), number(l.min_db));
    }
  made.table("bands", "",
             {{"channel", "{:>7}", "channel"},
              {"nominal_hz", " {:>8} Hz", "band"},
              {"mid_hz", ""},
              {"leq_db", " {:>7.1f}", leq},
              {"lmax_db", " {:>7.1f}", highest},
              {"lmin_db", " {:>7.1f}", lowest}},
             rows);
}

report report_of(const arguments& args, const std::vector<output>& outs, const level_result& r) {
  report made = sound_report(r.sound);
  for (const output& out : outs) made.line(out.kind, "{}", out.name.string());
  made.fields("channel", args.part.channel, "weighting", args.level_weighting(), "time", args.time,
              "full_scale_db", args.full_scale.offset_db(), "unit", args.full_scale.unit(),
              "octave", args.octave)
      .line("levels", "{} weighting, {}, {}", args.level_weighting(), args.time,
            args.full_scale.unit());
  add_levels(made, args, r);
  if (r.in_bands) {
    made.fields("band_weighting", args.band_weighting())
        .line("bands", "1/{} octave, {} weighting, {}", *args.octave, args.band_weighting(),
              args.full_scale.unit());
    add_bands(made, args, r);
  }
  return made.add("outputs", names_of(outs));
}

void require_fit(const arguments& args, const output_flags& outputs) {
  const bool has_picture = outputs.may_be({"png", "svg", "pdf"});
  if (!args.octave) {
    if (args.low_hz || args.high_hz) throw usage_error("--fmin, --fmax: are for --octave");
    if (has_picture) throw usage_error("--out: a picture shows bands, and takes --octave");
  }
  if (args.low_hz.value_or(20) > args.high_hz.value_or(20000))
    throw usage_error("--fmax: must be at least --fmin {}, got {}", args.low_hz.value_or(20),
                      args.high_hz.value_or(20000));
  if (!has_picture && (!args.title.empty() || args.width || args.height || args.look.are_given()))
    throw usage_error(
        "--title, --width, --height, --theme, --dpi: are for pictures, and --out names none");
}

file_task task_of(arguments& args, const output_flags& outputs) {
  require_fit(args, outputs);
  return [args](const file_request& of) {
    const level_result r = measure(args, of);
    write_outputs(args, of.outs, r);
    return report_of(args, of.outs, r);
  };
}

}  // namespace levels_parts
}  // namespace

sound_verb levels_verb() {
  sound_verb of("levels",
                "Measure the sound levels of a file: Leq, Lmax, Lmin, peak, octave bands");
  of.outputs.kinds = {"csv", "json", "png", "svg", "pdf"};
  of.outputs.streamed = {"csv", "json", "png", "svg", "pdf"};
  of.out_help =
      "Table (.csv, .json), or picture of the bands (.png, .svg, .pdf) to write; each with\n"
      "its own -o, or a folder";
  of.in_batch = false;
  of.prepare = prepared_by(levels_parts::task_of);
  of.footer =
      R"(A row for each channel: Leq, of the mean square; the highest and the lowest time-weighted level;
the exposure LE = Leq + 10 log10(duration / 1 s); the levels exceeded in 10, 50 and 90 % of the
time; the C-weighted peak. Weightings A and C are within class 1 of IEC 61672-1 to half the rate,
bands within class 1 of IEC 61260-1; there are those whose upper edge is below half the rate.
Levels are dBFS beside a full-scale sine (AES17), whose peak is 3 dB higher; --full-scale 94dB
makes them dB SPL where such a sine is a sound of 94 dB. If a calibrator of 94 dB reads -20 dBFS
with --weighting Z, full scale is 114dB. Silence has no level, and the lowest level and the three
of time need a sound of more than five time constants. Memory does not depend on its length.)";
  of.examples.emplace_back("papilio levels street.wav --full-scale 114dB",
                           "A-weighted levels in dB SPL of a calibrated recording");
  of.examples.emplace_back("papilio levels street.wav --octave 3 -o bands.csv -o bands.png",
                           "its third-octave bands as a table and drawn");
  of.examples.emplace_back("papilio levels *.wav --weighting C --time slow --json",
                           "levels of several files for a program");
  return of;
}

void add_levels(program& app) { add_sound_verb(app, levels_verb()); }

}  // namespace papilio::cli

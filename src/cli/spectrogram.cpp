#include <algorithm>
#include <cmath>

#include "cli/live_view.hpp"
#include "cli/own_files.hpp"
#include "cli/spectrogram_analysis.hpp"
#include "cli/terminal.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {

namespace {
namespace spectrogram_parts {

std::vector<std::string> warnings_of(const spectrogram_analysis& a) {
  const std::uint64_t frames = a.sound.part.frames;
  const std::size_t window = a.stft.window_length == 0 ? a.stft.n_fft : a.stft.window_length;
  std::vector<std::string> warnings;
  if (a.octaves) {
    const double longest = constant_q_length(*a.octaves, a.octaves->fmin_hz),
                 shortest = constant_q_length(*a.octaves, a.axis.high_hz);
    if (static_cast<double>(a.octaves->hop) > shortest && frames > a.octaves->hop)
      warnings.push_back(fmt::format(
          "--hop {} is longer than the {:.0f} samples of the highest bin: the samples between "
          "segments are not looked at",
          a.octaves->hop, shortest));
    if (static_cast<double>(frames) < longest)
      warnings.push_back(
          fmt::format("the {:.0f} samples of the lowest bin are longer than {}: levels read low",
                      longest, counted(frames, "sample")));
    return warnings;
  }
  add_hop_warning(a.sound, a.stft, warnings);
  if (frames < window)
    warnings.push_back(fmt::format("the window of {} is longer than {}: levels read low", window,
                                   counted(frames, "sample")));
  return warnings;
}

/// The levels that tables hold: those of every panel, or their difference.
std::vector<view<const float, 2>> tables_of(const spectrogram_request& r,
                                            const std::vector<spectrogram_analysis>& sounds) {
  std::vector<view<const float, 2>> tables;
  for (const spectrogram_analysis& sound : sounds)
    for (const array<float, 2>& levels : sound.levels) tables.push_back(levels.view());
  if (r.is_difference()) tables.erase(tables.begin());
  return tables;
}

void write_npy_levels(const output& out, const std::vector<view<const float, 2>>& tables) {
  std::vector<std::uint64_t> extents{tables[0].extent(0), tables[0].extent(1)};
  if (tables.size() > 1) extents.insert(extents.begin(), tables.size());
  npy_region_writer<float> npy(out.path(), extents);
  for (std::size_t p = 0; p < tables.size(); ++p)
    npy.write(p * tables[0].size(), std::span(tables[p].data(), tables[0].size()));
  npy.commit();
}

double column_seconds(const spectrogram_analysis& a, std::size_t column) {
  return a.sound.part.start_seconds(a.sound.info) +
         a.columns.sample(column) / static_cast<double>(a.sound.info.rate_hz);
}

/// `panel` is what the tables are of: "channel" or "file".
void write_csv_levels(const output& out, const spectrogram_analysis& a,
                      const std::vector<view<const float, 2>>& tables, const char* panel) {
  const std::size_t rows = tables[0].extent(0), columns = tables[0].extent(1);
  std::vector<std::string> names{"frequency_hz"};
  if (tables.size() > 1) names.insert(names.begin(), panel);
  for (std::size_t c = 0; c < columns; ++c) names.push_back(csv_field(column_seconds(a, c)).text());
  csv_writer csv(out.path(), names);
  std::vector<csv_field> fields;
  for (std::size_t p = 0; p < tables.size(); ++p)
    for (std::size_t row = 0; row < rows; ++row) {
      fields.clear();
      if (tables.size() > 1) fields.emplace_back(p + 1);
      fields.emplace_back(a.axis.hz((static_cast<double>(row) + 0.5) / static_cast<double>(rows)));
      for (std::size_t c = 0; c < columns; ++c) fields.emplace_back(tables[p](row, c));
      csv.write_row(fields);
    }
  csv.commit();
}

void write_output(const output& out, const spectrogram_request& r,
                  const spectrogram_picture& picture,
                  const std::vector<spectrogram_analysis>& sounds) {
  if (out.kind == "npy")
    write_npy_levels(out, tables_of(r, sounds));
  else if (out.kind == "csv")
    write_csv_levels(out, sounds.front(), tables_of(r, sounds),
                     r.args.comparison.empty() ? "channel" : "file");
  else if (out.kind == "png")
    write_spectrogram_png(out.path(), picture);
  else
    write_spectrogram(out.path(), picture);
}

/// Reports the other sound of a comparison, and how the two are compared.
void add_comparison(report& made, const spectrogram_request& r, const spectrogram_analysis& other) {
  const sound_facts& sound = other.sound;
  made.line("compared", "{} with {}, {}", r.args.comparison, shown_name(sound.file),
            format_duration(sound.part.duration_seconds(sound.info)))
      .fields("comparison",
              json_object("kind", r.args.comparison, "file", sound.file, "duration_seconds",
                          sound.part.duration_seconds(sound.info)));
}

report report_of(const spectrogram_request& r, const std::vector<output>& outs,
                 const spectrogram_picture& picture,
                 const std::vector<spectrogram_analysis>& sounds) {
  const spectrogram_analysis& a = sounds.front();
  report made;
  for (const output& out : outs)
    if (out.kind == "npy" || out.kind == "csv")
      made.line("levels", "{}", out.name.string());
    else
      made.line("picture", "{} ({} x {})", out.name.string(), picture.width, picture.height);
  const bool each = r.is_stacked() && a.sound.info.channels > 1;
  made.append(sound_report(a.sound));
  if (sounds.size() > 1) add_comparison(made, r, sounds[1]);
  made.add("picture", outs.empty() ? json_value() : json_value(outs[0].name.string()))
      .add(analysis_fields(a))
      .fields(
          "levels",
          r.is_difference()
              ? json_object("low_db", picture.floor_db, "high_db", picture.ceiling_db)
              : json_object("low_dbfs", picture.floor_db, "high_dbfs", picture.ceiling_db),
          "columns",
          json_object("count", a.levels.front().extent(1), "first_seconds", column_seconds(a, 0),
                      "step_seconds", a.columns.step / static_cast<double>(a.sound.info.rate_hz)),
          "frequency_axis",
          json_object("scale", to_string(a.axis.scale), "low_hz", a.axis.low_hz, "high_hz",
                      a.axis.high_hz),
          "stacked", r.is_stacked())
      .line("analysis", "{}, {}, {}", counted(a.segments, "segment"), analysis_text(a),
            each ? fmt::format("each of {} channels", a.sound.info.channels)
                 : channels_text(r.args.part, a.sound.info))
      .line("axis", "{}, {:.6g} to {:.6g} Hz", to_string(a.axis.scale), a.axis.low_hz,
            a.axis.high_hz)
      .line("levels", "{:.1f} to {:.1f} {}", picture.floor_db, picture.ceiling_db,
            picture.level_unit);
  if (a.peaks.empty()) made.line("peaks", "{}", a.is_silent ? "none: digital silence" : "none");
  if (a.beats && a.beats->bpm > 0)
    made.add("tempo_bpm", a.beats->bpm, "tempo", "{:.1f} beats a minute")
        .add("beats", a.beats->seconds);
  else if (a.beats)
    made.add("tempo_bpm", nullptr).add("beats", a.beats->seconds).line("tempo", "none");
  if (outs.size() > 1) made.add("outputs", names_of(outs));
  add_peaks(made, a.peaks);
  for (const spectrogram_analysis& sound : sounds) made.warn(warnings_of(sound));
  return made;
}

constexpr double followed_seconds = 10;

/// A picture and what it shows.
struct drawn {
  std::vector<spectrogram_analysis> sounds;
  spectrogram_picture picture;  ///< holds views of the sounds' levels
};

/// Shows pictures where --terminal is given.
class screen {
 public:
  explicit screen(const spectrogram_arguments& args) : theme_(args.look.theme_or("dark")) {
    if (args.terminal) terminal_.emplace(args.graphics);
  }
  void show(spectrogram_picture picture, bool in_place, std::size_t lines_below) {
    if (!terminal_) return;
    picture.theme = theme_;
    terminal_->show(std::move(picture), in_place, lines_below);
  }
  const std::optional<terminal>& where() const { return terminal_; }

 private:
  picture_theme theme_;
  std::optional<terminal> terminal_;
};

/// Lines under a picture in the terminal, whose axes and colours say what else there is to report.
constexpr std::size_t most_terminal_lines = 4;

report terminal_report(const report& full, const terminal& where, const file_request& of,
                       const drawn& made, std::size_t warning_lines) {
  const spectrogram_analysis& a = made.sounds.front();
  const sound_info& info = a.sound.info;
  std::vector<std::string> peaks;
  for (const spectral_peak& peak : a.peaks)
    peaks.push_back(fmt::format("{:.1f} Hz {:.1f}{}", peak.frequency_hz, power_to_db(peak.power),
                                peaks.empty() ? " dBFS" : ""));
  std::vector<std::string> lines{
      fmt::format("{}: {}, {} Hz, {}", shown_name(of.file),
                  format_duration(a.sound.part.duration_seconds(info)), info.rate_hz,
                  counted(static_cast<std::uint64_t>(info.channels), "channel")),
      "  " + analysis_text(a),
      peaks.empty() ? "  digital silence" : fmt::format("  {}", fmt::join(peaks, ", "))};
  if (!of.outs.empty())
    lines.push_back(fmt::format("  written: {}", fmt::join(names_of(of.outs), ", ")));
  for (std::string& line : lines) line = printable(line);
  lines = where.fitting(lines, warning_lines);
  report brief;
  brief.title(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) brief.lines(lines[i] + "\n");
  return brief.warn(full.warnings());
}

/// Draws the sound as it comes: pictures again and again, tables in the end.
drawn draw_followed(const spectrogram_request& r, const file_request& of, screen& shown) {
  if (of.file != "-")
    throw usage_error("--follow: draws standard input, -, as it comes, not \"{}\"", of.file);
  for (const output& out : of.outs)
    if (out.to_standard_output())
      throw usage_error("--follow: writes files again and again, not standard output");
  drawn last;
  last.sounds = follow(r, of, r.args.part.duration_seconds.value_or(followed_seconds),
                       [&](const spectrogram_picture& picture) {
                         for (const output& out : of.outs)
                           if (is_picture(out.kind)) write_output(out, r, picture, {});
                         shown.show(picture, true, most_terminal_lines);
                         last.picture = picture;
                       });
  for (const output& out : of.outs)
    if (!is_picture(out.kind)) write_output(out, r, last.picture, last.sounds);
  return last;
}

drawn draw(const spectrogram_request& r, const file_request& of) {
  drawn made;
  if (of.other != nullptr)
    made.sounds = analyse_both(r, of, *of.other);
  else
    made.sounds.push_back(analyse(r, of));
  made.picture = picture_of(r, made.sounds);
  commit_group together;
  for (const output& out : of.outs) write_output(out, r, made.picture, made.sounds);
  together.finish();
  return made;
}

file_task task_of(spectrogram_arguments& args, const output_flags&) {
  return [r = spectrogram_request(args)](const file_request& request) {
    file_request of = request;
    if (r.args.terminal) of.progress = {};  // the picture takes its place
    screen shown(r.args);
    const drawn made = r.args.follow ? draw_followed(r, of, shown) : draw(r, of);
    report full = report_of(r, of.outs, made.picture, made.sounds);
    if (!shown.where()) return full;
    std::size_t below = 0;
    for (const std::string& warning : full.warnings())
      below += shown.where()->lines_of("papilio: warning: " + shown_name(of.file) + ": " + warning);
    report brief = terminal_report(full, *shown.where(), of, made, below);
    below += static_cast<std::size_t>(std::ranges::count(brief.text(), '\n'));
    if (!r.args.follow) shown.show(made.picture, false, below);
    return brief;
  };
}

}  // namespace spectrogram_parts
}  // namespace

sound_verb spectrogram_verb() {
  sound_verb of("spectrogram", "Draw spectrograms of sound files as PNG, SVG or PDF");
  of.outputs.kinds = {"png", "svg", "pdf", "npy", "csv"};
  of.outputs.streamed = {"png", "csv"};
  of.outputs.is_own =
      own_files({.element_types = {"<f4"},
                 .headings = {"frequency_hz", "channel,frequency_hz", "file,frequency_hz"}});
  of.out_help =
      "PNG, SVG or PDF to write; NPY or CSV of the levels shown, in dBFS; several, each\n"
      "with its own -o; or a folder [FILE's name.png, stdin.png]";
  of.prepare = prepared_by(spectrogram_parts::task_of);
  of.footer =
      R"(Levels are relative to a full-scale sine, which reads 0 dBFS. Every segment and every bin
is shown: a pixel is the maximum (or mean) of all it covers, and a row narrower than a bin lies
between two. Tables hold the same levels, rows from the lowest frequency up, columns in time:
NPY [rows, columns], of stacked channels [channels, rows, columns], of compared files
[2, rows, columns], and NaN after the end of the shorter; CSV with the frequency at
the beginning of each row and the times in the first. What --out names is replaced;
under a name that papilio chose, only what an earlier run made. Folders are made.)";
  of.examples.emplace_back("papilio spectrogram song.flac", "writes song.png");
  of.examples.emplace_back("papilio spectrogram song.flac --start 1:05 --duration 10 -o chorus.svg",
                           "ten seconds of it as SVG");
  of.examples.emplace_back("papilio spectrogram loop.wav --beats", "with a line at each beat");
  of.examples.emplace_back("papilio spectrogram song.flac -o song.png -o song.npy -o song.csv",
                           "picture and numbers, reading the file once");
  of.examples.emplace_back("papilio spectrogram guitar.flac --transform cqt --fmax 1500",
                           "each string a line, beside the names of notes");
  of.examples.emplace_back("papilio spectrogram voice.flac --overlay f0 --fmax 4000",
                           "a line along its pitch");
  of.examples.emplace_back(
      "papilio spectrogram before.wav after.wav --compare difference -o what.png",
      "what a change changed");
  of.examples.emplace_back("arecord -f cd | papilio spectrogram - --terminal --follow",
                           "what the microphone hears, while it does");
  of.examples.emplace_back("ffmpeg -i film.mkv -f wav - | papilio spectrogram - -o film.png",
                           "sound from a pipe");
  of.one_is_list = true;
  of.pair_flag = "--compare";
  of.shown_flag = "--terminal";
  return of;
}

void add_spectrogram(program& app) { add_sound_verb(app, spectrogram_verb()); }

}  // namespace papilio::cli

#include "cli/sound_verb.hpp"

#include <algorithm>

namespace papilio::cli {

namespace {

// Standard input and what is no regular file count as nothing.
std::uint64_t bytes_of(const std::string& file) {
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  return failure ? 0 : bytes;
}

/// `verb` is that of batch which does the same; empty where none does.
void refuse_folder(const std::string& file, const std::string& verb) {
  std::error_code none;
  if (verb.empty() || file == "-" || !std::filesystem::is_directory(file, none)) return;
  throw bad_file(file,
                 "is a directory; papilio batch {0} --what {1} -o OUT does this with its files, "
                 "papilio report {0} makes a page of them",
                 file, verb);
}

/// Does the task with each file, or with both, under a bar of its progress.
void run(reporter& out, std::vector<std::string> files, const output_flags& outputs,
         const file_task& task, bool one_is_list, const std::string& pair_flag,
         const std::string& batch_verb) {
  std::optional<std::string> other;
  if (!pair_flag.empty()) {
    if (files.size() != 2)
      throw usage_error("{}: takes two files, got {}", pair_flag, files.size());
    if (files[0] == "-" && files[1] == "-")
      throw usage_error("{}: standard input (-) can be read only once", pair_flag);
    other = files[1];
    files.pop_back();
  }
  const std::vector<std::vector<output>> outs = outputs.of(files);
  if (other)
    for (const output& each : outs[0]) require_other_file("--out", each.name.string(), *other);
  if (outputs.to_standard_output()) out.give_away_output("--out");
  std::uint64_t bytes = 0;
  for (const std::string& file : files) bytes += std::max<std::uint64_t>(bytes_of(file), 1);
  progress bar(files.size(), bytes);
  signal_detail::plan_store plans;
  std::size_t next = 0;
  const auto work = [&](const std::string& file) {
    const std::vector<output>& of_file = outs[next++];
    refuse_folder(file, batch_verb);
    make_folders(of_file);
    bar.name(shown_name(file));
    progress::share share(bar, std::max<std::uint64_t>(bytes_of(file), 1));
    const auto tell = [&](std::uint64_t done, std::uint64_t total) { share.update(done, total); };
    const auto warn = [&](const std::string& text) {
      bar.message("warning: " + shown_name(file) + ": " + text);
    };
    struct end {
      progress& of;
      progress::share& part;
      bool failed = true;
      ~end() {
        part.finish(failed);
        of.erase();
      }
    } ended{bar, share};
    report made = task({file, of_file, plans, tell, {.warn = warn}, other ? &*other : nullptr});
    ended.failed = false;
    return made;
  };
  out.each(files, work, one_is_list);
  std::vector<output> joint;
  std::ranges::copy_if(outs.empty() ? joint : outs.front(), std::back_inserter(joint),
                       &output::is_joint);
  if (!joint.empty())
    out.check(joint.front().name.string(),
              [&] { task({.file = {}, .outs = joint, .plans = plans, .after_all = true}); });
}

}  // namespace

void add_sound_verb(program& app, const sound_verb& of) {
  struct arguments {
    std::vector<std::string> files;
    output_flags outputs;
  };
  auto args = std::make_shared<arguments>(arguments{{}, output_flags(of.outputs)});
  command& verb = app.add_command(of.name, of.help);
  verb.add({{"FILE", args->files, of.files_help, flag_trait::required}});
  args->outputs.add_to(verb, of.out_help);
  const std::function<file_task()> make_task = of.prepare(verb, args->outputs);
  verb.footer(of.footer);
  for (const auto& [line, what] : of.examples) verb.example(line, what);
  const option pair = of.pair_flag.empty() ? option() : verb.named(of.pair_flag);
  const option shown = of.shown_flag.empty() ? option() : verb.named(of.shown_flag);
  verb.reports([args, make_task, pair, shown, one_is_list = of.one_is_list,
                batch_verb = of.in_batch ? of.name : std::string()](reporter& out) {
    args->outputs.take_second_of(args->files);
    if (shown.given()) {
      args->outputs.write_only_what_is_named();
      if (args->outputs.to_standard_output() || out.format() != report_format::text)
        throw usage_error("{}: takes standard output, as --out -, --json and --report do",
                          shown.name());
    }
    run(out, args->files, args->outputs, make_task(), one_is_list,
        pair.given() ? pair.name() : std::string(), batch_verb);
  });
}

report sound_report(const sound_facts& sound) {
  const sound_info& info = sound.info;
  const excerpt& part = sound.part;
  report r;
  r.line("file", "{}", shown_name(sound.file));
  add_sound(r, sound.file, info);
  if (!info.length_known || part.frames != info.frames)
    r.line("excerpt", "{} from {} ({})", format_duration(part.duration_seconds(info)),
           format_duration(part.start_seconds(info)), counted(part.frames, "frame"));
  if (sound.replaced_samples > 0)
    r.line("replaced", "{}, not numbers, by 0", counted(sound.replaced_samples, "sample"));
  return r
      .fields("excerpt",
              json_object("start_seconds", part.start_seconds(info), "duration_seconds",
                          part.duration_seconds(info), "frames", part.frames),
              "replaced_samples", sound.replaced_samples)
      .warn(sound.warnings);
}

std::string channels_text(const excerpt_request& request, const sound_info& info) {
  if (request.channel) return fmt::format("channel {}", *request.channel);
  if (info.channels == 1) return "1 channel";
  return fmt::format("mean of {} channels", info.channels);
}

std::string segments_text(const stft_options& o) {
  const bool shorter = o.window_length != 0 && o.window_length != o.n_fft;
  return fmt::format("n_fft {}, hop {}, {} window{}", o.n_fft, o.hop, to_string(o.window),
                     shorter ? fmt::format(" of {}", o.window_length) : "");
}

json_value segments_fields(std::uint64_t segments, const stft_options& o) {
  return json_object("segments", segments, "n_fft", o.n_fft, "hop", o.hop, "window",
                     to_string(o.window));
}

void add_hop_warning(const sound_facts& sound, const stft_options& o,
                     std::vector<std::string>& warnings) {
  const std::size_t window = o.window_length == 0 ? o.n_fft : o.window_length;
  if (o.hop > window && sound.part.frames > window)
    warnings.push_back(fmt::format(
        "--hop {} is longer than the window of {}: the samples between segments are not looked at",
        o.hop, window));
}

report& add_peaks(report& to, const std::vector<spectral_peak>& peaks,
                  const full_scale_flag& scale) {
  table_rows rows;
  if (!scale.db_spl) {
    for (const spectral_peak& peak : peaks) rows.add(peak.frequency_hz, power_to_db(peak.power));
    return to.table("peaks", "peaks",
                    {{"frequency_hz", "{:>9.1f} Hz"}, {"level_dbfs", " {:>7.1f} dBFS"}}, rows);
  }
  for (const spectral_peak& peak : peaks) {
    const double level = power_to_db(peak.power);
    rows.add(peak.frequency_hz, level, level + *scale.db_spl);
  }
  return to.table(
      "peaks", "peaks",
      {{"frequency_hz", "{:>9.1f} Hz"}, {"level_dbfs", ""}, {"level_db_spl", " {:>7.1f} dB SPL"}},
      rows);
}

report& add_level(report& to, const std::optional<double>& dbfs, const full_scale_flag& scale) {
  to.add("level_dbfs", dbfs ? json_value(*dbfs) : json_value());
  if (scale.db_spl)
    to.fields("full_scale_db", *scale.db_spl, "level_db_spl",
              dbfs ? json_value(*dbfs + *scale.db_spl) : json_value());
  if (!dbfs) return to.line("level", "digital silence");
  return to.line("level", "{:.1f} {}", *dbfs + scale.offset_db(), scale.unit());
}

}  // namespace papilio::cli

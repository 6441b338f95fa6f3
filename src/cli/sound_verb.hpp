#pragma once

#include "cli/excerpt.hpp"
#include "papilio/signal.hpp"
#include "signal/plan_store.hpp"

namespace papilio::cli {

/// One file, what is to be written of it, and what the work on it gets from whoever has it done: a
/// verb, or one of batch's threads.
struct file_request {
  const std::string& file;
  const std::vector<output>& outs;
  signal_detail::plan_store& plans;
  on_progress progress = {};
  work_surroundings around = {};
  const std::string* other = nullptr;  ///< the second of two files that one output is made of
  bool after_all = false;  ///< no file, but the outputs that all files before have together
};

/// The work of a verb on one file: one reading makes all outputs, each whole or not at all.
using file_task = std::function<report(const file_request& of)>;

/// A verb that does the same with every file that is named, or, by batch, with those of a folder.
/// Filled member by member, as output_kinds.
struct sound_verb {
  sound_verb(std::string name_of, std::string help_of)
      : name(std::move(name_of)), help(std::move(help_of)) {}

  std::string name, help;
  output_kinds outputs = {};
  std::string out_help = {};
  /// Adds the flags that say what is made. The function that comes out makes the task of them;
  /// usage_error, naming the flag, where they do not fit each other.
  std::function<std::function<file_task()>(command& verb, const output_flags& outputs)> prepare =
      {};
  std::string footer = {};
  std::vector<std::pair<std::string, std::string>> examples = {};  ///< a line, and what it does
  bool in_batch = true;         ///< batch does the same with the files of a folder
  bool one_is_list = false;     ///< the report for programs, as of reporter::each
  std::string pair_flag = {};   ///< with this option the task is that of two files
  std::string shown_flag = {};  ///< with this option the task prints, and writes only what -o names
  std::string files_help = sound_files_help;
};

/// How a verb is prepared whose flags are the members of a struct, which adds them itself.
template <class Arguments>
auto prepared_by(file_task (*make_task)(Arguments& args, const output_flags& outputs)) {
  return [make_task](command& verb, const output_flags& outputs) -> std::function<file_task()> {
    auto args = std::make_shared<Arguments>();
    args->add_to(verb);
    return [args, make_task, &outputs] { return make_task(*args, outputs); };
  };
}

void add_sound_verb(program& app, const sound_verb& verb);

// Verbs that batch has too; `mel` makes features for networks.
sound_verb spectrogram_verb();
sound_verb fft_verb();
sound_verb psd_verb();
sound_verb stft_verb();
sound_verb features_verb();
sound_verb mel_verb();
sound_verb tempo_verb();
sound_verb denoise_verb();
sound_verb filter_verb();
sound_verb levels_verb();
sound_verb resample_verb();
sound_verb trim_verb();

/// The beginning of every report of a sound: file, format and duration, the excerpt if it is not
/// the whole, the replaced samples if there are any, and warnings.
report sound_report(const sound_facts& sound);

/// "channel 2", "1 channel" or "mean of 2 channels".
std::string channels_text(const excerpt_request& request, const sound_info& info);

/// "n_fft 2048, hop 512, hann window", or "hann window of 1024" where that is shorter.
std::string segments_text(const stft_options& options);
/// The fields "segments", "n_fft", "hop" and "window".
json_value segments_fields(std::uint64_t segments, const stft_options& options);

/// A warning where samples between segments are not looked at.
void add_hop_warning(const sound_facts& sound, const stft_options& options,
                     std::vector<std::string>& warnings);

/// The list of peaks, powers beside a full-scale sine's.
report& add_peaks(report& to, const std::vector<spectral_peak>& peaks,
                  const full_scale_flag& scale = {});

/// "level     -6.0 dBFS", or in dB SPL; none: digital silence. For programs "level_dbfs", and with
/// --full-scale "full_scale_db" and "level_db_spl".
report& add_level(report& to, const std::optional<double>& dbfs, const full_scale_flag& scale);

}  // namespace papilio::cli

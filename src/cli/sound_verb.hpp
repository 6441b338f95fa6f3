#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/excerpt.hpp"
#include "cli/outputs.hpp"
#include "cli/report.hpp"
#include "cli/sound_flags.hpp"
#include "cli/work_ahead.hpp"
#include "signal/plan_store.hpp"

namespace papilio::cli {

/// What the work on one file gets from whoever has it done: a verb, or one of batch's threads.
struct task_context {
  signal_detail::plan_store& plans;
  on_progress progress;
  work_surroundings around;
};

/// What a verb does with one file: all outputs are made of one reading, each whole or not at all.
using file_task = std::function<report(const std::string& file, const std::vector<output>& outs,
                                       const task_context& context)>;

/// A verb that does the same with every file that is named, or, by batch, with those of a folder.
/// Filled member by member, as output_kinds.
struct sound_verb {
  std::string name, help;
  output_kinds outputs;
  std::string out_help;
  /// Adds the flags that say what is made. The function that comes out makes the task of them;
  /// usage_error, naming the flag, where they do not fit each other.
  std::function<std::function<file_task()>(command& verb, const output_flags& outputs)> prepare;
  std::string footer;
  std::vector<std::pair<std::string, std::string>> examples = {};  ///< a line, and what it does
  bool one_is_list = false;  ///< the report for programs, as of reporter::each
  std::string files_help = sound_files_help;
};

/// How a verb is prepared whose flags are the members of a struct, which adds them itself.
template <class Arguments>
auto prepared_by(file_task (*make_task)(const Arguments& args, const output_flags& outputs)) {
  return [make_task](command& verb, const output_flags& outputs) -> std::function<file_task()> {
    auto args = std::make_shared<Arguments>();
    args->add_to(verb);
    return [args, make_task, &outputs] { return make_task(*args, outputs); };
  };
}

void add_sound_verb(program& app, const sound_verb& verb);

// Those that batch has too; `mel` is features for networks.
sound_verb spectrogram_verb();
sound_verb fft_verb();
sound_verb psd_verb();
sound_verb stft_verb();
sound_verb features_verb();
sound_verb mel_verb();
sound_verb denoise_verb();

}  // namespace papilio::cli

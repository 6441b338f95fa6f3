#include "cli/sound_verb.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/common.hpp"
#include "cli/progress.hpp"

namespace papilio::cli {
namespace {

// Standard input and what is no regular file count as nothing.
std::uint64_t bytes_of(const std::string& file) {
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  return failure ? 0 : bytes;
}

/// Does the task with each file, under a bar of its progress.
void run(reporter& out, const std::vector<std::string>& files, const output_flags& outputs,
         const file_task& task, bool one_is_list) {
  const std::vector<std::vector<output>> outs = outputs.of(files);
  if (outputs.to_standard_output()) out.give_away_output("--out");
  std::uint64_t bytes = 0;
  for (const std::string& file : files) bytes += std::max<std::uint64_t>(bytes_of(file), 1);
  progress bar(files.size(), bytes);
  signal_detail::plan_store plans;
  std::size_t next = 0;
  const auto work = [&](const std::string& file) {
    const std::vector<output>& of_file = outs[next++];
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
    report made = task(file, of_file, {.plans = plans, .progress = tell, .around = {.warn = warn}});
    ended.failed = false;
    return made;
  };
  out.each(files, work, one_is_list);
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
  verb.reports([args, make_task, one_is_list = of.one_is_list](reporter& out) {
    // "denoise FILE OUT", as former versions had it.
    if (args->outputs.can().required && !args->outputs.are_named() && args->files.size() == 2) {
      args->outputs.names = {args->files.back()};
      args->files.pop_back();
    }
    run(out, args->files, args->outputs, make_task(), one_is_list);
  });
}

}  // namespace papilio::cli

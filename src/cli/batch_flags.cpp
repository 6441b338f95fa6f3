#include "cli/batch_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common.hpp"
#include "cli/features_task.hpp"

namespace papilio::cli {

namespace fs = std::filesystem;

template <class Add>
void batch_flags::add_for(const std::set<std::string>& whats, CLI::App& verb, const Add& add) {
  const std::vector<CLI::Option*> before = verb.get_options();
  add();
  for (const CLI::Option* option : verb.get_options())
    if (std::find(before.begin(), before.end(), option) == before.end())
      belonging_.emplace_back(option, whats);
}

void batch_flags::add_to(CLI::App& verb) {
  const std::vector<std::string> whats = {"spectrogram", "mel", "features"};
  verb.add_option("--what", what_, "Of each file: " + fmt::format("{}", fmt::join(whats, ", ")))
      ->required()
      ->transform(CLI::IsMember(whats, CLI::ignore_case));
  add_for({"mel", "features"}, verb, [&] {
    verb.add_option("--format", format_, "Of tables: csv, json or npy [mel npy, features csv]")
        ->transform(
            CLI::IsMember(std::vector<std::string>{"csv", "json", "npy"}, CLI::ignore_case));
  });
  add_for({"features"}, verb, [&] {
    verb.add_flag("--no-time", no_time_, "Leave out the column time_seconds");
    features_.add_choice_to(verb);
    features_.add_rest_to(verb);
  });
  add_for({"mel", "features"}, verb, [&] { features_.add_mel_to(verb); });
  stft_.add_to(verb, {.scaling = false});
  add_for({"spectrogram"}, verb, [&] { picture_.add_to(verb); });
  part_.add_to(verb);
  sound_.add_to(verb);
}

void batch_flags::require_belonging() const {
  for (const auto& [option, whats] : belonging_)
    if (option->count() > 0 && whats.count(what_) == 0)
      throw usage_error(fmt::format("{}: not a flag of --what {}, only of {}", option->get_name(),
                                    what_, fmt::join(whats, " and ")));
}

batch_kind batch_flags::kind() const {
  require_belonging();
  return what_ == "spectrogram" ? spectrogram_kind() : features_kind();
}

batch_kind batch_flags::spectrogram_kind() const {
  const spectrogram_task task(sound_.options(), part_, stft_.options(), picture_);
  return {
      .ending = ".png",
      .work = [task](const std::string& file, const fs::path& out, const task_context& context) {
        return task.run(file, out, context).warnings;
      }};
}

batch_kind batch_flags::features_kind() const {
  feature_flags chosen = features_;
  const bool mel = what_ == "mel";
  if (mel) chosen.mel = true;
  const std::string format = format_.empty() ? (mel ? "npy" : "csv") : format_;
  features_task task{.sound = sound_.options(),
                     .part = part_,
                     .stft = stft_.options(),
                     .what = chosen.selection(),
                     .format = parse_table_format(format),
                     // An array of mel bands is what networks are fed with.
                     .with_time = mel ? format != "npy" : !no_time_};
  task.stft.scaling = stft_scaling::none;
  return {
      .ending = table_ending(task.format),
      .work = [task](const std::string& file, const fs::path& out, const task_context& context) {
        return task.run(file, out, context).warnings;
      }};
}

}  // namespace papilio::cli

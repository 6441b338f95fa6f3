#include "cli/batch_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/feature_extractor.hpp"
#include "cli/features_task.hpp"
#include "cli/json_file.hpp"
#include "cli/stft_task.hpp"
#include "cli/validators.hpp"

namespace papilio::cli {

namespace fs = std::filesystem;

template <class Add>
void batch_flags::add_for(const std::set<std::string>& whats, command& verb, const Add& add) {
  const std::size_t before = verb.options().size();
  add();
  for (std::size_t i = before; i < verb.options().size(); ++i)
    belonging_.emplace_back(&verb.options()[i], whats);
}

void batch_flags::add_to(command& verb) {
  const std::vector<std::string> whats = {"spectrogram", "stft", "mel", "features", "psd"};
  verb.add_option("--what", what_, "Of each file: " + fmt::format("{}", fmt::join(whats, ", ")))
      .required()
      .check(one_of(whats));
  add_for({"mel", "features", "psd"}, verb, [&] {
    verb.add_option("--format", format_,
                    "Of tables: csv, npy or, but for psd, json [mel npy, others csv]")
        .check(one_of({"csv", "json", "npy"}));
  });
  add_for({"features"}, verb, [&] {
    verb.add_flag("--no-time", no_time_, "Leave out the column time_seconds");
    features_.add_choice_to(verb);
    features_.add_rest_to(verb);
  });
  add_for({"mel", "features"}, verb, [&] { features_.add_mel_to(verb); });
  add_for({"stft"}, verb, [&] {
    verb.add_option("--form", form_, "Of stft: complex, magnitude, power or db")
        .check(one_of({"complex", "magnitude", "power", "db"}))
        .show_default();
    verb.add_option("--floor", floor_db_, "Lowest level of the form db, dB [-120]")
        .check(number_from(-1000, 1000));
  });
  stft_.add_to(verb, {.use = preset_use::any});
  belonging_.emplace_back(&verb.named("--scaling"), std::set<std::string>{"stft"});
  preset_ = &verb.named("--preset");
  for (const char* flag : {"--hop", "--window-length", "--padding", "--no-centre"})
    belonging_.emplace_back(&verb.named(flag),
                            std::set<std::string>{"spectrogram", "stft", "mel", "features"});
  add_for({"psd"}, verb, [&] { psd_.add_to(verb, "--psd-scaling", "Density"); });
  add_for({"spectrogram"}, verb, [&] { picture_.add_to(verb, false); });
  share_bounds(verb);
  part_.add_to(verb, "the mean power of all; stft all");
  sound_.add_to(verb);
}

/// --fmin and --fmax bound the bands of features, and the picture of a spectrogram.
void batch_flags::share_bounds(command& verb) {
  const std::pair<const char*, const char*> shared[] = {
      {"--fmin",
       "Lowest frequency of the bands, or of the picture, Hz\n[0; log picture 2 bins, 20 to 50]"},
      {"--fmax", "Highest frequency of the bands, or of the picture, Hz [half the rate]"}};
  for (const auto& [name, help] : shared) {
    const option& shared_option = verb.named(name).help(help);
    for (auto& [other, whats] : belonging_)
      if (other == &shared_option) whats.insert("spectrogram");
  }
}

void batch_flags::require_belonging() const {
  for (const auto& [flag, whats] : belonging_)
    if (flag->given() && whats.count(what_) == 0)
      throw usage_error(fmt::format("{}: not a flag of --what {}, only of {}", flag->name(), what_,
                                    fmt::join(whats, " and ")));
}

batch_kind batch_flags::kind() const {
  require_belonging();
  if (what_ == "spectrogram") return spectrogram_kind();
  if (what_ == "stft") return stft_kind();
  if (what_ == "psd") return psd_kind();
  return features_kind();
}

batch_kind batch_flags::spectrogram_kind() const {
  picture_flags picture = picture_;
  picture.low_hz = features_.fmin_hz;
  picture.high_hz = features_.fmax_hz;
  const spectrogram_task task(sound_.options(), part_, stft_, picture);
  return {
      .ending = ".png",
      .work = [task](const std::string& file, const fs::path& out, const task_context& context) {
        return task.run(file, {&out, 1}, context).found.warnings;
      }};
}

batch_kind batch_flags::features_kind() const {
  feature_flags chosen = features_;
  const bool mel = what_ == "mel";
  if (mel) chosen.mel = true;
  const std::string format = format_.empty() ? (mel ? "npy" : "csv") : format_;
  stft_flags segments = stft_;
  segments.use = preset_use::features;
  segments.options();  // refuses what fits no file
  const features_task task{.sound = sound_.options(),
                           .part = part_,
                           .stft = segments,
                           .what = chosen.selection(segments.preset),
                           .format = parse_table_format(format),
                           // An array of mel bands is what networks are fed with.
                           .with_time = mel ? format != "npy" : !no_time_};
  return {
      .ending = table_ending(task.format),
      .work = [task](const std::string& file, const fs::path& out, const task_context& context) {
        return task.run(file, out, context).warnings;
      }};
}

batch_kind batch_flags::stft_kind() const {
  if (floor_db_ && form_ != "db")
    throw usage_error("--floor: is for --form db, got --form " + form_);
  try {
    stft_plan<float>{stft_.options()};
  } catch (const invalid_argument& e) {
    throw usage_error(fmt::format("--scaling, --window: {}", e.what()));
  }
  const stft_request request{.source = {.file = {}, .sound = sound_.options(), .part = part_},
                             .segments = stft_,
                             .out = {},
                             .form = parse_stft_form(form_),
                             .floor_db = floor_db_.value_or(-120)};
  return {.ending = ".npy",
          .work =
              [request](const std::string& file, const fs::path& out, const task_context& context) {
                stft_request of_file = request;
                of_file.source.file = file;
                of_file.source.progress = context.progress;
                of_file.source.around = context.around;
                of_file.out = out;
                return write_stft(of_file, context.plans).warnings;
              },
          .companion = ".json"};
}

batch_kind batch_flags::psd_kind() const {
  if (format_ == "json") throw usage_error("--format: json is not made of --what psd");
  const bool scipy = stft_.preset == "scipy";
  if (preset_->given() && !scipy)
    throw usage_error("--preset: " + stft_.preset + " has no psd, only scipy");
  psd_request request = psd_.request(
      stft_.n_fft, stft_.window.empty() ? window_spec() : parse_window(stft_.window), scipy);
  request.source.sound = sound_.options();
  request.source.part = part_;
  const bool csv = format_ != "npy", per_channel = psd_.per_channel;
  return {.ending = csv ? ".csv" : ".npy",
          .work = [request, per_channel](const std::string& file, const fs::path& out,
                                         const task_context& context) {
            psd_request of_file = request;
            of_file.source.file = file;
            of_file.source.progress = context.progress;
            of_file.source.around = context.around;
            const psd_result result = estimate_psd(of_file);
            write_psd_table(out, result, per_channel);
            return result.warnings;
          }};
}

}  // namespace papilio::cli

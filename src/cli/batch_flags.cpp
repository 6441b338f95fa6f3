#include "cli/batch_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/validators.hpp"

namespace papilio::cli {

template <class Add>
void batch_flags::add_for(const std::set<std::string>& whats, command& verb, const Add& add) {
  const std::size_t before = verb.options().size();
  add();
  for (std::size_t i = before; i < verb.options().size(); ++i)
    belonging_.emplace_back(&verb.options()[i], whats);
}

void batch_flags::add_to(command& verb) {
  const std::vector<std::string> whats = {"spectrogram", "stft", "mel", "features", "psd"};
  verb.add({{"--what", what_, "Of each file: " + fmt::format("{}", fmt::join(whats, ", ")),
             one_of(whats), flag_trait::required},
            {"--format", formats_,
             "Kinds of the outputs, with commas: png, svg, pdf, csv, npy, json [spectrogram png,\n"
             "stft and mel npy, others csv]",
             words_of({"png", "svg", "pdf", "csv", "npy", "json"})}});
  add_for({"features"}, verb, [&] {
    verb.add({{"--no-time", no_time_, "Leave out the column time_seconds"}});
    features_.add_choice_to(verb);
    features_.add_rest_to(verb);
  });
  add_for({"mel", "features"}, verb, [&] { features_.add_mel_to(verb); });
  add_for({"stft"}, verb, [&] { form_.add_to(verb); });
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

// The usual kind is the first.
std::vector<std::string> batch_flags::formats(const output_kinds& can) const {
  if (formats_.empty()) return {what_ == "mel" ? "npy" : can.kinds.front()};
  const std::vector<std::string> formats = split_words(formats_);
  for (const std::string& format : formats) {
    if (std::ranges::find(can.kinds, format) == can.kinds.end())
      throw usage_error(fmt::format("--format: {} is not made of --what {}, only {}", format, what_,
                                    fmt::join(can.kinds, ", ")));
    if (std::ranges::count(formats, format) > 1)
      throw usage_error(fmt::format("--format: {} comes twice", format));
  }
  return formats;
}

batch_kind batch_flags::kind() const {
  require_belonging();
  if (what_ == "spectrogram") {
    picture_flags picture = picture_;
    picture.low_hz = features_.fmin_hz;
    picture.high_hz = features_.fmax_hz;
    return {formats(spectrogram_kinds),
            spectrogram_task({.stft = stft_, .picture = picture, .part = part_, .sound = sound_})};
  }
  if (what_ == "stft")
    return {formats(stft_kinds),
            stft_task({.how = form_, .segments = stft_, .part = part_, .sound = sound_}),
            stft_kinds.companion};
  return what_ == "psd" ? psd_kind() : features_kind();
}

batch_kind batch_flags::features_kind() const {
  features_arguments args{.features = features_, .stft = stft_, .part = part_, .sound = sound_};
  args.stft.use = preset_use::features;
  args.with_time = !no_time_;
  if (what_ == "mel") args.features.mel = true;
  // An array of mel bands is what networks are fed with.
  args.time_in_npy = what_ != "mel";
  return {formats(features_kinds), features_task(args)};
}

batch_kind batch_flags::psd_kind() const {
  if (preset_->given() && stft_.preset != "scipy")
    throw usage_error("--preset: " + stft_.preset + " has no psd, only scipy");
  psd_arguments args;
  args.estimate = psd_;
  args.n_fft = stft_.n_fft;
  args.part = part_;
  args.sound = sound_;
  if (!stft_.window.empty()) args.window = stft_.window;
  if (stft_.preset == "scipy") args.preset = stft_.preset;
  return {formats(psd_kinds), psd_task(args)};
}

}  // namespace papilio::cli

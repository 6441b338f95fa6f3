#include "cli/loudness.hpp"

#include <algorithm>

namespace papilio::cli {
namespace {
namespace loudness_lines {

std::vector<double> weights_of(const std::string& text) {
  std::vector<double> weights;
  if (text.empty()) return weights;
  for (const std::string& word : split_words(text)) {
    const auto weight = read_number<double>(word);
    if (!weight || !(*weight >= 0 && *weight <= 1000))
      throw invalid_argument("channel weights: must be numbers in [0, 1000], got " + word);
    weights.push_back(*weight);
  }
  return weights;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

json_value value_of(const std::optional<double>& level) {
  return level ? json_value(*level) : json_value();
}

void add_part(std::vector<std::string>& parts, fmt::format_string<double> format,
              const std::optional<double>& level) {
  // A level that is rounded to zero has no sign.
  if (level) parts.push_back(fmt::format(format, std::abs(*level) < 0.05 ? 0.0 : *level));
}

}  // namespace loudness_lines
}  // namespace

void loudness_flags::add_to(command& verb) {
  verb.add({{"--loudness", is_wanted,
             "Read the samples too: integrated loudness, range, highest momentary and\n"
             "short-term loudness, sample and true peak (ITU-R BS.1770, EBU R 128)"},
            {"--channel-weights", weights,
             "Weights of the channels in --loudness [1 in front and behind, 1.41 at the sides,\n"
             "0 for LFE, by the usual order of up to 8 channels]",
             read_by([](std::string& text) { loudness_lines::weights_of(text); }, "W,...")}});
}

void loudness_flags::require_use() const {
  if (!is_wanted && !weights.empty()) throw usage_error("--channel-weights: needs --loudness");
}

loudness_options loudness_flags::options(const std::string& file, int channels) const {
  const std::vector<double> given = loudness_lines::weights_of(weights);
  const auto wanted = static_cast<std::size_t>(channels);
  if (given.empty() && wanted > 8)
    throw bad_file(file, "--loudness: {} have no usual weights: give --channel-weights",
                   counted(wanted, "channel"));
  if (!given.empty() && given.size() != wanted)
    throw bad_file(file, "--channel-weights: are {}, for {}", given.size(),
                   counted(wanted, "channel"));
  return {.weights = given};
}

bool has_loudness_rate(int rate_hz) { return rate_hz >= 4000 && rate_hz <= 4000000; }

void refuse_loudness_rate(const std::string& file, int rate_hz) {
  throw bad_file(file, "--loudness: needs a rate of 4000 ... 4000000 Hz, got {} Hz", rate_hz);
}

void add_loudness(report& to, const loudness_summary& of) {
  using namespace loudness_lines;
  std::vector<std::string> levels, highest, peaks;
  add_part(levels, "{:.1f} LUFS integrated", of.integrated_lufs);
  add_part(levels, "range {:.1f} LU", of.range_lu);
  add_part(highest, "{:.1f} LUFS momentary", of.highest_momentary_lufs);
  add_part(highest, "{:.1f} LUFS short-term", of.highest_short_term_lufs);
  add_part(peaks, "{:.1f} dBFS", of.sample_peak_dbfs);
  add_part(peaks, "true peak {:.1f} dBTP", of.true_peak_dbtp);
  to.line("loudness", "{}", levels.empty() ? "none: shorter than 400 ms" : joined(levels));
  if (!highest.empty()) to.line("highest", "{}", joined(highest));
  to.line("peak", "{}", joined(peaks));
  to.fields("integrated_lufs", value_of(of.integrated_lufs), "loudness_range_lu",
            value_of(of.range_lu), "highest_momentary_lufs", value_of(of.highest_momentary_lufs),
            "highest_short_term_lufs", value_of(of.highest_short_term_lufs), "sample_peak_dbfs",
            of.sample_peak_dbfs, "true_peak_dbtp", value_of(of.true_peak_dbtp));
}

std::string loudness_text(const loudness_summary& of) {
  using namespace loudness_lines;
  std::vector<std::string> parts;
  add_part(parts, "{:.1f} LUFS", of.integrated_lufs);
  add_part(parts, "range {:.1f} LU", of.range_lu);
  add_part(parts, "true peak {:.1f} dBTP", of.true_peak_dbtp);
  return joined(parts);
}

}  // namespace papilio::cli

#include "cli/psd_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/common.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
namespace {

constexpr const char* group = "Density";

CLI::Validator word_of(const std::vector<std::string>& words) {
  return CLI::IsMember(words, CLI::ignore_case);
}

void write_csv(const std::filesystem::path& out, const psd_result& r, bool per_channel) {
  const bool density = r.options.scaling == psd_scaling::density;
  const std::string quantity = density ? "density_per_hz" : "power";
  std::vector<std::string> columns{"frequency_hz"};
  for (std::size_t c = 0; c < r.power.extent(0); ++c)
    columns.push_back(per_channel ? fmt::format("{}_{}", quantity, c + 1) : quantity);
  if (!per_channel) columns.push_back(density ? "level_dbfs_per_hz" : "level_dbfs");
  csv_writer csv(out, columns);
  std::vector<csv_field> row;
  for (std::size_t k = 0; k < r.power.extent(1); ++k) {
    row.assign(1, csv_field(r.frequency_hz(k)));
    for (std::size_t c = 0; c < r.power.extent(0); ++c) row.emplace_back(r.power(c, k));
    // A full-scale sine has the power 1/2.
    if (!per_channel) row.emplace_back(power_to_db(r.power(0u, k), 0.5));
    csv.write_row(row);
  }
  csv.commit();
}

}  // namespace

void psd_flags::add_to(CLI::App& verb) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    return verb.add_option(name, value, help)->group(group);
  };
  add("--segment-length", segment_length, "Samples of each segment [4096, or all there are]")
      ->transform(whole_number_from(1, max_n_fft));
  add("--overlap", overlap, "Samples that neighbours share [half a segment]")
      ->transform(whole_number_from(0, max_n_fft));
  add("--detrend", detrend, "Taken off each segment: none, its mean, or its line")
      ->transform(word_of({"none", "constant", "linear"}))
      ->capture_default_str();
  add("--psd-scaling", quantity, "density, per Hz, or spectrum, per bin")
      ->transform(word_of({"density", "spectrum"}))
      ->capture_default_str();
  add("--average", average, "Over the segments; the median passes bursts over")
      ->transform(word_of({"mean", "median"}))
      ->capture_default_str();
  verb.add_flag("--per-channel", per_channel, "Of every channel, not their mean")->group(group);
}

psd_request psd_flags::request(std::optional<std::size_t> n_fft, const window_spec& window) const {
  psd_request r{.source = {.file = {}, .sound = {}, .part = {}},
                .segment_length = segment_length,
                .overlap = overlap,
                .n_fft = n_fft,
                .window = window,
                .per_channel = per_channel};
  if (detrend == "none") r.detrend = detrending::none;
  if (detrend == "linear") r.detrend = detrending::linear;
  if (quantity == "spectrum") r.scaling = psd_scaling::spectrum;
  if (average == "median") r.average = psd_average::median;
  const std::size_t segment =
      segment_length.value_or(std::min<std::size_t>(4096, n_fft.value_or(4096)));
  if (n_fft.value_or(segment) < segment)
    throw usage_error(
        fmt::format("--n-fft: must be at least --segment-length {}, got {}", segment, *n_fft));
  if (overlap.value_or(0) >= segment)
    throw usage_error(
        fmt::format("--overlap: must be below --segment-length {}, got {}", segment, *overlap));
  require_window(window, segment);
  return r;
}

void write_psd_table(const std::filesystem::path& out, const psd_result& result, bool per_channel) {
  if (out.extension() == ".csv") return write_csv(out, result, per_channel);
  if (per_channel) return save_npy(out, result.power);
  save_npy(out, view<const double, 1>(result.power.data(), {result.power.extent(1)}));
}

}  // namespace papilio::cli

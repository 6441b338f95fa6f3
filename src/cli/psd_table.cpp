#include "cli/psd_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/common.hpp"
#include "cli/stft_flags.hpp"
#include "cli/validators.hpp"
#include "cli/work_ahead.hpp"
#include "papilio/io.hpp"

namespace papilio::cli {
void psd_flags::add_to(command& verb, const char* scaling_flag, const char* group) {
  const auto add = [&](const char* name, auto& value, const char* help) -> option& {
    return verb.add_option(name, value, help).group(group);
  };
  add("--segment-length", segment_length,
      "Samples of each segment [4096; scipy 256; or all there are]")
      .check(whole_number_from(1, max_n_fft));
  add("--overlap", overlap, "Samples that neighbours share [half a segment]")
      .check(whole_number_from(0, max_n_fft));
  add("--detrend", detrend, "Taken off each segment: none, its mean, or its line")
      .check(one_of({"none", "constant", "linear"}))
      .show_default();
  add(scaling_flag, scaling, "density, per Hz, or spectrum, per bin")
      .check(one_of({"density", "spectrum"}))
      .show_default();
  add("--average", average, "How segments are averaged; the median ignores bursts")
      .check(one_of({"mean", "median"}))
      .show_default();
  verb.add_flag("--per-channel", per_channel, "Of every channel, not their mean").group(group);
}

psd_request psd_flags::request(std::optional<std::size_t> n_fft, const window_spec& window,
                               bool scipy) const {
  psd_request r{.source = {.file = {}, .sound = {}, .part = {}},
                .segment_length = segment_length,
                .overlap = overlap,
                .n_fft = n_fft,
                .window = window,
                .per_channel = per_channel};
  if (detrend == "none") r.detrend = detrending::none;
  if (detrend == "linear") r.detrend = detrending::linear;
  if (scaling == "spectrum") r.scaling = psd_scaling::spectrum;
  if (average == "median") r.average = psd_average::median;
  if (scipy) r.usual_length = 256;
  r.shortened = scipy;
  const std::size_t segment = r.wanted_length();
  if (n_fft.value_or(segment) < segment)
    throw usage_error(
        fmt::format("--n-fft: must be at least --segment-length {}, got {}", segment, *n_fft));
  if (overlap.value_or(0) >= segment)
    throw usage_error(
        fmt::format("--overlap: must be below --segment-length {}, got {}", segment, *overlap));
  require_window(window, segment);
  require_transform_memory(n_fft.value_or(segment), real_type::double_precision);
  return r;
}

csv_writer psd_csv(const std::filesystem::path& out, const psd_result& r, bool per_channel) {
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
    if (!per_channel) row.emplace_back(psd_level_db(r.power(0u, k)));
    csv.write_row(row);
  }
  return csv;
}

npy_region_writer<double> psd_npy(const std::filesystem::path& out, const psd_result& r,
                                  bool per_channel) {
  std::vector<std::uint64_t> extents{r.power.extent(1)};
  if (per_channel) extents.insert(extents.begin(), r.power.extent(0));
  npy_region_writer<double> npy(out, std::move(extents));
  npy.write(0, r.power.flat());
  return npy;
}

void write_psd_table(const std::filesystem::path& out, const psd_result& result, bool per_channel) {
  if (out.extension() == ".csv")
    psd_csv(out, result, per_channel).commit();
  else
    psd_npy(out, result, per_channel).commit();
}

}  // namespace papilio::cli

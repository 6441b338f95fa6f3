#include "cli/features_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "cli/common.hpp"
#include "cli/feature_extractor.hpp"
#include "cli/sound_blocks.hpp"

namespace papilio::cli {
namespace {

void require_bands(const std::string& file, const feature_selection& what, const sound_info& info) {
  if (!what.needs_bands()) return;
  const double highest = what.rate_hz(info) / 2;
  const auto refuse = [&](const char* flag, double value) {
    throw io_error(shown_name(file),
                   fmt::format("{} {}: must be {} half its rate, {} Hz", flag, value,
                               std::string(flag) == "--fmin" ? "below" : "at most", highest));
  };
  if (what.bands.fmax_hz && *what.bands.fmax_hz > highest) refuse("--fmax", *what.bands.fmax_hz);
  if (what.bands.fmin_hz >= highest) refuse("--fmin", what.bands.fmin_hz);
}

/// What becomes of the extractor's rows: the table's, and the report's sums.
class row_sink {
 public:
  row_sink(const stft_options& stft, double rate_hz, std::uint64_t first_frame,
           feature_table* table, bool with_time)
      : rate_hz_(rate_hz),
        first_sample_(static_cast<double>(first_frame) +
                      (stft.centre ? 0.0 : static_cast<double>(stft.n_fft) / 2)),
        hop_(static_cast<double>(stft.hop)),
        with_time_(with_time),
        table_(table) {}

  void operator()(std::uint64_t first, view<const float, 2> values) {
    if (sums_.empty()) sums_.resize(values.extent(1));
    for (std::size_t row = 0; row < values.extent(0); ++row)
      for (std::size_t column = 0; column < sums_.size(); ++column)
        sums_[column].add(static_cast<double>(values(row, column)));
    segments_ += values.extent(0);
    if (table_ == nullptr) return;
    times_.clear();
    for (std::size_t row = 0; with_time_ && row < values.extent(0); ++row)
      times_.push_back((first_sample_ + static_cast<double>(first + row) * hop_) / rate_hz_);
    table_->write_rows(times_, values);
  }

  std::uint64_t segments() const { return segments_; }

  std::vector<column_summary> summary(const std::vector<std::string>& names) const {
    std::vector<column_summary> all;
    for (std::size_t c = 0; c < sums_.size(); ++c)
      all.push_back({names[c], sums_[c].minimum, sums_[c].sum / static_cast<double>(segments_),
                     sums_[c].maximum});
    return all;
  }

 private:
  struct running {
    double minimum = std::numeric_limits<double>::infinity(), sum = 0, maximum = -minimum;
    void add(double value) {
      // A comparison with NaN fails, a sum keeps it.
      minimum = value >= minimum ? minimum : value;
      maximum = value <= maximum ? maximum : value;
      sum += value;
    }
  };
  double rate_hz_, first_sample_, hop_;
  bool with_time_;
  feature_table* table_;
  std::uint64_t segments_ = 0;
  std::vector<running> sums_;
  std::vector<double> times_;
};

/// Keeps the largest finite number that comes.
class highest_value {
 public:
  void operator()(std::uint64_t, view<const float, 2> values) {
    for (std::size_t row = 0; row < values.extent(0); ++row)
      for (std::size_t column = 0; column < values.extent(1); ++column)
        if (const float v = values(row, column); v > value_ && std::isfinite(v)) value_ = v;
  }
  double value() const { return static_cast<double>(value_); }

 private:
  float value_ = 0;
};

/// Levels at least top_db below the highest are those of powers that have a floor.
feature_selection with_fixed_levels(feature_selection what, double highest_power) {
  const auto fix = [&](decibel_options& o) {
    if (!o.top_db) return;
    o.floor = std::max(o.floor.value_or(1e-10), highest_power * std::pow(10, -*o.top_db / 10));
    o.top_db = std::nullopt;
  };
  if (what.mel_levels) fix(*what.mel_levels);
  fix(what.cepstrum.decibel);
  return what;
}

void add_warnings(const features_task& task, const feature_extractor& extractor,
                  feature_report& report) {
  const stft_options& o = report.stft;
  const std::size_t window = o.window_length == 0 ? o.n_fft : o.window_length;
  if (o.hop > window && report.sound.part.frames > window)
    report.warnings.push_back(
        fmt::format("--hop {} is longer than the window of {}: the samples between segments are "
                    "not looked at",
                    o.hop, window));
  if (const std::size_t empty = extractor.empty_bands(); empty > 0)
    report.warnings.push_back(
        fmt::format("{} of {} mel bands are narrower than a bin and read 0: choose fewer --n-mels "
                    "or a longer --n-fft",
                    empty, task.what.bands.bands));
}

}  // namespace

feature_report features_task::run(const std::string& file, const std::filesystem::path& out,
                                  const task_context& context) const {
  excerpt_reader reader({.file = file,
                         .sound = sound,
                         .part = part,
                         .show_progress = false,
                         .once = !what.needs_highest() && stft.preset != "scipy",
                         .progress = context.progress});
  feature_report report;
  const double rate_hz = what.rate_hz(reader.info());
  report.stft = stft.options_of(file, reader.part().frames, reader.info().rate_hz, report.warnings);
  report.stft.scaling = stft_scaling::none;
  const auto memory = begin_work(file,
                                 {.channels = reader.channels(),
                                  .frames = reader.part().frames,
                                  .n_fft = report.stft.n_fft,
                                  .hop = report.stft.hop,
                                  .type = real_type::double_precision},
                                 context.around);
  require_bands(file, what, reader.info());
  const auto read_into = [&](feature_extractor& extractor, feature_extractor::sink sink) {
    reader.read([&](view<const float, 2> block) { extractor.push(block, sink); });
    extractor.finish(sink);
  };
  feature_selection chosen = what;
  if (what.needs_highest()) {
    feature_extractor bands({.mel = true, .bands = what.bands}, report.stft, rate_hz,
                            reader.channels(), context.plans);
    highest_value highest;
    read_into(bands, highest);
    chosen = with_fixed_levels(what, highest.value());
  }
  feature_extractor extractor(chosen, report.stft, rate_hz, reader.channels(), context.plans);
  std::unique_ptr<feature_table> table;
  if (!out.empty()) table = make_feature_table(out, format, with_time, extractor.columns());
  row_sink rows(report.stft, reader.info().rate_hz, reader.part().first, table.get(), with_time);
  read_into(extractor, rows);
  report.sound = reader.facts();
  if (rows.segments() == 0)
    throw io_error(shown_name(file),
                   fmt::format("{} are too few for one segment of {}",
                               counted(report.sound.part.frames, "sample"), report.stft.n_fft));
  if (table) table->commit();
  report.segments = rows.segments();
  report.columns = rows.summary(extractor.columns());
  report.warnings.insert(report.warnings.begin(), report.sound.warnings.begin(),
                         report.sound.warnings.end());
  add_warnings(*this, extractor, report);
  return report;
}

}  // namespace papilio::cli

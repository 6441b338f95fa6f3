#include "cli/features_task.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "cli/common.hpp"
#include "cli/feature_extractor.hpp"
#include "cli/sound_blocks.hpp"

namespace papilio::cli {
namespace {

void require_bands(const std::string& file, const feature_selection& what, const sound_info& info) {
  if (!what.needs_bands()) return;
  const double highest = info.rate_hz / 2.0;
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
  row_sink(const features_task& task, double rate_hz, const excerpt& part, feature_table* table)
      : rate_hz_(rate_hz),
        first_sample_(static_cast<double>(part.first) +
                      (task.stft.centre ? 0.0 : static_cast<double>(task.stft.n_fft) / 2)),
        hop_(static_cast<double>(task.stft.hop)),
        with_time_(task.with_time),
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

void add_warnings(const features_task& task, const feature_extractor& extractor,
                  feature_report& report) {
  const stft_options& o = task.stft;
  const std::size_t window = o.window_length == 0 ? o.n_fft : o.window_length;
  if (o.hop > window && report.part.frames > window)
    report.warnings.push_back(
        fmt::format("--hop {} is longer than the window of {}: the samples between segments are "
                    "not looked at",
                    o.hop, window));
  if (const std::size_t empty = extractor.empty_bands(); empty > 0)
    report.warnings.push_back(
        fmt::format("{} of {} mel bands are narrower than a bin and read 0: choose fewer --bands "
                    "or a longer --n-fft",
                    empty, task.what.bands.bands));
}

}  // namespace

feature_report features_task::run(const std::string& file, const std::filesystem::path& out,
                                  const task_context& context) const {
  sound_reader reader(file, sound);
  feature_report report{.info = reader.info(), .part = excerpt_of(file, part, reader.info())};
  const auto memory = begin_work(file,
                                 {.channels = channels_of(part, report.info),
                                  .frames = report.part.frames,
                                  .n_fft = stft.n_fft,
                                  .hop = stft.hop},
                                 context.around);
  require_bands(file, what, report.info);
  feature_extractor extractor(what, stft, report.info.rate_hz, channels_of(part, report.info),
                              context.plans);
  std::unique_ptr<feature_table> table;
  if (!out.empty()) table = make_feature_table(out, format, with_time, extractor.columns());
  row_sink rows(*this, report.info.rate_hz, report.part, table.get());
  reader.seek(report.part.first);
  const std::uint64_t got =
      for_each_block(reader, part, report.part.frames, context.progress,
                     [&](view<const float, 2> block) { extractor.push(block, rows); });
  if (got == 0) throw io_error(shown_name(file), "no samples could be read");
  extractor.finish(rows);
  if (rows.segments() == 0)
    throw io_error(shown_name(file), fmt::format("{} are too few for one segment of {}",
                                                 counted(got, "sample"), stft.n_fft));
  if (table) table->commit();
  report.part.frames = got;
  report.info = reader.info();
  report.segments = rows.segments();
  report.replaced_samples = reader.replaced_samples();
  report.columns = rows.summary(extractor.columns());
  report.warnings = reader.warnings();
  add_warnings(*this, extractor, report);
  return report;
}

}  // namespace papilio::cli

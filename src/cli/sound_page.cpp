#include "cli/sound_page.hpp"

#include <algorithm>
#include <cmath>

#include "cli/html_page.hpp"
#include "cli/loudness.hpp"
#include "cli/stft_flags.hpp"
#include "papilio/render.hpp"
#include "signal/density_estimator.hpp"
#include "signal/feature_extractor.hpp"
#include "signal/panel_spectrograms.hpp"

namespace papilio::cli {
namespace {

using namespace signal_detail;

constexpr float range_db = 80;
constexpr int level_steps = 160;  // of half a dB
constexpr std::size_t most_text = 300;

/// Where one of `count` things lies among `cells` equal parts.
std::size_t cell_of(std::uint64_t i, std::uint64_t count, std::size_t cells) {
  return static_cast<std::size_t>(static_cast<double>(i) * static_cast<double>(cells) /
                                  static_cast<double>(count));
}

/// Peak, and mean square over the channels, of each of some equal parts of a sound.
class level_track {
 public:
  level_track(std::uint64_t frames, std::size_t columns)
      : frames_(frames),
        peaks_(static_cast<std::size_t>(std::min<std::uint64_t>(frames, columns))),
        squares_(peaks_.size()),
        counts_(peaks_.size()) {}

  /// [frames, channels].
  void push(view<const float, 2> block) {
    const std::size_t channels = block.extent(1);
    for (std::size_t i = 0; i < block.extent(0);) {
      const std::size_t rest = block.extent(0) - i;
      const bool is_last = column_ + 1 == peaks_.size();
      const std::size_t run =
          is_last ? rest : std::min<std::uint64_t>(end_of(column_) - next_, rest);
      double peak = peaks_[column_], sum = squares_[column_];
      for (const std::size_t end = i + run; i < end; ++i)
        for (std::size_t c = 0; c < channels; ++c) {
          const double sample = static_cast<double>(block(i, c));
          peak = std::max(peak, std::abs(sample));
          sum += sample * sample;
        }
      peaks_[column_] = peak;
      squares_[column_] = sum;
      counts_[column_] += run * channels;
      next_ += run;
      if (!is_last && next_ == end_of(column_)) ++column_;
    }
  }

  /// Peak and RMS levels in dB; both are 0 dB for a full-scale sine.
  json_value json() const {
    json_value peaks = json_value::array(), levels = peaks;
    for (std::size_t i = 0; i < peaks_.size(); ++i) {
      peaks.push_back(short_number(power_to_db(peaks_[i] * peaks_[i]), 4));
      levels.push_back(
          short_number(power_to_db(squares_[i] / static_cast<double>(counts_[i]), 0.5), 4));
    }
    return json_object("peak_db", peaks, "rms_db", levels);
  }
  double peak() const { return peaks_.empty() ? 0 : *std::ranges::max_element(peaks_); }

 private:
  /// Frame i lies in part floor(i * parts / frames).
  std::uint64_t end_of(std::size_t column) const {
    return ((column + 1) * frames_ + peaks_.size() - 1) / peaks_.size();
  }

  std::uint64_t frames_, next_ = 0;
  std::size_t column_ = 0;
  std::vector<double> peaks_, squares_;
  std::vector<std::size_t> counts_;
};

/// The mean of each feature in equal parts of a sound, and its minimum, mean and maximum in all.
class feature_track {
 public:
  feature_track(std::vector<std::string> names, std::uint64_t segments, std::size_t columns)
      : names_(std::move(names)),
        segments_(segments),
        columns_(static_cast<std::size_t>(std::min<std::uint64_t>(segments, columns))),
        of_(names_.size(), track{.sums = std::vector<double>(columns_)}),
        counts_(columns_) {}

  void operator()(std::uint64_t first, view<const double, 2> values) {
    for (std::size_t row = 0; row < values.extent(0); ++row) {
      const std::size_t at = std::min(cell_of(first + row, segments_, columns_), columns_ - 1);
      ++counts_[at];
      ++seen_;
      for (std::size_t f = 0; f < of_.size(); ++f) {
        const double value = values(row, f);
        track& t = of_[f];
        t.sums[at] += value;
        t.sum += value;
        t.low = std::min(t.low, value);
        t.high = std::max(t.high, value);
      }
    }
  }

  double mean(std::size_t f) const { return of_[f].sum / static_cast<double>(seen_); }
  json_value json() const {
    json_value all = json_value::object();
    for (std::size_t f = 0; f < of_.size(); ++f) {
      json_value values = json_value::array();
      for (std::size_t c = 0; c < columns_; ++c)
        values.push_back(short_number(of_[f].sums[c] / counts_[c], 4));
      all.add(names_[f],
              json_object("minimum", short_number(of_[f].low, 6), "mean", short_number(mean(f), 6),
                          "maximum", short_number(of_[f].high, 6), "values", values));
    }
    return all;
  }

 private:
  struct track {
    std::vector<double> sums;
    double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;
  };
  std::vector<std::string> names_;
  std::uint64_t segments_, seen_ = 0;
  std::size_t columns_;
  std::vector<track> of_;
  std::vector<double> counts_;
};

welch_options density_options(const sound_info& info, std::uint64_t frames) {
  welch_options o{
      .rate_hz = static_cast<double>(info.rate_hz),
      .segment_length = static_cast<std::size_t>(std::min<std::uint64_t>(4096, frames))};
  o.overlap = o.segment_length / 2;
  o.n_fft = o.segment_length;
  return o;
}

/// Every bin, or where those are too many the highest of those that lie together on an axis in
/// octaves.
json_value spectrum_json(const density& of, const welch_options& welch, std::size_t points) {
  const std::size_t bins = of.power.extent(1);
  const double bin_hz = welch.rate_hz / static_cast<double>(welch.n_fft);
  json_value hz = json_value::array(), levels = hz;
  // A group reaches over one of `points` equal steps of the axis, from bin 1 to the last.
  const double ratio = std::pow(static_cast<double>(bins), 1 / static_cast<double>(points));
  std::size_t first = 1, strongest = 0;
  for (std::size_t k = 0; k < bins; ++k) {
    if (of.power(0u, k) > of.power(0u, strongest)) strongest = k;
    const bool ends = bins <= points || k + 1 == bins ||
                      static_cast<double>(k + 1) > static_cast<double>(first) * ratio;
    if (!ends) continue;
    hz.push_back(short_number(static_cast<double>(strongest) * bin_hz, 6));
    levels.push_back(
        short_number(power_to_db(of.power(0u, strongest), full_scale_power(welch, strongest)), 5));
    first = k + 1;
    strongest = std::min(k + 1, bins - 1);
  }
  return json_object("hz", hz, "db", levels, "bin_hz", short_number(bin_hz, 6),
                     "noise_bandwidth_hz", short_number(of.noise_bandwidth_hz, 6), "segments",
                     of.segments);
}

/// Some of the file's own text, as much as a page has room for.
std::string shortened(const std::string& text) {
  std::string safe = printable(text);
  if (safe.size() <= most_text) return safe;
  std::size_t end = most_text;
  while ((static_cast<unsigned char>(safe[end]) & 0xc0) == 0x80) --end;
  return safe.substr(0, end) + "\u2026";
}

struct analysis {
  sound_facts sound;
  stft_options picture;
  frequency_axis axis;
  array<double, 2> powers;  ///< [rows, columns]
  spectrogram_columns columns;
  std::size_t picture_columns;
  welch_options welch;
  density found;
  std::vector<spectral_peak> peaks;
  level_track levels;
  feature_track features;
  stft_options segments;
  std::optional<loudness_summary> loudness;  ///< of rates and channels that have one
};

analysis analyse(const page_request& request, const page_detail& detail, const file_request& of) {
  excerpt_reader reader(of.file, request.sound, request.part, of.progress);
  const sound_info& info = reader.info();
  const double rate_hz = info.rate_hz;
  stft_options usual = stft_flags{}.picture_options(rate_hz);
  usual.scaling = stft_scaling::dbfs;
  stft_flags flags;
  flags.use = preset_use::features;
  stft_options segments = flags.options(rate_hz);
  segments.scaling = stft_scaling::none;
  const auto memory = begin_work(of.file,
                                 reader.work(std::max<std::size_t>(usual.n_fft, 4096), segments.hop,
                                             real_type::double_precision),
                                 of.around);
  const frequency_axis axis = spectrogram_axis(frequency_scale::logarithmic, rate_hz, usual.n_fft);
  const feature_selection chosen{.rms = true,
                                 .centroid = true,
                                 .bandwidth = true,
                                 .rolloff = true,
                                 .flatness = true,
                                 .zero_crossings = true};
  // A file that ends before its header says is looked at again, so that nothing ends in a blank.
  for (;;) {
    const std::uint64_t frames = reader.part().frames;
    stft_options picture = usual;
    picture.hop = spectrogram_hop(usual, frames, detail.columns);
    panel_spectrograms spectrogram(of.plans.stft(picture), 1,
                                   {.channels = reader.channels(),
                                    .samples = frames,
                                    .rows = detail.rows,
                                    .columns = detail.columns,
                                    .axis = axis,
                                    .rate_hz = rate_hz});
    const welch_options welch = density_options(info, frames);
    density_estimator estimator(welch, reader.channels());
    feature_extractor extractor(chosen, segments, rate_hz, reader.channels(), of.plans);
    feature_track features(extractor.columns(), of.plans.stft<double>(segments).segments(frames),
                           std::min(detail.points, detail.columns) / 2);
    level_track levels(frames, detail.columns);
    std::optional<loudness_meter> meter;
    if (has_loudness_rate(info.rate_hz) && reader.channels() <= 8)
      meter.emplace(rate_hz, reader.channels());
    reader.read([&](view<const float, 2> block) {
      spectrogram.push(block);
      estimator.push(block);
      extractor.push(block, features);
      levels.push(block);
      if (meter) meter->push(block);
    });
    if (reader.part().frames != frames) continue;
    spectrogram.finish();
    extractor.finish(features);
    estimator.end_pass();
    if (meter) meter->finish();
    density found = estimator.result(psd_scaling::density, false);
    std::vector<spectral_peak> peaks = estimator.peaks(found, request.peaks, 120);
    return {.sound = reader.facts(),
            .picture = picture,
            .axis = axis,
            .powers = std::move(spectrogram.levels().front()),
            .columns = spectrogram.columns(),
            .picture_columns = detail.columns,
            .welch = welch,
            .found = std::move(found),
            .peaks = std::move(peaks),
            .levels = std::move(levels),
            .features = std::move(features),
            .segments = segments,
            .loudness = meter ? std::optional(meter->summary()) : std::nullopt};
  }
}

json_value spectrogram_json(const analysis& a) {
  const double most = *std::ranges::max_element(a.powers);
  const float ceiling = most > 0 ? static_cast<float>(power_to_db(most)) : 0.0f;
  array<float, 2> levels(a.powers.extents());
  power_to_db(a.powers.flat(), levels.flat(), 1.0, ceiling - range_db);
  levels = spread_columns(levels.view(), a.columns, a.sound.part.frames, a.picture_columns);
  const level_colors colors{
      .floor_db = ceiling - range_db, .ceiling_db = ceiling, .steps = level_steps};
  return json_object("png", png_address(level_png(levels.view(), colors)), "columns",
                     levels.extent(1), "rows", levels.extent(0), "floor_db",
                     short_number(double{colors.floor_db}, 6), "ceiling_db",
                     short_number(double{colors.ceiling_db}, 6), "low_hz", a.axis.low_hz, "high_hz",
                     a.axis.high_hz, "text", segments_text(a.picture));
}

json_value facts_json(const analysis& a) {
  const sound_info& info = a.sound.info;
  json_value facts = json_value::array();
  const auto add = [&](const std::string& name, const std::string& text) {
    facts.push_back(std::pair(name, shortened(text)));
  };
  add("File", shown_name(a.sound.file));
  add("Format", info.container + ", " + info.encoding);
  add("Duration", info.length_known ? format_duration(info.duration_seconds())
                                    : "not known: not read to its end");
  add("Sample rate", fmt::format("{} Hz", info.rate_hz));
  add("Channels", fmt::format("{}", info.channels));
  if (info.length_known) add("Frames", fmt::format("{}", info.frames));
  if (!info.length_known || a.sound.part.frames != info.frames)
    add("Shown", fmt::format("{} from {}", format_duration(a.sound.part.duration_seconds(info)),
                             format_duration(a.sound.part.start_seconds(info))));
  if (a.loudness) add("Loudness", loudness_text(*a.loudness));
  if (info.decoded_by == "ffmpeg") add("Decoded by", "ffmpeg");
  for (const auto& [name, value] : info.tags)
    if (!value.empty()) add(name, value);
  return facts;
}

json_value level_json(const std::optional<double>& level) {
  return level ? short_number(*level, 4) : json_value();
}

json_value figures_json(const analysis& a) {
  const loudness_summary loudness = a.loudness.value_or(loudness_summary());
  const double peak = a.levels.peak(), power = a.found.mean_square;
  return json_object(
      "name", shortened(picture_title("", a.sound.file)), "duration_seconds",
      short_number(a.sound.part.duration_seconds(a.sound.info), 9), "rate_hz", a.sound.info.rate_hz,
      "channels", a.sound.info.channels, "level_dbfs", short_number(power_to_db(power, 0.5), 5),
      "peak_dbfs", short_number(power_to_db(peak * peak), 5), "peak_hz",
      a.peaks.empty() ? json_value() : short_number(a.peaks.front().frequency_hz, 6), "centroid_hz",
      short_number(a.features.mean(1), 6), "flatness", short_number(a.features.mean(4), 4),
      "integrated_lufs", level_json(loudness.integrated_lufs), "loudness_range_lu",
      level_json(loudness.range_lu), "true_peak_dbtp", level_json(loudness.true_peak_dbtp));
}

}  // namespace

std::size_t page_detail::most_bytes() const {
  // A picture's byte a pixel and its Huffman codes, in base64; numbers of 11 characters at most.
  return (columns * rows * 11 / 8) + 11 * (2 * points + 2 * columns + 6 * columns / 2) + 16000;
}

page_detail page_detail_of(std::size_t sounds) {
  page_detail detail;
  for (double side = 1; detail.most_bytes() * sounds > page_bytes && detail.columns > 128;) {
    side *= 0.95;
    detail.columns = std::max<std::size_t>(128, static_cast<std::size_t>(960 * side));
    detail.rows = std::max<std::size_t>(64, static_cast<std::size_t>(360 * side));
    detail.points = std::max<std::size_t>(128, static_cast<std::size_t>(960 * side));
  }
  return detail;
}

json_value page_palette() {
  json_value palette = json_value::array();
  for (int i = 0; i < level_steps; ++i) {
    const rgb c = color_at(color_map::magma, i / static_cast<double>(level_steps - 1));
    palette.push_back(c.red << 16 | c.green << 8 | c.blue);
  }
  return palette;
}

page_sound look_at_sound(const page_request& request, const page_detail& detail,
                         const file_request& of) {
  analysis a = analyse(request, detail, of);
  page_sound made{.figures = figures_json(a), .part = {}, .warnings = a.sound.warnings};
  if (a.sound.replaced_samples > 0)
    made.warnings.push_back(
        fmt::format("{}, not numbers, replaced by 0", counted(a.sound.replaced_samples, "sample")));
  json_value peaks = json_value::array(), warnings = peaks;
  for (const spectral_peak& p : a.peaks)
    peaks.push_back(
        std::pair(short_number(p.frequency_hz, 7), short_number(power_to_db(p.power), 5)));
  for (const std::string& warning : made.warnings) warnings.push_back(shortened(warning));
  made.part = json_line(
      json_object("facts", facts_json(a), "figures", made.figures, "start_seconds",
                  a.sound.part.start_seconds(a.sound.info), "duration_seconds",
                  a.sound.part.duration_seconds(a.sound.info), "spectrogram", spectrogram_json(a),
                  "spectrum", spectrum_json(a.found, a.welch, detail.points), "spectrum_text",
                  fmt::format("Welch, {} of {}", counted(a.found.segments, "segment"),
                              counted(a.welch.segment_length, "sample")),
                  "levels", a.levels.json(), "features", a.features.json(), "features_text",
                  segments_text(a.segments), "peaks", peaks, "warnings", warnings));
  return made;
}

}  // namespace papilio::cli

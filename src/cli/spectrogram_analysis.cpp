#include "cli/spectrogram_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cli/partials.hpp"

namespace papilio::cli {
namespace {

constexpr std::size_t listed_peaks = 5;

plot_extent panel_extent(const spectrogram_request& r, const std::string& file,
                         std::size_t panels) {
  try {
    return spectrogram_panel_extents(r.bare_picture(panels)).front();
  } catch (const invalid_argument&) {
    throw bad_file(file,
                   "--channels stacked: its {} channels do not fit a picture {} pixels "
                   "high; choose a greater --height, or one with --channel",
                   panels, r.args.height);
  }
}

std::size_t panels_of(const spectrogram_request& r, std::size_t channels) {
  if (r.is_stacked()) return channels;
  return r.args.comparison.empty() || r.is_difference() ? 1 : 2;
}

/// The most columns of its picture.
std::size_t columns_over_time(const spectrogram_request& r, const plot_extent& plot) {
  return r.args.waterfall ? plot.height : plot.width;
}

/// A live window has chosen its columns, of whole hops.
stft_options segments_of(const spectrogram_request& r, const pictured_sound& of,
                         const plot_extent& plot) {
  stft_options stft = r.args.stft.picture_options(of.info.rate_hz, r.preset);
  if (r.args.stft.leaves_hop() && of.most_columns == unlimited_frames)
    stft.hop = spectrogram_hop(stft, of.frames_shown, columns_over_time(r, plot));
  return stft;
}

/// The levels with columns that are not numbers behind them.
array<float, 2> widened(const array<float, 2>& levels, std::size_t columns) {
  array<float, 2> wide({levels.extent(0), columns});
  for (std::size_t r = 0; r < levels.extent(0); ++r)
    for (std::size_t c = 0; c < columns; ++c)
      wide(r, c) = c < levels.extent(1) ? levels(r, c) : std::numeric_limits<float>::quiet_NaN();
  return wide;
}

/// The local maxima of the mean power of bins, strongest first, between bins by parabolas through levels.
std::vector<spectral_peak> peaks_in_octaves(std::span<const double> power,
                                            const constant_q_options& o, std::size_t count) {
  std::vector<spectral_peak> found;
  for (std::size_t k = 1; k + 1 < power.size(); ++k) {
    if (!(power[k] > power[k - 1] && power[k] >= power[k + 1])) continue;
    double shift = 0, level = std::log(power[k]);
    if (power[k - 1] > 0 && power[k + 1] > 0) {
      const double below = std::log(power[k - 1]), above = std::log(power[k + 1]);
      shift = 0.5 * (below - above) / (below - 2 * level + above);
      level -= 0.25 * (below - above) * shift;
    }
    const double bin = static_cast<double>(k) + shift;
    found.push_back(
        {o.fmin_hz * std::exp2(bin / static_cast<double>(o.bins_per_octave)), std::exp(level)});
  }
  std::ranges::stable_sort(found, std::greater(), &spectral_peak::power);
  found.resize(std::min(found.size(), count));
  return found;
}

}  // namespace

spectrogram_maker::spectrogram_maker(const spectrogram_request& r, const pictured_sound& of,
                                     signal_detail::plan_store& plans)
    : request_(r), rate_hz_(of.info.rate_hz), frames_shown_(of.frames_shown) {
  const std::size_t panels = panels_of(r, of.channels);
  const plot_extent extent = panel_extent(r, of.file, panels);
  if (r.is_in_octaves())
    begin_octaves(of, extent, plans);
  else
    begin_segments(of, extent, panels, plans);
  if (!r.args.overlay.empty()) overlay_.emplace(of.file, rate_hz_, of.channels);
  if (r.args.strip.empty()) return;
  const double share = static_cast<double>(of.frames) / static_cast<double>(of.frames_shown);
  strip_.emplace(r.args.strip == "level" ? sound_strip::kind::level : sound_strip::kind::waveform,
                 of.frames,
                 static_cast<std::size_t>(std::max(
                     1.0, std::round(share * static_cast<double>(columns_over_time(r, extent))))));
  empty_strip_columns_ = static_cast<std::size_t>(
      std::lround(static_cast<double>(strip_->columns()) * (1 / share - 1)));
}

void spectrogram_maker::begin_segments(const pictured_sound& of, const plot_extent& extent,
                                       std::size_t panels, signal_detail::plan_store& plans) {
  stft_ = segments_of(request_, of, extent);
  axis_ = request_.axis_of(of.file, rate_hz_, stft_.n_fft);
  const std::size_t over_time = columns_over_time(request_, extent);
  stft_options levels = stft_;
  levels.scaling = stft_scaling::dbfs;
  const stft_plan<float> plan = plans.stft(levels);
  const auto most_columns =
      static_cast<std::size_t>(std::min<std::uint64_t>(over_time, of.most_columns));
  picture_columns_ = plan.segments(of.frames_shown) > most_columns ? most_columns : over_time;
  const std::size_t analysed = request_.is_stacked() ? panels : 1;
  spectrograms_.emplace(plan, analysed,
                        pooled_spectrogram_options{
                            .channels = analysed > 1 ? 1 : of.channels,
                            .samples = of.frames,
                            .rows = request_.args.waterfall ? extent.width : extent.height,
                            .columns = most_columns,
                            .span = of.frames_shown,
                            .pool = request_.args.pool == "mean" ? pooling::mean : pooling::maximum,
                            .axis = axis_,
                            .rate_hz = rate_hz_});
}

void spectrogram_maker::begin_octaves(const pictured_sound& of, const plot_extent& extent,
                                      signal_detail::plan_store& plans) {
  const std::size_t over_time = columns_over_time(request_, extent);
  octave_options_ = request_.octaves_of(of.file, rate_hz_, of.frames_shown, over_time, axis_);
  const constant_q_plan<float> plan = plans.constant_q(*octave_options_);
  const auto most_columns =
      static_cast<std::size_t>(std::min<std::uint64_t>(over_time, of.most_columns));
  picture_columns_ = plan.segments(of.frames_shown) > most_columns ? most_columns : over_time;
  octaves_.emplace(plan,
                   signal_detail::octave_picture{
                       .channels = of.channels,
                       .stacked = request_.is_stacked(),
                       .samples = of.frames,
                       .span = of.frames_shown,
                       .rows = request_.args.waterfall ? extent.width : extent.height,
                       .columns = most_columns,
                       .pool = request_.args.pool == "mean" ? pooling::mean : pooling::maximum,
                       .axis = axis_});
}

void spectrogram_maker::push(view<const float, 2> block) {
  if (octaves_)
    octaves_->push(block);
  else
    spectrograms_->push(block);
  if (strip_) strip_->push(block);
  if (overlay_) overlay_->push(block);
}

spectrogram_analysis spectrogram_maker::finish(const sound_facts& sound) {
  spectrogram_analysis made{.sound = sound,
                            .stft = stft_,
                            .octaves = octave_options_,
                            .axis = axis_,
                            .frames_shown = frames_shown_,
                            .picture_columns = picture_columns_,
                            .strip = {}};
  const std::size_t most_peaks = std::max(listed_peaks, request_.args.peaks);
  const auto fill = [&](auto& of) {
    of.finish();
    made.segments = of.segments();
    made.powers = of.levels();
    made.columns = of.columns();
    const std::vector<double> mean = of.mean_power();
    made.is_silent = std::ranges::none_of(mean, [](double p) { return p > 0; });
    return mean;
  };
  if (octaves_)
    made.peaks = peaks_in_octaves(fill(*octaves_), *octave_options_, most_peaks);
  else
    made.peaks =
        partials(fill(*spectrograms_), {stft_, rate_hz_, sound.part.frames, axis_}, most_peaks);
  if (overlay_) made.curve_hz = overlay_->finish(frames_shown_, request_.args.width);
  if (strip_) made.strip = strip_->made(empty_strip_columns_);
  return made;
}

std::string analysis_text(const spectrogram_analysis& of) {
  if (!of.octaves) return segments_text(of.stft);
  const constant_q_options& o = *of.octaves;
  return fmt::format("{} Q, {} bins an octave, hop {}, {} window",
                     o.gamma_hz ? "constant" : "variable", o.bins_per_octave, o.hop,
                     to_string(o.window));
}

json_value analysis_fields(const spectrogram_analysis& of) {
  if (!of.octaves) return segments_fields(of.segments, of.stft);
  const constant_q_options& o = *of.octaves;
  return json_object("segments", of.segments, "transform", o.gamma_hz ? "cqt" : "vqt", "bins",
                     o.bins, "bins_per_octave", o.bins_per_octave, "hop", o.hop, "window",
                     to_string(o.window));
}

namespace {

/// At most `most_frames` of the reader's excerpt, beside a sound of `frames_beside`.
spectrogram_analysis analyse(const spectrogram_request& r, const file_request& of,
                             excerpt_reader& reader, std::uint64_t frames_beside = 0,
                             std::uint64_t most_frames = unlimited_frames) {
  const sound_info& info = reader.info();
  const auto pictured = [&] {
    const std::uint64_t expected = std::min(reader.part().frames, most_frames);
    return pictured_sound{of.file, info, reader.channels(), expected,
                          std::max(expected, frames_beside)};
  };
  const plot_extent extent = panel_extent(r, of.file, panels_of(r, reader.channels()));
  stft_options stft = segments_of(r, pictured(), extent);
  if (r.is_in_octaves()) {
    // Work is counted in the blocks that are transformed at once; they overlap by a quarter at most.
    frequency_axis axis;
    const constant_q_options octaves = r.octaves_of(of.file, info.rate_hz, pictured().frames_shown,
                                                    columns_over_time(r, extent), axis);
    stft.n_fft = of.plans.constant_q(octaves).block_size();
    stft.hop = stft.n_fft / 4 * 3;
  }
  const auto memory = begin_work(of.file, reader.work(stft.n_fft, stft.hop), of.around);
  // A file that ends before its header says is analysed again, so that the picture has no blank
  // rest.
  for (;;) {
    const pictured_sound sound_of = pictured();
    spectrogram_maker maker(r, sound_of, of.plans);
    reader.read([&](view<const float, 2> block) { maker.push(block); }, sound_of.frames);
    if (reader.part().frames < sound_of.frames) continue;
    sound_facts sound = reader.facts();
    sound.part.frames = sound_of.frames;
    return maker.finish(sound);
  }
}

}  // namespace

spectrogram_analysis analyse(const spectrogram_request& r, const file_request& of) {
  excerpt_reader reader(of.file, r.args.sound, r.args.part, of.progress);
  spectrogram_analysis made = analyse(r, of, reader);
  if (r.args.beats) made.beats = beats_of(reader, of.file);
  return made;
}

std::vector<spectrogram_analysis> analyse_both(const spectrogram_request& r, const file_request& of,
                                               const std::string& other) {
  const file_request second{other, of.outs, of.plans, {}, of.around};
  excerpt_reader one(of.file, r.args.sound, r.args.part, of.progress);
  excerpt_reader two(other, r.args.sound, r.args.part, {});
  if (two.info().rate_hz != one.info().rate_hz)
    throw bad_file(other, "--compare: its rate is {} Hz, that of {} is {} Hz", two.info().rate_hz,
                   shown_name(of.file), one.info().rate_hz);
  // Until no more turns out to be missing.
  for (;;) {
    const std::uint64_t a = one.part().frames, b = two.part().frames;
    const std::uint64_t most = r.is_difference() ? std::min(a, b) : unlimited_frames;
    std::vector<spectrogram_analysis> both;
    both.push_back(analyse(r, of, one, r.is_difference() ? 0 : b, most));
    both.push_back(analyse(r, second, two, r.is_difference() ? 0 : a, most));
    if (one.part().frames == a && two.part().frames == b) return both;
  }
}

namespace {

/// In dBFS, whatever it is relative to. Digital silence has no maximum: 0 dBFS stands for it.
shown_levels in_dbfs(const shown_levels& range, const std::vector<spectrogram_analysis>& sounds) {
  if (!range.below_maximum) return range;
  double most = 0;
  for (const spectrogram_analysis& sound : sounds)
    for (const array<double, 2>& panel : sound.powers)
      for (const double power : panel) most = std::max(most, std::isnan(power) ? 0.0 : power);
  const float maximum_db = most > 0 ? static_cast<float>(power_to_db(most)) : 0.0f;
  return {range.floor_db + maximum_db, range.ceiling_db + maximum_db, false};
}

/// The powers in dB, as many columns of each panel.
void make_levels(std::vector<spectrogram_analysis>& sounds, float floor_db) {
  std::size_t columns = 0;
  for (spectrogram_analysis& sound : sounds) {
    sound.levels.clear();
    for (const array<double, 2>& powers : sound.powers) {
      sound.levels.emplace_back(powers.extents());
      power_to_db(powers.flat(), sound.levels.back().flat(), 1.0, floor_db);
      columns = std::max(columns, powers.extent(1));
    }
  }
  // The part of a live sound that has not arrived yet has its columns too, empty.
  const spectrogram_analysis& first = sounds.front();
  if (sounds.size() == 1 && first.sound.part.frames < first.frames_shown) {
    const double rest = static_cast<double>(first.frames_shown) - first.columns.first;
    columns = std::max(columns, static_cast<std::size_t>(
                                    std::max(0L, std::lround(rest / first.columns.step + 0.25))));
  }
  for (spectrogram_analysis& sound : sounds)
    for (array<float, 2>& levels : sound.levels)
      if (levels.extent(1) < columns) levels = widened(levels, columns);
}

void subtract(const array<float, 2>& before, array<float, 2>& after) {
  for (std::size_t i = 0; i < after.size(); ++i) after.data()[i] -= before.data()[i];
}

std::string file_name(const spectrogram_analysis& a) { return picture_title({}, a.sound.file); }

}  // namespace

spectrogram_picture picture_of(const spectrogram_request& r,
                               std::vector<spectrogram_analysis>& sounds) {
  const spectrogram_analysis& first = sounds.front();
  const shown_levels shown = in_dbfs(r.range, sounds);
  spectrogram_picture picture = r.bare_picture(0);
  picture.floor_db = shown.floor_db;
  picture.ceiling_db = shown.ceiling_db;
  make_levels(sounds, picture.floor_db);
  if (r.is_difference()) subtract(sounds[0].levels[0], sounds[1].levels[0]);
  for (spectrogram_analysis& sound : sounds) {
    sound.shown.clear();
    for (const array<float, 2>& levels : sound.levels)
      sound.shown.push_back(
          spread_columns(levels.view(), sound.columns, sound.frames_shown, sound.picture_columns));
  }
  for (const spectrogram_analysis& sound : sounds)
    for (const array<float, 2>& levels : sound.shown)
      picture.panels.push_back(
          {levels.view(), sounds.size() > 1
                              ? file_name(sound)
                              : fmt::format("Channel {}", picture.panels.size() + 1)});
  picture.start_seconds = first.sound.part.start_seconds(first.sound.info);
  for (const spectrogram_analysis& sound : sounds)
    picture.duration_seconds = std::max(&sound == &first ? 0.0 : picture.duration_seconds,
                                        sound.sound.part.duration_seconds(sound.sound.info));
  if (first.beats) picture.marked_seconds = first.beats->seconds;
  picture.scale = first.axis.scale;
  picture.low_hz = first.axis.low_hz;
  picture.high_hz = first.axis.high_hz;
  picture.title = sounds.size() > 1 ? r.args.title : picture_title(r.args.title, first.sound.file);
  picture.caption = fmt::format("{}, {} Hz", analysis_text(first), first.sound.info.rate_hz);
  picture.strip = first.strip;
  picture.curve_hz = first.curve_hz;
  picture.marks =
      marks_of(std::span(first.peaks).first(std::min(r.args.peaks, first.peaks.size())));
  if (!r.is_difference()) return picture;

  picture.panels = {{sounds[1].shown[0].view(), {}}};
  picture.ceiling_db = static_cast<float>(r.args.difference_range_db);
  picture.floor_db = -picture.ceiling_db;
  picture.level_quantity = "Difference";
  picture.level_unit = "dB";
  if (picture.title.empty())
    picture.title = fmt::format("{} \u2212 {}", file_name(sounds[1]), file_name(sounds[0]));
  return picture;
}

}  // namespace papilio::cli

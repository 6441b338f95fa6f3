#include <algorithm>
#include <cmath>

#include "cli/row_features.hpp"
#include "cli/sound_verb.hpp"
#include "cli/stft_flags.hpp"
#include "io/number_table.hpp"
#include "signal/feature_extractor.hpp"

namespace papilio::cli {

namespace {
namespace features_parts {

using namespace signal_detail;

constexpr const char* group = "Features";

/// The flags of features.
struct feature_flags {
  feature_selection chosen = {};  ///< as far as flags that are bools say
  bool mel_db = false;
  std::optional<double> rolloff_share, fmin_hz, fmax_hz, lifter, top_db;
  std::optional<std::size_t> bands, coefficients;
  row_feature_flags rows;
  std::string mel_scale, mel_norm;  ///< empty: the preset's

  /// Flags that choose the features.
  void add_choice_to(command& verb) {
    verb.add(
        {{"--rms", chosen.rms,
          "Root of the mean square of the segment's samples, without the window"},
         {"--centroid", chosen.centroid, "Mean frequency, weighted by magnitude, Hz"},
         {"--bandwidth", chosen.bandwidth, "Standard deviation about the centroid, Hz"},
         {"--rolloff", chosen.rolloff, "Frequency below which lie 85 % of the magnitudes, Hz"},
         {"--flatness", chosen.flatness,
          "Geometric over arithmetic mean of the powers: 0 tone, 1 noise"},
         {"--zero-crossings", chosen.zero_crossings, "Changes of sign / number of samples"},
         {"--onset", chosen.onset, "Mean rise of the levels of mel bands, dB: onset strength"},
         {"--mel", chosen.mel, "Powers of mel bands"},
         {"--mfcc", chosen.mfcc, "Mel-frequency cepstral coefficients"},
         {"--contrast", chosen.contrast, "Levels of peaks over valleys in octaves, dB"},
         {"--pcen", chosen.pcen,
          "Mel bands of magnitudes, their gain controlled and compressed (PCEN)"},
         {"--erb", chosen.erb, "Powers of bands that are even in ERB number: triangles"},
         {"--gammatone", chosen.gammatone, "Powers of the same bands: gammatone filters"},
         {"--f0", chosen.f0,
          "Fundamental frequency (pYIN), Hz, whether it is voiced, and its probability"},
         {"--loudness", chosen.loudness,
          "Momentary and short-term loudness up to the segment's centre, LUFS"},
         {"--deltas", chosen.delta_orders,
          "Deltas of all columns but f0 and loudness of the orders 1 to this, as columns after\n"
          "them",
          whole_number_from(1, 8)}},
        group);
  }
  /// How mel is made.
  void add_mel_to(command& verb) {
    verb.add(
        {{"--n-mels|--bands", bands, "Number of mel bands [128]", whole_number_from(1, 4096)},
         {"--mel-scale", mel_scale, "slaney or htk [slaney; torch htk]", one_of({"slaney", "htk"})},
         {"--mel-norm", mel_norm, "slaney: bands of area 1; none: of height 1 [slaney; torch none]",
          one_of({"slaney", "none"})},
         {"--fmin", fmin_hz, "Lower edge of the lowest band, Hz [0; ERB bands 50]",
          number_from(0, 1e9)},
         {"--fmax", fmax_hz, "Upper edge of the highest band, Hz [half the rate]",
          number_from(1e-9, 1e9)},
         {"--mel-db", mel_db, "Mel bands as levels, 10 log10 of powers of 1e-10 and more"},
         {"--top-db", top_db,
          "Levels of mel bands, also those under mfcc, and of contrast are raised to the\n"
          "highest of the sound less this, dB [80; torch --mel-db: as they are]",
          number_from(0, 1000)}},
        group);
  }
  /// How the others are.
  void add_rest_to(command& verb) {
    verb.add({{"--rolloff-share", rolloff_share, "Share of the magnitudes below --rolloff [0.85]",
               number_from(1e-6, 1 - 1e-6)},
              {"--n-mfcc|--coefficients", coefficients,
               "Number of cepstral coefficients, at most --n-mels [20; torch 40]",
               whole_number_from(1, 4096)},
              {"--lifter", lifter,
               "Liftering of MFCC: coefficient i times 1 + (L/2) sin(pi (i+1) / L) [0: times 1]",
               number_from(0, 1e6)}},
             group);
    rows.add_to(verb, group);
  }
};

/// All that are one number a segment, where none is chosen; `preset` as of stft_flags. usage_error,
/// naming the flag, for those that contradict each other or belong to what is not chosen.
feature_selection selection_of(const feature_flags& f, const std::string& preset) {
  feature_selection s = f.chosen;
  if (s.is_empty())
    s.rms = s.centroid = s.bandwidth = s.rolloff = s.flatness = s.zero_crossings = true;
  require_chosen(f.rolloff_share.has_value(), "--rolloff-share", s.rolloff, "--rolloff");
  const bool banded = s.needs_bands();
  const char* const mel = "--mel, --mfcc, --pcen or --onset";
  const char* const any_bands = "--mel, --mfcc, --pcen, --onset, --erb or --gammatone";
  require_chosen(f.bands.has_value(), "--n-mels", banded, mel);
  require_chosen(!f.mel_scale.empty(), "--mel-scale", banded, mel);
  require_chosen(!f.mel_norm.empty(), "--mel-norm", banded, mel);
  require_chosen(f.fmin_hz.has_value(), "--fmin", banded || s.needs_auditory(), any_bands);
  require_chosen(f.fmax_hz.has_value(), "--fmax", banded || s.needs_auditory(), any_bands);
  require_chosen(f.mel_db, "--mel-db", s.mel, "--mel");
  require_chosen(f.top_db.has_value(), "--top-db", s.mfcc || f.mel_db || s.contrast,
                 "--mel-db, --mfcc or --contrast");
  require_chosen(f.coefficients.has_value(), "--n-mfcc", s.mfcc, "--mfcc");
  require_chosen(f.lifter.has_value(), "--lifter", s.mfcc, "--mfcc");
  s.rolloff_share = f.rolloff_share.value_or(0.85);
  if (f.top_db) s.octaves.levels.top_db = f.top_db;
  s.auditory.fmin_hz = f.fmin_hz.value_or(s.auditory.fmin_hz);
  s.auditory.fmax_hz = f.fmax_hz;
  f.rows.select(s);
  const bool torch = preset == "torch";
  const mfcc_settings usual = torch ? torchaudio_mfcc() : librosa_mfcc();
  s.whole_hz = torch;
  s.bands = usual.mel;
  if (f.bands) s.bands.bands = *f.bands;
  if (!f.mel_scale.empty())
    s.bands.scale = f.mel_scale == "htk" ? papilio::mel_scale::htk : papilio::mel_scale::slaney;
  if (!f.mel_norm.empty())
    s.bands.norm = f.mel_norm == "none" ? papilio::mel_norm::none : papilio::mel_norm::slaney;
  s.bands.fmin_hz = f.fmin_hz.value_or(0);
  s.bands.fmax_hz = f.fmax_hz;
  if (f.fmax_hz && *f.fmax_hz <= s.bands.fmin_hz)
    throw usage_error("--fmax: must be above --fmin {}, got {}", s.bands.fmin_hz, *f.fmax_hz);
  s.cepstrum = usual.mfcc;
  s.cepstrum.lifter = f.lifter.value_or(0);
  s.cepstrum.coefficients =
      f.coefficients.value_or(std::min(usual.mfcc.coefficients, s.bands.bands));
  if (s.mfcc && s.cepstrum.coefficients > s.bands.bands)
    throw usage_error("--n-mfcc: must be at most --n-mels {}, got {}", s.bands.bands,
                      s.cepstrum.coefficients);
  // librosa.power_to_db cuts as its mfcc, torchaudio's AmplitudeToDB does not.
  if (f.mel_db) {
    s.mel_levels = usual.mfcc.decibel;
    if (torch) s.mel_levels->top_db = std::nullopt;
  }
  if (!f.top_db) return s;
  if (f.mel_db) s.mel_levels->top_db = f.top_db;
  s.cepstrum.decibel.top_db = f.top_db;
  return s;
}

struct arguments {
  feature_flags features;
  stft_flags stft;  ///< --scaling does not matter
  excerpt_request part;
  sound_flags sound;
  bool no_time = false, time_in_npy = true;

  void add_to(command& verb) {
    features.add_choice_to(verb);
    features.add_mel_to(verb);
    features.add_rest_to(verb);
    verb.add({{"--no-time", no_time, "Leave out the column time_seconds"}});
    add_common_to(verb);
  }
  void add_common_to(command& verb) {
    stft.add_to(verb, {.scaling = false, .use = preset_use::features});
    part.add_to(verb);
    sound.add_to(verb);
  }
};

/// An array of mel bands is what networks are fed with.
struct mel_arguments : arguments {
  void add_to(command& verb) {
    features.chosen.mel = true;
    time_in_npy = false;
    features.add_mel_to(verb);
    add_common_to(verb);
  }
};

void require_bands(const std::string& file, const feature_selection& what, const sound_info& info,
                   std::size_t n_fft) {
  const double rate_hz = what.band_rate_hz(info.rate_hz), highest = rate_hz / 2;
  const auto refuse = [&](const char* flag, double value) {
    throw bad_file(file, "{} {}: must be {} half its rate, {} Hz", flag, value,
                   std::string(flag) == "--fmin" ? "below" : "at most", highest);
  };
  const auto require_range = [&](double fmin_hz, std::optional<double> fmax_hz) {
    if (fmax_hz && *fmax_hz > highest) refuse("--fmax", *fmax_hz);
    if (fmin_hz >= highest) refuse("--fmin", fmin_hz);
  };
  if (what.needs_bands()) require_range(what.bands.fmin_hz, what.bands.fmax_hz);
  if (what.needs_auditory()) require_range(what.auditory.fmin_hz, what.auditory.fmax_hz);
  require_octaves(file, what, rate_hz, n_fft);
  require_pitches(file, what, rate_hz, n_fft);
}

/// Takes the extractor's rows: writes them to tables and sums them for the report.
class row_sink {
 public:
  row_sink(const stft_options& stft, double rate_hz, std::uint64_t first_frame,
           std::vector<std::unique_ptr<io_detail::number_table>> tables)
      : rate_hz_(rate_hz),
        first_sample_(static_cast<double>(first_frame) +
                      (stft.centre ? 0.0 : static_cast<double>(stft.n_fft) / 2)),
        hop_(static_cast<double>(stft.hop)),
        tables_(std::move(tables)) {}

  void operator()(std::uint64_t first, view<const double, 2> values) {
    if (sums_.empty()) sums_.resize(values.extent(1));
    for (std::size_t row = 0; row < values.extent(0); ++row)
      for (std::size_t column = 0; column < sums_.size(); ++column)
        sums_[column].add(values(row, column));
    segments_ += values.extent(0);
    times_.clear();
    for (std::size_t row = 0; row < values.extent(0); ++row)
      times_.push_back((first_sample_ + static_cast<double>(first + row) * hop_) / rate_hz_);
    for (const auto& table : tables_) table->write_rows(times_, values);
  }

  std::uint64_t segments() const { return segments_; }

  /// Returns each column's name, minimum, mean and maximum.
  table_rows summary(const std::vector<std::string>& names) const {
    table_rows all;
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c].add_to(all, names[c]);
    return all;
  }

  void commit() {
    commit_group together;
    for (const auto& table : tables_) table->commit();
    together.finish();
  }

 private:
  double rate_hz_, first_sample_, hop_;
  std::vector<std::unique_ptr<io_detail::number_table>> tables_;
  std::uint64_t segments_ = 0;
  std::vector<column_sums> sums_;
  std::vector<double> times_;
};

void add_warnings(const feature_selection& what, const sound_facts& sound, const stft_options& o,
                  const feature_extractor& extractor, std::vector<std::string>& warnings) {
  add_hop_warning(sound, o, warnings);
  add_pitch_warning(what, sound.info.rate_hz, o.n_fft, warnings);
  if (const std::size_t empty = extractor.empty_bands(); empty > 0)
    warnings.push_back(
        fmt::format("{} of {} mel bands are narrower than a bin and read 0: choose fewer --n-mels "
                    "or a longer --n-fft",
                    empty, what.bands.bands));
  if (const std::size_t empty = extractor.empty_erb_bands(); empty > 0)
    warnings.push_back(
        fmt::format("{} of {} ERB bands are narrower than a bin and read 0: choose fewer --n-erb "
                    "or a longer --n-fft",
                    empty, what.auditory.bands));
}

report report_of(const arguments& args, const std::vector<output>& outs, const sound_facts& sound,
                 const stft_options& o, const row_sink& rows,
                 const std::vector<std::string>& columns) {
  report made;
  for (const output& out : outs) made.line("table", "{}", out.name.string());
  return made.append(sound_report(sound))
      .line("analysis", "{}, {}, {}", counted(rows.segments(), "segment"), segments_text(o),
            channels_text(args.part, sound.info))
      .add("channel", args.part.channel)
      .add(segments_fields(rows.segments(), o))
      .table("features", "",
             {{"name", "{:<20}", "feature"},
              {"minimum", " {:>13.6g}", "minimum"},
              {"mean", " {:>13.6g}", "mean"},
              {"maximum", " {:>13.6g}", "maximum"}},
             rows.summary(columns))
      .add("table", outs.empty() ? json_value() : json_value(outs[0].name.string()));
}

/// Streams the file, and its tables; each appears whole or not at all. Levels below the highest of
/// the sound take a pass of their own.
report extract(const arguments& args, const feature_selection& what, const file_request& of) {
  const bool is_once = !what.needs_highest() && args.stft.preset != "scipy";
  excerpt_reader reader(of.file, args.sound, args.part, of.progress,
                        is_once ? reading::once : reading::again);
  std::vector<std::string> warnings;
  stft_options stft =
      args.stft.options_of(of.file, reader.part().frames, reader.info().rate_hz, warnings);
  stft.scaling = stft_scaling::none;
  const double rate_hz = what.band_rate_hz(reader.info().rate_hz);
  const auto memory = begin_work(
      of.file, reader.work(stft.n_fft, stft.hop, real_type::double_precision), of.around);
  require_bands(of.file, what, reader.info(), stft.n_fft);
  require_loudness(of.file, what, reader.info().rate_hz, reader.channels());
  const auto read_into = [&](feature_extractor& extractor, feature_extractor::sink sink) {
    reader.read([&](view<const float, 2> block) { extractor.push(block, sink); });
    extractor.finish(sink);
  };
  feature_selection chosen = what;
  if (what.needs_highest()) {
    const feature_selection first_pass = of_highest_values(what);
    feature_extractor levels(first_pass, stft, rate_hz, reader.channels(), of.plans);
    highest_values highest;
    read_into(levels, [&](std::uint64_t, view<const double, 2> values) {
      keep_highest(highest, first_pass, values);
    });
    chosen = with_fixed_levels(what, highest);
  }
  feature_extractor extractor(chosen, stft, rate_hz, reader.channels(), of.plans);
  std::vector<std::unique_ptr<io_detail::number_table>> tables;
  for (const output& out : of.outs) {
    const bool has_time = !args.no_time && (out.kind != "npy" || args.time_in_npy);
    tables.push_back(
        io_detail::make_number_table(out.path(), out.kind, has_time, extractor.columns()));
  }
  row_sink rows(stft, reader.info().rate_hz, reader.part().first, std::move(tables));
  read_into(extractor, rows);
  const sound_facts sound = reader.facts();
  if (rows.segments() == 0 && extractor.segments() > 0)
    throw bad_file(of.file,
                   "{} are too few for deltas of {}: choose a smaller --delta-width or "
                   "--hop",
                   counted(extractor.segments(), "segment"), what.delta_width);
  if (rows.segments() == 0)
    throw bad_file(of.file, "{} are too few for one segment of {}",
                   counted(sound.part.frames, "sample"), stft.n_fft);
  rows.commit();
  add_warnings(what, sound, stft, extractor, warnings);
  return report_of(args, of.outs, sound, stft, rows, extractor.columns()).warn(warnings);
}

file_task task_of(arguments& args, const output_flags& outputs) {
  if (args.no_time && !outputs.are_named()) throw usage_error("--no-time: needs --out");
  args.stft.options();  // refuses what fits no file
  return [args, what = selection_of(args.features, args.stft.preset)](const file_request& of) {
    return extract(args, what, of);
  };
}

file_task mel_task_of(mel_arguments& args, const output_flags& outputs) {
  return task_of(args, outputs);
}

}  // namespace features_parts
}  // namespace

sound_verb features_verb() {
  sound_verb of(
      "features",
      "Write features of each segment as a table: mel bands, MFCC, RMS, centroid and others");
  of.outputs.kinds = {"csv", "json", "npy"};
  of.outputs.streamed = {"csv", "json"};
  of.out_help =
      "Table to write: .csv, .json or .npy, the folder for it, or - for standard\n"
      "output [no table, only the summary]";
  of.prepare = prepared_by(features_parts::task_of);
  of.footer =
      R"(Without a choice, all features that are one number a segment, save onset. Numbers of one
channel are those of librosa.feature; under --preset torch mel, mfcc and centroid are those of
torchaudio.transforms. The presets still differ from the libraries in this:
  Several channels count by their mean power; librosa.load mixes their samples.
  --n-fft changes --hop too, unless that is given; librosa.feature keeps a hop of 512.
  Silence has a centroid of 0 Hz; torchaudio gives NaN.
  Bins of an odd --n-fft lie at k rate / n_fft; torchaudio stretches them to half the rate.
  Numbers are computed in double; where torchaudio computes in float, mel levels without
  --top-db show its rounding in bands that are nearly empty.
pcen takes mel bands of magnitudes times 2^31, as librosa advises for samples within 1.
Deltas are slopes per segment, and need --delta-width segments. erb and gammatone keep the
power of a sine at a band's centre. f0 of a segment that is not voiced is NaN, null in JSON; several
channels have one pitch, from the sum of their differences. Loudness is that of the last whole steps
of 100 ms before the segment's centre, NaN before the first 400 ms or 3 s, and -inf in silence.
rms and zero-crossings do not depend on --window. Levels that are cut below the highest of
the sound need a second pass over it. --preset scipy shortens the segment to a sound that
is shorter, as scipy does. A row's time is that of its segment's centre, from the file's
beginning. NPY: [segments, columns], float64, or float32 without time; CSV and JSON name the
columns. Files of the same names are replaced.)";
  of.examples.emplace_back("papilio features song.flac --mfcc --rms -o song.csv",
                           "one row a segment");
  of.examples.emplace_back("papilio features *.wav --mel -o tables",
                           "a table of each file, in a folder");
  of.examples.emplace_back("papilio features song.flac --mfcc --contrast --deltas 2 -o song.npy",
                           "with slopes and curvatures of all columns");
  of.examples.emplace_back("papilio features voice.flac --f0 --f0-max 600 -o voice.csv",
                           "the pitch, and where there is one");
  of.one_is_list = true;
  return of;
}

sound_verb mel_verb() {
  sound_verb mel = features_verb();
  mel.name = "mel";
  mel.outputs.kinds = {"npy", "csv", "json"};
  mel.prepare = prepared_by(features_parts::mel_task_of);
  return mel;
}

void add_features(program& app) { add_sound_verb(app, features_verb()); }

}  // namespace papilio::cli

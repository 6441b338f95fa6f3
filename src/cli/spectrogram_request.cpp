#include "cli/spectrogram_request.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace papilio::cli {
namespace {

// "-100:-20", or "80" for those 80 dB that end at the picture's maximum.
shown_levels parse_range(const std::string& text) {
  const std::vector<std::string> ends = split_words(text, ':');
  const bool below_maximum = ends.size() == 1;
  std::optional<float> low = read_number<float>(ends.front()),
                       high = read_number<float>(ends.back());
  if (below_maximum && low) {
    high = 0.0f;
    low = -std::abs(*low);
  }
  if (!low || !high || ends.size() > 2 || !(*high - *low >= 1) || *low < -1000 || *high > 1000)
    throw usage_error(
        "--range: must be LOW:HIGH in dBFS, from -1000 to 1000 and at least 1 apart, "
        "or N, from 1 to 1000, for N dB below the picture's maximum; got \"{}\"",
        text);
  return {*low, *high, below_maximum};
}

shown_levels range_of(const spectrogram_arguments& args, const picture_preset* preset) {
  if (!args.range.empty()) return parse_range(args.range);
  return {preset != nullptr ? -preset->range_db : -80.0f, 0, true};
}

frequency_scale scale_of(const spectrogram_arguments& args, const picture_preset* preset) {
  if (!args.frequency_axis.empty()) return frequency_scale_named(args.frequency_axis);
  if (args.transform != "stft") return frequency_scale::notes;
  return preset != nullptr ? preset->scale : frequency_scale::logarithmic;
}

/// usage_error, naming the flag, where one is of the other transform.
void require_transform(const spectrogram_request& r) {
  const spectrogram_arguments& args = r.args;
  if (!r.is_in_octaves()) {
    if (args.bins_per_octave)
      throw usage_error("--bins-per-octave: is for --transform cqt and vqt");
    return;
  }
  const std::pair<const char*, bool> flags[] = {
      {"--for", !args.shown_for.empty()},
      {"--n-fft", args.stft.n_fft.has_value()},
      {"--window-length", args.stft.window_length.has_value()},
      {"--padding", !args.stft.padding.empty()},
      {"--no-centre", args.stft.no_centre},
      {"--preset", !args.stft.leaves_hop() && !args.stft.hop},
      {"--follow", args.follow}};
  for (const auto& [flag, is_given] : flags)
    if (is_given) throw usage_error("{}: is for --transform stft", flag);
  if (!is_logarithmic(r.scale))
    throw usage_error("--frequency-axis: must be log or notes with --transform {}, got {}",
                      args.transform, args.frequency_axis);
  if (!args.stft.window.empty()) {
    using enum window_kind;
    const window_kind kind = parse_window(args.stft.window).kind;
    if (kind == gaussian || kind == tukey || kind == dpss)
      throw usage_error(
          "--window: must have a transform in closed form with --transform {} (any but gaussian, "
          "tukey and dpss), got {}",
          args.transform, args.stft.window);
  }
}

void require_fit(const spectrogram_request& r) {
  const spectrogram_arguments& args = r.args;
  args.stft.picture_options(44100, r.preset);  // refuses what is wrong at any rate
  require_transform(r);
  if (args.beats && (args.follow || !args.comparison.empty()))
    throw usage_error("--beats: are of one whole file, not of --follow or --compare");
  const std::optional<double> low = args.low_hz, high = args.high_hz;
  if (is_logarithmic(r.scale) && low && !(*low >= 1e-9))
    throw usage_error(
        "--fmin: must be above 0 on a logarithmic axis, got {}; --frequency-axis "
        "linear, mel and bark begin at 0",
        *low);
  if (low && high && *low >= *high)
    throw usage_error("--fmin: must be below --fmax {}, got {}", *high, *low);
  if (r.is_stacked() && args.part.channel)
    throw usage_error("--channels: stacked are all of them, but --channel chooses one");
  if (!args.strip.empty() && args.waterfall)
    throw usage_error("--strip: lies along the time axis, which --waterfall has at the side");
  if (args.follow && !args.comparison.empty())
    throw usage_error("--follow: is of one sound, not of two with --compare");
  if (args.follow && r.is_stacked())
    throw usage_error(
        "--follow: draws the channels' mean or one --channel, not --channels stacked");
  if (args.follow && !args.overlay.empty())
    throw usage_error("--overlay: is of a whole sound, not of one with --follow");
  if (args.graphics != "auto" && !args.terminal) throw usage_error("--graphics: is for --terminal");
  if (args.comparison.empty()) return;
  if (r.is_stacked())
    throw usage_error("--channels: stacked channels of two files are not compared");
  if (!args.strip.empty()) throw usage_error("--strip: is of one file, not of two with --compare");
  if (!args.overlay.empty())
    throw usage_error("--overlay: is of one file, not of two with --compare");
  if (args.peaks > 0) throw usage_error("--peaks: are of one file, not of two with --compare");
}

}  // namespace

void spectrogram_arguments::add_to(command& verb) {
  std::vector<std::string> kinds;
  for (const picture_preset& preset : picture_presets()) kinds.emplace_back(preset.name);
  verb.add({{"--for", shown_for,
             "What is to be seen: sets segments, window, frequency axis and range where their\n"
             "flags do not",
             one_of(std::move(kinds))}});
  stft.add_to(verb, {.scaling = false, .use = preset_use::pictures});
  part.add_to(verb);
  std::vector<std::string> color_names;
  for (const color_map map : all_color_maps) color_names.emplace_back(to_string(map));
  color_names.emplace_back("gray");
  verb.add(
      {{"--pool", pool, "Maximum or mean of the segments and bins that a pixel covers",
        one_of({"max", "mean"})},
       {"--channels", channels,
        "One spectrogram of the channels' mean power, or one for each, stacked",
        one_of({"mixed", "stacked"})},
       {"--transform", transform,
        "Short-time Fourier; constant Q: bins that are even in octaves and as wide as their\n"
        "distance; or variable Q: wider by a width in Hz, as the ear's",
        one_of({"stft", "cqt", "vqt"})},
       {"--bins-per-octave", bins_per_octave, "Bins of an octave of --transform cqt and vqt [24]",
        whole_number_from(1, 96)},
       {"--frequency-axis", frequency_axis,
        "Even in Hz, in octaves, in mel (Slaney's) or in Bark; notes: in octaves, labelled by\n"
        "notes [log; cqt and vqt notes]",
        one_of({"linear", "log", "mel", "bark", "notes"})},
       {"--fmin", low_hz,
        "Lowest frequency shown, in Hz [0; log and notes 2 bins, 20 to 50; cqt and vqt C1]",
        number_from(0, 1e9)},
       {"--fmax", high_hz, "Highest frequency shown, in Hz [half the rate]",
        number_from(1e-6, 1e9)},
       {"--range", range,
        "Levels shown: N, the N dB below the picture's maximum, or LOW:HIGH in dBFS [80]"},
       {"--strip", strip,
        "Strip under the picture: the level over time, or the outline of the waveform",
        one_of({"level", "waveform"})},
       {"--overlay", overlay, "Line over the picture: the fundamental frequency (pYIN, C2 to C7)",
        one_of({"f0"})},
       {"--peaks", peaks, "Strongest partials that are marked in the picture",
        whole_number_from(0, 100)},
       {"--beats", beats, "Mark the beats in the picture, as papilio tempo finds them"},
       {"--waterfall", waterfall, "Time downwards, frequency to the right"},
       {"--width", width, "Width of the picture in pixels",
        whole_number_from(minimum_picture_width, maximum_picture_side)},
       {"--height", height, "Height of the picture in pixels",
        whole_number_from(minimum_picture_height, maximum_picture_side)},
       {"--colors", colors, "Colour map, from low to high levels [magma; of differences coolwarm]",
        one_of(std::move(color_names))},
       {"--title", title, "Title above the picture [the file's name]"}});
  look.add_to(verb);
  sound.add_to(verb);
  verb.exclude("--for", "--preset");
  if (verb.name() == "batch") return;
  verb.add(
      {{"--compare", comparison,
        "Two files in one picture: beside or above each other, or the second's levels less the\n"
        "first's",
        one_of({"side-by-side", "stacked", "difference"})},
       {"--difference-range", difference_range_db,
        "Difference in dB, up or down, at the ends of the colours", number_from(1, 1000)}},
      "Comparison");
  verb.add({{"--terminal", terminal, "Show the picture in the terminal; then only -o writes files"},
            {"--graphics", graphics,
             "How: half blocks in 24-bit colours, sixels, kitty's protocol, or what the terminal\n"
             "says it can",
             one_of({"auto", "blocks", "sixel", "kitty"})},
            {"--follow", follow,
             "Draw standard input as it comes, the last --duration seconds of it [10], again and\n"
             "again, until it ends"}},
           "Live");
}

spectrogram_request::spectrogram_request(const spectrogram_arguments& of)
    : args(of),
      preset(picture_preset_named(of.shown_for)),
      range(range_of(of, preset)),
      scale(scale_of(of, preset)) {
  require_fit(*this);
}

frequency_axis spectrogram_request::axis_of(const std::string& file, double rate_hz,
                                            std::size_t n_fft) const {
  const double top = rate_hz / 2;
  std::optional<double> low = args.low_hz, high = args.high_hz;
  if (preset != nullptr) preset->fill_band(rate_hz, low, high);
  const frequency_axis axis = spectrogram_axis(scale, rate_hz, n_fft, low, high);
  if (axis.high_hz > top)
    throw bad_file(file, "--fmax {} Hz is above half its rate, {} Hz", axis.high_hz, top);
  if (axis.low_hz >= axis.high_hz)
    throw bad_file(file, "--fmin {} Hz is not below {} {} Hz", axis.low_hz,
                   args.high_hz ? "--fmax" : "half its rate,", axis.high_hz);
  return axis;
}

constant_q_options spectrogram_request::octaves_of(const std::string& file, double rate_hz,
                                                   std::uint64_t frames, std::size_t columns,
                                                   frequency_axis& axis) const {
  constant_q_options o{.rate_hz = rate_hz,
                       .fmin_hz = args.low_hz.value_or(c1_hz),
                       .bins_per_octave = args.bins_per_octave.value_or(24),
                       .scale = false};
  if (args.transform == "vqt") o.gamma_hz.reset();
  if (!args.stft.window.empty()) o.window = parse_window(args.stft.window);
  const double per_octave = static_cast<double>(o.bins_per_octave);
  const double most_hz = constant_q_highest_hz(o);
  const double top_hz = args.high_hz.value_or(most_hz);
  if (top_hz > most_hz)
    throw bad_file(file, "--fmax {} Hz is above the highest bin of its rate, at {:.6g} Hz", top_hz,
                   most_hz);
  const double steps = per_octave * std::log2(top_hz / o.fmin_hz);
  if (!(steps >= 1))
    throw bad_file(file, "--fmin {:.6g} Hz is not a bin below {} {:.6g} Hz", o.fmin_hz,
                   args.high_hz ? "--fmax" : "the highest bin of its rate,", top_hz);
  const double whole = args.high_hz ? std::ceil(steps - 1e-9) : std::floor(steps);
  const bool fits = o.fmin_hz * std::exp2(whole / per_octave) <= most_hz;
  o.bins = static_cast<std::size_t>(fits ? whole : whole - 1) + 1;
  const double last_hz = o.fmin_hz * std::exp2(static_cast<double>(o.bins - 1) / per_octave);
  axis = {scale, o.fmin_hz, std::min(top_hz, last_hz)};
  constexpr double longest = 1 << 21;
  if (const double length = constant_q_length(o, o.fmin_hz); length > longest)
    throw bad_file(file,
                   "--fmin {:.6g} Hz with {} bins an octave takes {:.0f} samples at once, of its "
                   "rate, {:.0f} are the most",
                   o.fmin_hz, o.bins_per_octave, length, longest);
  // Atoms of neighbouring segments overlap by half, and each column of a short sound has one.
  const double shortest = constant_q_length(o, last_hz);
  const auto widest = std::clamp<std::size_t>(std::bit_floor(static_cast<std::size_t>(shortest)),
                                              16, std::size_t{1} << 12);
  o.hop = args.stft.hop.value_or(
      std::clamp<std::size_t>(static_cast<std::size_t>(frames / columns), 16, widest));
  return o;
}

spectrogram_picture spectrogram_request::bare_picture(std::size_t panels) const {
  spectrogram_picture picture;
  picture.panels.resize(panels);
  if (args.comparison == "side-by-side") picture.arrangement = panel_arrangement::side_by_side;
  if (!args.strip.empty()) picture.strip.emplace();
  picture.waterfall = args.waterfall;
  picture.width = args.width;
  picture.height = args.height;
  picture.colors = is_difference() ? color_map::coolwarm : color_map::magma;
  if (!args.colors.empty()) picture.colors = color_map_named(args.colors);
  picture.theme = args.look.theme_or("light");
  picture.dpi = args.look.dpi;
  return picture;
}

}  // namespace papilio::cli

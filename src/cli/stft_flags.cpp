#include "cli/stft_flags.hpp"

#include <algorithm>
#include <cmath>

#include "cli/common.hpp"
#include "cli/work_ahead.hpp"

namespace papilio::cli {
namespace {

struct preset_help {
  const char *preset, *n_fft, *hop, *window;
};

constexpr preset_help preset_helps[] = {
    {"Defaults of librosa.stft, torch.stft or scipy.signal.stft for the rest", "2048; scipy 256",
     "n_fft / 4; scipy n_fft / 2", "hann; torch rectangular"},
    {"Defaults of librosa.feature, torchaudio.transforms or scipy.signal.stft for the\n"
     "rest, as far as these have the feature",
     "2048; torch 400; scipy 256", "n_fft / 4; torch and scipy n_fft / 2", "hann"},
    {"Defaults of librosa.stft, torch.stft or scipy.signal.stft for the rest",
     "the power of two nearest to 46 ms, at least 256; with\n--preset or --window-length 2048, "
     "scipy 256",
     "without --preset by the width of\na column, 1/16 of the window to the sum of its weights; "
     "else n_fft / 4, scipy n_fft / 2",
     "hann; torch rectangular"},
    {"Defaults of librosa.stft, torch.stft or scipy.signal.stft for the rest; mel and\n"
     "features: of librosa.feature and torchaudio.transforms; psd: scipy.signal.welch",
     "2048, spectrogram about 46 ms; scipy 256; torch features 400",
     "n_fft / 4; scipy and torch features n_fft / 2", "hann; torch spectra rectangular"}};

stft_options torchaudio_options(std::optional<std::size_t> n_fft) {
  stft_options o = torchaudio_mfcc().stft;
  if (!n_fft) return o;
  o.n_fft = *n_fft;
  o.hop = std::max<std::size_t>(1, o.n_fft / 2);
  return o;
}

stft_options preset_options(const stft_flags& flags) {
  if (flags.preset == "scipy") return scipy_stft(flags.n_fft.value_or(256));
  if (flags.preset == "torch" && flags.use == preset_use::features)
    return torchaudio_options(flags.n_fft);
  const std::size_t points = flags.n_fft.value_or(2048), hop = std::max<std::size_t>(1, points / 4);
  return flags.preset == "torch" ? torch_stft(points, hop) : librosa_stft(points, hop);
}

}  // namespace

void stft_flags::add_to(command& verb, choice which) {
  use = which.use;
  const preset_help& help = preset_helps[static_cast<std::size_t>(use)];
  verb.add({{"--preset", preset, help.preset, one_of({"librosa", "torch", "scipy"})},
            {"--n-fft", n_fft, fmt::format("Points of each transform [{}]", help.n_fft),
             whole_number_from(1, max_n_fft)},
            {"--hop", hop, fmt::format("Samples from one segment to the next [{}]", help.hop),
             whole_number_from(1, 1000000000000)},
            {"--window", window,
             fmt::format("Weights of a segment: rectangular, hann, hamming, blackman, nuttall,\n"
                         "blackman_harris, flat_top, kaiser[:BETA], gaussian[:SIGMA in samples],\n"
                         "tukey[:ALPHA], dpss[:NW] [{}]",
                         help.window),
             window_text()},
            {"--window-length", window_length, "Samples under the window, centred in n_fft [n_fft]",
             whole_number_from(1, max_n_fft)},
            {"--padding", padding,
             "Samples beyond either end of the sound: zero, reflect or edge [zero; torch reflect]",
             one_of({"zero", "reflect", "edge"})}},
           group);
  preset_option_ = verb.named("--preset");
  if (which.centring) {
    verb.add({{"--no-centre,--no-center", no_centre,
               "Segment s begins at sample s * hop, instead of being centred there, and none\n"
               "reaches beyond the sound's beginning"}},
             group);
    verb.exclude("--no-centre", "--padding");
  }
  if (which.scaling)
    verb.add(
        {{"--scaling", scaling,
          "Scaling of each bin: none; magnitude, / sum w; psd, / sqrt(rate sum w^2); orthonormal,\n"
          "/ sqrt(sum w^2); dbfs, a full-scale sine reads 1 [none; scipy magnitude]",
          one_of({"none", "magnitude", "psd", "orthonormal", "dbfs"})}},
        group);
}

stft_options stft_flags::options(double rate_hz) const {
  stft_options o = preset_options(*this);
  require_transform_memory(o.n_fft, real_type::single_precision);
  if (hop) o.hop = *hop;
  if (!window.empty()) o.window = parse_window(window);
  if (window_length) {
    if (*window_length > o.n_fft)
      throw usage_error("--window-length: must be at most --n-fft {}, got {}", o.n_fft,
                        *window_length);
    o.window_length = *window_length;
  }
  require_window(o.window, o.window_length == 0 ? o.n_fft : o.window_length);
  if (no_centre) o.centre = false;
  if (!padding.empty()) o.padding = parse_edge_padding(padding);
  if (!scaling.empty()) o.scaling = parse_stft_scaling(scaling);
  o.rate_hz = rate_hz;
  return o;
}

stft_options stft_flags::picture_options(double rate_hz, const picture_preset* shown) const {
  stft_flags flags = *this;
  if (shown != nullptr) {
    shown->fill(rate_hz, flags.n_fft, flags.window_length, flags.hop);
    if (window.empty()) flags.window = to_string(window_spec{shown->window});
  } else if (!n_fft && !window_length && !preset_option_.given())
    flags.n_fft = picture_n_fft(rate_hz);
  return flags.options();
}

stft_options stft_flags::options_of(const std::string& file, std::uint64_t frames, double rate_hz,
                                    std::vector<std::string>& warnings) const {
  const stft_options usual = options(rate_hz);
  if (preset != "scipy" || frames >= usual.n_fft) return usual;
  warnings.push_back(fmt::format("{} are fewer than --n-fft {}: one segment is as long as they are",
                                 counted(frames, "frame"), usual.n_fft));
  stft_flags shorter = *this;
  shorter.n_fft = static_cast<std::size_t>(frames);
  try {
    return shorter.options(rate_hz);
  } catch (const usage_error& e) {
    throw io_error(shown_name(file), e.what());
  }
}

validator window_text() {
  return read_by([](std::string& text) { parse_window(text = lower_case(text)); }, "NAME[:P]");
}

void require_window(const window_spec& window, std::size_t length) {
  with_usage(fmt::format("--window: {} of {} samples: ", to_string(window), length),
             [&] { make_window<double>(window, length); });
}

void require_inverse(const stft_options& o) {
  with_usage(fmt::format("--hop {}, --window {}: ", o.hop, to_string(o.window)),
             [&] { istft_stream<float>{o}; });
}

}  // namespace papilio::cli

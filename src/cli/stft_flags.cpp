#include "cli/stft_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/common.hpp"
#include "cli/validators.hpp"
#include "cli/work_ahead.hpp"
#include "papilio/base/error.hpp"

namespace papilio::cli {
namespace {

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::IsMember(words, CLI::ignore_case);
}

stft_options preset_options(const std::string& preset, std::optional<std::size_t> n_fft) {
  if (preset == "scipy") return scipy_stft(n_fft.value_or(256));
  const std::size_t points = n_fft.value_or(2048), hop = std::max<std::size_t>(1, points / 4);
  return preset == "torch" ? torch_stft(points, hop) : librosa_stft(points, hop);
}

}  // namespace

void stft_flags::add_to(CLI::App& verb, choice which) {
  const auto add = [&](const char* name, auto& value, const char* help) {
    return verb.add_option(name, value, help)->group(group);
  };
  add("--preset", preset, "Defaults of librosa.stft, torch.stft or scipy.signal.stft for the rest")
      ->transform(one_of({"librosa", "torch", "scipy"}))
      ->capture_default_str();
  add("--n-fft", n_fft, "Points of each transform [2048; scipy 256]")
      ->transform(whole_number_from(1, max_n_fft));
  add("--hop", hop, "Samples from one segment to the next [n_fft / 4; scipy n_fft / 2]")
      ->transform(whole_number_from(1, 1000000000000));
  add("--window", window,
      "Weights of a segment: rectangular, hann, hamming, blackman, nuttall,\n"
      "blackman_harris, flat_top, kaiser[:BETA], gaussian[:SIGMA in samples],\n"
      "tukey[:ALPHA], dpss[:NW] [hann; torch rectangular]")
      ->transform(window_text())
      ->type_name("NAME[:P]");
  add("--window-length", window_length, "Samples under the window, centred in n_fft [n_fft]")
      ->transform(whole_number_from(1, max_n_fft));
  CLI::Option* const pad =
      add("--padding", padding,
          "Beyond either end of the sound: zero, reflect or edge [zero; torch reflect]")
          ->transform(one_of({"zero", "reflect", "edge"}));
  if (which.centring)
    verb.add_flag("--no-centre", no_centre,
                  "Segment s begins at sample s * hop, instead of being centred there, and none\n"
                  "reaches beyond the sound's beginning")
        ->group(group)
        ->excludes(pad);
  if (which.scaling)
    add("--scaling", scaling,
        "Of each bin: none; magnitude, / sum w; psd, / sqrt(rate sum w^2); orthonormal,\n"
        "/ sqrt(sum w^2); dbfs, a full-scale sine reads 1 [none; scipy magnitude]")
        ->transform(one_of({"none", "magnitude", "psd", "orthonormal", "dbfs"}));
}

stft_options stft_flags::options(double rate_hz) const {
  stft_options o = preset_options(preset, n_fft);
  require_transform_memory(o.n_fft, real_type::single_precision);
  if (hop) o.hop = *hop;
  if (!window.empty()) o.window = parse_window(window);
  if (window_length) {
    if (*window_length > o.n_fft)
      throw usage_error(fmt::format("--window-length: must be at most --n-fft {}, got {}", o.n_fft,
                                    *window_length));
    o.window_length = *window_length;
  }
  require_window(o.window, o.window_length == 0 ? o.n_fft : o.window_length);
  if (no_centre) o.centre = false;
  if (!padding.empty()) o.padding = parse_edge_padding(padding);
  if (!scaling.empty()) o.scaling = parse_stft_scaling(scaling);
  o.rate_hz = rate_hz;
  return o;
}

CLI::Validator window_text() {
  return CLI::Validator(
      [](std::string& text) {
        try {
          text = CLI::detail::to_lower(text);
          parse_window(text);
        } catch (const invalid_argument& e) {
          const std::string problem = e.what();
          const std::size_t function_end = problem.find(": ");
          return function_end == std::string::npos ? problem : problem.substr(function_end + 2);
        }
        return std::string();
      },
      "");
}

void require_window(const window_spec& window, std::size_t length) {
  try {
    make_window<double>(window, length);
  } catch (const invalid_argument& e) {
    throw usage_error(
        fmt::format("--window: {} of {} samples: {}", to_string(window), length, e.what()));
  }
}

}  // namespace papilio::cli

#include "signal/stft_options.hpp"

#include <cmath>

#include "papilio/base/error.hpp"

namespace papilio {

stft_options signal_detail::checked(stft_options o) {
  const auto require = [](bool good, const char* name, const char* bound, auto value) {
    if (!good)
      throw invalid_argument(
          base_detail::message("stft_options: ", name, " must be ", bound, ", got ", value));
  };
  require(o.n_fft >= 1 && o.n_fft <= max_n_fft, "n_fft", "1 ... 16777216", o.n_fft);
  require(o.hop >= 1, "hop", "at least 1", o.hop);
  if (o.window_length == 0) o.window_length = o.n_fft;
  require(o.window_length <= o.n_fft, "window_length", "at most n_fft", o.window_length);
  require(o.rate_hz > 0 && std::isfinite(o.rate_hz), "rate_hz", "positive and finite", o.rate_hz);
  return o;
}

stft_options librosa_stft(std::size_t n_fft, std::size_t hop) {
  return signal_detail::checked({.n_fft = n_fft, .hop = hop});
}

stft_options torch_stft(std::size_t n_fft) { return torch_stft(n_fft, n_fft / 4); }

stft_options torch_stft(std::size_t n_fft, std::size_t hop, window_spec window) {
  return signal_detail::checked(
      {.n_fft = n_fft, .hop = hop, .window = window, .padding = edge_padding::reflect});
}

stft_options scipy_stft(std::size_t nperseg) { return scipy_stft(nperseg, nperseg / 2); }

stft_options scipy_stft(std::size_t nperseg, std::size_t noverlap) {
  if (noverlap >= nperseg)
    throw invalid_argument(base_detail::message("scipy_stft: noverlap must be below nperseg (",
                                                nperseg, "), got ", noverlap));
  return signal_detail::checked({.n_fft = nperseg,
                                 .hop = nperseg - noverlap,
                                 .pad_end = true,
                                 .scaling = stft_scaling::magnitude});
}

}  // namespace papilio

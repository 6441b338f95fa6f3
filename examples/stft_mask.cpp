// STFT, mask, ISTFT: keeps of each moment of a sound what is within 40 dB of its loudest bin.
// Streams, so that the length does not matter; the length is kept to the sample.
//   stft_mask IN OUT    (OUT ends in .wav, .flac or .ogg)
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "papilio/papilio.hpp"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fprintf(stderr, "usage: stft_mask IN OUT\n");
    return 2;
  }
  papilio::sound_reader in(argv[1]);
  const int channel_count = in.info().channels;
  const auto channels = static_cast<std::size_t>(channel_count);
  papilio::sound_writer out(argv[2], {.rate_hz = in.info().rate_hz, .channels = channel_count});

  const papilio::stft_options options{.n_fft = 2048, .hop = 512};
  papilio::stft_stream<float> analysis(options, channels);
  papilio::istft_stream<float> synthesis(options, channels);
  papilio::array<float, 2> mask({channels, analysis.plan().bins()});
  std::uint64_t kept = 0;

  const auto write = [&](papilio::view<const float, 2> samples) { out.write(samples); };
  // [channels, bins] of one segment, which may be written over.
  const auto mask_and_invert = [&](std::uint64_t, papilio::view<std::complex<float>, 2> spectra) {
    for (std::size_t c = 0; c < channels; ++c) {
      float loudest = 0;
      for (std::size_t k = 0; k < mask.extent(1); ++k)
        loudest = std::max(loudest, std::norm(spectra(c, k)));
      for (std::size_t k = 0; k < mask.extent(1); ++k) {
        const bool keep = std::norm(spectra(c, k)) >= 1e-4f * loudest;
        mask(c, k) = keep ? 1.0f : 0.0f;
        kept += keep;
      }
    }
    papilio::apply_mask<float, 2>(spectra, mask, spectra);
    synthesis.push(spectra, write);
  };

  papilio::array<float, 2> block({4096, channels});
  while (const std::size_t got = in.read(block))
    analysis.push(block.view().slice(0, 0, got), mask_and_invert);
  analysis.finish(mask_and_invert);
  synthesis.finish(analysis.received(), write);
  out.commit();  // until now there was no file of that name

  const double bins = static_cast<double>(analysis.segments() * mask.size());
  std::printf("%llu frames, %.1f %% of the bins kept, %llu samples clipped\n",
              static_cast<unsigned long long>(out.frames()), 100 * static_cast<double>(kept) / bins,
              static_cast<unsigned long long>(out.clipped_samples()));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "stft_mask: %s\n", e.what());
  return 1;
}

// The loudest frequency of every second of a sound, as it comes: a stream of any length.
//   stream FILE    (- is standard input)
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "papilio/papilio.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: stream FILE\n");
    return 2;
  }
  papilio::sound_reader in(argv[1]);
  const auto channels = static_cast<std::size_t>(in.info().channels);
  const auto rate = static_cast<double>(in.info().rate_hz);
  const papilio::stft_options options{
      .n_fft = 2048, .hop = 512, .scaling = papilio::stft_scaling::dbfs};
  papilio::stft_stream<float> stream(options, channels);

  // Called with each segment as soon as its last sample has come: powers, [channels, bins].
  std::vector<double> mean(stream.plan().bins());
  std::uint64_t second = 0, gathered = 0;
  const auto report = [&] {
    for (double& power : mean) power /= static_cast<double>(gathered * channels);
    for (const auto& peak : papilio::find_peaks(mean, options, rate, 1))
      std::printf("%4llu s %9.1f Hz %7.1f dBFS\n", static_cast<unsigned long long>(second),
                  peak.frequency_hz, papilio::power_to_db(peak.power));
    mean.assign(mean.size(), 0.0);
    gathered = 0;
  };
  const auto take = [&](std::uint64_t segment, papilio::view<float, 2> power) {
    const auto at = static_cast<std::uint64_t>(static_cast<double>(segment * options.hop) / rate);
    if (at != second) {
      report();
      second = at;
    }
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += power(c, k);
    ++gathered;
  };

  // Blocks of any size make the same segments, to the bit.
  papilio::array<float, 2> block({1000, channels});
  while (const std::size_t got = in.read(block))
    stream.push_power(block.view().slice(0, 0, got), take);
  stream.finish_power(take);
  if (gathered > 0) report();
  std::printf("%llu segments\n", static_cast<unsigned long long>(stream.segments()));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "stream: %s\n", e.what());
  return 1;
}

// The peer of `papilio stft --form magnitude`: the shortest program for the task that a good C++
// user would write with libsndfile and FFTW. Reads blocks, takes every segment of every channel by
// FFTW MEASURE, writes magnitudes as raw floats, segment by segment.
//   papilio_bench_magnitudes_peer OUT IN...     (OUT is written anew for every IN)
#include <fftw3.h>
#include <sndfile.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

namespace {

constexpr std::size_t n = 2048, hop = 512, bins = n / 2 + 1;

struct plan {
  float* in = fftwf_alloc_real(n);
  fftwf_complex* out = fftwf_alloc_complex(bins);
  fftwf_plan transform = fftwf_plan_dft_r2c_1d(n, in, out, FFTW_MEASURE);
  std::vector<float> window = std::vector<float>(n);
  plan() {
    for (std::size_t j = 0; j < n; ++j)
      window[j] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * double(j) / n));
  }
};

void run(const plan& p, const char* name, std::FILE* out) {
  SF_INFO info{};
  SNDFILE* const file = sf_open(name, SFM_READ, &info);
  if (file == nullptr) return;
  const auto channels = static_cast<std::size_t>(info.channels);
  // Centred: half a segment of zeros at both ends.
  std::vector<float> block(65536 * channels), line, magnitudes(bins);
  line.assign(n / 2 * channels, 0.0f);
  bool ended = false;
  while (!ended) {
    const sf_count_t got = sf_readf_float(file, block.data(), 65536);
    line.insert(line.end(), block.begin(), block.begin() + got * info.channels);
    ended = got < 65536;
    if (ended) line.insert(line.end(), n / 2 * channels, 0.0f);
    std::size_t first = 0;
    for (; (first + n) * channels <= line.size(); first += hop)
      for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t j = 0; j < n; ++j)
          p.in[j] = line[(first + j) * channels + c] * p.window[j];
        fftwf_execute(p.transform);
        for (std::size_t k = 0; k < bins; ++k)
          magnitudes[k] = std::sqrt(p.out[k][0] * p.out[k][0] + p.out[k][1] * p.out[k][1]);
        std::fwrite(magnitudes.data(), sizeof(float), bins, out);
      }
    line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(first * channels));
  }
  sf_close(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const plan p;
  for (int i = 2; i < argc; ++i) {
    std::FILE* const out = std::fopen(argv[1], "wb");
    if (out == nullptr) return 1;
    run(p, argv[i], out);
    if (std::fclose(out) != 0) return 1;
  }
}

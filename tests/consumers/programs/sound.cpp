// papilio::sound alone: a sound written, read back and drawn.
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <papilio/audio.hpp>
#include <papilio/render.hpp>
#include <vector>

int main() {
  papilio::array<float, 2> samples({100, 1}), back({100, 1});
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples(i, 0) = float(i % 64) / 64;  // of 16 bits
  papilio::write_sound("sound.wav", samples, {.rate_hz = 8000});
  papilio::sound_reader reader("sound.wav");
  const std::size_t frames = reader.read(back);
  const int rate_hz = reader.info().rate_hz;
  std::size_t differences = 0;
  std::vector<double> curve;
  for (std::size_t i = 0; i < frames; ++i) {
    differences += back(i, 0) != samples(i, 0);
    curve.push_back(back(i, 0));
  }
  const auto picture = papilio::line_plot_image({.curves = {{.y = curve}}, .title = "sound"},
                                                papilio::picture_format::png);
  std::filesystem::remove("sound.wav");
  const bool drawn = picture.size() > 100 && picture[1] == std::byte{'P'};
  std::printf("sound: %zu frames at %d Hz, %zu differ, a picture of %zu bytes\n", frames, rate_hz,
              differences, picture.size());
  return frames == 100 && rate_hz == 8000 && differences == 0 && drawn ? 0 : 1;
}

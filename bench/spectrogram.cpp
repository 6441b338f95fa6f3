// 10 minutes of 44.1 kHz stereo to a PNG of about 2000 pixels: papilio beside sox and ffmpeg, in
// turns, whole processes. Median wall seconds, CPU seconds and peak memory of each.
//   build/bench/papilio_bench_spectrogram [RUNS]
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "peer.hpp"

namespace {

constexpr int rate = 44100, seconds = 600, channels = 2;

template <class T>
void put(std::ofstream& out, T value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

// Two gliding tones over noise, 16 bit.
void write_wav(const std::filesystem::path& path) {
  std::ofstream out(path, std::ios::binary);
  const std::uint32_t bytes = std::uint32_t{rate} * seconds * channels * 2;
  out << "RIFF";
  put<std::uint32_t>(out, 36 + bytes);
  out << "WAVEfmt ";
  put<std::uint32_t>(out, 16);
  put<std::uint16_t>(out, 1);
  put<std::uint16_t>(out, channels);
  put<std::uint32_t>(out, rate);
  put<std::uint32_t>(out, rate * channels * 2);
  put<std::uint16_t>(out, channels * 2);
  put<std::uint16_t>(out, 16);
  out << "data";
  put<std::uint32_t>(out, bytes);
  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0, 300);
  double phase[channels] = {};
  std::vector<std::int16_t> block(rate * channels);
  for (int second = 0; second < seconds; ++second) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::size_t c = i % channels;
      phase[c] += (200 + 20.0 * second * (c == 0 ? 1.0 : 0.5)) / rate * 6.283185307179586;
      block[i] = static_cast<std::int16_t>(8000 * std::sin(phase[c]) + noise(generator));
    }
    out.write(reinterpret_cast<const char*>(block.data()),
              static_cast<std::streamsize>(block.size() * sizeof block[0]));
  }
}

struct usage {
  double wall_seconds, cpu_seconds, peak_mib;
};

usage run(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(null, fd);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 127)
      std::fprintf(stderr, "%s failed, status %d\n", command[0].c_str(), status);
    return {NAN, NAN, NAN};
  }
  const auto in_seconds = [](timeval t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {wall.count(), in_seconds(used.ru_utime) + in_seconds(used.ru_stime),
          static_cast<double>(used.ru_maxrss) / 1024};
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  std::string name = (std::filesystem::temp_directory_path() / "papilio-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 1;
  const std::filesystem::path directory = name;
  const std::string wav = directory / "ten_minutes.wav", png = directory / "out.png";
  write_wav(wav);
  struct tool {
    std::string name;
    std::vector<std::string> command;
    std::vector<double> wall, cpu, peak;
  };
  std::vector<tool> tools;
  tools.push_back({"papilio spectrogram",
                   {PAPILIO_PROGRAM, "spectrogram", wav, "--n-fft", "2048", "--hop", "512",
                    "--width", "2000", "--height", "1100", "--out", png},
                   {},
                   {},
                   {}});
  tools.push_back({"sox spectrogram",
                   {"sox", wav, "-n", "spectrogram", "-x", "2000", "-y", "1025", "-o", png},
                   {},
                   {},
                   {}});
  tools.push_back(
      {"ffmpeg showspectrumpic",
       {"ffmpeg", "-y", "-v", "error", "-i", wav, "-lavfi", "showspectrumpic=s=2000x1024", png},
       {},
       {},
       {}});
  for (int r = 0; r < runs; ++r)
    for (tool& t : tools) {
      const usage u = run(t.command);
      if (std::isnan(u.wall_seconds)) continue;
      t.wall.push_back(u.wall_seconds);
      t.cpu.push_back(u.cpu_seconds);
      t.peak.push_back(u.peak_mib);
    }
  std::printf("%-24s %5s %10s %10s %10s\n", "10 min stereo to PNG", "runs", "wall s", "CPU s",
              "peak MiB");
  for (const tool& t : tools) {
    if (t.wall.empty()) {
      std::printf("%-24s did not run\n", t.name.c_str());
      continue;
    }
    std::printf("%-24s %5zu %10.2f %10.2f %10.1f\n", t.name.c_str(), t.wall.size(),
                papilio::bench::median(t.wall), papilio::bench::median(t.cpu),
                papilio::bench::median(t.peak));
  }
  std::filesystem::remove_all(directory);
  return tools[0].wall.size() == static_cast<std::size_t>(runs) ? 0 : 1;
}

// Whole processes side by side, in turns: papilio beside sox, ffmpeg and a libsndfile + FFTW loop
// (magnitudes_peer.cpp). Median wall seconds, CPU seconds and peak memory, and papilio's CPU over
// the first peer's.
//   build/release/bench/papilio_bench_sound_tools [RUNS [TASK...]]
// Tasks: picture (10 min stereo to PNG, in much the same size), default-picture (as each draws it if
// nothing is said), magnitudes (10 min stereo to 424 MB), folder-magnitudes
// and folder-pictures (200 files of 5 s).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "made_wav.hpp"
#include "peer.hpp"
#include "process.hpp"

namespace {

using papilio::bench::usage;
using command = std::vector<std::string>;

struct tool {
  std::string name;
  std::vector<command> commands;  // all of them are one run
  std::vector<double> wall = {}, cpu = {}, peak = {};
};

struct task {
  std::string name, title;
  std::vector<tool> tools;  // ours, the peer of the ratio, others
};

usage run_all(const std::vector<command>& commands) {
  usage sum{0, 0, 0};
  for (const command& c : commands) {
    const usage u = papilio::bench::run(c);
    sum.wall_seconds += u.wall_seconds;
    sum.cpu_seconds += u.cpu_seconds;
    sum.peak_mib = std::max(sum.peak_mib, u.peak_mib);
  }
  return sum;
}

void measure(task& t, int runs) {
  for (int r = 0; r < runs; ++r)
    for (tool& one : t.tools) {
      const usage u = run_all(one.commands);
      if (std::isnan(u.wall_seconds)) continue;
      one.wall.push_back(u.wall_seconds);
      one.cpu.push_back(u.cpu_seconds);
      one.peak.push_back(u.peak_mib);
    }
}

bool report(const task& t, int runs) {
  using papilio::bench::median;
  std::printf("%-44s %5s %8s %8s %9s %10s\n", t.title.c_str(), "runs", "wall s", "CPU s",
              "peak MiB", "CPU ratio");
  for (const tool& one : t.tools) {
    if (one.wall.empty()) {
      std::printf("  %-42s did not run\n", one.name.c_str());
      continue;
    }
    std::printf("  %-42s %5zu %8.2f %8.2f %9.1f %10.2f\n", one.name.c_str(), one.wall.size(),
                median(one.wall), median(one.cpu), median(one.peak),
                median(one.cpu) / median(t.tools[1].cpu));
  }
  return t.tools[0].wall.size() == static_cast<std::size_t>(runs);
}

std::vector<command> for_each_file(const std::vector<std::string>& files,
                                   command (*make)(const std::string& file)) {
  std::vector<command> all;
  for (const std::string& file : files) all.push_back(make(file));
  return all;
}

std::vector<task> make_tasks(const std::filesystem::path& directory) {
  const std::string program = PAPILIO_PROGRAM, peer = PAPILIO_PEER;
  const std::string wav = directory / "ten_minutes.wav", png = directory / "out.png";
  const std::string raw = directory / "out.f32", npy = directory / "out.npy";
  const std::string folder = directory / "folder", results = directory / "results";
  std::vector<std::string> files;
  for (int i = 0; i < 200; ++i) files.push_back(folder + "/" + std::to_string(1000 + i) + ".wav");
  command folder_peer = {peer, raw};
  folder_peer.insert(folder_peer.end(), files.begin(), files.end());
  // Beside the folder: a picture in it would be a file that the next run cannot read.
  const auto sox = [](const std::string& file) -> command {
    const std::filesystem::path sound = file;
    const auto out = sound.parent_path().parent_path() / sound.filename().replace_extension("png");
    return {"sox", file, "-n", "spectrogram", "-x", "800", "-y", "513", "-o", out};
  };
  const auto batch = [&](const char* what) -> command {
    return {program,  "batch", folder,    "--jobs", "1",     "--out", results,
            "--what", what,    "--n-fft", "2048",   "--hop", "512"};
  };
  command batch_magnitudes = batch("stft"), batch_pictures = batch("spectrogram");
  batch_magnitudes.insert(batch_magnitudes.end(), {"--form", "magnitude"});
  batch_pictures.insert(batch_pictures.end(), {"--width", "944", "--height", "592"});
  return {{"picture",
           "10 min stereo to PNG",
           {{"papilio spectrogram",
             {{program, "spectrogram", wav, "--width", "2000", "--height", "1100", "--out", png}}},
            {"sox spectrogram",  // of 2048 points and half of that from one to the next, too
             {{"sox", wav, "-n", "spectrogram", "-x", "2000", "-y", "1025", "-o", png}}},
            {"ffmpeg showspectrumpic",
             {{"ffmpeg", "-y", "-v", "error", "-i", wav, "-lavfi", "showspectrumpic=s=2000x1024",
               png}}}}},
          {"default-picture",
           "10 min stereo to PNG, defaults",
           {{"papilio spectrogram", {{program, "spectrogram", wav, "--out", png}}},
            {"sox spectrogram", {{"sox", wav, "-n", "spectrogram", "-o", png}}}}},
          {"magnitudes",
           "10 min stereo to magnitudes",
           {{"papilio stft",
             {{program, "stft", wav, "--n-fft", "2048", "--hop", "512", "--form", "magnitude",
               "--out", npy}}},
            {"libsndfile + FFTW loop", {{peer, raw, wav}}}}},
          {"folder-magnitudes",
           "200 files of 5 s to magnitudes",
           {{"papilio batch", {batch_magnitudes}}, {"libsndfile + FFTW loop", {folder_peer}}}},
          {"folder-pictures",
           "200 files of 5 s to PNG",
           {{"papilio batch", {batch_pictures}},
            {"sox, a process a file", for_each_file(files, sox)}}}};
}

bool is_wanted(const task& t, int argc, char** argv) {
  for (int i = 2; i < argc; ++i)
    if (t.name == argv[i]) return true;
  return argc <= 2;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  std::string name = (std::filesystem::temp_directory_path() / "papilio-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return 1;
  const std::filesystem::path directory = name;
  papilio::bench::write_wav(directory / "ten_minutes.wav", 600);
  std::filesystem::create_directory(directory / "folder");
  for (int i = 0; i < 200; ++i)
    papilio::bench::write_wav(directory / "folder" / (std::to_string(1000 + i) + ".wav"), 5);
  bool good = true;
  for (task& t : make_tasks(directory)) {
    if (!is_wanted(t, argc, argv)) continue;
    measure(t, runs);
    good = report(t, runs) && good;
  }
  std::filesystem::remove_all(directory);
  return good ? 0 : 1;
}

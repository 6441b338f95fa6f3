// This build of papilio beside another, in turns: every call of hot_calls.cpp, the program's
// start-up, a long picture, a batch of files. Prints the ratios of what they take.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "asked_process.hpp"
#include "made_wav.hpp"
#include "peer.hpp"
#include "process.hpp"

namespace papilio::bench {
namespace {

namespace fs = std::filesystem;

constexpr double worst_ratio = 1.05;
constexpr int runs_to_fail = 3;

constexpr const char* usage_text = R"(usage: bench/regress OTHER [--quick] [--check] [--only TEXT]

This build beside the one in the folder OTHER, in turns: CPU seconds of each call of
bench/hot_calls.cpp (transforms, STFT, contractions, decompositions, MP2, the emulator dry and
executed; one thread), of the program's start-up, of ten minutes of stereo sound to a PNG and of 166
files in a batch; peak memory of the last two. Medians, and the median of the ratios of the turns,
this over other: above 1 is slower.

OTHER is a build folder with PAPILIO_BUILD_BENCH=ON, or a prefix where papilio is installed, for
which the calls are compiled (c++ and pkg-config).

  --quick      fewer turns, and neither picture nor batch
  --check      what is above 1.05 is run again, twice; exit 1 if it is above in all three runs
  --only TEXT  only what has TEXT in its name
  --help       this text
)";

struct options {
  fs::path other;
  bool is_quick = false, check = false, help = false;
  std::string only = {};
};

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      o.is_quick = true;
    } else if (word == "--check") {
      o.check = true;
    } else if (word == "--help" || word == "-h") {
      o.help = true;
    } else if (word == "--only") {
      if (++i == argc) throw std::invalid_argument("--only needs a value");
      o.only = argv[i];
    } else if (word.starts_with("-")) {
      throw std::invalid_argument("no such option: " + word);
    } else if (!o.other.empty()) {
      throw std::invalid_argument("one other build, not also " + word);
    } else {
      o.other = word;
    }
  }
  if (o.other.empty() && !o.help) throw std::invalid_argument("which other build?");
  return o;
}

/// A folder of its own for as long as it lives.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "papilio-regress-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + " cannot be made");
    path_ = name;
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// ---- The two builds ----

struct build {
  fs::path calls, program, libraries;

  /// With its own library, even where its folder is the copy of another.
  std::vector<std::string> command(const fs::path& what,
                                   const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {"env", "LD_LIBRARY_PATH=" + libraries.string(),
                                      "OPENBLAS_NUM_THREADS=1", what.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }
};

build build_of_folder(const fs::path& folder) {
  return {.calls = folder / "bench/papilio_bench_hot_calls",
          .program = folder / "src/cli/papilio",
          .libraries = folder / "src"};
}

fs::path package_of(const fs::path& prefix) {
  if (fs::is_directory(prefix / "lib"))
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(prefix / "lib"))
      if (entry.path().filename() == "papilio.pc") return entry.path();
  throw std::runtime_error(prefix.string() +
                           " has neither bench/papilio_bench_hot_calls nor lib/.../papilio.pc");
}

std::string quoted(const fs::path& path) {
  std::string text = "'";
  for (const char c : path.string()) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + '\'';
}

build build_of_prefix(const fs::path& prefix, const fs::path& workplace) {
  const fs::path package = package_of(prefix), calls = workplace / "papilio_bench_hot_calls";
  std::printf("compiling %s against %s\n", PAPILIO_HOT_CALLS, prefix.c_str());
  std::fflush(stdout);
  const std::string with = "PKG_CONFIG_PATH=" + quoted(package.parent_path()) +
                           " pkg-config --cflags --libs papilio openblas";
  const std::string line = "flags=$(" + with + ") && c++ -std=c++20 -O3 -DNDEBUG -o " +
                           quoted(calls) + ' ' + quoted(PAPILIO_HOT_CALLS) + " $flags";
  if (std::system(line.c_str()) != 0) throw std::runtime_error("it does not compile");
  return {.calls = calls,
          .program = prefix / "bin/papilio",
          .libraries = package.parent_path().parent_path()};
}

build other_build(const fs::path& folder, const fs::path& workplace) {
  const fs::path whole = fs::absolute(folder);
  if (fs::exists(whole / "bench/papilio_bench_hot_calls")) return build_of_folder(whole);
  return build_of_prefix(whole, workplace);
}

/// The same files, written alike: how many pages of a file come into memory at once, and so the
/// peak memory, depends on how it was written.
build copied(const build& of, const fs::path& to) {
  fs::create_directory(to);
  const auto copy = [&](const fs::path& file) {
    fs::copy_file(file, to / file.filename());
    return to / file.filename();
  };
  for (const fs::directory_entry& entry : fs::directory_iterator(of.libraries))
    if (entry.path().filename().string().starts_with("libpapilio") && fs::exists(entry.path()))
      copy(entry.path());
  return {.calls = copy(of.calls), .program = copy(of.program), .libraries = to};
}

// ---- What is measured ----

/// One figure of both builds: seconds, or MiB.
struct figure {
  const char* unit = "s";
  std::vector<double> ours = {}, others = {};

  double ratio() const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / others[i]);
    return median(ratios);
  }
};
/// By what a name is followed by: "", ", peak memory".
using figures = std::map<std::string, figure>;

/// At least `least` turns, and up to `most` while they take no longer than this.
struct turns {
  int most, least;
  double seconds;
};

/// run(is_other, found) in turns, each side first in every second.
template <class Run>
figures in_turns(const turns& much, const Run& run) {
  figures found;
  const double start = wall_seconds();
  for (int i = 0; i < much.most; ++i) {
    if (i >= much.least && wall_seconds() - start > much.seconds) break;
    run(i % 2 != 0, found);
    run(i % 2 == 0, found);
  }
  return found;
}

struct measurement {
  std::string name;
  std::function<figures()> measure;
};

std::vector<std::string> names_of(const build& of) {
  asked_process list(of.command(of.calls, {"--list"}));
  std::vector<std::string> names;
  for (std::string line; !(line = list.answer()).empty();)
    names.push_back(line.substr(line.find(' ') + 1));
  if (names.empty()) throw std::runtime_error(of.calls.string() + " does not run");
  return names;
}

// Whether malloc gives pages back at the end of a call, and gets them anew in the next, must not
// depend on what was called before.
std::vector<std::string> serving(const build& of) {
  std::vector<std::string> words = of.command(of.calls, {"--serve"});
  words.insert(words.begin() + 1,
               {"MALLOC_TRIM_THRESHOLD_=1073741824", "MALLOC_MMAP_THRESHOLD_=33554432"});
  return words;
}

double seconds_of(asked_process& calls, const std::string& name) {
  const double seconds = std::atof(calls.ask(name).c_str());
  if (!(seconds > 0)) throw std::runtime_error("no time for " + name);
  return seconds;
}

void add_usage(figures& to, const build& of, bool is_other,
               const std::vector<std::string>& arguments, bool has_memory) {
  const usage used = run(of.command(of.program, arguments));
  if (std::isnan(used.cpu_seconds)) throw std::runtime_error(of.program.string() + " failed");
  const auto add = [&](const char* what, const char* unit, double value) {
    figure& f = to[what];
    f.unit = unit;
    (is_other ? f.others : f.ours).push_back(value);
  };
  add("", "s", used.cpu_seconds);
  if (has_memory) add(", peak memory", "MiB", used.peak_mib);
}

std::vector<measurement> program_measurements(const build& ours, const build& other,
                                              const fs::path& workplace, bool is_quick) {
  const auto of = [=](bool is_other) { return is_other ? other : ours; };
  std::vector<measurement> all;
  all.push_back({"start of the program", [=] {
                   return in_turns({41, 11, 3}, [&](bool is_other, figures& found) {
                     add_usage(found, of(is_other), is_other, {"--version"}, false);
                   });
                 }});
  if (is_quick) return all;
  all.push_back({"10 minutes of stereo to PNG", [=] {
                   const fs::path wav = workplace / "ten_minutes.wav";
                   if (!fs::exists(wav)) write_wav(wav, 600);
                   return in_turns({7, 3, 20}, [&](bool is_other, figures& found) {
                     add_usage(found, of(is_other), is_other,
                               {"spectrogram", wav, "--n-fft", "2048", "--hop", "512", "--width",
                                "2000", "--height", "1100", "--out", workplace / "out.png"},
                               true);
                   });
                 }});
  all.push_back(
      {"batch of 166 files", [=] {
         const fs::path sounds = workplace / "sounds", pictures = workplace / "pictures";
         if (fs::create_directory(sounds))
           for (int i = 0; i < 166; ++i) write_wav(sounds / (std::to_string(1000 + i) + ".wav"), 2);
         return in_turns({7, 3, 30}, [&](bool is_other, figures& found) {
           fs::remove_all(pictures);
           add_usage(found, of(is_other), is_other,
                     {"batch", sounds, "--jobs", "1", "--out", pictures, "--what", "spectrogram"},
                     true);
         });
       }});
  return all;
}

// ---- The report ----

std::string text_of(double value, const char* unit) {
  char text[32];
  if (std::string(unit) == "MiB")
    std::snprintf(text, sizeof text, "%.1f MiB", value);
  else if (value < 1e-3)
    std::snprintf(text, sizeof text, "%.3f us", value * 1e6);
  else
    std::snprintf(text, sizeof text, "%.3f ms", value * 1e3);
  return text;
}

class comparison_of_builds {
 public:
  /// Measures and prints; whether nothing is above.
  bool add(const measurement& what) {
    bool is_good = true;
    for (const auto& [suffix, f] : what.measure()) {
      const double ratio = f.ratio();
      is_good = is_good && ratio <= worst_ratio;
      logarithms_ += std::log(ratio);
      ++count_;
      std::printf("%-40s %14s %14s %7.3f%s\n", (what.name + suffix).c_str(),
                  text_of(median(f.ours), f.unit).c_str(),
                  text_of(median(f.others), f.unit).c_str(), ratio,
                  ratio <= worst_ratio ? "" : "  above");
      std::fflush(stdout);
    }
    return is_good;
  }
  double mean() const { return std::exp(logarithms_ / std::max(count_, 1)); }

 private:
  double logarithms_ = 0;
  int count_ = 0;
};

/// Whether all that was measured was at most worst_ratio, in one of the runs that --check makes.
bool compare_builds(const options& o, std::vector<measurement> all) {
  std::printf("%-40s %14s %14s %7s\n", "", "this", "other", "ratio");
  for (int run = 1;; ++run) {
    comparison_of_builds report;
    std::erase_if(all, [&](const measurement& what) { return report.add(what); });
    std::printf("geometric mean %.3f; %zu above %.2f\n", report.mean(), all.size(), worst_ratio);
    if (all.empty() || !o.check || run == runs_to_fail) break;
    std::printf("\nonce more what is above, run %d of %d\n", run + 1, runs_to_fail);
  }
  if (o.check)
    for (const measurement& what : all)
      std::printf("FAILED: %s is above %.2f in %d runs\n", what.name.c_str(), worst_ratio,
                  runs_to_fail);
  return all.empty();
}

int regress(const options& o) {
  const temporary_folder workplace;
  const fs::path here = fs::canonical("/proc/self/exe").parent_path().parent_path();
  const build ours = copied(build_of_folder(here), workplace.path() / "this"),
              other = copied(other_build(o.other, workplace.path()), workplace.path() / "other");
  asked_process our_calls(serving(ours)), other_calls(serving(other));
  const std::vector<std::string> known = names_of(other);
  std::vector<measurement> all;
  for (const std::string& name : names_of(ours)) {
    if (std::ranges::find(known, name) == known.end()) {
      std::printf("%-40s only here\n", name.c_str());
      continue;
    }
    all.push_back({name, [&, name] {
                     const turns much = o.is_quick ? turns{7, 3, 0.5} : turns{31, 7, 2};
                     return in_turns(much, [&](bool is_other, figures& found) {
                       figure& f = found[""];
                       if (is_other)
                         f.others.push_back(seconds_of(other_calls, name));
                       else
                         f.ours.push_back(seconds_of(our_calls, name));
                     });
                   }});
  }
  for (measurement& m : program_measurements(ours, other, workplace.path(), o.is_quick))
    all.push_back(std::move(m));
  std::erase_if(all,
                [&](const measurement& m) { return m.name.find(o.only) == std::string::npos; });
  if (all.empty()) throw std::runtime_error("--only " + o.only + ": nothing has that in its name");
  return compare_builds(o, std::move(all)) || !o.check ? 0 : 1;
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  options o;
  try {
    o = parse(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/regress: %s\n%s", e.what(), usage_text);
    return 2;
  }
  if (o.help) {
    std::fputs(usage_text, stdout);
    return 0;
  }
  try {
    return regress(o);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/regress: %s\n", e.what());
    return 1;
  }
}

#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "cases.hpp"

namespace papilio::bench {

const char* const usage = R"(usage: papilio_bench_fft [OPTION...]

Times papilio beside FFTW (MEASURE), and MKL in the build of bench/peers, in one process, in turns:
one thread, out of place, medians of blocks that lie between two quiet calibrations. Prints a row for
each class and size with the peers' times over papilio's, then the geometric means of each class.
GFLOPS: 5 n log2 n, half of it for real transforms. Share: of the roofline of this machine by its features.

  --classes LIST    of c2c r2c c2r double mixed primes batches 2d 3d smooth, with commas between
  --sizes LIST      as printed, with commas between; 2^10 is 1024. With --classes other: any
                    lengths, complex float
  --quick           fewer blocks
  --check           exit 1 where a row or a mean is below its floor, or a result is wrong
  --json FILE       the rows and the means to FILE as well
  --planning        instead: our planning time (estimate), 2^4 to 2^22
  --offsets         instead: our times for 64 places of the output beside the input, within a page
  --plan-only       instead: only plan FFTW, for the wisdom
  --plan-seconds S  FFTW's limit for one size; 60. What 60 s are too short for is not tried again
  --wisdom FILE     FFTW's wisdom; $XDG_CACHE_HOME/papilio/fftw_wisdom.txt
  --help            this text
)";

namespace {

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');)
    if (!word.empty()) words.push_back(word);
  return words;
}

double number(const std::string& flag, const std::string& text, double least) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size() || !(value >= least) || value > 1e9)
    throw std::runtime_error(flag + ": not a number of at least " +
                             std::to_string(static_cast<int>(least)) + ": " + text);
  return value;
}

std::vector<bench_case> chosen(std::vector<bench_case> cases, const options& o) {
  const auto contains = [](const std::vector<std::string>& list, const std::string& word) {
    return list.empty() || std::ranges::find(list, word) != list.end();
  };
  std::erase_if(cases, [&](const bench_case& c) {
    return !contains(o.groups, c.group) || !contains(o.sizes, c.size);
  });
  return cases;
}

std::string plain_size(const std::string& size) {
  if (!size.starts_with("2^")) return size;
  const double exponent = number("--sizes", size.substr(2), 0);
  return exponent < 63 ? std::to_string(std::size_t{1} << static_cast<int>(exponent)) : size;
}

void refuse_unknown(const options& o) {
  std::vector<bench_case> cases = chosen_cases(o);
  for (const bench_case& c : all_cases()) cases.push_back(c);
  for (const std::string& group : o.groups)
    if (std::ranges::none_of(cases, [&](const bench_case& c) { return c.group == group; }))
      throw std::runtime_error("--classes: no such class: " + group);
  for (const std::string& size : o.sizes)
    if (std::ranges::none_of(cases, [&](const bench_case& c) { return c.size == size; }))
      throw std::runtime_error("--sizes: no class has this size: " + size);
}

}  // namespace

std::vector<bench_case> chosen_cases(const options& o) {
  std::vector<bench_case> cases = chosen(all_cases(), o);
  if (std::ranges::find(o.groups, "other") == o.groups.end()) return cases;
  if (o.sizes.empty()) throw std::runtime_error("--classes other needs --sizes");
  for (const std::string& size : o.sizes)
    cases.push_back(other_case(static_cast<std::size_t>(number("--sizes", size, 1))));
  return cases;
}

options parse(int argc, char** argv) {
  options o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::runtime_error(flag + " needs a value");
      return argv[++i];
    };
    const auto instead = [&](task what) {
      if (o.what != task::rows && o.what != what)
        throw std::runtime_error(flag + ": only one of --planning, --offsets and --plan-only");
      o.what = what;
    };
    if (flag == "--help" || flag == "-h") {
      o.help = true;
    } else if (flag == "--classes") {
      o.groups = split(value());
    } else if (flag == "--sizes") {
      for (const std::string& size : split(value())) o.sizes.push_back(plain_size(size));
    } else if (flag == "--quick") {
      o.is_quick = true;
    } else if (flag == "--check") {
      o.check = true;
    } else if (flag == "--json") {
      o.json = value();
    } else if (flag == "--planning") {
      instead(task::planning);
    } else if (flag == "--offsets") {
      instead(task::offsets);
    } else if (flag == "--plan-only") {
      instead(task::plan_only);
    } else if (flag == "--plan-seconds") {
      o.plan_seconds = number(flag, value(), 0);
    } else if (flag == "--wisdom") {
      o.wisdom = value();
    } else {
      throw std::runtime_error("no such option: " + flag);
    }
  }
  refuse_unknown(o);
  const bool is_timing_of_us = o.what == task::planning || o.what == task::offsets;
  if (is_timing_of_us && (!o.groups.empty() || !o.sizes.empty() || o.is_quick || !o.json.empty()))
    throw std::runtime_error(
        "--planning and --offsets take neither --classes, --sizes, --quick nor --json");
  return o;
}

}  // namespace papilio::bench

#include "turns.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace papilio::bench {
namespace {

/// The row whose turns are taken now: one alone, so that only its operands are in memory.
class current_row {
 public:
  current_row(std::string name, row of) : name_(std::move(name)), row_(std::move(of)) {
    if (!row_.fault.empty()) return;
    for (const side& s : row_.sides) calls_.push_back(calls_for(s.seconds, row_.block_seconds));
    start_ = wall_seconds();
  }

  const std::string& name() const { return name_; }

  void take_turn(benchmark::State& state) {
    const std::vector<double>& seconds = next_seconds();
    for ([[maybe_unused]] auto _ : state) state.SetIterationTime(seconds[0]);
    for (const auto& [name, value] : row_.counters) state.counters[name] = value;
    for (std::size_t i = 1; i < seconds.size(); ++i)
      state.counters[row_.sides[i].name] = seconds[i] / seconds[0];
    if (row_.work > 0) state.counters[row_.rate] = 1e-9 * row_.work / seconds[0];
    state.SetLabel(row_.label);
  }
  const std::string& fault() const { return row_.fault; }

 private:
  const std::vector<double>& next_seconds() {
    if (!turns_.empty() && wall_seconds() - start_ > row_.most_seconds)
      return turns_[again_++ % turns_.size()];
    std::vector<double> seconds(calls_.size());
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      // Each side is the first of some turns.
      const std::size_t at = (i + turns_.size()) % seconds.size();
      seconds[at] = row_.sides[at].seconds(calls_[at]) / static_cast<double>(calls_[at]);
    }
    return turns_.emplace_back(std::move(seconds));
  }

  std::string name_;
  row row_;
  std::vector<std::size_t> calls_;
  std::vector<std::vector<double>> turns_;
  std::size_t again_ = 0;
  double start_ = 0;
};

bool is_faulty = false;

void take_turn(benchmark::State& state, const std::string& name, const std::function<row()>& make) {
  static std::optional<current_row> current;
  if (!current || current->name() != name) {
    current.reset();
    try {
      current.emplace(name, make());
    } catch (const std::exception& e) {
      current.emplace(name, row{.sides = {}, .fault = e.what()});
    }
    if (!current->fault().empty()) {
      is_faulty = true;
      std::printf("%-44s FAULT: %s\n", name.c_str(), current->fault().c_str());
    }
  }
  if (!current->fault().empty()) return state.SkipWithError(current->fault().c_str());
  current->take_turn(state);
}

/// A line for each row: the medians.
class medians : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.aggregate_name == "median" || (run.repetitions == 1 && !run.error_occurred))
        print(run);
  }

 private:
  static void print(const Run& run) {
    std::printf("%-44s %12.4f us", run.run_name.function_name.c_str(), run.GetAdjustedRealTime());
    for (const auto& [name, counter] : run.counters)
      std::printf("  %s %.4g", name.c_str(), counter.value);
    std::printf("%s%s\n", run.report_label.empty() ? "" : "  ", run.report_label.c_str());
    std::fflush(stdout);
  }
};

}  // namespace

side timed(const std::string& name, std::function<void()> call, double (*now)()) {
  return {name, [call = std::move(call), now](std::size_t calls) {
            return time_block(call, calls, now);
          }};
}

void add_row(const std::string& name, std::function<row()> make) {
  benchmark::RegisterBenchmark(name.c_str(), take_turn, name, std::move(make))
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void add_context(const std::string& key, const std::string& value) {
  benchmark::AddCustomContext(key, value);
}

int run_rows(int argc, char** argv, const char* about, int repetitions,
             const std::string& unasked) {
  std::vector<std::string> words{argv[0], "--benchmark_repetitions=" + std::to_string(repetitions),
                                 "--benchmark_report_aggregates_only=true"};
  std::string asked;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help") std::printf("%s\nWords: rows that begin so. Options:\n", about);
    if (word.starts_with('-'))
      words.push_back(word);
    else
      asked += (asked.empty() ? "^(" : "|") + word;
  }
  words.insert(words.begin() + 1, "--benchmark_filter=" + (asked.empty() ? unasked : asked + ")"));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  medians reporter;
  const bool has_rows = benchmark::RunSpecifiedBenchmarks(&reporter) > 0;
  benchmark::Shutdown();
  return is_faulty || !has_rows ? 1 : 0;
}

}  // namespace papilio::bench

// Decompositions of arrays of normally distributed float32 on one thread, beside plain numpy in a
// child process, in turns; CPU seconds, medians.
//   papilio_bench_decompose [--repeats N] [--filter TEXT]
// PAPILIO_BENCH_PYTHON names a Python that has numpy, if python3 has not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/decompose.hpp"
#include "peer.hpp"
#include "python_peer.hpp"

namespace {

using namespace papilio;

tensor<float> made(std::size_t extent) {
  std::mt19937 generator(0);
  std::normal_distribution<float> normal;
  tensor<float> x({extent, extent, extent});
  for (float& v : x.flat()) v = normal(generator);
  return x;
}

struct task {
  std::string name;
  std::size_t extent, rank;
};

void run_once(const task& t, const tensor<float>& x) {
  if (t.name == "cp")
    cp_als(x, t.rank, {.max_iterations = 20, .tolerance = 0, .on = {.threads = 1}});
  else if (t.name == "tucker")
    tucker_sthosvd(x, {.ranks = {t.rank, t.rank, t.rank}, .on = {.threads = 1}});
  else
    tt_svd(x, {.max_ranks = {t.rank}, .on = {.threads = 1}});
}

double numpy_seconds(const task& t, int calls, bench::python_peer& numpy) {
  std::ostringstream line;
  line << t.name << ' ' << t.extent << ' ' << t.rank << ' ' << calls;
  const std::string answer = numpy.ask(line.str());
  return answer.empty() ? NAN : std::atof(answer.c_str());
}

void run(const task& t, bench::python_peer& numpy, int repeats) {
  const tensor<float> x = made(t.extent);
  const auto ours = [&] { run_once(t, x); };
  const std::size_t calls = bench::detail::calls_for(ours, 5e-3, bench::thread_seconds);
  const int peer_calls = t.extent < 50 ? 3 : 1;
  std::vector<double> mine, other;
  numpy_seconds(t, 1, numpy);
  for (int i = 0; i < repeats; ++i) {
    mine.push_back(bench::detail::time_block(ours, calls, bench::thread_seconds));
    other.push_back(numpy_seconds(t, peer_calls, numpy));
  }
  const double a = bench::median(mine), b = bench::median(other);
  std::printf("%-7s %3zu^3 rank %2zu  %9.3f ms | numpy %9.3f ms | %5.1f times as fast\n",
              t.name.c_str(), t.extent, t.rank, a * 1e3, b * 1e3, b / a);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  int repeats = 15;
  const char* filter = "";
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--filter") == 0 && i + 1 < count)
      filter = arguments[++i];
    else if (std::strcmp(arguments[i], "--repeats") == 0 && i + 1 < count)
      repeats = std::max(1, std::atoi(arguments[++i]));
    else
      return std::fprintf(stderr, "usage: papilio_bench_decompose [--repeats N] [--filter TEXT]\n"),
             2;
  }
  bench::python_peer numpy(PAPILIO_PEERS, 1);
  for (const task& t : std::vector<task>{{"cp", 16, 8},
                                         {"cp", 100, 10},
                                         {"tucker", 16, 4},
                                         {"tucker", 100, 10},
                                         {"tt", 16, 4},
                                         {"tt", 100, 10}})
    if (t.name.find(filter) != std::string::npos) run(t, numpy, repeats);
}

// einsum of two operands into a new tensor beside numpy.einsum(optimize=True), numpy.matmul where
// it says the same, and torch.einsum: in turns, on 1 and on 2 threads, wall time. The peers run in
// a python that is told its threads.
//   papilio_bench_einsum [--turns N] [--filter TEXT]
// PAPILIO_BENCH_PYTHON names a Python that has numpy, if python3 has not.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "contract_steps.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "peer.hpp"
#include "python_peer.hpp"

namespace {

using namespace papilio;

std::string shape_text(std::span<const std::size_t> extents) {
  std::ostringstream text;
  for (std::size_t i = 0; i < extents.size(); ++i) text << (i == 0 ? "" : "x") << extents[i];
  return text.str();
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Calls that take about 20 ms.
template <class Seconds>
int calls_for(const Seconds& seconds_of) {
  seconds_of(1);
  return std::clamp(static_cast<int>(0.02 / std::max(seconds_of(1), 1e-7)), 1, 2000);
}

void run(const bench::step& s, int threads, int turns, bench::python_peer& python) {
  const tensor<float> a = bench::made(bench::extents_of(s.left, s.sizes));
  const tensor<float> b = bench::made(bench::extents_of(s.right, s.sizes));
  einsum_options options;
  options.on.threads = threads;
  const auto ours = [&](int calls) {
    const double start = bench::wall_seconds();
    for (int i = 0; i < calls; ++i) einsum(s.name, a, b, options);
    return bench::wall_seconds() - start;
  };
  std::ostringstream request;
  request << "case " << s.name << ' ' << shape_text(a.extents()) << ' ' << shape_text(b.extents());
  const std::vector<std::string> peers = words_of(python.ask(request.str()));
  const auto theirs = [&](const std::string& peer, int calls) {
    std::ostringstream line;
    line << "run " << peer << ' ' << calls;
    const double seconds = std::atof(python.ask(line.str()).c_str());
    // Threads of the peers spin for a while before they sleep.
    if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return seconds;
  };
  const int our_calls = calls_for(ours);
  std::vector<int> calls;
  for (const std::string& peer : peers)
    calls.push_back(calls_for([&](int n) { return theirs(peer, n); }));
  std::vector<double> mine;
  std::vector<std::vector<double>> others(peers.size());
  for (int turn = 0; turn < turns; ++turn) {
    mine.push_back(ours(our_calls) / our_calls);
    for (std::size_t p = 0; p < peers.size(); ++p)
      others[p].push_back(theirs(peers[p], calls[p]) / calls[p]);
  }
  const double seconds = bench::median(mine);
  std::printf("%-22s %dt %10.2f us", s.name, threads, seconds * 1e6);
  for (std::size_t p = 0; p < peers.size(); ++p) {
    const double other = bench::median(others[p]);
    std::printf(" | %s %10.2f us, %5.2f of it", peers[p].c_str(), other * 1e6, seconds / other);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  int turns = 9;
  const char* filter = "";
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--filter") == 0 && i + 1 < count)
      filter = arguments[++i];
    else if (std::strcmp(arguments[i], "--turns") == 0 && i + 1 < count)
      turns = std::max(1, std::atoi(arguments[++i]));
    else
      return std::fprintf(stderr, "usage: papilio_bench_einsum [--turns N] [--filter TEXT]\n"), 2;
  }
  for (const int threads : {1, 2}) {
    bench::python_peer python(PAPILIO_PEERS, threads);
    for (const bench::step& s : bench::contraction_steps())
      if (std::strstr(s.name, filter) != nullptr) run(s, threads, turns, python);
  }
}

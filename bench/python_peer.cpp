#include "python_peer.hpp"

#include <cstdlib>
#include <vector>

namespace papilio::bench {
namespace {

std::string python() {
  const char* const named = std::getenv("PAPILIO_BENCH_PYTHON");
  return named != nullptr ? named : "python3";
}

}  // namespace

python_peer::python_peer(const char* script, int threads)
    : process_({"env", "OPENBLAS_NUM_THREADS=" + std::to_string(threads), python(), script,
                std::to_string(threads)}) {
  if (process_.answer() == "ready") return;
  std::fprintf(stderr, "%s has no numpy: only our times are shown\n", python().c_str());
  process_.stop();
}

}  // namespace papilio::bench

// Prints how two files of bench/run differ.
#include <cstdio>
#include <exception>
#include <string>

#include "compare_results.hpp"

namespace {

constexpr const char* usage =
    "usage: bench/compare A.json B.json\n\n"
    "Ratios of the times of two files that bench/run wrote, row by row, and their geometric "
    "means.\n"
    "Exit 1 where a file cannot be read, is of another format, or shares no row with the other.\n";

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && (std::string(argv[1]) == "--help" || std::string(argv[1]) == "-h")) {
    std::fputs(usage, stdout);
    return 0;
  }
  if (argc != 3) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    using namespace papilio::bench;
    std::fputs(compare_results(read_results(argv[1]), read_results(argv[2])).c_str(), stdout);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/compare: %s\n", e.what());
    return 1;
  }
}

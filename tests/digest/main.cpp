// The digest of everything whose bits are not to change unseen: runs of the host's functions, a line
// each, against a committed file.
#include <hwy/targets.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

#include "digest/digest_lines.hpp"

namespace papilio::test {
namespace {

constexpr int exit_same = 0, exit_different = 1, exit_usage = 2, exit_skipped = 77;

constexpr const char* usage =
    "usage: papilio_test_digest [--check FILE | --write FILE]\n"
    "\n"
    "Prints a line for each run. --check prints those that differ from FILE instead, are missing "
    "or\n"
    "new, and exits 1 if there are any; --write puts them into FILE. Exits 77 where the computer "
    "has "
    "no\n"
    "AVX2.\n";

// The first instruction set in which Intel and AMD agree, whatever else the computer has.
bool choose_avx2() {
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0) return false;
  hwy::SetSupportedTargetsForTest(HWY_AVX2);
  hwy::GetChosenTarget().DeInit();
  return true;
}

// OpenBLAS chooses its kernels when it is loaded, which is before main: where it has not been told,
// the program begins anew.
void fix_blas_kernels(char** argv) {
  constexpr const char* variable = "OPENBLAS_CORETYPE";
  const char* const kernels = std::getenv(variable);
  if (kernels != nullptr && std::string_view(kernels) == "Haswell") return;
  setenv(variable, "Haswell", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
  throw std::runtime_error("cannot begin anew with OPENBLAS_CORETYPE=Haswell");
}

// Continuous integration has such a computer: there a test that does not run is one that fails.
int skip(const std::string& reason) {
  std::cout << "skipped: " << reason << '\n';
  const char* const ci = std::getenv("CI");
  if (ci == nullptr || *ci == '\0') return exit_skipped;
  std::cout << "which is a failure where CI is set\n";
  return exit_different;
}

int check(const std::string& path, const digest_lines& made) {
  const std::vector<std::string> found = differences(read_digest(path).lines, made);
  for (const std::string& difference : found) std::cout << difference << '\n';
  std::cout << made.size() << " runs, " << found.size() << " differences from " << path << '\n';
  return found.empty() ? exit_same : exit_different;
}

int write(const std::string& path, const digest_lines& made) {
  write_digest(path, {read_digest(path).comments, made});
  std::cout << made.size() << " runs written to " << path << '\n';
  return exit_same;
}

int run(int argc, char** argv) {
  const std::string action = argc > 1 ? argv[1] : "";
  if (argc != 1 && (argc != 3 || (action != "--check" && action != "--write"))) {
    std::cerr << usage;
    return exit_usage;
  }
  if (!choose_avx2()) return skip("this computer has no AVX2, with which the digest is recorded");
  fix_blas_kernels(argv);
  const digest_lines made = host_digest();
  if (action == "--check") return check(argv[2], made);
  if (action == "--write") return write(argv[2], made);
  for (const auto& [what, result] : made) std::cout << what << " : " << result << '\n';
  return exit_same;
}

}  // namespace
}  // namespace papilio::test

int main(int argc, char** argv) {
  try {
    return papilio::test::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "papilio_test_digest: " << e.what() << '\n';
    return papilio::test::exit_different;
  }
}

// The digest of everything whose bits or modelled times are not to change unseen: runs of device
// kernels and of the host's functions, a line each, against a committed file.
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
    "usage: papilio_test_digest device|host [--check FILE | --write FILE]\n"
    "\n"
    "Prints a line for each run. --check prints those that differ from FILE instead, are missing "
    "or\n"
    "new, and exits 1 if there are any; --write puts them into FILE in the place of what it has "
    "of\n"
    "the part. Exits 77 where the host part cannot run.\n";

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

bool is_of(std::string_view run, std::string_view part) {
  return run.starts_with(part) && run.substr(part.size()).starts_with(' ');
}

int check(const std::string& path, std::string_view part, const digest_lines& made) {
  digest_lines recorded = read_digest(path).lines;
  std::erase_if(recorded, [&](const auto& line) { return !is_of(line.first, part); });
  const std::vector<std::string> found = differences(recorded, made);
  for (const std::string& difference : found) std::cout << difference << '\n';
  std::cout << made.size() << " runs, " << found.size() << " differences from " << path << '\n';
  return found.empty() ? exit_same : exit_different;
}

int write(const std::string& path, std::string_view part, const digest_lines& made) {
  digest_file file = read_digest(path);
  std::erase_if(file.lines, [&](const auto& line) { return is_of(line.first, part); });
  file.lines.insert(made.begin(), made.end());
  write_digest(path, file);
  std::cout << made.size() << " runs written to " << path << '\n';
  return exit_same;
}

int run(int argc, char** argv) {
  const std::string part = argc > 1 ? argv[1] : "", action = argc > 2 ? argv[2] : "";
  if ((part != "device" && part != "host") || (argc != 2 && argc != 4) ||
      (argc == 4 && action != "--check" && action != "--write")) {
    std::cerr << usage;
    return exit_usage;
  }
  if (part == "host") {
    if (!choose_avx2())
      return skip("this computer has no AVX2, with which the host part is recorded");
    fix_blas_kernels(argv);
  }
  const digest_lines made = part == "host" ? host_digest() : device_digest();
  if (action == "--check") return check(argv[3], part, made);
  if (action == "--write") return write(argv[3], part, made);
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

#include "fuzz/input.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio::test {

void require(bool holds, const char* expected) {
  if (holds) return;
  std::fprintf(stderr, "expected: %s\n", expected);
  std::abort();
}

const std::filesystem::path& input_folder() {
  static const temporary_directory folder;
  return folder.path();
}

std::string write_input(const std::string& name, std::string_view bytes) {
  write_bytes(input_folder() / name, std::string(bytes));
  return input_folder() / name;
}

}  // namespace papilio::test

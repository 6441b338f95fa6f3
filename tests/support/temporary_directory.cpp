#include "support/temporary_directory.hpp"

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace papilio::test {

temporary_directory::temporary_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "papilio-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

temporary_directory::~temporary_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace papilio::test

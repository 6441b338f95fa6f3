#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

// What the targets share. A target gives bytes to a reader: a refusal by the error that the reader
// promises is an answer, and any other exception, a crash, a sanitizer's report or a require() that
// does not hold is a finding.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace papilio::test {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Prints what was expected and aborts, unless it holds.
void require(bool holds, const char* expected);

/// A folder of this process.
const std::filesystem::path& input_folder();
/// Writes a file of that name there; its path.
std::string write_input(const std::string& name, std::string_view bytes);

}  // namespace papilio::test

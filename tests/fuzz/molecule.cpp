// Folders of a molecule's arrays. A line "@@NAME" begins the file of that name; what stands before
// the first is no file.
#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/molecule_files.hpp"
#include "fuzz/input.hpp"
#include "papilio/base.hpp"

using namespace papilio;

namespace {

constexpr std::array<std::string_view, 13> names{
    "manifest.json", "B_iaQ.npy", "Ba_iaQ.npy", "Bb_iaQ.npy",    "eps.npy",
    "eps_a.npy",     "eps_b.npy", "AO_mnQ.npy", "AO_tril_Q.npy", "metric_PQ.npy",
    "C.npy",         "C_a.npy",   "C_b.npy"};

void write_folder(std::string_view text) {
  for (const std::string_view name : names) std::filesystem::remove(test::input_folder() / name);
  for (std::size_t at = text.find("@@"); at != std::string_view::npos;) {
    const std::size_t next = text.find("@@", at + 2);
    const std::string_view file =
        text.substr(at + 2, next == std::string_view::npos ? next : next - at - 2);
    const std::string_view name = file.substr(0, file.find('\n'));
    if (std::ranges::find(names, name) != names.end() && name.size() < file.size())
      test::write_input(std::string(name), file.substr(name.size() + 1));
    at = next;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  write_folder(test::text_of(data, size));
  const cli::molecule_files files(test::input_folder());
  cli::molecule_source source;
  source.memory_bytes = std::size_t{1} << 20;
  source.threads = 1;
  for (const bool from_ao : {false, true}) {
    source.from_ao = from_ao;
    try {
      const auto molecule = cli::read_molecule<double>(files, source);
      for (const auto& spin : molecule.spins)
        test::require(
            spin.eps_occupied.size() == spin.extent(0) && spin.eps_virtual.size() == spin.extent(1),
            "every orbital has an energy");
    } catch (const error&) {
    }
  }
  return 0;
}

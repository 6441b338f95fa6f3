// NPY arrays, by the reader of whole ones, by that of pieces, and by their description.
#include <algorithm>
#include <vector>

#include "fuzz/input.hpp"
#include "papilio/base.hpp"
#include "papilio/io.hpp"

using namespace papilio;

namespace {

std::size_t product(const std::vector<std::size_t>& extents) {
  std::size_t size = 1;
  for (const std::size_t extent : extents) size *= extent;
  return size;
}

void read_whole(const std::string& path) {
  const npy_description description = describe_npy(path);
  const npy_tensor array = read_npy(path);
  std::visit(
      [&](const auto& values) {
        test::require(values.size() == product(description.extents), "the array is as described");
      },
      array);
  test::require(read_npy_as<std::complex<double>>(path).size() == product(description.extents),
                "and has as many elements in any type");
  read_npy_as<float>(path);  // refuses complex ones
}

void read_in_pieces(const std::string& path) {
  const npy_reader reader(path);
  if (!reader.holds<float>() || reader.size() == 0) return;
  std::vector<float> values(std::min<std::uint64_t>(reader.size(), 100));
  reader.read(0, std::span(values));
  reader.read(reader.size() - 1, std::span(values).first(1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = test::write_input("array.npy", test::text_of(data, size));
  for (const auto read : {read_whole, read_in_pieces}) {
    try {
      read(path);
    } catch (const io_error&) {
    }
  }
  return 0;
}

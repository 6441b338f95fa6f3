#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/io.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using test::read_bytes;
using test::write_bytes;

template <class T>
void expect_same_as_save() {
  const test::temporary_directory folder;
  array<T, 3> values({2, 5, 3});
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = static_cast<T>(float(i) + 1);
  save_npy(folder / "whole.npy", values);
  npy_region_writer<T> writer(folder / "pieces.npy", {2, 5, 3});
  const std::span<const T> all = values.flat();
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{17, 13}, {0, 4}, {4, 13}})
    writer.write(first, all.subspan(first, count));
  EXPECT_FALSE(std::filesystem::exists(folder / "pieces.npy"));
  writer.commit();
  EXPECT_EQ(read_bytes(folder / "pieces.npy"), read_bytes(folder / "whole.npy"));
  const npy_reader reader(folder / "pieces.npy");
  EXPECT_EQ(reader.extents(), (std::vector<std::uint64_t>{2, 5, 3}));
  EXPECT_EQ(reader.size(), 30u);
  ASSERT_TRUE(reader.holds<T>());
  std::vector<T> got(13);
  reader.read(17, std::span<T>(got));
  EXPECT_EQ(got, std::vector<T>(all.begin() + 17, all.end()));
  EXPECT_THROW(reader.read(18, std::span<T>(got)), shape_error);
}

TEST(npy_regions, every_element_type) {
  expect_same_as_save<float>();
  expect_same_as_save<double>();
  expect_same_as_save<std::complex<float>>();
  expect_same_as_save<std::complex<double>>();
}

TEST(npy_regions, what_is_missing_or_beyond) {
  const test::temporary_directory folder;
  const std::vector<float> values(4, 1.0f);
  npy_region_writer<float> writer(folder / "a.npy", {2, 3});
  EXPECT_THROW(writer.write(3, values), shape_error);
  EXPECT_THROW(writer.write(~std::uint64_t{0}, values), shape_error);
  writer.write(0, values);
  EXPECT_THROW(writer.commit(), shape_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
  EXPECT_THROW(npy_region_writer<float>(folder / "b.npy", {~std::uint64_t{0}, 2}), resource_error);
  EXPECT_THROW(npy_region_writer<float>("/dev/null", {2, 3}), io_error);
}

TEST(npy_regions, other_elements_are_told_and_not_read) {
  const test::temporary_directory folder;
  array<std::int32_t, 1> values(3);
  for (std::int32_t& v : values) v = 1;
  save_npy(folder / "a.npy", values);
  const npy_reader reader(folder / "a.npy");
  EXPECT_EQ(reader.element_type(), "<i4");
  EXPECT_FALSE(reader.holds<float>());
  std::vector<float> got(3);
  EXPECT_THROW(reader.read(0, std::span<float>(got)), invalid_argument);
}

// Each prefix and each changed byte of the header is read or refused, never more.
TEST(npy_regions, damaged_headers) {
  const test::temporary_directory folder;
  array<float, 2> values({2, 3});
  std::fill(values.begin(), values.end(), 1.0f);
  save_npy(folder / "a.npy", values);
  const std::string good = read_bytes(folder / "a.npy");
  for (std::size_t length = 0; length < good.size(); ++length) {
    std::filesystem::remove(folder / "b.npy");  // some file systems write through replacements
    write_bytes(folder / "b.npy", good.substr(0, length));
    EXPECT_THROW(npy_reader(folder / "b.npy"), io_error) << length;
  }
  int refused = 0;
  for (std::size_t at = 0; at < 80; ++at)
    for (const char c : {'\0', '(', ')', '\'', ',', '9', '{', '}', '\xff'}) {
      std::string bad = good;
      bad[at] = c;
      std::filesystem::remove(folder / "b.npy");
      write_bytes(folder / "b.npy", bad);
      try {
        const npy_reader reader(folder / "b.npy");
        EXPECT_LE(reader.size(), 24u);
      } catch (const io_error&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 400);
}

}  // namespace
}  // namespace papilio

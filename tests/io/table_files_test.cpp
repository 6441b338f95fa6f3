#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/io.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using test::read_bytes;

struct parsed_npy {
  std::string dictionary;  // without the padding
  std::string data;
};

/// By the format's document, byte by byte.
parsed_npy parse(const std::string& bytes) {
  EXPECT_EQ(bytes.substr(0, 6), "\x93NUMPY");
  EXPECT_EQ(bytes.substr(6, 2), std::string("\1\0", 2));
  const std::size_t length =
      static_cast<unsigned char>(bytes.at(8)) + 256u * static_cast<unsigned char>(bytes.at(9));
  EXPECT_EQ((10 + length) % 64, 0u);
  EXPECT_EQ(bytes.at(9 + length), '\n');
  std::string text = bytes.substr(10, length - 1);
  text.resize(text.find_last_not_of(' ') + 1);
  return {text, bytes.substr(10 + length)};
}

template <class T>
std::vector<T> elements(const std::string& data) {
  std::vector<T> result(data.size() / sizeof(T));
  std::memcpy(result.data(), data.data(), data.size());
  return result;
}

template <class T>
void expect_saved(const std::string& descr) {
  const test::temporary_directory folder;
  array<T, 2> values({2, 3});
  for (std::size_t i = 0; i < 6; ++i) values.flat()[i] = static_cast<T>(static_cast<float>(i + 1));
  save_npy(folder / "a.npy", values);
  const parsed_npy npy = parse(read_bytes(folder / "a.npy"));
  EXPECT_EQ(npy.dictionary,
            "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2, 3), }");
  EXPECT_EQ(elements<T>(npy.data), std::vector<T>(values.begin(), values.end()));
}

TEST(npy, every_element_type) {
  expect_saved<float>("<f4");
  expect_saved<double>("<f8");
  expect_saved<std::complex<float>>("<c8");
  expect_saved<std::complex<double>>("<c16");
  expect_saved<std::int32_t>("<i4");
  expect_saved<std::int64_t>("<i8");
  expect_saved<std::uint8_t>("|u1");
}

TEST(npy, strided_and_reversed_views_are_written_in_c_order) {
  const test::temporary_directory folder;
  std::vector<double> memory{0, 1, 2, 3, 4, 5};
  save_npy(folder / "t.npy", view<const double, 2>(memory.data(), {3, 2}, {1, 3}));
  EXPECT_EQ(elements<double>(parse(read_bytes(folder / "t.npy")).data),
            (std::vector<double>{0, 3, 1, 4, 2, 5}));
  save_npy(folder / "r.npy", view<double, 1>(memory.data() + 5, {6}, {-1}));
  const parsed_npy npy = parse(read_bytes(folder / "r.npy"));
  EXPECT_EQ(elements<double>(npy.data), (std::vector<double>{5, 4, 3, 2, 1, 0}));
  EXPECT_NE(npy.dictionary.find("'shape': (6,)"), std::string::npos);
}

TEST(npy, empty_array) {
  const test::temporary_directory folder;
  save_npy(folder / "e.npy", array<float, 3>({4, 0, 2}));
  const parsed_npy npy = parse(read_bytes(folder / "e.npy"));
  EXPECT_NE(npy.dictionary.find("'shape': (4, 0, 2)"), std::string::npos);
  EXPECT_EQ(npy.data, "");
}

TEST(npy_writer, counts_rows_at_commit) {
  const test::temporary_directory folder;
  npy_writer<float> writer(folder / "w.npy", {2});
  std::vector<float> expected;
  for (int row = 0; row < 1000; ++row) {
    const float values[] = {static_cast<float>(row), -1.0f};
    writer.write_rows(values);
    expected.insert(expected.end(), std::begin(values), std::end(values));
  }
  EXPECT_THROW(writer.write_rows(std::vector<float>(3)), shape_error);
  EXPECT_EQ(writer.rows(), 1000u);
  EXPECT_FALSE(std::filesystem::exists(folder / "w.npy"));
  writer.commit();
  const parsed_npy npy = parse(read_bytes(folder / "w.npy"));
  EXPECT_NE(npy.dictionary.find("'shape': (1000, 2), }"), std::string::npos);
  EXPECT_EQ(elements<float>(npy.data), expected);
  EXPECT_THROW(npy_writer<float>(folder / "x.npy", {0}), shape_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "x.npy"));
}

TEST(npy_writer, scalar_rows_and_no_rows) {
  const test::temporary_directory folder;
  npy_writer<std::int32_t> writer(folder / "w.npy", {});
  writer.commit();
  EXPECT_NE(parse(read_bytes(folder / "w.npy")).dictionary.find("'shape': (0,)"),
            std::string::npos);
}

TEST(csv, quotes_and_shortest_numbers) {
  const test::temporary_directory folder;
  csv_writer csv(folder / "t.csv", {"a,b", "say \"x\"", "n"});
  csv.row("plain", "two\nlines", 0.1f);
  csv.row(std::string("x"), 0.1, -3);
  csv.row(std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<float>::infinity(),
          std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW(csv.row(1, 2), shape_error);
  csv.commit();
  EXPECT_EQ(read_bytes(folder / "t.csv"),
            "\"a,b\",\"say \"\"x\"\"\",n\n"
            "plain,\"two\nlines\",0.1\n"
            "x,0.1,-3\n"
            "nan,-inf,18446744073709551615\n");
  EXPECT_THROW(csv_writer(folder / "u.csv", {}), invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(folder / "u.csv"));
}

TEST(csv, a_lone_empty_field_is_no_blank_line) {
  const test::temporary_directory folder;
  csv_writer csv(folder / "t.csv", {"a"});
  csv.row("");
  csv.commit();
  EXPECT_EQ(read_bytes(folder / "t.csv"), "a\n\"\"\n");
}

}  // namespace
}  // namespace papilio

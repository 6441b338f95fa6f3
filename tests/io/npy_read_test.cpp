#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "papilio/base/error.hpp"
#include "papilio/io.hpp"
#include "support/temporary_directory.hpp"
#include "support/wav_bytes.hpp"

namespace papilio {
namespace {

using test::read_bytes;
using test::write_bytes;

/// A file as the format's document has it, whatever `dictionary` and `data` are.
std::string file_of(int version, const std::string& dictionary, const std::string& data) {
  std::string text = dictionary;
  text.append(63 - (text.size() + 12) % 64, ' ');
  text += '\n';
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    file += static_cast<char>(text.size() >> (8 * byte) & 255);
  file += text;
  return file += data;
}

std::string dictionary_of(const std::string& type, const std::string& shape,
                          bool fortran_order = false) {
  std::string text("{'descr': '");
  text += type;
  text += "', 'fortran_order': ";
  text += fortran_order ? "True" : "False";
  text += ", 'shape': ";
  text += shape;
  return text += ", }";
}

/// The bytes of a whole number, the lowest first or last.
std::string bytes_of(std::uint64_t bits, std::size_t size_bytes, char order) {
  std::string bytes;
  for (std::size_t i = 0; i < size_bytes; ++i) bytes += static_cast<char>(bits >> (8 * i) & 255);
  if (order == '>') std::ranges::reverse(bytes);
  return bytes;
}

template <class T>
std::string bytes_of(T value, char order) {
  if constexpr (std::is_same_v<T, float>)
    return bytes_of(std::bit_cast<std::uint32_t>(value), 4, order);
  else if constexpr (std::is_same_v<T, double>)
    return bytes_of(std::bit_cast<std::uint64_t>(value), 8, order);
  else if constexpr (std::is_integral_v<T>)
    return bytes_of(static_cast<std::uint64_t>(value), sizeof(T), order);
  else {
    std::string both = bytes_of(value.real(), order);
    return both += bytes_of(value.imag(), order);
  }
}

/// Six values, at the ends of T's range too.
template <class T>
std::vector<T> values_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>)
    return {true, false, false, true, true, false};
  else if constexpr (std::is_arithmetic_v<T>)
    return {T(1), limits::lowest(), limits::max(), T(0), T(77), limits::min()};
  else
    return {{1, 2}, {-3, 4}, {0.5, -0.25}, {0, 0}, {1e30f, -1e-30f}, {7, 0}};
}

class npy_read : public testing::Test {
 protected:
  // A new file each time: some file systems write through what replaces one.
  std::filesystem::path put(const std::string& bytes) const {
    std::filesystem::remove(folder_ / "a.npy");
    write_bytes(folder_ / "a.npy", bytes);
    return folder_ / "a.npy";
  }

  /// Shape (2, 3) in both orders of the axes; converted to each floating-point type.
  template <class T>
  void expect_read(const std::string& code) const {
    const std::vector<T> values = values_of<T>();
    for (const char order : sizeof(T) == 1 ? std::string("|<>") : std::string("<>"))
      for (const bool fortran_order : {false, true})
        for (const int version : {1, 2, 3}) {
          SCOPED_TRACE(order + code + (fortran_order ? " Fortran" : " C"));
          std::string data;
          for (std::size_t i = 0; i < 6; ++i)
            data += bytes_of(T(values[fortran_order ? i % 2 * 3 + i / 2 : i]), order);
          const auto path =
              put(file_of(version, dictionary_of(order + code, "(2, 3)", fortran_order), data));
          const npy_description description = describe_npy(path);
          EXPECT_EQ(description, (npy_description{{2, 3}, order + code, fortran_order}));
          const npy_tensor read = read_npy(path);
          ASSERT_TRUE(std::holds_alternative<tensor<T>>(read));
          expect_values(std::get<tensor<T>>(read), values);
          expect_converted<float>(path, values);
          expect_converted<double>(path, values);
          expect_converted<std::complex<float>>(path, values);
          expect_converted<std::complex<double>>(path, values);
        }
  }

  template <class T>
  static void expect_values(const tensor<T>& got, const std::vector<T>& values) {
    ASSERT_EQ(got.rank(), 2u);
    EXPECT_EQ(got.extent(0), 2u);
    EXPECT_EQ(got.extent(1), 3u);
    EXPECT_TRUE(std::equal(got.data(), got.data() + got.size(), values.begin(), values.end()));
  }

  template <class To, class T>
  static void expect_converted(const std::filesystem::path& path, const std::vector<T>& values) {
    constexpr bool is_real = std::is_floating_point_v<To>;
    if constexpr (is_real && !std::is_arithmetic_v<T>) {
      EXPECT_THROW(read_npy_as<To>(path), io_error);
    } else {
      std::vector<To> wanted;
      for (const T value : values)
        if constexpr (is_real)
          wanted.push_back(static_cast<To>(value));
        else if constexpr (std::is_arithmetic_v<T>)
          wanted.emplace_back(static_cast<typename To::value_type>(value), 0);
        else
          wanted.emplace_back(static_cast<typename To::value_type>(value.real()),
                              static_cast<typename To::value_type>(value.imag()));
      expect_values(read_npy_as<To>(path), wanted);
    }
  }

  void expect_refused(const std::string& bytes, const std::string& reason) const {
    const auto path = put(bytes);
    for (const bool is_whole : {false, true}) try {
        if (is_whole)
          read_npy(path);
        else
          describe_npy(path);
        ADD_FAILURE() << reason;
      } catch (const io_error& refusal) {
        EXPECT_EQ(refusal.what(), path.string() + ": " + reason);
      }
  }

  const test::temporary_directory folder_;
};

TEST_F(npy_read, every_element_type_and_order) {
  expect_read<bool>("b1");
  expect_read<std::int8_t>("i1");
  expect_read<std::int16_t>("i2");
  expect_read<std::int32_t>("i4");
  expect_read<std::int64_t>("i8");
  expect_read<std::uint8_t>("u1");
  expect_read<std::uint16_t>("u2");
  expect_read<std::uint32_t>("u4");
  expect_read<std::uint64_t>("u8");
  expect_read<float>("f4");
  expect_read<double>("f8");
  expect_read<std::complex<float>>("c8");
  expect_read<std::complex<double>>("c16");
}

TEST_F(npy_read, all_halves) {
  for (const char order : {'<', '>'}) {
    std::string data;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) data += bytes_of(bits, 2, order);
    const auto path =
        put(file_of(1, dictionary_of(std::string(1, order) + "f2", "(65536,)"), data));
    const auto got = std::get<tensor<float>>(read_npy(path));
    for (int bits = 0; bits < 65536; ++bits) {
      const int exponent = bits >> 10 & 31, fraction = bits & 1023;
      const double sign = bits & 0x8000 ? -1 : 1;
      const float value = got.data()[bits];
      EXPECT_EQ(std::signbit(value), sign < 0);
      if (exponent == 31 && fraction != 0)
        EXPECT_TRUE(std::isnan(value));
      else if (exponent == 31)
        EXPECT_TRUE(std::isinf(value));
      else if (exponent == 0)
        EXPECT_EQ(value, sign * std::ldexp(fraction, -24));
      else
        EXPECT_EQ(value, sign * std::ldexp(1024 + fraction, exponent - 25));
    }
  }
}

TEST_F(npy_read, shapes) {
  const auto one =
      read_npy_as<double>(put(file_of(1, dictionary_of("<f8", "()"), bytes_of(2.5, '<'))));
  EXPECT_EQ(one.rank(), 0u);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(*one.data(), 2.5);
  for (const bool fortran_order : {false, true}) {
    // Beside an extent of 0 the others may be anything.
    const auto none = read_npy_as<double>(
        put(file_of(3, dictionary_of("<f8", "(4, 0, 9223372036854775807, 8)", fortran_order), "")));
    EXPECT_EQ(none.rank(), 4u);
    EXPECT_EQ(none.size(), 0u);
    EXPECT_EQ(none.extent(2), 9223372036854775807u);
  }
  // Python 2 wrote "L" behind whole numbers.
  EXPECT_EQ(describe_npy(put(file_of(1, dictionary_of("|u1", "(3L, 1L)"), "abc"))).extents,
            (std::vector<std::size_t>{3, 1}));
}

// More than one block of the reader, along more than two axes.
TEST_F(npy_read, large_arrays_in_fortran_order) {
  const std::size_t e[3] = {67, 41, 53};
  std::string data;
  for (std::size_t at = 0; at < e[0] * e[1] * e[2]; ++at)
    data += bytes_of(static_cast<std::uint32_t>(at), '>');
  const auto path = put(file_of(1, dictionary_of(">u4", "(67, 41, 53)", true), data));
  const auto got = read_npy_as<double>(path);
  for (std::size_t i = 0, at = 0; i < e[0]; ++i)
    for (std::size_t j = 0; j < e[1]; ++j)
      for (std::size_t k = 0; k < e[2]; ++k, ++at)
        ASSERT_EQ(got.data()[at], static_cast<double>(i + e[0] * (j + e[1] * k)));
}

TEST_F(npy_read, a_bool_is_whether_its_byte_is_0) {
  const auto path = put(file_of(1, dictionary_of("|b1", "(3,)"), std::string("\2\0\xff", 3)));
  const auto got = std::get<tensor<bool>>(read_npy(path));
  EXPECT_EQ(std::vector<bool>(got.data(), got.data() + 3), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(read_npy_as<float>(path).data()[2], 1.0f);
}

TEST_F(npy_read, what_floating_type_holds_the_values) {
  const auto type = [](const char* t) { return npy_description{{}, t, false}.floating_type(); };
  for (const char* t : {"|b1", "|i1", "<i2", ">u2", "<f2", ">f4"}) EXPECT_EQ(type(t), "f4") << t;
  for (const char* t : {"<i4", "<u4", "<i8", ">u8", "<f8"}) EXPECT_EQ(type(t), "f8") << t;
  EXPECT_EQ(type("<c8"), "c8");
  EXPECT_EQ(type(">c16"), "c16");
}

TEST_F(npy_read, files_that_lie_are_refused_before_memory_is_taken) {
  const std::string good = file_of(1, dictionary_of("<f4", "(2, 3)"), std::string(24, '\0'));
  expect_refused(good.substr(0, good.size() - 1),
                 "its header promises 24 bytes of elements, it holds 23");
  expect_refused(good + "x", "its header promises 24 bytes of elements, it holds 25");
  const auto refused = [&](const std::string& type, const std::string& shape,
                           const std::string& reason) {
    expect_refused(file_of(1, dictionary_of(type, shape), std::string(24, '\0')), reason);
  };
  refused("<f8", "(1000000000000, 1000)",
          "its header promises 8000000000000000 bytes of elements, it holds 24");
  refused("<f4", "(4294967296, 4294967296, 4)", "its shape is beyond any file");
  refused("<f4", "(4611686018427387904,)", "its shape is beyond any file");
  refused("<f4", "(99999999999999999999,)", "its shape is beyond any file");
  refused("<f4", "(-2, 3)", "its shape has a negative extent");
  refused("<f4", "(2, 3", "its header is not that of an NPY array of one element type");
  refused("<f4", "[2, 3]", "its header is not that of an NPY array of one element type");
  refused("<f4", "(2.0, 3)", "its header is not that of an NPY array of one element type");
  std::string shape("(");
  for (int axis = 0; axis < 33; ++axis) shape += "1, ";
  refused("<f4", shape + ")", "its rank is 33, over 32");
  expect_refused("", "the file is empty");
  expect_refused("RIFF0123456789", "it is no NPY file");
  expect_refused(good.substr(0, 40), "it ends within its header");
  std::string version = good;
  version[6] = 4;
  expect_refused(version, "NPY version 4.0 is not known");
}

TEST_F(npy_read, elements_that_are_not_read) {
  const auto refused = [&](const std::string& type, std::size_t size_bytes,
                           const std::string& reason) {
    expect_refused(file_of(1, dictionary_of(type, "(1,)"), std::string(size_bytes, '\0')), reason);
  };
  refused("|O", 8, "its elements are Python objects, which are not read");
  for (const char* type : {"<U1", "|S4", "<M8[ns]", "|V4", "<f", "f4", "<f4,<f4", "<i-4", "<x4"})
    refused(type, 4, std::string("element type \"") + type + "\" is not known");
  refused("<i3", 3, "element type \"<i3\" is not known");
  refused("<f1", 1, "element type \"<f1\" is not known");
  refused("<c4", 4, "element type \"<c4\" is not known");
  refused("<f16", 16, "element type \"<f16\" is a long double, whose form depends on the machine");
  refused("<c32", 32, "element type \"<c32\" is a long double, whose form depends on the machine");
  expect_refused(file_of(1,
                         "{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, "
                         "'shape': (1,), }",
                         std::string(8, '\0')),
                 "its elements are records of several fields, not numbers");
}

// Each prefix, each changed byte, and noise behind a good start is read or refused by io_error.
TEST_F(npy_read, damaged_files) {
  const std::string good = file_of(2, dictionary_of(">c8", "(2, 3)", true), std::string(48, '\1'));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(read_npy(put(good.substr(0, length))), io_error) << length;
  std::mt19937 random(3);
  int read = 0, refused = 0;
  for (int trial = 0; trial < 600; ++trial) {
    std::string bad = good;
    for (int change = trial % 3; change >= 0; --change)
      bad[random() % 110] = trial % 2 ? static_cast<char>(random()) : "(),9' {}b<"[random() % 10];
    if (trial % 7 == 0)
      for (std::size_t at = random() % bad.size(); at < bad.size(); ++at)
        bad[at] = static_cast<char>(random());
    try {
      const npy_tensor got = read_npy(put(bad));
      EXPECT_LE(std::visit([](const auto& t) { return t.size(); }, got), 48u);
      ++read;
    } catch (const io_error&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 3);
  EXPECT_GT(refused, 300);
}

template <class T>
void expect_round_trip(const std::filesystem::path& path, const std::vector<std::size_t>& extents) {
  tensor<T> values{std::span<const std::size_t>(extents)};
  for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = static_cast<T>(float(i % 120));
  save_npy(path, values);
  const auto got = std::get<tensor<T>>(read_npy(path));
  EXPECT_TRUE(std::ranges::equal(got.extents(), extents));
  EXPECT_TRUE(std::ranges::equal(got.flat(), values.flat()));
}

TEST(npy_write, tensors_of_any_rank_come_back) {
  const test::temporary_directory folder;
  const auto path = folder / "a.npy";
  for (const std::vector<std::size_t>& extents : {std::vector<std::size_t>{},
                                                  {5},
                                                  {0},
                                                  {2, 3, 4, 1, 2},
                                                  {3, 0, std::size_t{1} << 60, 16},
                                                  std::vector<std::size_t>(32, 1)}) {
    expect_round_trip<bool>(path, extents);
    expect_round_trip<std::int8_t>(path, extents);
    expect_round_trip<std::int16_t>(path, extents);
    expect_round_trip<std::int32_t>(path, extents);
    expect_round_trip<std::int64_t>(path, extents);
    expect_round_trip<std::uint8_t>(path, extents);
    expect_round_trip<std::uint16_t>(path, extents);
    expect_round_trip<std::uint32_t>(path, extents);
    expect_round_trip<std::uint64_t>(path, extents);
    expect_round_trip<float>(path, extents);
    expect_round_trip<double>(path, extents);
    expect_round_trip<std::complex<float>>(path, extents);
    expect_round_trip<std::complex<double>>(path, extents);
  }
}

TEST(npy_write, strided_views_in_row_major_order) {
  const test::temporary_directory folder;
  tensor<double> values({4, 3});
  for (std::size_t i = 0; i < 12; ++i) values.data()[i] = static_cast<double>(i);
  const std::vector<std::size_t> extents{3, 2};
  const std::vector<std::ptrdiff_t> strides{1, -6};
  save_npy(folder / "a.npy", tensor_view<const double>(values.data() + 6, extents, strides));
  const auto got = read_npy_as<double>(folder / "a.npy");
  EXPECT_EQ(std::vector<double>(got.data(), got.data() + 6),
            (std::vector<double>{6, 0, 7, 1, 8, 2}));
  EXPECT_THROW(save_npy(folder / "missing" / "a.npy", values), io_error);
}

}  // namespace
}  // namespace papilio

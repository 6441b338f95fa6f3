#include "papilio/engine/dtype.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "engine/number_oracle.hpp"
#include "papilio/base/error.hpp"

namespace papilio::engine {
namespace {

using namespace papilio::test;

constexpr std::array all_types{dtype::fp32,  dtype::bf16,     dtype::fp16,
                               dtype::tf32,  dtype::fp8_e4m3, dtype::fp8_e5m2,
                               dtype::int32, dtype::uint8,    dtype::fp8_e4m3fn};
constexpr std::array packed_types{dtype::fp8_e4m3fn_x4, dtype::fp8_e5m2_x4, dtype::fp4_e2m1fn_x4};
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Elements as bytes, in the host's order.
template <class Element>
std::vector<std::byte> bytes_of(const std::vector<Element>& elements) {
  std::vector<std::byte> bytes(elements.size() * sizeof(Element));
  if (!bytes.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

std::uint32_t element_at(dtype type, const std::byte* from) {
  std::uint32_t code = 0;
  std::uint16_t half = 0;
  std::uint8_t byte = 0;
  switch (size_bytes(type)) {
    case 1:
      std::memcpy(&byte, from, 1);
      return byte;
    case 2:
      std::memcpy(&half, from, 2);
      return half;
    default:
      std::memcpy(&code, from, 4);
      return code;
  }
}

/// Every code of a packed format in turn, as memory.
std::vector<std::byte> every_code(const float_format& format) {
  const std::uint32_t codes = 1u << format.code_bits();
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> halves;
  for (std::uint32_t code = 0; code < codes; ++code) {
    bytes.push_back(static_cast<std::uint8_t>(code));
    halves.push_back(static_cast<std::uint16_t>(code));
  }
  return format.code_bits() == 8 ? bytes_of(bytes) : bytes_of(halves);
}

std::vector<float> stored_and_loaded(dtype type, const std::vector<float>& values) {
  std::vector<std::byte> memory(values.size() * size_bytes(type));
  std::vector<float> got(values.size());
  store_row(type, values.data(), values.size(), memory.data(), 1);
  load_row(type, memory.data(), 1, got.size(), got.data());
  return got;
}

/// By rows and one at a time, `values` become what the oracle says.
void expect_nearest(const float_format& format, const std::vector<float>& values) {
  const std::vector<float> got = stored_and_loaded(format.type, values);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double expected = nearest(format, values[k]);
    ASSERT_TRUE(same(got[k], expected)) << to_string(format.type) << ": " << values[k] << " became "
                                        << got[k] << ", not " << expected;
    ASSERT_TRUE(same(round_to(format.type, values[k]), expected)) << values[k];
  }
}

TEST(dtype, names_and_sizes) {
  const std::array<std::size_t, 9> sizes{4, 2, 2, 4, 1, 1, 4, 1, 1};
  for (std::size_t k = 0; k < all_types.size(); ++k) {
    EXPECT_EQ(size_bytes(all_types[k]), sizes[k]);
    EXPECT_EQ(parse_dtype(to_string(all_types[k])), all_types[k]);
    EXPECT_EQ(is_float(all_types[k]), k < 6 || k == 8);
    EXPECT_FALSE(is_packed(all_types[k]));
    EXPECT_EQ(is_fp8(all_types[k]), is_float(all_types[k]) && sizes[k] == 1);
  }
  EXPECT_STREQ(to_string(dtype::fp8_e4m3), "fp8_e4m3");
}

TEST(dtype, a_name_that_is_none_is_answered_with_those_there_are) {
  for (const std::string wrong : {"", "float32", "FP32", "fp32 "}) {
    try {
      parse_dtype(wrong);
      ADD_FAILURE() << wrong;
    } catch (const invalid_argument& e) {
      EXPECT_EQ(e.what(),
                "parse_dtype: name must be one of fp32, bf16, fp16, tf32, fp8_e4m3, fp8_e5m2, "
                "int32, uint8, fp8_e4m3fn, fp8_e4m3fn_x4, fp8_e5m2_x4, fp4_e2m1fn_x4, got \"" +
                    wrong + '"');
    }
  }
}

TEST(dtype, what_is_no_enumerator_is_refused) {
  const auto wrong = static_cast<dtype>(200);
  std::byte memory[4] = {};
  float value = 0;
  EXPECT_THROW(to_string(wrong), invalid_argument);
  EXPECT_THROW(round_to(wrong, 1.0f), invalid_argument);
  EXPECT_THROW(load_row(wrong, memory, 1, 1, &value), invalid_argument);
  EXPECT_THROW(store_row(wrong, &value, 1, memory, 1), invalid_argument);
  EXPECT_THROW(fill_poison(wrong, memory, 1), invalid_argument);
}

TEST(dtype, every_code_has_the_value_of_its_definition) {
  for (const auto& format : packed_formats) {
    const auto memory = every_code(format);
    std::vector<float> got(memory.size() / size_bytes(format.type));
    load_row(format.type, memory.data(), 1, got.size(), got.data());
    for (std::uint32_t code = 0; code < got.size(); ++code)
      ASSERT_TRUE(same(got[code], decoded(format, code)))
          << to_string(format.type) << " code " << code << ": " << got[code];
  }
}

TEST(dtype, every_code_survives_the_way_there_and_back) {
  for (const auto& format : packed_formats) {
    const auto memory = every_code(format);
    const std::size_t codes = memory.size() / size_bytes(format.type);
    std::vector<float> values(codes);
    std::vector<std::byte> again(memory.size());
    load_row(format.type, memory.data(), 1, codes, values.data());
    store_row(format.type, values.data(), codes, again.data(), 1);
    const std::uint32_t quiet = 1u << (format.mantissa_bits - 1);
    for (std::uint32_t code = 0; code < codes; ++code) {
      const std::uint32_t got = element_at(format.type, &again[code * size_bytes(format.type)]);
      if (!std::isnan(values[code])) {
        ASSERT_EQ(got, code) << to_string(format.type);
      } else {
        ASSERT_TRUE(std::isnan(decoded(format, got))) << to_string(format.type) << ' ' << code;
        ASSERT_EQ(got >> (format.code_bits() - 1), code >> (format.code_bits() - 1));
        ASSERT_TRUE(got & quiet) << to_string(format.type) << ' ' << code;
      }
    }
  }
}

TEST(dtype, extremes_are_those_of_the_published_formats) {
  EXPECT_EQ(round_to(dtype::fp8_e4m3, 247.99f), 240.0f);
  EXPECT_EQ(round_to(dtype::fp8_e4m3, 248.0f), infinity);  // the tie goes to the even neighbour
  EXPECT_EQ(round_to(dtype::fp8_e5m2, 61439.0f), 57344.0f);
  EXPECT_EQ(round_to(dtype::fp8_e5m2, -61440.0f), -infinity);
  EXPECT_EQ(round_to(dtype::fp16, 65519.99f), 65504.0f);
  EXPECT_EQ(round_to(dtype::fp16, 65520.0f), infinity);
  EXPECT_EQ(round_to(dtype::bf16, std::numeric_limits<float>::max()), infinity);
  EXPECT_EQ(round_to(dtype::bf16, 0x1.fep127f), 0x1.fep127f);
  EXPECT_EQ(round_to(dtype::tf32, 0x1.ffcp127f), 0x1.ffcp127f);
  EXPECT_EQ(round_to(dtype::fp8_e4m3, 0x1p-9f), 0x1p-9f);
  EXPECT_EQ(round_to(dtype::fp8_e5m2, 0x1p-16f), 0x1p-16f);
  EXPECT_EQ(round_to(dtype::fp16, 0x1p-24f), 0x1p-24f);
  EXPECT_EQ(round_to(dtype::fp16, 0x1p-25f), 0.0f);
  EXPECT_EQ(round_to(dtype::fp16, 0x1.000002p-25f), 0x1p-24f);
  EXPECT_TRUE(std::signbit(round_to(dtype::fp16, -0x1p-30f)));
  EXPECT_EQ(round_to(dtype::tf32, 1.0f + 0x1p-11f), 1.0f);
  EXPECT_EQ(round_to(dtype::tf32, 1.0f + 0x3p-11f), 1.0f + 0x1p-9f);
}

TEST(dtype, rounds_to_nearest_even_at_every_border) {
  for (const auto& format : packed_formats) expect_nearest(format, borders(format));
}

TEST(dtype, rounds_any_float_to_nearest_even) {
  for (const auto& format : narrow_formats) {
    expect_nearest(format, random_floats(200'000, 1));
    expect_nearest(format, random_floats(200'000, 2, format.mantissa_bits));
    expect_nearest(format, {0.0f, -0.0f, infinity, -infinity, nan, -nan, 0x1p-149f, -0x1p-149f,
                            0x1p-126f, 0x1.fffffcp-127f, 0x1.fffffep127f, -0x1.fffffep127f});
  }
}

TEST(dtype, a_signalling_nan_with_low_bits_alone_stays_nan) {
  for (const dtype type : all_types) {
    if (!is_float(type)) continue;
    for (const std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffc00000u}) {
      float value;
      std::memcpy(&value, &bits, sizeof value);
      std::byte memory[4] = {};
      store_row(type, &value, 1, memory, 1);
      float got = 0;
      load_row(type, memory, 1, 1, &got);
      EXPECT_TRUE(std::isnan(got)) << to_string(type) << std::hex << bits;
      EXPECT_EQ(std::signbit(got), bits >> 31 != 0) << to_string(type) << std::hex << bits;
    }
  }
}

TEST(dtype, fp32_keeps_every_bit) {
  const std::vector<float> values = random_floats(100'000, 3);
  for (const std::ptrdiff_t stride : {1, 2}) {
    std::vector<std::uint32_t> memory(2 * values.size());
    std::vector<float> got(values.size());
    auto* bytes = reinterpret_cast<std::byte*>(memory.data());
    store_row(dtype::fp32, values.data(), values.size(), bytes, stride,
              {.mode = rounding_mode::stochastic, .seed = 1});
    load_row(dtype::fp32, bytes, stride, got.size(), got.data());
    EXPECT_EQ(std::memcmp(got.data(), values.data(), values.size() * sizeof(float)), 0);
  }
}

TEST(dtype, a_tf32_word_is_read_as_a_tf32_value) {
  const float fine = 1.0f + 0x1p-20f;
  float got = 0;
  load_row(dtype::tf32, reinterpret_cast<const std::byte*>(&fine), 1, 1, &got);
  EXPECT_EQ(got, 1.0f);
}

TEST(dtype, integers_round_to_nearest_even_and_saturate) {
  auto expected = [](double x, double least, double most) {
    if (std::isnan(x)) return 0.0;
    return x <= least ? least : x >= most ? most : nearest_whole(x) + 0.0;
  };
  std::vector<float> values = random_floats(100'000, 4);
  for (int k = -2100; k < 2100; ++k) values.push_back(static_cast<float>(k) / 8);
  for (const float x : {0x1p22f + 0.5f, 0x1p22f + 1.5f, 0x1p23f - 0.5f, 0x1p23f + 1, 0x1p31f,
                        0x1.fffffep30f, infinity, nan, 0x1p-149f, 254.5f, 255.5f, 0.49999997f})
    values.insert(values.end(), {x, -x});
  std::vector<std::int32_t> words(values.size());
  std::vector<std::uint8_t> bytes(values.size());
  store_row(dtype::int32, values.data(), values.size(), reinterpret_cast<std::byte*>(words.data()),
            1);
  store_row(dtype::uint8, values.data(), values.size(), reinterpret_cast<std::byte*>(bytes.data()),
            1);
  for (std::size_t k = 0; k < values.size(); ++k) {
    ASSERT_EQ(words[k], expected(values[k], -0x1p31, 0x1p31 - 1)) << values[k];
    ASSERT_EQ(bytes[k], expected(values[k], 0, 255)) << values[k];
  }
}

TEST(dtype, integers_load_as_the_nearest_float) {
  const std::vector<std::int32_t> words{
      0, 1, -1, 16777217, 16777219, 2147483647, -2147483647 - 1, -16777217};
  const std::vector<float> expected{0.0f,        1.0f,    -1.0f,    16777216.0f,
                                    16777220.0f, 0x1p31f, -0x1p31f, -16777216.0f};
  std::vector<float> got(words.size());
  load_row(dtype::int32, bytes_of(words).data(), 1, words.size(), got.data());
  EXPECT_EQ(got, expected);

  std::vector<std::uint8_t> bytes(256);
  for (std::size_t k = 0; k < 256; ++k) bytes[k] = static_cast<std::uint8_t>(k);
  got.resize(256);
  load_row(dtype::uint8, bytes_of(bytes).data(), 1, 256, got.data());
  for (std::size_t k = 0; k < 256; ++k) EXPECT_EQ(got[k], static_cast<float>(k));
}

TEST(row, any_stride_length_and_alignment_give_the_same_elements) {
  const std::vector<float> values = random_floats(70, 5);
  constexpr std::byte untouched{0xa5};
  for (const dtype type : all_types)
    for (const std::ptrdiff_t stride : {1, 2, 5, -1, -3})
      for (const std::size_t count : {0, 1, 2, 7, 8, 31, 33, 70}) {
        const std::size_t bytes = size_bytes(type);
        const std::size_t step = static_cast<std::size_t>(std::abs(stride)) * bytes;
        std::vector<std::byte> memory(1 + 70 * step, untouched);  // the elements begin odd
        std::byte* first = memory.data() + 1 + (stride < 0 && count > 0 ? (count - 1) * step : 0);
        store_row(type, values.data(), count, first, stride);
        std::vector<float> got(count + 1, 42.0f);
        load_row(type, first, stride, count, got.data());
        EXPECT_EQ(got[count], 42.0f);
        std::size_t written = 0;
        for (std::size_t k = 0; k < count; ++k) {
          std::byte alone[4] = {};
          store_row(type, &values[k], 1, alone, 1);
          const std::byte* there = first + static_cast<std::ptrdiff_t>(k * bytes) * stride;
          ASSERT_EQ(element_at(type, there), element_at(type, alone))
              << to_string(type) << ' ' << k;
          ASSERT_TRUE(same(got[k], round_to(type, values[k]))) << to_string(type) << ' ' << k;
          for (std::size_t b = 0; b < bytes; ++b) written += there[b] == untouched ? 0 : 1;
        }
        std::size_t changed = 0;
        for (const std::byte b : memory) changed += b == untouched ? 0 : 1;
        ASSERT_EQ(changed, written) << to_string(type) << " stride " << stride;
      }
}

TEST(row, stride_zero_reads_one_element_over_and_over) {
  for (const dtype type : all_types) {
    const float value = 3.0f;
    std::byte memory[4] = {};
    store_row(type, &value, 1, memory, 0);
    std::vector<float> got(19);
    load_row(type, memory, 0, got.size(), got.data());
    EXPECT_EQ(got, std::vector<float>(19, 3.0f));
  }
}

TEST(row, stride_zero_is_no_place_for_two_elements) {
  const float values[2] = {1, 2};
  std::byte memory[4] = {};
  try {
    store_row(dtype::bf16, values, 2, memory, 0);
    ADD_FAILURE();
  } catch (const invalid_argument& e) {
    EXPECT_STREQ(e.what(),
                 "store_row: stride must not be 0 for a row of more than one element, got 0 for 2");
  }
  EXPECT_EQ(memory[0], std::byte{0});
}

TEST(dtype, packed_types_hold_four_numbers_and_are_not_converted) {
  const std::array<std::size_t, 3> sizes{4, 4, 2};
  for (std::size_t k = 0; k < packed_types.size(); ++k) {
    const dtype type = packed_types[k];
    EXPECT_EQ(size_bytes(type), sizes[k]);
    EXPECT_EQ(parse_dtype(to_string(type)), type);
    EXPECT_TRUE(is_packed(type) && !is_float(type) && !is_fp8(type));
    float value = 0;
    std::byte memory[4] = {};
    EXPECT_THROW(load_row(type, memory, 1, 1, &value), invalid_argument);
    EXPECT_THROW(store_row(type, &value, 1, memory, 1), invalid_argument);
    EXPECT_THROW(round_to(type, value), invalid_argument);
    fill_poison(type, memory, 1);
    for (std::size_t i = 0; i < sizes[k]; ++i) EXPECT_NE(memory[i], std::byte{0});
  }
}

// Every code by OCP's definition: the largest exponent has numbers too, and one NaN.
TEST(ocp_fp8, has_numbers_to_448_and_one_nan) {
  const float_format ieee = e4m3_format;
  for (std::uint32_t code = 0; code < 256; ++code) {
    const auto byte = std::byte(code);
    float got;
    load_row(dtype::fp8_e4m3fn, &byte, 1, 1, &got);
    const std::uint32_t magnitude = code & 127;
    const double sign = code < 128 ? 1 : -1;
    const double expected = magnitude == 127  ? std::nan("")
                            : magnitude < 120 ? decoded(ieee, code)
                                              : sign * (256 + 32 * (magnitude - 120));
    ASSERT_TRUE(same(got, expected)) << code << ": " << got << ", not " << expected;
    if (magnitude == 127) continue;
    std::byte back;
    store_row(dtype::fp8_e4m3fn, &got, 1, &back, 1);
    EXPECT_EQ(back, byte);
  }
  EXPECT_EQ(round_to(dtype::fp8_e4m3fn, 464.0f), 448.0f);  // the tie goes to the even neighbour
  EXPECT_EQ(round_to(dtype::fp8_e4m3fn, -463.0f), -448.0f);
  for (const float beyond : {464.1f, 1e30f, -1e30f, infinity, nan})
    EXPECT_TRUE(std::isnan(round_to(dtype::fp8_e4m3fn, beyond))) << beyond;
  EXPECT_EQ(round_to(dtype::fp8_e4m3fn, 0x1p-10f), 0.0f);
  EXPECT_EQ(round_to(dtype::fp8_e4m3fn, 0x1.8p-10f), 0x1p-9f);
}

TEST(poison, is_nan_for_floats_and_four_for_integers) {
  for (const dtype type : all_types)
    for (const std::size_t count : {0, 1, 37}) {
      const std::size_t bytes = count * size_bytes(type);
      std::vector<std::byte> memory(1 + bytes + 1, std::byte{0xa5});
      fill_poison(type, memory.data() + 1, count);
      EXPECT_EQ(memory.front(), std::byte{0xa5});
      EXPECT_EQ(memory.back(), std::byte{0xa5});
      std::vector<float> got(count);
      load_row(type, memory.data() + 1, 1, count, got.data());
      for (const float x : got) ASSERT_TRUE(is_float(type) ? std::isnan(x) : x == 4) << x;
    }
}

}  // namespace
}  // namespace papilio::engine

#include "papilio/base/error.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <locale>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "papilio/base/parallel_for.hpp"

namespace papilio {
namespace {

template <class Error>
class every_error : public testing::Test {
 public:
  static Error make() {
    if constexpr (std::is_same_v<Error, io_error>)
      return io_error("file", "reason");
    else
      return Error("file: reason");
  }
};
using error_types =
    testing::Types<error, invalid_argument, shape_error, io_error, device_error, resource_error>;
TYPED_TEST_SUITE(every_error, error_types);

TYPED_TEST(every_error, is_caught_as_itself_as_error_and_as_runtime_error) {
  EXPECT_THROW(throw this->make(), TypeParam);
  EXPECT_THROW(throw this->make(), error);
  EXPECT_THROW(throw this->make(), std::runtime_error);
  EXPECT_STREQ(this->make().what(), "file: reason");
}

TEST(error, siblings_do_not_catch_each_other) {
  EXPECT_THROW(
      {
        try {
          throw shape_error("x");
        } catch (const invalid_argument&) {
        }
      },
      shape_error);
}

TEST(error, io_error_keeps_its_path) {
  const io_error e("some/file.wav", "no samples");
  EXPECT_EQ(e.path(), "some/file.wav");
  EXPECT_STREQ(e.what(), "some/file.wav: no samples");
}

TEST(error, thrown_by_the_library_is_caught_here) {
  try {
    thread_count(-3);
    FAIL() << "must throw";
  } catch (const invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("-3"), std::string::npos) << e.what();
  }
}

TEST(error, thrown_here_passes_through_the_library) {
  const auto body = [](std::size_t) { throw io_error("a", "b"); };
  EXPECT_THROW(parallel_for(1, 1, body), io_error);
  EXPECT_THROW(parallel_for(8, 2, body), io_error);
}

template <class... Parts>
std::string streamed(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

template <class... Parts>
void expect_streamed(const Parts&... parts) {
  EXPECT_EQ(base_detail::message(parts...), streamed(parts...));
}

template <class Number>
void expect_ends_streamed() {
  using limits = std::numeric_limits<Number>;
  for (const Number x : {limits::lowest(), limits::min(), limits::max(), Number(0), Number(1)})
    expect_streamed("<", x, ">");
}

TEST(message, whole_numbers_are_as_a_stream_prints_them) {
  expect_ends_streamed<short>();
  expect_ends_streamed<unsigned short>();
  expect_ends_streamed<int>();
  expect_ends_streamed<unsigned>();
  expect_ends_streamed<long>();
  expect_ends_streamed<unsigned long>();
  expect_ends_streamed<long long>();
  expect_ends_streamed<unsigned long long>();
  expect_streamed(true, false, std::int64_t{-42}, std::size_t{42});
}

TEST(message, numbers_are_as_a_stream_prints_them) {
  expect_ends_streamed<float>();
  expect_ends_streamed<double>();
  expect_ends_streamed<long double>();
  const double inf = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {-0.0, 0.1, 1.0 / 3, 100000.0, 999999.4, 999999.5, 1e6, 1e-4, 1e-5,
                         9.9999995e-5, 123456.5, 1e100, inf, -inf, nan, -nan, 5e-324})
    expect_streamed(x, ' ', static_cast<float>(x), ' ', static_cast<long double>(x));
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    const double any = std::bit_cast<double>(bits), some = double(bits) * 1e-13;
    expect_streamed(any, ' ', some, ' ', static_cast<float>(some), ' ',
                    static_cast<long double>(any), ' ', static_cast<std::int64_t>(bits));
  }
}

TEST(message, text_is_as_a_stream_prints_it) {
  const char* const literal = "literal";
  char buffer[16] = "buffer";
  const std::string text("a string, of some length"), with_nul("a\0b", 3);
  expect_streamed(literal, buffer, text, std::string_view(text).substr(2, 6), 'c',
                  static_cast<signed char>('s'), static_cast<unsigned char>('u'), "", with_nul);
  EXPECT_EQ(base_detail::message(), "");
}

TEST(message, complex_numbers_are_as_a_stream_prints_them) {
  expect_streamed(std::complex<float>(1.5f, -2e-9f), std::complex<double>(1.0 / 3, -0.0),
                  std::complex<long double>(std::numeric_limits<long double>::infinity(), 2));
}

struct described {
  std::string describe() const { return "a described value, longer than a short string"; }
};

TEST(message, classes_are_described) {
  EXPECT_EQ(base_detail::message("<", described(), ">"),
            "<a described value, longer than a short string>");
}

}  // namespace
}  // namespace papilio

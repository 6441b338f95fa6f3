#include "papilio/base/error.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace papilio

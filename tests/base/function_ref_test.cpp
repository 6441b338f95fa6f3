#include "papilio/base/parallel_for.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace papilio {
namespace {

int twice(function_ref<int(int)> f) { return f(1) + f(10); }

TEST(function_ref, calls_what_it_refers_to) {
  int calls = 0;
  EXPECT_EQ(twice([&](int x) {
              ++calls;
              return x + 1;
            }),
            13);
  EXPECT_EQ(calls, 2);
  struct counter {
    int state = 0;
    int operator()(int x) { return state += x; }
  } count;
  EXPECT_EQ(twice(count), 12);  // 1 + 11: no copy
  EXPECT_EQ(count.state, 11);
  const counter* const constant = &count;
  EXPECT_EQ(twice([constant](int) { return constant->state; }), 22);
}

TEST(function_ref, passes_arguments_on) {
  const auto take = [](function_ref<int(std::unique_ptr<int>, int&)> f, int& out) {
    return f(std::make_unique<int>(5), out);
  };
  int written = 0;
  EXPECT_EQ(take(
                [](std::unique_ptr<int> p, int& out) {
                  out = 7;
                  return *p;
                },
                written),
            5);
  EXPECT_EQ(written, 7);
  static_assert(!std::is_constructible_v<function_ref<void(int)>, void (*)(const char*)>);
}

}  // namespace
}  // namespace papilio

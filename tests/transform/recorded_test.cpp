// What ran: of the operations in recorded(), and of those outside.
#include <stdexcept>

#include "support/device_case.hpp"

namespace papilio {
namespace {

using C = std::complex<float>;

TEST(recorded, is_of_the_last_operation_within) {
  engine::device dev;
  const execution there{.where = policy::device, .on = &dev};
  const array<C, 1> x({64}), other({128});
  const run_record run = recorded([&] {
    fft(other);
    fft(x, {.on = there});
  });
  EXPECT_EQ(run.backend, "device");
  EXPECT_EQ(run.operation, "fft of 64 points in float");
  EXPECT_EQ(run.launches, 1u);
  EXPECT_GT(run.seconds(), 0);
}

TEST(recorded, leaves_what_was_outside) {
  const array<C, 1> x({64}), other({128});
  fft(x);
  const std::string before = last_run().operation;
  const run_record outer = recorded([&] {
    fft(other);
    const run_record inner = recorded([&] { ifft(x); });
    EXPECT_EQ(inner.operation, "ifft of 64 points in float");
    EXPECT_EQ(last_run().operation, "fft of 128 points in float");
  });
  EXPECT_EQ(outer.operation, "fft of 128 points in float");
  EXPECT_EQ(last_run().operation, before);
}

TEST(recorded, is_empty_where_nothing_ran) {
  fft(array<C, 1>({64}));
  EXPECT_EQ(recorded([] {}).backend, "");
}

TEST(recorded, lets_errors_pass_and_leaves_no_trace) {
  fft(array<C, 1>({64}));
  EXPECT_THROW(recorded([] {
                 fft(array<C, 1>({128}));
                 throw std::runtime_error("stop");
               }),
               std::runtime_error);
  EXPECT_EQ(last_run().operation, "fft of 64 points in float");
}

}  // namespace
}  // namespace papilio

// What is promised to allocate nothing is run under a malloc that counts. Arrays come from
// aligned_alloc, so that counting operator new would not do.

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "papilio/signal.hpp"
#include "support/oracle.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define PAPILIO_COUNTS_ALLOCATIONS 0
#else
#define PAPILIO_COUNTS_ALLOCATIONS 1
#endif

namespace {
std::atomic<std::size_t> allocations{0};
}

#if PAPILIO_COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  ++allocations;
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

namespace papilio {
namespace {

template <class Work>
std::size_t allocations_of(const Work& work) {
  const std::size_t before = allocations;
  work();
  return allocations - before;
}

class allocation : public testing::Test {
 protected:
  void SetUp() override {
    if (!PAPILIO_COUNTS_ALLOCATIONS) GTEST_SKIP() << "malloc is the sanitizer's";
    ASSERT_GT(allocations_of([] { array<float, 1> counted(100); }), 0u);
  }
};

TEST_F(allocation, welch_stream_pushes_without) {
  const auto signal = test::random_real<float>(10000, 1);
  for (const std::size_t length : {256, 1000, 1009}) {
    welch_stream<float> stream({.segment_length = length, .detrend = detrending::linear});
    EXPECT_EQ(allocations_of([&] { stream.push(signal); }), 0u) << length;
    EXPECT_GT(stream.segments(), 0u);
  }
}

TEST_F(allocation, spectral_gate_and_noise_profile_run_without) {
  const auto segment = test::random_complex<float>(513, 2);
  noise_profile<float> profile(513);
  EXPECT_EQ(allocations_of([&] { profile.add(segment); }), 0u);
  spectral_gate<float> gate(profile.mean().flat());
  std::vector<std::complex<float>> out(513);
  EXPECT_EQ(allocations_of([&] {
              for (int s = 0; s < 20; ++s) gate.push(segment, out);
              while (gate.finish(out)) {
              }
            }),
            0u);
}

}  // namespace
}  // namespace papilio

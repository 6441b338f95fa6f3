// Counts what is allocated while streams run: by operator new and, as arrays are, by aligned_alloc.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "papilio/base.hpp"
#include "papilio/signal.hpp"
#include "support/oracle.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes); }
void* operator new[](std::size_t bytes) { return counted(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  using function = void* (*)(std::size_t, std::size_t);
  static const auto next = reinterpret_cast<function>(dlsym(RTLD_NEXT, "aligned_alloc"));
  ++allocations;
  return next(alignment, bytes);
}

namespace papilio {
namespace {

TEST(stream_allocation, counts_what_is_allocated) {
  const std::size_t before = allocations;
  const array<float, 1> memory(100);
  EXPECT_GT(allocations, before) << "arrays";
  const std::size_t between = allocations;
  delete new int(1);
  EXPECT_GT(allocations, between) << "operator new";
}

// n_fft: a codelet, passes, an odd length, a prime (Bluestein), a four-step.
TEST(stream_allocation, nothing_after_construction) {
  for (const std::size_t n : {32, 2048, 1025, 1009, 65536}) {
    const stft_options options{.n_fft = n,
                               .hop = n / 4,
                               .window = window_kind::hamming,
                               .padding = edge_padding::reflect,
                               .scaling = stft_scaling::dbfs};
    const std::size_t channels = 2, samples = 5 * n + 7;
    const auto x = test::random_real<float>(channels * samples, 1);
    const view<const float, 2> sound(x.data(), {samples, channels});
    stft_stream<float> forward(options, channels);
    istft_stream<float> inverse(options, channels);
    double sum = 0;
    const auto keep = [&](view<const float, 2> block) { sum += block(0, 0); };
    const auto hand_on = [&](std::uint64_t, view<std::complex<float>, 2> spectra) {
      inverse.push(spectra, keep);
    };
    const auto levels = [&](std::uint64_t, view<float, 2> power) { sum += power(0, 0); };
    const std::size_t before = allocations;
    for (int signal = 0; signal < 2; ++signal) {
      for (std::size_t first = 0; first < samples; first += 999)
        forward.push(sound.slice(0, first, std::min<std::size_t>(999, samples - first)), hand_on);
      forward.finish(hand_on);
      inverse.finish(samples, keep);
      forward.reset();
      inverse.reset();
    }
    forward.push_power(sound, levels);
    forward.finish_power(levels);
    forward.reset();
    forward.push_magnitude(sound, levels);
    EXPECT_EQ(allocations, before) << n;
    EXPECT_NE(sum, 0);
  }
}

}  // namespace
}  // namespace papilio

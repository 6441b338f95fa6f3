#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fft/wisdom_text.hpp"
#include "papilio/base.hpp"
#include "papilio/fft.hpp"
#include "support/oracle.hpp"

namespace papilio::test {

/// `count` reals that begin `offset` reals behind a cache line, with sentinels on both sides.
template <class T>
class guarded {
 public:
  guarded(std::size_t count, std::size_t offset)
      : count_(count), begin_(margin + offset), memory_(begin_ + count + margin) {
    for (T& x : memory_.flat()) x = sentinel;
  }
  T* data() { return memory_.data() + begin_; }
  std::span<T> reals() { return {data(), count_}; }
  std::span<std::complex<T>> complexes() {
    return {reinterpret_cast<std::complex<T>*>(data()), count_ / 2};
  }
  /// Whether nothing outside was written.
  bool is_intact() {
    const auto whole = memory_.flat();
    const auto kept = [](T x) { return x == sentinel; };
    return std::ranges::all_of(whole.first(begin_), kept) &&
           std::ranges::all_of(whole.subspan(begin_ + count_), kept);
  }

 private:
  static constexpr std::size_t margin = 128;
  static constexpr T sentinel = T(-12345);
  std::size_t count_, begin_;
  array<T, 1> memory_;
};

/// The same bits, each operand `offset` reals off a cache line, from every entry point, in place
/// and out, with the caller's scratch; nothing outside is written, and the input only in place.
template <class T>
void expect_same_everywhere(const fft_plan<T>& plan, const std::vector<std::complex<T>>& x,
                            const std::vector<std::complex<T>>& y, std::size_t offset) {
  SCOPED_TRACE(offset);
  const std::size_t n = x.size();
  const auto equals = [&](std::span<const std::complex<T>> got) {
    return std::ranges::equal(got, y);
  };
  guarded<T> in(2 * n, offset), out(2 * n, offset + 1);
  guarded<T> scratch(2 * plan.scratch_size(), offset + 2);
  std::ranges::copy(x, in.complexes().begin());
  plan.execute(in.complexes(), out.complexes(), scratch.complexes());
  EXPECT_TRUE(equals(out.complexes()));
  EXPECT_TRUE(std::ranges::equal(in.complexes(), x));
  plan.execute(in.complexes(), in.complexes(), scratch.complexes());
  EXPECT_TRUE(equals(in.complexes()));
  for (const int threads : {2, 3}) {
    std::ranges::copy(x, in.complexes().begin());
    plan.execute_parallel(in.complexes(), out.complexes(), threads);
    EXPECT_TRUE(equals(out.complexes())) << threads;
    plan.execute_parallel(in.complexes(), in.complexes(), threads);
    EXPECT_TRUE(equals(in.complexes())) << threads;
  }
  guarded<T> re(n, offset), im(n, offset + 3), to_re(n, offset + 1), to_im(n, offset);
  const auto joined = [&](std::span<const T> a, std::span<const T> b) {
    std::vector<std::complex<T>> whole(n);
    for (std::size_t i = 0; i < n; ++i) whole[i] = {a[i], b[i]};
    return whole;
  };
  for (std::size_t i = 0; i < n; ++i) {
    re.data()[i] = x[i].real();
    im.data()[i] = x[i].imag();
  }
  plan.execute_split({re.reals(), im.reals()}, {to_re.reals(), to_im.reals()}, scratch.reals());
  EXPECT_TRUE(equals(joined(to_re.reals(), to_im.reals())));
  EXPECT_EQ(joined(re.reals(), im.reals()), x);
  // In place with the parts exchanged, and back.
  plan.execute_split({re.reals(), im.reals()}, {im.reals(), re.reals()}, scratch.reals());
  EXPECT_TRUE(equals(joined(im.reals(), re.reals())));
  for (guarded<T>* g : {&in, &out, &scratch, &re, &im, &to_re, &to_im}) EXPECT_TRUE(g->is_intact());
}

/// A plan of this recipe is right in both directions, scaled and unscaled, and the same everywhere.
template <class T>
void expect_recipe(const std::string& text) {
  SCOPED_TRACE(text);
  const std::size_t n = parse_recipe(text).n;
  const auto x = random_complex<T>(n, static_cast<unsigned>(n));
  const auto wide = widened<T>(std::span<const std::complex<T>>(x));
  const auto unscaled = dft(wide, -1);
  auto expected = unscaled;
  for (const direction dir : {direction::forward, direction::inverse}) {
    // The inverse is the forward one with its outputs in reverse, but for the first.
    if (dir == direction::inverse) {
      expected = unscaled;
      std::reverse(expected.begin() + 1, expected.end());
    }
    for (const normalization norm : {normalization::none, normalization::orthonormal}) {
      const fft_plan<T> plan = plan_with<T>(text, dir, norm);
      ASSERT_EQ(to_string(plan.design()), text);
      std::vector<std::complex<T>> y(n);
      plan.execute(x, y);
      if (norm == normalization::orthonormal)
        for (exact& v : expected) v /= std::sqrt(static_cast<long double>(n));
      EXPECT_LT(relative_error(y, expected), fft_tolerance<T>(n));
      for (const std::size_t offset : {0, 5}) expect_same_everywhere(plan, x, y, offset);
    }
  }
}

}  // namespace papilio::test

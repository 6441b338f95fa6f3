// Published test cases of an FFT library on the emulated device: their inputs' kinds and
// tolerances, our inputs, and the DFT in long double.
//
// Beside their tolerances: half as much again as the kernel expects of itself, for each transform
// of a case, in the Euclidean norm. Where all results are exact or the input is no noise, errors do
// not average out: three times as much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ostream>
#include <string>

#include "kernels/device_fft.hpp"
#include "support/case_list.hpp"

namespace papilio::kernels::test {
namespace {

using papilio::test::exact;
using papilio::test::random_complex;
using papilio::test::relative_error;

enum class transform { forward, round_trip };
enum class signal { impulse, ones, tone, counting, real_noise, complex_noise };

/// One of the published cases: |got - expected| <= absolute + relative |expected| in each element.
struct fft_case {
  const char* id;
  transform what;
  std::vector<std::int64_t> extents;
  signal input;
  double relative, absolute;
  std::vector<int> axes = {};
};

/// The id alone: the list of cases is compared with it.
void PrintTo(const fft_case& c, std::ostream* out) { *out << c.id; }

using enum transform;
using enum signal;

const std::vector<fft_case>& fft_cases() {
  static const std::vector<fft_case> cases{
      {"trnfft-001", forward, {16}, impulse, 1e-7, 1e-6},
      {"trnfft-002", forward, {16}, ones, 1e-7, 1e-5},
      {"trnfft-003", forward, {64}, tone, 0, 0},
      {"trnfft-004", forward, {8}, real_noise, 1e-4, 1e-4},
      {"trnfft-005", forward, {16}, real_noise, 1e-4, 1e-4},
      {"trnfft-006", forward, {32}, real_noise, 1e-4, 1e-4},
      {"trnfft-007", forward, {64}, real_noise, 1e-4, 1e-4},
      {"trnfft-008", forward, {128}, real_noise, 1e-4, 1e-4},
      {"trnfft-009", forward, {256}, real_noise, 1e-4, 1e-4},
      {"trnfft-010", forward, {512}, real_noise, 1e-4, 1e-4},
      {"trnfft-011", forward, {1024}, real_noise, 1e-4, 1e-4},
      {"trnfft-012", forward, {8}, complex_noise, 1e-4, 1e-4},
      {"trnfft-013", forward, {16}, complex_noise, 1e-4, 1e-4},
      {"trnfft-014", forward, {32}, complex_noise, 1e-4, 1e-4},
      {"trnfft-015", forward, {64}, complex_noise, 1e-4, 1e-4},
      {"trnfft-016", forward, {128}, complex_noise, 1e-4, 1e-4},
      {"trnfft-017", forward, {256}, complex_noise, 1e-4, 1e-4},
      {"trnfft-018", forward, {512}, complex_noise, 1e-4, 1e-4},
      {"trnfft-019", forward, {1024}, complex_noise, 1e-4, 1e-4},
      {"trnfft-020", forward, {8, 64}, real_noise, 1e-7, 1e-5, {-1}},
      {"trnfft-021", forward, {8}, counting, 1e-7, 1e-5},
      {"trnfft-022", round_trip, {8}, real_noise, 1e-7, 1e-4},
      {"trnfft-023", round_trip, {16}, real_noise, 1e-7, 1e-4},
      {"trnfft-024", round_trip, {32}, real_noise, 1e-7, 1e-4},
      {"trnfft-025", round_trip, {64}, real_noise, 1e-7, 1e-4},
      {"trnfft-026", round_trip, {128}, real_noise, 1e-7, 1e-4},
      {"trnfft-027", round_trip, {256}, real_noise, 1e-7, 1e-4},
      {"trnfft-028", round_trip, {512}, real_noise, 1e-7, 1e-4},
      {"trnfft-029", round_trip, {1024}, real_noise, 1e-7, 1e-4},
      {"trnfft-030", round_trip, {8}, complex_noise, 1e-7, 1e-4},
      {"trnfft-031", round_trip, {16}, complex_noise, 1e-7, 1e-4},
      {"trnfft-032", round_trip, {32}, complex_noise, 1e-7, 1e-4},
      {"trnfft-033", round_trip, {64}, complex_noise, 1e-7, 1e-4},
      {"trnfft-034", round_trip, {128}, complex_noise, 1e-7, 1e-4},
      {"trnfft-035", round_trip, {256}, complex_noise, 1e-7, 1e-4},
      {"trnfft-036", round_trip, {512}, complex_noise, 1e-7, 1e-4},
      {"trnfft-037", round_trip, {1024}, complex_noise, 1e-7, 1e-4},
      {"trnfft-072", forward, {8}, real_noise, 1e-3, 1e-3},
      {"trnfft-073", forward, {16}, real_noise, 1e-3, 1e-3},
      {"trnfft-074", forward, {32}, real_noise, 1e-3, 1e-3},
      {"trnfft-075", forward, {64}, real_noise, 1e-3, 1e-3},
      {"trnfft-076", forward, {128}, real_noise, 1e-3, 1e-3},
      {"trnfft-077", round_trip, {8}, real_noise, 1e-7, 1e-3},
      {"trnfft-078", round_trip, {32}, real_noise, 1e-7, 1e-3},
      {"trnfft-079", round_trip, {128}, real_noise, 1e-7, 1e-3},
      {"trnfft-080", forward, {4, 64}, real_noise, 1e-3, 1e-3, {-1}},
      {"trnfft-126", forward, {8, 8}, real_noise, 1e-7, 1e-3},
      {"trnfft-127", forward, {4, 8, 8}, real_noise, 1e-7, 1e-3},
      {"trnfft-128", forward, {4, 8, 16}, real_noise, 1e-7, 1e-3, {-2, -1}},
      {"trnfft-129", round_trip, {4, 8, 8}, real_noise, 1e-7, 1e-3},
      {"trnfft-130", forward, {4, 8}, real_noise, 1e-7, 1e-3, {0}},
      {"trnfft-131", forward, {16}, real_noise, 1e-3, 1e-3},
      {"trnfft-132", forward, {64}, real_noise, 1e-3, 1e-3},
      {"trnfft-133", forward, {256}, real_noise, 1e-3, 1e-3},
      {"trnfft-134", forward, {1024}, real_noise, 1e-3, 1e-3},
      {"trnfft-135", forward, {4096}, real_noise, 1e-3, 1e-3},
      {"trnfft-136", forward, {16384}, real_noise, 1e-3, 1e-3},
      {"trnfft-137", round_trip, {16}, real_noise, 1e-7, 1e-3},
      {"trnfft-138", round_trip, {64}, real_noise, 1e-7, 1e-3},
      {"trnfft-139", round_trip, {256}, real_noise, 1e-7, 1e-3},
      {"trnfft-140", round_trip, {1024}, real_noise, 1e-7, 1e-3},
      {"trnfft-141", forward, {16, 16}, real_noise, 1e-3, 1e-3},
      {"trnfft-142", forward, {64, 64}, real_noise, 1e-3, 1e-3},
      {"trnfft-143", forward, {4, 8, 8}, real_noise, 1e-3, 1e-3},
      {"trnfft-144", forward, {4, 64}, real_noise, 1e-3, 1e-3, {-1}},
      {"trnfft-243", forward, {512}, real_noise, 1e-3, 1e-3},
      {"trnfft-244", forward, {1024}, real_noise, 1e-3, 1e-3},
  };
  return cases;
}

complex_values input_of(const fft_case& c) {
  const std::size_t n = count_of({.extents = c.extents});
  complex_values x = random_complex<float>(n, 42);
  if (c.input == complex_noise) return x;
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = 2 * std::numbers::pi * double(i) / double(n);
    x[i] = c.input == impulse    ? (i == 0 ? 1.0f : 0.0f)
           : c.input == ones     ? 1.0f
           : c.input == tone     ? static_cast<float>(std::cos(5 * turn))
           : c.input == counting ? (i < 4 ? static_cast<float>(i + 1) : 0.0f)  // zeros to n
                                 : x[i].real();
  }
  return x;
}

void expect_elements(const complex_values& got, const std::vector<exact>& expected,
                     const fft_case& c) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(exact(got[i]) - expected[i]),
              c.absolute + c.relative * std::abs(expected[i]))
        << "at " << i;
}

class device_fft_case : public testing::TestWithParam<fft_case> {};

TEST_P(device_fft_case, within_the_published_tolerance) {
  const fft_case& c = GetParam();
  const complex_values x = input_of(c);
  const fft_row shape{.extents = c.extents, .axes = c.axes};
  engine::device dev;
  complex_values y = device_fft(dev, shape, x);
  double bound = fft_kernel(shape, dev.machine()).expected_error;
  std::vector<exact> expected = host_fft(shape, x);
  if (c.input == tone) {
    for (const std::size_t bin : {5, 59}) EXPECT_GT(std::abs(y[bin]), float(x.size()) / 2 - 1);
  } else if (c.what == forward) {
    expect_elements(y, expected, c);
  }
  if (c.what == round_trip) {
    fft_row back = shape;
    back.inverse = true;
    for (std::size_t a = 0; a < c.extents.size(); ++a)
      if (c.axes.empty() || std::ranges::count(c.axes, int(a) - int(c.extents.size())) > 0)
        back.scale /= double(c.extents[a]);
    y = device_fft(dev, back, y);
    expected.assign(x.begin(), x.end());
    expect_elements(y, expected, c);
    bound *= std::numbers::sqrt2;
  }
  const bool is_noise = c.input == real_noise || c.input == complex_noise;
  EXPECT_LE(relative_error(y, expected), (is_noise ? 1.5 : 3) * bound);
}

INSTANTIATE_TEST_SUITE_P(device_fft, device_fft_case, testing::ValuesIn(fft_cases()),
                         [](const auto& one) {
                           std::string name = one.param.id;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// trnfft-020 compares with the library's own transforms of each row.
TEST(device_fft, rows_of_a_batch_are_what_each_is_alone) {
  const complex_values x = random_complex<float>(8 * 64, 42);
  engine::device dev;
  const complex_values all = device_fft(dev, {.extents = {8, 64}, .axes = {-1}}, x);
  for (std::size_t row = 0; row < 8; ++row) {
    const complex_values alone =
        device_fft(dev, {.extents = {64}}, std::span(x).subspan(row * 64, 64));
    for (std::size_t k = 0; k < 64; ++k)
      EXPECT_LE(std::abs(all[row * 64 + k] - alone[k]), 1e-5f + 1e-7f * std::abs(alone[k]));
  }
}

// The list in the repository is what is registered here, and its count is right.
TEST(device_fft_list, is_what_is_registered) {
  papilio::test::expect_registered(PAPILIO_CASE_LIST);
}

}  // namespace
}  // namespace papilio::kernels::test

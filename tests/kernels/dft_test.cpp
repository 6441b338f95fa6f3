#include "papilio/kernels/fft.hpp"

#include <gtest/gtest.h>

#include "kernels/runs.hpp"
#include "papilio/base/error.hpp"
#include "papilio/engine.hpp"
#include "support/oracle.hpp"

namespace papilio::kernels::test {
namespace {

using namespace engine;
using papilio::test::dft;
using papilio::test::exact;
using papilio::test::random_complex;
using papilio::test::random_real;

// The kernel's lines, and the same by the definition in long double.
struct both {
  std::vector<std::complex<float>> got;
  std::vector<exact> expected;
  double model;
};

struct dft_row {
  std::int64_t n = 64, batch = 1;
  bool inverse = false;
  dft_kernel_options how = {};
};

sized_kernel kernel_of(const dft_row& row, const machine_spec& machine) {
  const fft_row lines{.extents = {row.batch, row.n}, .axes = {-1}, .inverse = row.inverse};
  return dft_kernel(lines.problem(), machine, row.how);
}

both run(const dft_row& shape) {
  const auto n = std::size_t(shape.n), batch = std::size_t(shape.batch);
  const auto x = random_complex<float>(n * batch, unsigned(7 * n + batch));
  array<float, 3> in({2, batch, n}), out({2, batch, n});
  for (std::size_t i = 0; i < x.size(); ++i) {
    in.data()[i] = x[i].real();
    in.data()[x.size() + i] = x[i].imag();
  }
  device on(trainium1());
  const prepared_kernel kernel(on, kernel_of(shape, on.machine()));
  kernel.launch({in}, {out});
  both result{{}, {}, kernel.what().expected_error};
  for (std::size_t i = 0; i < x.size(); ++i)
    result.got.emplace_back(out.data()[i], out.data()[x.size() + i]);
  for (std::size_t b = 0; b < batch; ++b) {
    std::vector<exact> line(x.begin() + std::ptrdiff_t(b * n),
                            x.begin() + std::ptrdiff_t((b + 1) * n));
    for (std::size_t j = 0; j < n && !shape.how.window.empty(); ++j) line[j] *= shape.how.window[j];
    line = dft(line, shape.inverse ? 1 : -1);
    for (std::size_t k = 0; k < n; ++k) {
      if (!shape.how.mask.empty()) line[k] *= exact(shape.how.mask[k]);
      result.expected.push_back(line[k] * static_cast<long double>(shape.how.scale));
    }
  }
  return result;
}

// Twice the model: it is a mean, and short lines have few terms.
void expect_close(const dft_row& shape) {
  const both r = run(shape);
  EXPECT_LT(papilio::test::relative_error(r.got, std::span<const exact>(r.expected)),
            2 * r.model + 1e-8)
      << "n " << shape.n << ", batch " << shape.batch;
}

TEST(dft, every_length_up_to_the_array) {
  for (std::int64_t n = 1; n <= 128; ++n) expect_close({.n = n, .batch = 1 + n % 3});
}

TEST(dft, any_batch) {
  for (const std::int64_t batch : {1, 2, 127, 128, 129, 1009})
    for (const std::int64_t n : {8, 60, 100}) expect_close({.n = n, .batch = batch});
}

TEST(dft, window_mask_scale_and_direction_are_in_the_matrix) {
  for (const std::int64_t n : {5, 32, 64, 127}) {
    dft_row shape{.n = n, .batch = 130, .inverse = true, .how = {.scale = -0.25}};
    shape.how.window = random_real<float>(std::size_t(n), 1);
    expect_close(shape);
    shape.how.mask = random_complex<float>(std::size_t(n), 2);
    expect_close(shape);
    // They cost nothing.
    device plain(trainium1()), full(trainium1());
    const auto time = [](device& on, const dft_row& s) {
      const prepared_kernel kernel(on, kernel_of(s, on.machine()), run_mode::dry_run);
      return kernel.launch({kernel.what().inputs[0]}, {kernel.what().outputs[0]}).device_seconds;
    };
    EXPECT_EQ(time(plain, {.n = n, .batch = 130}), time(full, shape));
  }
}

TEST(dft, refuses_with_the_bound) {
  const auto refused = [](const dft_row& shape, const std::string& what) {
    try {
      kernel_of(shape, trainium1());
      ADD_FAILURE() << "accepted: " << what;
    } catch (const invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()), "dft_kernel: " + what);
    }
  };
  refused({.n = 0}, "fft_problem: extents must be at least 1, got 1x0");
  refused({.n = 129}, "n must be 1 to 128, got 129");
  refused({.n = 8, .batch = 0}, "fft_problem: extents must be at least 1, got 0x8");
  refused({.n = 8, .how = {.window = {1, 2}}}, "window must have n = 8 elements, got 2");
  refused({.n = 8, .how = {.mask = {1, 2, 3}}}, "mask must have n = 8 elements, got 3");
  refused({.n = 8, .how = {.scale = std::numeric_limits<double>::infinity()}},
          "scale must be finite in fp32, got inf");
  EXPECT_THROW(kernel_of({.n = 128, .batch = std::int64_t{1} << 60}, trainium1()), resource_error);
}

}  // namespace
}  // namespace papilio::kernels::test

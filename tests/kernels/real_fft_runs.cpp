#include "kernels/real_fft_runs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace papilio::kernels::test {

using namespace engine;

namespace {

// Transforms one axis of a row-major array in place.
void transform(std::vector<exact>& values, const std::vector<std::int64_t>& extents,
               std::size_t axis, int sign) {
  const auto n = std::size_t(extents[axis]);
  std::size_t inner = 1;
  for (std::size_t a = axis + 1; a < extents.size(); ++a) inner *= std::size_t(extents[a]);
  std::vector<exact> line(n);
  for (std::size_t first = 0; first < values.size(); first += n * inner)
    for (std::size_t i = 0; i < inner; ++i) {
      for (std::size_t j = 0; j < n; ++j) line[j] = values[first + j * inner + i];
      const auto result = papilio::test::dft(line, sign);
      for (std::size_t j = 0; j < n; ++j) values[first + j * inner + i] = result[j];
    }
}

std::vector<std::size_t> other_axes(const fft_row& shape) {
  std::vector<std::size_t> axes;
  const int rank = int(shape.extents.size());
  if (shape.axes.empty())
    for (int a = 0; a + 1 < rank; ++a) axes.push_back(std::size_t(a));
  for (std::size_t i = 0; i + 1 < shape.axes.size(); ++i)
    axes.push_back(std::size_t(shape.axes[i] < 0 ? shape.axes[i] + rank : shape.axes[i]));
  return axes;
}

// The extents of the spectrum.
std::vector<std::int64_t> spectrum_of(const fft_row& shape) {
  std::vector<std::int64_t> extents = shape.extents;
  extents[halved(shape)] = extents[halved(shape)] / 2 + 1;
  return extents;
}

// Calls move(place in the whole, place in the part) where the part's axis is the whole's first.
template <class Move>
void along(const std::vector<std::int64_t>& whole, const std::vector<std::int64_t>& part,
           std::size_t axis, const Move& move) {
  const std::int64_t n = whole[axis], h = part[axis];
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < whole.size(); ++a) inner *= whole[a];
  for (std::int64_t o = 0; o < count_of(whole) / (n * inner); ++o)
    for (std::int64_t k = 0; k < h; ++k)
      for (std::int64_t i = 0; i < inner; ++i)
        move(std::size_t((o * n + k) * inner + i), std::size_t((o * h + k) * inner + i));
}

}  // namespace

std::size_t halved(const fft_row& shape) {
  const int rank = int(shape.extents.size()), last = shape.axes.empty() ? -1 : shape.axes.back();
  return std::size_t(last < 0 ? last + rank : last);
}

bins run_rfft(const fft_row& shape, const std::vector<float>& x, const machine_spec& machine) {
  device dev(machine, sdk_2_24(), {.strict = true});
  const sized_kernel kernel = rfft_kernel(shape, machine);
  const std::vector<float> before = x;
  std::vector<float> y(std::size_t(kernel.outputs[0].elements()));
  prepared_kernel(dev, kernel)
      .launch({launch_input(std::as_bytes(std::span(x)), kernel.inputs[0])},
              {launch_output(std::as_writable_bytes(std::span(y)), kernel.outputs[0])});
  EXPECT_TRUE(std::ranges::equal(before, x)) << "the input was written";
  bins result(y.size() / 2);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = {y[i], y[result.size() + i]};
  return result;
}

std::vector<float> run_irfft(const fft_row& shape, const bins& spectrum,
                             const machine_spec& machine) {
  device dev(machine, sdk_2_24(), {.strict = true});
  const sized_kernel kernel = irfft_kernel(shape, machine);
  std::vector<float> x(2 * spectrum.size()), y(std::size_t(kernel.outputs[0].elements()));
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    x[i] = spectrum[i].real();
    x[spectrum.size() + i] = spectrum[i].imag();
  }
  const std::vector<float> before = x;
  prepared_kernel(dev, kernel)
      .launch({launch_input(std::as_bytes(std::span<const float>(x)), kernel.inputs[0])},
              {launch_output(std::as_writable_bytes(std::span(y)), kernel.outputs[0])});
  EXPECT_EQ(std::memcmp(x.data(), before.data(), x.size() * sizeof(float)), 0)
      << "the input was written";
  return y;
}

std::vector<exact> expected_rfft(const fft_row& shape, const std::vector<float>& x) {
  std::vector<exact> values(x.begin(), x.end());
  transform(values, shape.extents, halved(shape), -1);
  for (const std::size_t a : other_axes(shape)) transform(values, shape.extents, a, -1);
  const std::vector<std::int64_t> part = spectrum_of(shape);
  std::vector<exact> result(std::size_t(count_of(part)));
  along(shape.extents, part, halved(shape), [&](std::size_t whole, std::size_t at) {
    result[at] = values[whole] * static_cast<long double>(shape.scale);
  });
  return result;
}

std::vector<exact> expected_irfft(const fft_row& shape, const bins& spectrum) {
  const std::vector<std::int64_t> part = spectrum_of(shape);
  std::vector<exact> values(spectrum.begin(), spectrum.end());
  for (const std::size_t a : other_axes(shape)) transform(values, part, a, 1);
  // Twice the real part of the bins that have a conjugate, once of the others.
  const std::size_t axis = halved(shape);
  const std::int64_t n = shape.extents[axis];
  std::int64_t inner = 1;
  for (std::size_t a = axis + 1; a < part.size(); ++a) inner *= part[a];
  std::vector<exact> all(std::size_t(count_of(shape.extents)));
  along(shape.extents, part, axis, [&](std::size_t whole, std::size_t at) {
    const std::int64_t k = std::int64_t(at) / inner % part[axis];
    all[whole] = k == 0 || 2 * k == n ? exact(values[at].real()) : 2.0L * values[at];
  });
  transform(all, shape.extents, axis, 1);
  for (exact& v : all) v = v.real() * static_cast<long double>(shape.scale);
  return all;
}

bins random_bins(std::int64_t count, unsigned seed) {
  return papilio::test::random_complex<float>(std::size_t(count), seed);
}

}  // namespace papilio::kernels::test

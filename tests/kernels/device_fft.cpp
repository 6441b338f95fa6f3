#include "kernels/device_fft.hpp"

#include <algorithm>

#include "papilio/fft.hpp"

namespace papilio::kernels::test {

using papilio::test::exact;

namespace {

direction direction_of(const fft_row& shape) {
  return shape.inverse ? direction::inverse : direction::forward;
}

// A line in place.
void transform_line(std::vector<exact>& line, const fft_row& shape, std::int64_t definition_max) {
  if (std::int64_t(line.size()) <= definition_max) {
    line = papilio::test::dft(line, shape.inverse ? 1 : -1);
    return;
  }
  const fft_plan<double> plan(line.size(), direction_of(shape), {normalization::none});
  std::vector<std::complex<double>> in(line.begin(), line.end()), out(line.size());
  plan.execute(in, out);
  line.assign(out.begin(), out.end());
}

}  // namespace

std::vector<float> planes_of(std::span<const std::complex<float>> x) {
  std::vector<float> planes(2 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    planes[i] = x[i].real();
    planes[x.size() + i] = x[i].imag();
  }
  return planes;
}

complex_values from_planes(std::span<const float> planes) {
  const std::size_t count = planes.size() / 2;
  complex_values x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = {planes[i], planes[count + i]};
  return x;
}

std::size_t count_of(const fft_row& shape) {
  std::size_t count = 1;
  for (const std::int64_t e : shape.extents) count *= std::size_t(e);
  return count;
}

complex_values device_fft(engine::device& on, const fft_row& shape,
                          std::span<const std::complex<float>> x) {
  const prepared_kernel fft(on, fft_kernel(shape, on.machine()));
  const std::vector<float> in = planes_of(x);
  std::vector<float> out(in.size());
  fft.launch({{std::as_bytes(std::span(in)), fft.what().inputs[0]}},
             {{std::as_writable_bytes(std::span(out)), fft.what().outputs[0]}});
  return from_planes(out);
}

std::vector<exact> host_fft(const fft_row& shape, std::span<const std::complex<float>> x,
                            std::int64_t definition_max) {
  std::vector<exact> values(x.begin(), x.end());
  const int rank = int(shape.extents.size());
  std::vector<bool> chosen(std::size_t(rank), shape.axes.empty());
  for (const int a : shape.axes) chosen[std::size_t(a < 0 ? a + rank : a)] = true;
  std::size_t inner = values.size();
  for (int axis = 0; axis < rank; ++axis) {
    const std::size_t n = std::size_t(shape.extents[std::size_t(axis)]);
    inner /= n;
    if (!chosen[std::size_t(axis)]) continue;
    std::vector<exact> line(n);
    for (std::size_t first = 0; first < values.size(); ++first) {
      if (first / inner % n != 0) continue;
      for (std::size_t j = 0; j < n; ++j) line[j] = values[first + j * inner];
      transform_line(line, shape, definition_max);
      for (std::size_t j = 0; j < n; ++j) values[first + j * inner] = line[j];
    }
  }
  for (exact& v : values) v *= static_cast<long double>(shape.scale);
  return values;
}

double host_error(const fft_row& shape, std::span<const std::complex<float>> x,
                  std::span<const exact> expected) {
  const std::size_t n = std::size_t(shape.extents.back());
  const fft_plan<float> plan(n, direction_of(shape), {normalization::none});
  complex_values in(n), out(n);
  std::vector<exact> all;
  for (std::size_t first = 0; first < x.size(); first += n) {
    std::copy_n(x.begin() + std::ptrdiff_t(first), n, in.begin());
    plan.execute(in, out);
    for (const std::complex<float>& v : out) all.push_back(exact(v) * exact(shape.scale));
  }
  return papilio::test::relative_error(all, expected);
}

}  // namespace papilio::kernels::test

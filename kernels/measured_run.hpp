#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/splitmix64.hpp"
#include "kernels/transform/error_model.hpp"
#include "papilio/engine/device.hpp"
#include "papilio/kernels/sized_kernel.hpp"

// One run of a kernel on seeded values, some of whose outputs are compared with sums in double.
namespace papilio::kernels_detail {

/// Evenly spread over [-1, 1).
inline std::vector<float> random_values(std::int64_t count, base_detail::splitmix64& next) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(float(std::int64_t(next() >> 40) - (1 << 23)) * 0x1p-23F);
  return values;
}

/// The one output of a kernel of one input.
inline std::vector<float> output_of(const kernels::sized_kernel& sized,
                                    const engine::machine_spec& machine,
                                    std::span<const float> in) {
  std::vector<float> out(std::size_t(sized.outputs[0].elements()));
  engine::device dev(machine);
  kernels::prepared_kernel(dev, sized)
      .launch({engine::launch_input(std::as_bytes(in), sized.inputs[0])},
              {engine::launch_output(std::as_writable_bytes(std::span(out)), sized.outputs[0])});
  return out;
}

/// How many of so many outputs are compared, which are sums of so many terms each.
inline std::int64_t compared_outputs(std::int64_t all, std::int64_t terms) {
  constexpr std::int64_t terms_most = std::int64_t{1} << 22, least = 64, most = 512;
  return std::min(all, std::clamp(terms_most / terms, least, most));
}

/// The relative error in the Euclidean norm of a random output of each of `count` equal ranges of
/// `all`; NaN if a result is. got(i), exact(i): complex numbers.
template <class Got, class Exact>
double achieved_error(std::int64_t all, std::int64_t count, base_detail::splitmix64& random,
                      const Got& got, const Exact& exact) {
  double errors = 0, squares = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = all / count * i, end = i + 1 < count ? all / count * (i + 1) : all,
                       at = begin + std::int64_t(random() % std::uint64_t(end - begin));
    const std::complex<double> y = exact(at);
    errors += std::norm(std::complex<double>(got(at)) - y);
    squares += std::norm(y);
  }
  const double relative = squares > 0 ? errors / squares : errors;
  return relative < std::numeric_limits<double>::infinity()
             ? square_root(relative)
             : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace papilio::kernels_detail

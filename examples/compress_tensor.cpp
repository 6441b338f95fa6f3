// A smooth array of four axes in three compressed forms: what each costs in numbers and in error,
// and single elements without the array.
//   compress_tensor [EXTENT [TOLERANCE]]
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "papilio/papilio.hpp"

namespace {

using papilio::tensor;

// A pulse whose width and place depend on two parameters, on a grid of space and time.
tensor<double> sample(std::size_t n) {
  tensor<double> x({n, n, n, n});
  const auto at = [n](std::size_t i) { return static_cast<double>(i) / static_cast<double>(n); };
  double* to = x.data();
  for (std::size_t space = 0; space < n; ++space)
    for (std::size_t time = 0; time < n; ++time)
      for (std::size_t width = 0; width < n; ++width)
        for (std::size_t speed = 0; speed < n; ++speed) {
          const double distance = at(space) - 0.5 * at(time) * (0.5 + at(speed));
          *to++ = std::exp(-distance * distance / (0.1 + 0.2 * at(width)));
        }
  return x;
}

template <class Model>
void show(const char* name, const Model& model, double error) {
  std::printf("%-14s %8zu numbers, %7.1f times fewer, relative error %.1e\n", name,
              model.parameters(), model.compression_ratio(), error);
}

void compress(std::size_t n, double tolerance) {
  const tensor<double> x = sample(n);
  std::printf("%zu x %zu x %zu x %zu, %zu numbers, tolerance %g\n", n, n, n, n, x.size(),
              tolerance);
  const auto tucker = papilio::tucker_sthosvd(x, {.tolerance = tolerance});
  show("Tucker", tucker, tucker.relative_error);
  const auto train = papilio::tt_svd(x, {.tolerance = tolerance});
  show("tensor train", train, train.relative_error);
  const auto coarse = papilio::tt_round(train, {.tolerance = std::min(0.5, 100 * tolerance)});
  show("  rounded", coarse, papilio::relative_error(x, coarse));
  const auto cp = papilio::cp_als(x, 6, {.max_iterations = 200, .start = papilio::cp_start::svd});
  show("CP of rank 6", cp, cp.relative_error);

  papilio::array<std::size_t, 2> index({1, 4});
  std::ranges::fill(index, n / 2);
  const double exact = x.data()[((n / 2 * n + n / 2) * n + n / 2) * n + n / 2];
  std::printf("in the middle %.6f, by the train %.6f\n", exact,
              papilio::reconstruct_at(train, index.view())(0));
}

// The number, or 0.
template <class Number>
Number number_of(const char* text) {
  Number value = 0;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  return error == std::errc() && stop == end ? value : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  const std::size_t n = argc > 1 ? number_of<std::size_t>(argv[1]) : 16;
  const double tolerance = argc > 2 ? number_of<double>(argv[2]) : 1e-4;
  if (argc > 3 || n < 2 || n > 64 || !(tolerance >= 1e-12 && tolerance < 1)) {
    std::fprintf(stderr,
                 "usage: compress_tensor [EXTENT [TOLERANCE]]: 2 to 64, and 1e-12 to below 1\n");
    return 2;
  }
  compress(n, tolerance);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "compress_tensor: %s\n", e.what());
  return 1;
}

#include "decompose/two_factors.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "decompose/sums.hpp"
#include "papilio/base/parallel_for.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {
namespace {

// A block of 256 KiB, which stays in the cache.
constexpr std::size_t block_rows = 64, product_columns = 512;

}  // namespace

template <class T>
tensor<T> multiplied(const two_factors<T>& model, std::span<const std::size_t> extents,
                     int threads) {
  tensor<T> result(extents, uninitialized);
  const view<T, 2> out(result.data(), {model.left.extent(0), model.right.extent(1)});
  gemm(T(1), model.left, model.right, T(0), out, {.threads = threads});
  return result;
}

template <class T>
double squared_residual(const T* x, const bool* mask, double factor,
                        const two_factors<double>& model, int threads) {
  const std::size_t m = model.left.extent(0), n = model.right.extent(1);
  const std::size_t across = (n + product_columns - 1) / product_columns;
  const std::size_t blocks = (m + block_rows - 1) / block_rows * across;
  std::vector<double> sums(blocks);
  papilio::parallel_for(blocks, m * n < 100000 ? 1 : threads, [&](std::size_t index) {
    const std::size_t row = index / across * block_rows, column = index % across * product_columns;
    const std::size_t rows = std::min(block_rows, m - row);
    const std::size_t columns = std::min(product_columns, n - column);
    array<double, 2> block({rows, columns}, uninitialized);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        block.data()[i * columns + j] = static_cast<double>(x[(row + i) * n + column + j]);
    gemm(-factor, model.left.view().slice(0, row, rows),
         model.right.view().slice(1, column, columns), 1.0, block, {.threads = 1});
    if (mask != nullptr)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
          if (!mask[(row + i) * n + column + j]) block.data()[i * columns + j] = 0;
    sums[index] = dot(block.data(), block.data(), block.size());
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

double root_of_ratio(double squared_residual, double squared_norm) {
  const double squared = std::max(squared_residual, 0.0);
  return squared_norm > 0 ? std::sqrt(squared / squared_norm) : std::sqrt(squared);
}

#define PAPILIO_INSTANTIATE(T)                                                             \
  template tensor<T> multiplied(const two_factors<T>&, std::span<const std::size_t>, int); \
  template double squared_residual(const T*, const bool*, double, const two_factors<double>&, int)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio::decompose_detail

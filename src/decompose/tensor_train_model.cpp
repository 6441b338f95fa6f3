#include "decompose/tensor_train_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "decompose/model_check.hpp"
#include "decompose/prepared_operand.hpp"
#include "decompose/sums.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio {
namespace decompose_detail {

using base_detail::message;

template <class T>
void check_train(const char* function, const tensor_train<T>& train) {
  if (train.order() == 0) throw shape_error(message(function, ": there are no cores"));
  std::size_t bond = 1;
  for (std::size_t mode = 0; mode < train.order(); ++mode) {
    if (train.cores[mode].extent(0) != bond)
      throw shape_error(message(function, ": core ", mode, " must begin with a bond of ", bond,
                                ", got ", train.cores[mode].extent(0)));
    bond = train.cores[mode].extent(2);
  }
  if (bond != 1)
    throw shape_error(message(function, ": the last core must end with a bond of 1, got ", bond));
}

// The product of the cores from the second on grows from the right: [bond, columns].
template <class S, class T>
two_factors<S> split_train(const tensor_train<T>& train, int threads) {
  array<S, 2> right({1, 1}, uninitialized);
  right(0, 0) = 1;
  for (std::size_t mode = train.order(); mode-- > 1;) {
    const array<T, 3>& core = train.cores[mode];
    const array<S, 2> left = converted<S>(rows_joined(core));
    const std::size_t columns =
        checked_multiply(core.extent(1), right.extent(1), "decompose: size");
    array<S, 2> product({core.extent(0), columns}, uninitialized);
    const view<S, 2> out(product.data(), {left.extent(0), right.extent(1)});
    gemm(S(1), left, right, S(0), out, {.threads = threads});
    right = std::move(product);
  }
  return {converted<S>(rows_joined(train.cores[0])), std::move(right)};
}

template <class T>
double relative_error(const tensor_view<const T>& x, const tensor_train<T>& train) {
  check_train("relative_error", train);
  check_extents("relative_error", x.extents(), train.extents());
  const prepared_operand<T> p = prepare("relative_error", x);
  const double factor = std::ldexp(1.0, -p.exponent);
  return root_of_ratio(
      squared_residual<T>(p.data, nullptr, factor, split_train<double>(train, 0), 0),
      p.squared_norm);
}

#define PAPILIO_INSTANTIATE(T)                                                   \
  template void check_train(const char*, const tensor_train<T>&);                \
  template two_factors<double> split_train<double>(const tensor_train<T>&, int); \
  template PAPILIO_API double relative_error(const tensor_view<const T>&, const tensor_train<T>&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE
template two_factors<float> split_train<float>(const tensor_train<float>&, int);

namespace {

// A row vector times the matrix that each index chooses.
template <class T>
double element(const tensor_train<T>& train, view<const std::size_t, 1> index) {
  std::vector<double> row{1};
  for (std::size_t mode = 0; mode < train.order(); ++mode) {
    const array<T, 3>& core = train.cores[mode];
    std::vector<double> next(core.extent(2));
    for (std::size_t a = 0; a < row.size(); ++a)
      add_scaled(row[a], core.data() + (a * core.extent(1) + index[mode]) * next.size(),
                 next.data(), next.size());
    row = std::move(next);
  }
  return row[0];
}

}  // namespace
}  // namespace decompose_detail

template <class T>
tensor<T> reconstruct(const tensor_train<T>& train) {
  decompose_detail::check_train("reconstruct", train);
  return decompose_detail::multiplied(decompose_detail::split_train<T>(train, 0), train.extents());
}

template <class T>
array<T, 1> reconstruct_at(const tensor_train<T>& train, view<const std::size_t, 2> indices) {
  decompose_detail::check_train("reconstruct_at", train);
  decompose_detail::check_indices("reconstruct_at", indices, train.extents());
  array<T, 1> result(indices.extent(0));
  for (std::size_t i = 0; i < result.size(); ++i)
    result(i) = static_cast<T>(decompose_detail::element(train, indices[i]));
  return result;
}

#define PAPILIO_INSTANTIATE(T)                                            \
  template PAPILIO_API tensor<T> reconstruct(const tensor_train<T>&);     \
  template PAPILIO_API array<T, 1> reconstruct_at(const tensor_train<T>&, \
                                                  view<const std::size_t, 2>)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio

#include <utility>

#include "decompose/models.hpp"
#include "decompose/tensor_train_steps.hpp"
#include "papilio/base/error.hpp"
#include "papilio/blas/gemm.hpp"

namespace papilio::decompose_detail {

using base_detail::message;

template <class T>
void check_model(const char* function, const tensor_train<T>& train) {
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
two_factors<S> split_model(const tensor_train<T>& train, int threads) {
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

// A row vector times the matrix that each index chooses.
template <class T>
double element_at(const tensor_train<T>& train, view<const std::size_t, 1> index,
                  std::vector<double>& row) {
  row.assign(1, 1);
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

#define PAPILIO_INSTANTIATE(T)                                                   \
  template void check_model(const char*, const tensor_train<T>&);                \
  template two_factors<double> split_model<double>(const tensor_train<T>&, int); \
  template double element_at(const tensor_train<T>&, view<const std::size_t, 1>, \
                             std::vector<double>&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE
template two_factors<float> split_model<float>(const tensor_train<float>&, int);

}  // namespace papilio::decompose_detail

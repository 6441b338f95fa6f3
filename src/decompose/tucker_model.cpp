#include <algorithm>

#include "decompose/mode_product.hpp"
#include "decompose/models.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {

using base_detail::message;

template <class T>
void check_model(const char* function, const tucker_model<T>& model) {
  if (model.order() == 0 || model.core.rank() != model.order())
    throw shape_error(message(function, ": a core of ", model.core.rank(), " modes has ",
                              model.order(), " factors"));
  for (std::size_t mode = 0; mode < model.order(); ++mode)
    if (model.factors[mode].extent(1) != model.core.extent(mode))
      throw shape_error(message(function, ": the factor of mode ", mode, " has ",
                                model.factors[mode].extent(1), " columns, the core extent ",
                                model.core.extent(mode)));
}

template <class S, class T>
two_factors<S> split_model(const tucker_model<T>& model, int threads) {
  std::vector<std::size_t> extents = model.ranks();
  array<S, 1> values(model.core.size(), uninitialized);
  for (std::size_t i = 0; i < values.size(); ++i)
    values.data()[i] = static_cast<S>(model.core.data()[i]);
  for (std::size_t mode = model.order(); mode-- > 1;) {
    const array<S, 2> factor = converted<S>(model.factors[mode].view());
    values = mode_product<S>(values.data(), split_at(extents, mode), factor, threads);
    extents[mode] = factor.extent(0);
  }
  const std::size_t rank = extents[0];
  two_factors<S> result{converted<S>(model.factors[0].view()),
                        array<S, 2>({rank, rank == 0 ? 0 : values.size() / rank}, uninitialized)};
  std::copy_n(values.data(), values.size(), result.right.data());
  return result;
}

// The core's modes are summed from the last to the first.
template <class T>
double element_at(const tucker_model<T>& model, view<const std::size_t, 1> index,
                  std::vector<double>& scratch) {
  scratch.resize(model.core.size());
  if (scratch.empty()) return 0;
  std::size_t size = model.core.size();
  for (std::size_t i = 0; i < size; ++i) scratch[i] = static_cast<double>(model.core.data()[i]);
  for (std::size_t mode = model.order(); mode-- > 0;) {
    const std::size_t rank = model.core.extent(mode);
    const T* const row = model.factors[mode].data() + index[mode] * rank;
    size /= rank;
    for (std::size_t i = 0; i < size; ++i) scratch[i] = dot(&scratch[i * rank], row, rank);
  }
  return scratch[0];
}

#define PAPILIO_INSTANTIATE(T)                                                   \
  template void check_model(const char*, const tucker_model<T>&);                \
  template two_factors<double> split_model<double>(const tucker_model<T>&, int); \
  template double element_at(const tucker_model<T>&, view<const std::size_t, 1>, \
                             std::vector<double>&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE
template two_factors<float> split_model<float>(const tucker_model<float>&, int);

}  // namespace papilio::decompose_detail

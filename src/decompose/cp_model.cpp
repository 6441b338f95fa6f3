#include "decompose/khatri_rao.hpp"
#include "decompose/models.hpp"
#include "papilio/base/error.hpp"

namespace papilio::decompose_detail {

using base_detail::message;

template <class T>
void check_model(const char* function, const cp_model<T>& model) {
  if (model.order() == 0) throw shape_error(message(function, ": the model has no factors"));
  for (std::size_t mode = 0; mode < model.order(); ++mode)
    if (model.factors[mode].extent(1) != model.rank())
      throw shape_error(message(function, ": the factor of mode ", mode, " has ",
                                model.factors[mode].extent(1), " columns, and there are ",
                                model.rank(), " weights"));
}

template <class S, class T>
two_factors<S> split_model(const cp_model<T>& model, int) {
  const auto factors = views_of<T>(model.factors);
  return split_cp<S, T>(factors, model.weights.flat());
}

template <class T>
double element_at(const cp_model<T>& model, view<const std::size_t, 1> index,
                  std::vector<double>&) {
  double sum = 0;
  for (std::size_t r = 0; r < model.rank(); ++r) {
    double product = static_cast<double>(model.weights(r));
    for (std::size_t mode = 0; mode < model.order(); ++mode)
      product *= static_cast<double>(model.factors[mode](index[mode], r));
    sum += product;
  }
  return sum;
}

#define PAPILIO_INSTANTIATE(T)                                               \
  template void check_model(const char*, const cp_model<T>&);                \
  template two_factors<double> split_model<double>(const cp_model<T>&, int); \
  template double element_at(const cp_model<T>&, view<const std::size_t, 1>, std::vector<double>&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE
template two_factors<float> split_model<float>(const cp_model<float>&, int);

}  // namespace papilio::decompose_detail

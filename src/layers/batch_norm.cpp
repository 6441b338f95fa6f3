// Complex batch normalisation.
#include <cmath>
#include <utility>

#include "layers/device_layer.hpp"
#include "layers/features.hpp"
#include "layers/inverse_root.hpp"
#include "layers/placed_layer.hpp"

namespace papilio {

using namespace layers_detail;

namespace {

template <class T>
symmetric row_of(const array<T, 2>& rows, std::size_t f) {
  return {static_cast<double>(rows(f, 0)), static_cast<double>(rows(f, 1)),
          static_cast<double>(rows(f, 2))};
}
template <class T>
void set_row(array<T, 2>& rows, std::size_t f, const symmetric& s) {
  rows(f, 0) = static_cast<T>(s.rr);
  rows(f, 1) = static_cast<T>(s.ri);
  rows(f, 2) = static_cast<T>(s.ii);
}

struct moments {
  number mean;
  symmetric covariance;
};

template <class T>
moments moments_of(const feature_array<T>& x, std::size_t f) {
  const double count = static_cast<double>(x.count());
  moments m;
  x.for_each(f, [&](std::size_t at) { m.mean += number(x[at]); });
  m.mean /= count;
  x.for_each(f, [&](std::size_t at) {
    const number c = number(x[at]) - m.mean;
    m.covariance.rr += c.real() * c.real() / count;
    m.covariance.ri += c.real() * c.imag() / count;
    m.covariance.ii += c.imag() * c.imag() / count;
  });
  return m;
}

template <class X>
void require_numbers(const char* function, const X& x) {
  require_rank(function, 2, x.rank());
  if (x.extent(1) > 0 && x.size() == 0)
    throw shape_error(base_detail::message(function, ": x has no number of a feature, it is ",
                                           text_of(x.extents())));
}

template <class Statistics>
void check_statistics(const char* function, std::size_t features, const Statistics& s) {
  const std::array<std::size_t, 2> rows{features, 3};
  require_count(function, "mean", features, s.mean.size());
  require_extents(function, "covariance", rows, s.covariance.extents());
}

// Normalisation by the given statistics or, without any, by those of x itself.
template <class X, class Parameters, class Statistics>
struct normalization_call {
  using T = typename X::value_type::value_type;
  static constexpr bool is_on_device = std::is_same_v<X, complex_device_array>;

  const char* function;
  X x;
  const Parameters& p;
  double epsilon;
  const Statistics* fixed = nullptr;

  std::size_t features() const { return x.extent(1); }

  void check() const {
    require_numbers(function, x);
    if (fixed != nullptr) check_statistics(function, features(), *fixed);
    if (!(epsilon > 0) || !std::isfinite(epsilon))
      throw invalid_argument(
          base_detail::message(function, ": epsilon must be finite and above 0, got ", epsilon));
    const std::array<std::size_t, 2> rows{features(), 3};
    require_extents(function, "gamma", rows, p.gamma.extents());
    require_count(function, "beta", features(), p.beta.size());
    if constexpr (!is_on_device)
      for (std::size_t f = 0; fixed != nullptr && f < features(); ++f)
        inverse_root(function, f, row_of(fixed->covariance, f), epsilon);
  }

  layer_problem problem(layer_function of_batch, layer_function running) const {
    return {.function = fixed == nullptr ? of_batch : running,
            .rows = features() == 0 ? 0 : x.size() / features(),
            .features = features(),
            .epsilon = epsilon,
            .type = real_type_of<T>};
  }

  moments moments_at(const feature_array<T>& values, std::size_t f) const {
    if (fixed == nullptr) return moments_of(values, f);
    return {number(fixed->mean(f)), row_of(fixed->covariance, f)};
  }

  // Runs `what` on a device. `last` and `out` are its operand and results besides x, the statistics
  // and gamma.
  void run(accelerator& device, const layer_problem& what, const precision_options& precision,
           const device_input& last, std::initializer_list<device_output> out) const {
    const complex_view<T> numbers = features_last(x, 1);
    const tensor_view<const T> gamma = parts_first(p.gamma.view());
    if (fixed == nullptr)
      return run_on(function, device, what, precision, {numbers, gamma, last}, out);
    const complex_view<T> mean = fixed->mean;
    const tensor_view<const T> covariance = parts_first(fixed->covariance.view());
    run_on(function, device, what, precision, {numbers, mean, covariance, gamma, last}, out);
  }
  std::vector<shared_tensor> run(const device_layer& on, const layer_problem& what,
                                 const shared_tensor& last) const {
    std::vector<device_input> in{on.features_last(x.tensor(function))};
    if (fixed != nullptr) {
      in.emplace_back(fixed->mean.tensor(function));
      in.emplace_back(on.transposed(fixed->covariance.tensor(function)));
    }
    in.emplace_back(on.transposed(p.gamma.tensor(function)));
    in.emplace_back(last);
    return on.run(what, in);
  }
};

template <class T>
using host_normalization = normalization_call<complex_view<T>, complex_batch_norm_parameters<T>,
                                              complex_batch_statistics<T>>;
using device_normalization =
    normalization_call<complex_device_array, device_batch_norm_parameters, device_batch_statistics>;

template <class T>
tensor<std::complex<T>> normalized(const host_normalization<T>& call, const execution& on) {
  call.check();
  const layer_problem what = call.problem(layer_function::batch_norm, layer_function::running_norm);
  tensor<std::complex<T>> y(call.x.extents(), uninitialized);
  if (accelerator* const device = place_layer(call.function, what, on)) {
    const complex_view<T> beta = call.p.beta;
    const tensor_view<std::complex<T>> to = features_last(y.view(), 1);
    call.run(*device, what, on.precision, beta, {to});
    return y;
  }
  const feature_array<T> x(call.x, 1);
  run_on_host(call.function, on.threads, x.features(), y.size(),
              [&](std::size_t first, std::size_t last) {
                for (std::size_t f = first; f < last; ++f) {
                  const moments m = call.moments_at(x, f);
                  const symmetric white =
                      inverse_root(call.function, f, m.covariance, call.epsilon).value();
                  const symmetric gamma = row_of(call.p.gamma, f);
                  const number beta(call.p.beta(f));
                  x.for_each(f, [&](std::size_t at) {
                    const number centred = number(x[at]) - m.mean;
                    y.data()[at] = std::complex<T>(gamma.times(white.times(centred)) + beta);
                  });
                }
              });
  return y;
}

complex_device_array normalized(const device_normalization& call, const execution& on) {
  const shared_tensor x = call.x.tensor(call.function);
  call.check();
  const device_layer there(call.function, x, 1, on);
  const shared_tensor beta = call.p.beta.tensor(call.function);
  return complex_device_array(call.run(
      there, call.problem(layer_function::batch_norm, layer_function::running_norm), beta)[0]);
}

template <class T>
using norm_gradients = layer_gradients<T, complex_batch_norm_parameters<T>>;

// Computes the gradients of feature f.
template <class T>
void add_gradients(const host_normalization<T>& call, const feature_array<T>& x,
                   const feature_array<T>& g, std::size_t f, norm_gradients<T>& result) {
  const moments m = call.moments_at(x, f);
  const inverse_root root(call.function, f, m.covariance, call.epsilon);
  const symmetric white = root.value(), gamma = row_of(call.p.gamma, f);
  symmetric by_gamma, by_white;
  number sum, by_sum;
  x.for_each(f, [&](std::size_t at) {
    const number centred = number(x[at]) - m.mean, by_y(g[at]), by_whitened = gamma.times(by_y);
    by_gamma.add_outer(by_y, white.times(centred));
    by_white.add_outer(by_whitened, centred);
    sum += by_y;
    by_sum += white.times(by_whitened);
  });
  set_row(result.parameters.gamma, f, by_gamma);
  result.parameters.beta(f) = std::complex<T>(sum);
  const double count = static_cast<double>(x.count());
  const bool through_moments = call.fixed == nullptr;
  // V's diagonal is a sum of squares, so that its gradient counts twice; ri stands for both
  // elements beside the diagonal.
  symmetric by_centred = through_moments ? root.gradient(by_white) : symmetric{};
  by_centred = {2 * by_centred.rr / count, by_centred.ri / count, 2 * by_centred.ii / count};
  const number mean = through_moments ? by_sum / count : number();
  x.for_each(f, [&](std::size_t at) {
    const number centred = number(x[at]) - m.mean;
    result.x.data()[at] =
        std::complex<T>(white.times(gamma.times(number(g[at]))) + by_centred.times(centred) - mean);
  });
}

template <class T>
norm_gradients<T> gradients_of(const host_normalization<T>& call, const complex_view<T>& gradient,
                               const execution& on) {
  call.check();
  require_extents(call.function, "gradient", call.x.extents(), gradient.extents());
  const layer_problem what =
      call.problem(layer_function::batch_norm_vjp, layer_function::running_norm_vjp);
  norm_gradients<T> result{
      tensor<std::complex<T>>(call.x.extents(), uninitialized),
      {array<T, 2>(call.p.gamma.extents()), array<std::complex<T>, 1>(call.p.beta.extents())}};
  if (accelerator* const device = place_layer(call.function, what, on)) {
    const complex_view<T> g = features_last(gradient, 1);
    const tensor_view<std::complex<T>> by_x = features_last(result.x.view(), 1),
                                       by_beta = result.parameters.beta;
    const tensor_view<T> by_gamma = parts_first(result.parameters.gamma.view());
    call.run(*device, what, on.precision, g, {by_x, by_gamma, by_beta});
    return result;
  }
  const feature_array<T> x(call.x, 1), g(gradient, 1);
  run_on_host(call.function, on.threads, x.features(), call.x.size(),
              [&](std::size_t first, std::size_t last) {
                for (std::size_t f = first; f < last; ++f) add_gradients(call, x, g, f, result);
              });
  return result;
}

using device_norm_gradients = device_layer_gradients<device_batch_norm_parameters>;

device_norm_gradients gradients_of(const device_normalization& call,
                                   const complex_device_array& gradient, const execution& on) {
  const shared_tensor x = call.x.tensor(call.function), g = gradient.tensor(call.function);
  call.check();
  require_extents(call.function, "gradient", call.x.extents(), gradient.extents());
  const device_layer there(call.function, x, 1, on);
  const auto by = call.run(
      there, call.problem(layer_function::batch_norm_vjp, layer_function::running_norm_vjp),
      there.features_last(g));
  return {complex_device_array(by[0]),
          {device_array<float, 2>(there.transposed(by[1])),
           device_array<std::complex<float>, 1>(by[2])}};
}

template <class T>
array<T, 2> diagonals(std::size_t features) {
  array<T, 2> rows({features, 3});
  for (std::size_t f = 0; f < features; ++f) set_row(rows, f, {std::sqrt(0.5), 0, std::sqrt(0.5)});
  return rows;
}

}  // namespace

template <class T>
complex_batch_norm_parameters<T> initial_batch_norm_parameters(std::size_t features) {
  return {diagonals<T>(features), array<std::complex<T>, 1>({features})};
}
template <class T>
complex_batch_statistics<T> initial_batch_statistics(std::size_t features) {
  return {array<std::complex<T>, 1>({features}), diagonals<T>(features)};
}

template <class T>
complex_batch_statistics<T> batch_statistics(complex_view<T> x) {
  require_numbers("batch_statistics", x);
  const feature_array<T> values(x, 1);
  complex_batch_statistics<T> result{array<std::complex<T>, 1>({values.features()}),
                                     array<T, 2>({values.features(), 3})};
  for (std::size_t f = 0; f < values.features(); ++f) {
    const moments m = moments_of(values, f);
    result.mean(f) = std::complex<T>(m.mean);
    set_row(result.covariance, f, m.covariance);
  }
  return result;
}

template <class T>
void update_statistics(complex_batch_statistics<T>& running,
                       const complex_batch_statistics<T>& batch, double momentum) {
  if (!(momentum >= 0 && momentum <= 1))
    throw invalid_argument(
        base_detail::message("update_statistics: momentum must be 0 ... 1, got ", momentum));
  check_statistics("update_statistics", running.mean.size(), running);
  check_statistics("update_statistics", running.mean.size(), batch);
  const T kept = static_cast<T>(1 - momentum), taken = static_cast<T>(momentum);
  for (std::size_t f = 0; f < running.mean.size(); ++f) {
    running.mean(f) = kept * running.mean(f) + taken * batch.mean(f);
    for (std::size_t k = 0; k < 3; ++k)
      running.covariance(f, k) = kept * running.covariance(f, k) + taken * batch.covariance(f, k);
  }
}

template <class T>
tensor<std::complex<T>> complex_batch_norm(given_view<T> x,
                                           const complex_batch_norm_parameters<T>& parameters,
                                           const complex_batch_statistics<T>& statistics,
                                           double epsilon, const execution& on) {
  return normalized<T>({"complex_batch_norm", x, parameters, epsilon, &statistics}, on);
}

template <class T>
layer_gradients<T, complex_batch_norm_parameters<T>> complex_batch_norm_vjp(
    given_view<T> x, const complex_batch_norm_parameters<T>& parameters,
    const complex_batch_statistics<T>& statistics, given_view<T> gradient, double epsilon,
    const execution& on) {
  return gradients_of<T>({"complex_batch_norm_vjp", x, parameters, epsilon, &statistics}, gradient,
                         on);
}

template <class T>
tensor<std::complex<T>> complex_batch_norm_training(
    given_view<T> x, const complex_batch_norm_parameters<T>& parameters, double epsilon,
    const execution& on) {
  return normalized<T>({"complex_batch_norm_training", x, parameters, epsilon}, on);
}

template <class T>
layer_gradients<T, complex_batch_norm_parameters<T>> complex_batch_norm_training_vjp(
    given_view<T> x, const complex_batch_norm_parameters<T>& parameters, given_view<T> gradient,
    double epsilon, const execution& on) {
  return gradients_of<T>({"complex_batch_norm_training_vjp", x, parameters, epsilon}, gradient, on);
}

complex_device_array complex_batch_norm(const complex_device_array& x,
                                        const device_batch_norm_parameters& parameters,
                                        const device_batch_statistics& statistics, double epsilon,
                                        const execution& on) {
  return normalized({"complex_batch_norm", x, parameters, epsilon, &statistics}, on);
}
complex_device_array complex_batch_norm_training(const complex_device_array& x,
                                                 const device_batch_norm_parameters& parameters,
                                                 double epsilon, const execution& on) {
  return normalized({"complex_batch_norm_training", x, parameters, epsilon}, on);
}
device_norm_gradients complex_batch_norm_vjp(const complex_device_array& x,
                                             const device_batch_norm_parameters& parameters,
                                             const device_batch_statistics& statistics,
                                             const complex_device_array& gradient, double epsilon,
                                             const execution& on) {
  return gradients_of({"complex_batch_norm_vjp", x, parameters, epsilon, &statistics}, gradient,
                      on);
}
device_norm_gradients complex_batch_norm_training_vjp(
    const complex_device_array& x, const device_batch_norm_parameters& parameters,
    const complex_device_array& gradient, double epsilon, const execution& on) {
  return gradients_of({"complex_batch_norm_training_vjp", x, parameters, epsilon}, gradient, on);
}

#define PAPILIO_INSTANTIATE(T)                                                             \
  template PAPILIO_API complex_batch_norm_parameters<T> initial_batch_norm_parameters(     \
      std::size_t);                                                                        \
  template PAPILIO_API complex_batch_statistics<T> initial_batch_statistics(std::size_t);  \
  template PAPILIO_API complex_batch_statistics<T> batch_statistics(complex_view<T>);      \
  template PAPILIO_API void update_statistics(complex_batch_statistics<T>&,                \
                                              const complex_batch_statistics<T>&, double); \
  template PAPILIO_API tensor<std::complex<T>> complex_batch_norm(                         \
      complex_view<T>, const complex_batch_norm_parameters<T>&,                            \
      const complex_batch_statistics<T>&, double, const execution&);                       \
  template PAPILIO_API norm_gradients<T> complex_batch_norm_vjp(                           \
      complex_view<T>, const complex_batch_norm_parameters<T>&,                            \
      const complex_batch_statistics<T>&, complex_view<T>, double, const execution&);      \
  template PAPILIO_API tensor<std::complex<T>> complex_batch_norm_training(                \
      complex_view<T>, const complex_batch_norm_parameters<T>&, double, const execution&); \
  template PAPILIO_API norm_gradients<T> complex_batch_norm_training_vjp(                  \
      complex_view<T>, const complex_batch_norm_parameters<T>&, complex_view<T>, double,   \
      const execution&)
PAPILIO_INSTANTIATE(float);
PAPILIO_INSTANTIATE(double);
#undef PAPILIO_INSTANTIATE

}  // namespace papilio

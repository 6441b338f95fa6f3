// papilio.layers: layers of complex networks and their gradients, over numpy's and device arrays.
#include "papilio/layers.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "accelerated.hpp"
#include "adopted.hpp"
#include "fixed_rank.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using handles = std::initializer_list<nb::handle>;

/// Operands and results of a layer as numpy's arrays, in T.
template <class T>
class numpy_operands {
 public:
  using real = T;
  using linear = complex_linear_parameters<T>;
  using conv1d = complex_conv1d_parameters<T>;
  using batch_norm = complex_batch_norm_parameters<T>;
  using statistics = complex_batch_statistics<T>;

  explicit numpy_operands(call_place& place) : place_(place) {}
  call_place& place() { return place_; }

  /// Numbers of the layer, whose array this keeps.
  layers_detail::complex_view<T> numbers(const char* name, nb::handle x) {
    kept_.push_back(ndarray::operand(place_.function(), x, element_for<std::complex<T>>(), name));
    const ndarray& a = kept_.back();
    return {static_cast<const std::complex<T>*>(a.data()), a.extents(), a.strides()};
  }
  template <class V, std::size_t Rank>
  array<V, Rank> parameter(const char* name, nb::handle x) {
    if (x.is_none()) return {};
    return owned<V, Rank>(place_.function(), name, x);
  }
  template <class Owner>
  nb::object result(Owner values) {
    if (values.extents()[0] == 0 && values.size() == 0) return nb::none();
    return adopted(std::move(values));
  }

 private:
  call_place& place_;
  std::vector<ndarray> kept_;
};

/// Operands and results of a layer as device arrays.
class device_operands {
 public:
  using real = float;
  using linear = device_linear_parameters;
  using conv1d = device_conv1d_parameters;
  using batch_norm = device_batch_norm_parameters;
  using statistics = device_batch_statistics;

  explicit device_operands(call_place& place) : place_(place) {}
  call_place& place() { return place_; }

  complex_device_array numbers(const char* name, nb::handle x) {
    return there<std::complex<float>>(name, x);
  }
  template <class V, std::size_t Rank>
  device_array<V, Rank> parameter(const char* name, nb::handle x) {
    if (x.is_none()) return {};
    const device_ndarray<V> found = there<V>(name, x);
    if (found.rank() != Rank)
      throw shape_error(
          message(place_.function(), ": ", name, " must have ", Rank, " axes, got ", found.rank()));
    return found.template as<Rank>();
  }
  template <class DeviceArray>
  nb::object result(const DeviceArray& values) {
    if (values.is_empty()) return nb::none();
    return place_.result(values.tensor(place_.function()));
  }

 private:
  template <class V>
  device_ndarray<V> there(const char* name, nb::handle x) {
    const shared_tensor& t = device_array_of(x)->tensor();
    if (t->shape().is_complex == std::is_same_v<V, float>)
      throw nb::type_error(message(place_.function(), ": ", name, " must be ",
                                   std::is_same_v<V, float> ? "real" : "complex",
                                   " as a device array")
                               .c_str());
    return device_ndarray<V>(t);
  }

  call_place& place_;
};

/// Calls layer(operands) for device arrays, or for numpy's in float if all of them are, else double.
template <class Layer>
nb::object computed(const char* function, handles operands, std::optional<int> workers,
                    nb::handle on, const Layer& layer) {
  call_place place(function, workers, on);
  if (!place.tensors(operands).empty()) {
    device_operands there(place);
    return layer(there);
  }
  bool is_float = true;
  for (const nb::handle x : operands)
    if (!x.is_none())
      is_float = is_float && ndarray::operand(function, x, "an operand").type().type ==
                                 real_type::single_precision;
  if (is_float) {
    numpy_operands<float> here(place);
    return layer(here);
  }
  numpy_operands<double> here(place);
  return layer(here);
}

/// The value of `work`, which runs without the GIL.
template <class Operands, class Work>
auto value_of(Operands& o, const Work& work) {
  std::optional<decltype(work())> value;
  o.place().run([&] { value.emplace(work()); });
  return std::move(*value);
}

template <class Operands, class Gradients>
nb::object weight_gradients(Operands& o, Gradients g) {
  return nb::make_tuple(o.result(std::move(g.x)), o.result(std::move(g.parameters.weight)),
                        o.result(std::move(g.parameters.bias)));
}
template <class Operands, class Gradients>
nb::object norm_gradients(Operands& o, Gradients g) {
  return nb::make_tuple(o.result(std::move(g.x)), o.result(std::move(g.parameters.gamma)),
                        o.result(std::move(g.parameters.beta)));
}

/// Parameters by weight and bias.
template <class Parameters, std::size_t Rank, class Operands>
Parameters weighted(Operands& o, nb::handle weight, nb::handle bias) {
  using C = std::complex<typename Operands::real>;
  return {o.template parameter<C, Rank>("weight", weight),
          o.template parameter<C, 1>("bias", bias)};
}
template <class Operands>
auto norm_parameters(Operands& o, nb::handle gamma, nb::handle beta) {
  using T = typename Operands::real;
  return typename Operands::batch_norm{o.template parameter<T, 2>("gamma", gamma),
                                       o.template parameter<std::complex<T>, 1>("beta", beta)};
}
template <class Operands>
auto norm_statistics(Operands& o, nb::handle mean, nb::handle covariance) {
  using T = typename Operands::real;
  return typename Operands::statistics{o.template parameter<std::complex<T>, 1>("mean", mean),
                                       o.template parameter<T, 2>("covariance", covariance)};
}

nb::object linear(nb::handle x, nb::handle weight, nb::handle bias, std::optional<int> workers,
                  nb::handle on) {
  return computed(
      "complex_linear", {x, weight, bias}, workers, on, [&]<class O>(O& o) -> nb::object {
        const auto p = weighted<typename O::linear, 2>(o, weight, bias);
        const auto in = o.numbers("x", x);
        return o.result(value_of(o, [&] { return complex_linear(in, p, o.place().on()); }));
      });
}

nb::object linear_vjp(nb::handle x, nb::handle weight, nb::handle bias, nb::handle gradient,
                      std::optional<int> workers, nb::handle on) {
  return computed("complex_linear_vjp", {x, weight, bias, gradient}, workers, on,
                  [&]<class O>(O& o) -> nb::object {
                    const auto p = weighted<typename O::linear, 2>(o, weight, bias);
                    const auto in = o.numbers("x", x);
                    const auto by = o.numbers("gradient", gradient);
                    return weight_gradients(o, value_of(o, [&] {
                                              return complex_linear_vjp(in, p, by, o.place().on());
                                            }));
                  });
}

nb::object conv1d(nb::handle x, nb::handle weight, nb::handle bias, const conv1d_options& options,
                  std::optional<int> workers, nb::handle on) {
  return computed(
      "complex_conv1d", {x, weight, bias}, workers, on, [&]<class O>(O& o) -> nb::object {
        const auto p = weighted<typename O::conv1d, 3>(o, weight, bias);
        const auto in = o.numbers("x", x);
        return o.result(
            value_of(o, [&] { return complex_conv1d(in, p, options, o.place().on()); }));
      });
}

nb::object conv1d_vjp(nb::handle x, nb::handle weight, nb::handle bias, nb::handle gradient,
                      const conv1d_options& options, std::optional<int> workers, nb::handle on) {
  return computed(
      "complex_conv1d_vjp", {x, weight, bias, gradient}, workers, on,
      [&]<class O>(O& o) -> nb::object {
        const auto p = weighted<typename O::conv1d, 3>(o, weight, bias);
        const auto in = o.numbers("x", x);
        const auto by = o.numbers("gradient", gradient);
        return weight_gradients(
            o, value_of(o, [&] { return complex_conv1d_vjp(in, p, by, options, o.place().on()); }));
      });
}

nb::object batch_norm(nb::handle x, nb::handle gamma, nb::handle beta, nb::handle mean,
                      nb::handle covariance, double epsilon, std::optional<int> workers,
                      nb::handle on) {
  return computed("complex_batch_norm", {x, gamma, beta, mean, covariance}, workers, on,
                  [&](auto& o) -> nb::object {
                    const auto p = norm_parameters(o, gamma, beta);
                    const auto s = norm_statistics(o, mean, covariance);
                    const auto in = o.numbers("x", x);
                    return o.result(value_of(
                        o, [&] { return complex_batch_norm(in, p, s, epsilon, o.place().on()); }));
                  });
}

nb::object batch_norm_vjp(nb::handle x, nb::handle gamma, nb::handle beta, nb::handle mean,
                          nb::handle covariance, nb::handle gradient, double epsilon,
                          std::optional<int> workers, nb::handle on) {
  return computed("complex_batch_norm_vjp", {x, gamma, beta, mean, covariance, gradient}, workers,
                  on, [&](auto& o) -> nb::object {
                    const auto p = norm_parameters(o, gamma, beta);
                    const auto s = norm_statistics(o, mean, covariance);
                    const auto in = o.numbers("x", x);
                    const auto by = o.numbers("gradient", gradient);
                    return norm_gradients(o, value_of(o, [&] {
                                            return complex_batch_norm_vjp(in, p, s, by, epsilon,
                                                                          o.place().on());
                                          }));
                  });
}

nb::object batch_norm_training(nb::handle x, nb::handle gamma, nb::handle beta, double epsilon,
                               std::optional<int> workers, nb::handle on) {
  return computed(
      "complex_batch_norm_training", {x, gamma, beta}, workers, on, [&](auto& o) -> nb::object {
        const auto p = norm_parameters(o, gamma, beta);
        const auto in = o.numbers("x", x);
        return o.result(value_of(
            o, [&] { return complex_batch_norm_training(in, p, epsilon, o.place().on()); }));
      });
}

nb::object batch_norm_training_vjp(nb::handle x, nb::handle gamma, nb::handle beta,
                                   nb::handle gradient, double epsilon, std::optional<int> workers,
                                   nb::handle on) {
  return computed("complex_batch_norm_training_vjp", {x, gamma, beta, gradient}, workers, on,
                  [&](auto& o) -> nb::object {
                    const auto p = norm_parameters(o, gamma, beta);
                    const auto in = o.numbers("x", x);
                    const auto by = o.numbers("gradient", gradient);
                    return norm_gradients(o, value_of(o, [&] {
                                            return complex_batch_norm_training_vjp(
                                                in, p, by, epsilon, o.place().on());
                                          }));
                  });
}

nb::object modrelu(nb::handle x, nb::handle bias, std::ptrdiff_t axis, std::optional<int> workers,
                   nb::handle on) {
  return computed("complex_modrelu", {x, bias}, workers, on, [&]<class O>(O& o) -> nb::object {
    const auto b = o.template parameter<typename O::real, 1>("bias", bias);
    const auto in = o.numbers("x", x);
    return o.result(value_of(o, [&] { return complex_modrelu(in, b, axis, o.place().on()); }));
  });
}

nb::object modrelu_vjp(nb::handle x, nb::handle bias, nb::handle gradient, std::ptrdiff_t axis,
                       std::optional<int> workers, nb::handle on) {
  return computed(
      "complex_modrelu_vjp", {x, bias, gradient}, workers, on, [&]<class O>(O& o) -> nb::object {
        const auto b = o.template parameter<typename O::real, 1>("bias", bias);
        const auto in = o.numbers("x", x);
        const auto by = o.numbers("gradient", gradient);
        auto g = value_of(o, [&] { return complex_modrelu_vjp(in, b, by, axis, o.place().on()); });
        return nb::make_tuple(o.result(std::move(g.x)), o.result(std::move(g.bias)));
      });
}

complex_rectifier rectifier_of(const char* function, const std::string& kind) {
  if (kind != "crelu" && kind != "zrelu")
    throw invalid_argument(message(function, ": kind must be crelu or zrelu, got ", kind));
  return kind == "crelu" ? complex_rectifier::crelu : complex_rectifier::zrelu;
}

nb::object relu(nb::handle x, const std::string& kind, std::optional<int> workers, nb::handle on) {
  const complex_rectifier rectifier = rectifier_of("complex_relu", kind);
  return computed("complex_relu", {x}, workers, on, [&](auto& o) -> nb::object {
    const auto in = o.numbers("x", x);
    return o.result(value_of(o, [&] { return complex_relu(in, rectifier, o.place().on()); }));
  });
}

nb::object relu_vjp(nb::handle x, nb::handle gradient, const std::string& kind,
                    std::optional<int> workers, nb::handle on) {
  const complex_rectifier rectifier = rectifier_of("complex_relu_vjp", kind);
  return computed("complex_relu_vjp", {x, gradient}, workers, on, [&](auto& o) -> nb::object {
    const auto in = o.numbers("x", x);
    const auto by = o.numbers("gradient", gradient);
    return o.result(
        value_of(o, [&] { return complex_relu_vjp(in, by, rectifier, o.place().on()); }));
  });
}

nb::object statistics(nb::handle x) {
  return computed("batch_statistics", {x}, 1, nb::none(), [&]<class O>(O& o) -> nb::object {
    if constexpr (std::is_same_v<O, device_operands>) {
      throw nb::type_error("batch_statistics: x must be an array of the host");
    } else {
      const auto in = o.numbers("x", x);
      auto s = value_of(o, [&] { return batch_statistics<typename O::real>(in); });
      return nb::make_tuple(o.result(std::move(s.mean)), o.result(std::move(s.covariance)));
    }
  });
}

}  // namespace

void define_layers(nb::module_& m) {
  const auto workers = nb::arg("workers").none();
  const auto on = nb::arg("on").none();
  m.def("complex_linear", &linear, nb::arg("x"), nb::arg("weight"), nb::arg("bias").none(), workers,
        on);
  m.def("complex_linear_vjp", &linear_vjp, nb::arg("x"), nb::arg("weight"), nb::arg("bias").none(),
        nb::arg("gradient"), workers, on);
  nb::class_<conv1d_options>(m, "Conv1dOptions")
      .def("__init__", [](conv1d_options* self, std::size_t stride, std::size_t dilation,
                          std::size_t groups, std::size_t before, std::size_t after) {
        new (self) conv1d_options{stride, dilation, groups, before, after};
      });
  m.def("same_padding", [](std::size_t kernel, std::size_t dilation) {
    const conv1d_options o = same_conv1d(kernel, dilation);
    return std::pair(o.padding_before, o.padding_after);
  });
  m.def("complex_conv1d", &conv1d, nb::arg("x"), nb::arg("weight"), nb::arg("bias").none(),
        nb::arg("options"), workers, on);
  m.def("complex_conv1d_vjp", &conv1d_vjp, nb::arg("x"), nb::arg("weight"), nb::arg("bias").none(),
        nb::arg("gradient"), nb::arg("options"), workers, on);
  m.def("complex_batch_norm", &batch_norm, nb::arg("x"), nb::arg("gamma"), nb::arg("beta"),
        nb::arg("mean"), nb::arg("covariance"), nb::arg("epsilon"), workers, on);
  m.def("complex_batch_norm_vjp", &batch_norm_vjp, nb::arg("x"), nb::arg("gamma"), nb::arg("beta"),
        nb::arg("mean"), nb::arg("covariance"), nb::arg("gradient"), nb::arg("epsilon"), workers,
        on);
  m.def("complex_batch_norm_training", &batch_norm_training, nb::arg("x"), nb::arg("gamma"),
        nb::arg("beta"), nb::arg("epsilon"), workers, on);
  m.def("complex_batch_norm_training_vjp", &batch_norm_training_vjp, nb::arg("x"), nb::arg("gamma"),
        nb::arg("beta"), nb::arg("gradient"), nb::arg("epsilon"), workers, on);
  m.def("complex_modrelu", &modrelu, nb::arg("x"), nb::arg("bias"), nb::arg("axis"), workers, on);
  m.def("complex_modrelu_vjp", &modrelu_vjp, nb::arg("x"), nb::arg("bias"), nb::arg("gradient"),
        nb::arg("axis"), workers, on);
  m.def("complex_relu", &relu, nb::arg("x"), nb::arg("kind"), workers, on);
  m.def("complex_relu_vjp", &relu_vjp, nb::arg("x"), nb::arg("gradient"), nb::arg("kind"), workers,
        on);
  m.def("batch_statistics", &statistics, nb::arg("x"));
}

}  // namespace papilio::python

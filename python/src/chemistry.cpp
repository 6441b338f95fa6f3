// papilio.chem: density-fitted MP2 and its integrals, over numpy's and device arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "accelerated.hpp"
#include "adopted.hpp"
#include "fixed_rank.hpp"
#include "module.hpp"
#include "ndarray.hpp"
#include "papilio/base/error.hpp"
#include "papilio/chem.hpp"

namespace papilio::python {
namespace {

using base_detail::message;
using memory_bound = std::optional<std::size_t>;
/// B and the orbital energies of one spin.
using spin = std::tuple<nb::object, nb::object, nb::object>;

constexpr element in_double{false, real_type::double_precision};

std::size_t bytes_of(const memory_bound& bytes) {
  return bytes.value_or(std::numeric_limits<std::size_t>::max());
}

/// Calls visitor(float()) if all operands are of float, else visitor(double()).
template <class Visitor>
auto in_common_real(const char* function, const std::vector<nb::object>& operands,
                    const Visitor& visitor) {
  for (const nb::object& x : operands)
    if (ndarray::operand(function, x, "an operand").type().type != real_type::single_precision)
      return visitor(double());
  return visitor(float());
}

/// Orbitals of one spin. The arrays are kept; energies are in double.
template <class T>
class numpy_orbitals {
 public:
  numpy_orbitals(const char* function, const spin& s)
      : function_(function),
        b_(ndarray::operand(function, std::get<0>(s), element_for<T>(), "b")),
        occupied_(owned<double, 1>(function, "eps_occupied", std::get<1>(s))),
        virtual_(owned<double, 1>(function, "eps_virtual", std::get<2>(s))) {}

  mp2_orbitals<T> get() const {
    return {fixed<T, 3>(function_, "b", b_), occupied_.flat(), virtual_.flat()};
  }

 private:
  const char* function_;
  ndarray b_;
  array<double, 1> occupied_, virtual_;
};

std::vector<nb::object> integrals_of(const std::vector<spin>& spins) {
  std::vector<nb::object> all;
  for (const spin& s : spins) all.push_back(std::get<0>(s));
  return all;
}

mp2_energies on_device_arrays(call_place& place, const std::vector<spin>& spins,
                              const df_mp2_options& options) {
  std::vector<array<double, 1>> energies;
  std::vector<orbitals_on_device> orbitals;
  energies.reserve(2 * spins.size());
  for (const spin& s : spins) {
    const shared_tensor& b = device_array_of(std::get<0>(s))->tensor();
    if (b->shape().is_complex || b->shape().extents.size() != 3)
      throw shape_error("mp2: b must be real, of 3 axes");
    const auto& o = energies.emplace_back(owned<double, 1>("mp2", "eps_occupied", std::get<1>(s)));
    const auto& v = energies.emplace_back(owned<double, 1>("mp2", "eps_virtual", std::get<2>(s)));
    orbitals.push_back({device_array<float, 3>(b), o.flat(), v.flat()});
  }
  mp2_energies e;
  place.run([&] {
    e = orbitals.size() == 1
            ? df_mp2(orbitals[0].b, orbitals[0].eps_occupied, orbitals[0].eps_virtual, options)
            : df_mp2(orbitals[0], orbitals[1], options);
  });
  return e;
}

nb::tuple energies_of(const std::vector<spin>& spins, std::size_t frozen_core,
                      const memory_bound& memory_bytes, std::optional<int> workers, nb::handle on) {
  call_place place("mp2", workers, on);
  const bool is_there = !place.tensors(integrals_of(spins)).empty();
  const df_mp2_options options{
      .frozen_core = frozen_core, .memory_bytes = bytes_of(memory_bytes), .on = place.on()};
  mp2_energies e;
  if (is_there)
    e = on_device_arrays(place, spins, options);
  else
    in_common_real("mp2", integrals_of(spins), [&]<class T>(T) {
      std::vector<numpy_orbitals<T>> o;
      for (const spin& s : spins) o.emplace_back("mp2", s);
      place.run([&] {
        e = o.size() == 1 ? chem_detail::df_mp2<T>(o[0].get(), options)
                          : chem_detail::df_mp2<T>(o[0].get(), o[1].get(), options);
      });
    });
  return nb::make_tuple(e.opposite_spin, e.alpha_alpha, e.beta_beta, e.same_spin(), e.correlation(),
                        e.scs(), e.sos());
}

nb::object listed(std::vector<double> values) {
  array<double, 1> copy({values.size()});
  std::ranges::copy(values, copy.data());
  return adopted(std::move(copy));
}

template <class T>
nb::tuple listed(mp2_gradients<T> g) {
  return nb::make_tuple(adopted(std::move(g.b)), listed(std::move(g.eps_occupied)),
                        listed(std::move(g.eps_virtual)));
}

nb::list gradients_of(const std::vector<spin>& spins,
                      const std::tuple<double, double, double>& gradient, std::size_t frozen_core,
                      std::optional<int> workers, nb::handle on) {
  call_place place("mp2_vjp", workers, on);
  const mp2_gradient_options options{.frozen_core = frozen_core, .on = place.on()};
  const mp2_energies by{std::get<0>(gradient), std::get<1>(gradient), std::get<2>(gradient)};
  nb::list all;
  in_common_real("mp2_vjp", integrals_of(spins), [&]<class T>(T) {
    std::vector<numpy_orbitals<T>> o;
    for (const spin& s : spins) o.emplace_back("mp2_vjp", s);
    std::vector<mp2_gradients<T>> found;
    place.run([&] {
      if (o.size() == 1) {
        found.push_back(chem_detail::df_mp2_vjp<T>(o[0].get(), by, options));
      } else {
        auto both = chem_detail::df_mp2_vjp<T>(o[0].get(), o[1].get(), by, options);
        found.push_back(std::move(both.alpha));
        found.push_back(std::move(both.beta));
      }
    });
    for (mp2_gradients<T>& g : found) all.append(listed(std::move(g)));
  });
  return all;
}

numpy_array ao_to_mo_of(nb::object eri, nb::object c_occ, nb::object c_vir, nb::object metric,
                        const memory_bound& memory_bytes, std::optional<int> workers,
                        nb::handle on) {
  constexpr const char* function = "ao_to_mo";
  call_place place(function, workers, on);
  ao_to_mo_options options{.memory_bytes = bytes_of(memory_bytes), .on = place.on()};
  std::optional<ndarray> root;
  if (!metric.is_none()) {
    root = ndarray::operand(function, metric, in_double, "metric");
    options.metric = fixed<double, 2>(function, "metric", *root);
  }
  return in_common_real(function, {eri, c_occ, c_vir}, [&]<class T>(T) -> numpy_array {
    const element of = element_for<T>();
    const ndarray e = ndarray::operand(function, eri, of, "eri");
    const ndarray o = ndarray::operand(function, c_occ, of, "c_occ");
    const ndarray v = ndarray::operand(function, c_vir, of, "c_vir");
    const view<const T, 2> occ = fixed<T, 2>(function, "c_occ", o);
    const view<const T, 2> vir = fixed<T, 2>(function, "c_vir", v);
    array<T, 3> b;
    if (e.rank() == 2) {
      const view<const T, 2> triangle = fixed<T, 2>(function, "eri", e);
      place.run([&] { b = ao_to_mo(triangle, occ, vir, options); });
    } else {
      const view<const T, 3> whole = fixed<T, 3>(function, "eri", e);
      place.run([&] { b = ao_to_mo(whole, occ, vir, options); });
    }
    return adopted(std::move(b));
  });
}

numpy_array root_of(nb::handle v) {
  constexpr const char* function = "inverse_square_root";
  const ndarray in = ndarray::operand(function, v, in_double, "v");
  const view<const double, 2> matrix = fixed<double, 2>(function, "v", in);
  array<double, 2> root;
  {
    const without_gil released;
    root = inverse_square_root(matrix);
  }
  return adopted(std::move(root));
}

}  // namespace

void define_chemistry(nb::module_& m) {
  m.def("mp2", &energies_of, nb::arg("spins"), nb::arg("frozen_core"),
        nb::arg("memory_bytes").none(), nb::arg("workers").none(), nb::arg("on").none());
  m.def("mp2_vjp", &gradients_of, nb::arg("spins"), nb::arg("gradient"), nb::arg("frozen_core"),
        nb::arg("workers").none(), nb::arg("on").none());
  m.def("ao_to_mo", &ao_to_mo_of, nb::arg("eri"), nb::arg("c_occ"), nb::arg("c_vir"),
        nb::arg("metric").none(), nb::arg("memory_bytes").none(), nb::arg("workers").none(),
        nb::arg("on").none());
  m.def("inverse_square_root", &root_of, nb::arg("v"));
}

}  // namespace papilio::python

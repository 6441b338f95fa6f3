// MP2 energies by an accelerator: of molecules, and beside the host's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "chem/made_orbitals.hpp"
#include "chem/molecule_arrays.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"

namespace papilio::test {
namespace {

using engine::device;

constexpr double hartree_in_float = 1e-5, hartree_in_bf16_parts = 1e-4;

struct spin {
  array<float, 3> b;
  array<double, 1> energies;

  spin(const std::string& integrals, const std::string& eps)
      : b(loaded<float, 3>(integrals)), energies(loaded<double, 1>(eps)) {}
  std::span<const double> occupied() const { return energies.flat().first(b.extent(0)); }
  std::span<const double> virtuals() const { return energies.flat().subspan(b.extent(0)); }
  mp2_orbitals<float> orbitals() const { return {b, occupied(), virtuals()}; }
};

// Water in STO-3G of another program: opposite spin, same spin, and both without the 1s orbital.
constexpr double water_opposite = -0.03356001185080309, water_same = -0.002041811190154457,
                 water_frozen = -0.035502086707444806;

spin water() { return {"h2o_sto3g/B_iaQ.npy", "h2o_sto3g/eps.npy"}; }

df_mp2_options on(device& dev, precision mode = precision::native) {
  return {.on = {.where = policy::device, .on = &dev, .precision = {.mode = mode}}};
}

TEST(device_mp2, water_in_every_precision) {
  const spin w = water();
  for (const auto& [mode, close] : {std::pair{precision::native, hartree_in_float},
                                    {precision::bf16_refined, hartree_in_bf16_parts},
                                    {precision::split_bf16, hartree_in_bf16_parts}}) {
    device dev;
    df_mp2_options options = on(dev, mode);
    const mp2_energies e = df_mp2(w.b, w.occupied(), w.virtuals(), options);
    EXPECT_NEAR(e.opposite_spin, water_opposite, close);
    EXPECT_NEAR(e.same_spin(), water_same, close);
    EXPECT_EQ(e.alpha_alpha, e.beta_beta);
    options.frozen_core = 1;
    EXPECT_NEAR(df_mp2(w.b, w.occupied(), w.virtuals(), options).correlation(), water_frozen,
                close);
  }
}

TEST(device_mp2, an_open_shell_has_three_energies) {
  const spin up("oh_ccpvdz_uhf/Ba_iaQ.npy", "oh_ccpvdz_uhf/eps_a.npy"),
      down("oh_ccpvdz_uhf/Bb_iaQ.npy", "oh_ccpvdz_uhf/eps_b.npy");
  for (const std::size_t frozen : {0u, 1u}) {
    device dev;
    df_mp2_options options = on(dev);
    options.frozen_core = frozen;
    const mp2_energies host = df_mp2(up.orbitals(), down.orbitals(),
                                     {.frozen_core = frozen, .on = {.where = policy::host}});
    const mp2_energies e = df_mp2(up.orbitals(), down.orbitals(), options);
    EXPECT_NEAR(e.opposite_spin, host.opposite_spin, hartree_in_float);
    EXPECT_NEAR(e.alpha_alpha, host.alpha_alpha, hartree_in_float);
    EXPECT_NEAR(e.beta_beta, host.beta_beta, hartree_in_float);
    // B of each spin goes up once; of each pair of spins one number comes back.
    EXPECT_EQ(dev.record().launches, 1u);
    EXPECT_EQ(last_run().fetches, 1u);
    EXPECT_GE(last_run().fetch_bytes, 3.0 * sizeof(float));
    EXPECT_EQ(last_run().uploads, 1u);
    if (frozen == 0) {
      const std::size_t floats =
          up.b.size() + down.b.size() + up.energies.size() + down.energies.size();
      EXPECT_NEAR(last_run().upload_bytes, 4.0 * double(floats), 6 * 64);  // aligned pieces
    }
  }
}

TEST(device_mp2, device_arrays_stay_and_only_energies_come_back) {
  const spin w = water();
  device dev;
  const device_array<float, 3> b = to_device(dev, w.b);
  for (const std::size_t frozen : {0u, 1u}) {
    const mp2_energies host = df_mp2(w.b, w.occupied(), w.virtuals(),
                                     {.frozen_core = frozen, .on = {.where = policy::host}});
    const mp2_energies e = df_mp2(b, w.occupied(), w.virtuals(), {.frozen_core = frozen});
    EXPECT_NEAR(e.opposite_spin, host.opposite_spin, hartree_in_float);
    EXPECT_NEAR(e.same_spin(), host.same_spin(), hartree_in_float);
    const run_record run = last_run();
    EXPECT_EQ(run.backend, "device");
    EXPECT_EQ(run.launches, 1u);
    EXPECT_NEAR(run.upload_bytes, 4.0 * double(w.energies.size()), 2 * 64);
    EXPECT_NEAR(run.fetch_bytes, 2.0 * sizeof(float), 64);
  }
}

TEST(device_mp2, a_capture_is_one_dispatch) {
  const spin w = water();
  device dev;
  array<float, 1> occupied({w.occupied().size()}), virtuals({w.virtuals().size()}), energies({2});
  std::ranges::copy(w.occupied(), occupied.begin());
  std::ranges::copy(w.virtuals(), virtuals.begin());
  const view<float, 1> to = energies.view();
  device_graph graph = capture(dev, [&] {
    to_host(df_mp2(to_device(dev, w.b), to_device(dev, occupied), to_device(dev, virtuals)), to);
  });
  EXPECT_EQ(graph.submit().launches, 1u);
  EXPECT_NEAR(double(energies(0)), water_opposite, hartree_in_float);
  EXPECT_NEAR(double(energies(1)), water_same, hartree_in_float);
}

// Integrals over atomic orbitals of water, with the auxiliary functions last and first.
struct atomic {
  array<float, 3> eri = loaded<float, 3>("h2o_sto3g/AO_mnQ.npy"), first{extents_type<3>{}};
  array<float, 2> occupied{extents_type<2>{}}, virtuals{extents_type<2>{}}, root{extents_type<2>{}};
  array<double, 2> metric = loaded<double, 2>("h2o_sto3g/metric_PQ.npy");

  atomic() {
    const std::size_t nbf = eri.extent(0), naux = eri.extent(2);
    const auto c = loaded<float, 2>("h2o_sto3g/C.npy");
    first = array<float, 3>({naux, nbf, nbf});
    for (std::size_t m = 0; m < nbf; ++m)
      for (std::size_t n = 0; n < nbf; ++n)
        for (std::size_t p = 0; p < naux; ++p) first(p, m, n) = eri(m, n, p);
    occupied = array<float, 2>({nbf, 5});
    virtuals = array<float, 2>({nbf, 2});
    for (std::size_t m = 0; m < nbf; ++m)
      for (std::size_t i = 0; i < 7; ++i) (i < 5 ? occupied(m, i) : virtuals(m, i - 5)) = c(m, i);
    const array<double, 2> inverse = inverse_square_root(metric);
    root = array<float, 2>(inverse.extents());
    std::ranges::transform(inverse, root.begin(), [](double x) { return static_cast<float>(x); });
  }
};

// Error model, u = 2^-24, each side's roundings: the two sums over nbf and their operands make 2
// nbf
// + 4, relative to the sums of magnitudes.
double of_roundings(std::size_t count) { return 2 * double(count) * 0x1p-24; }

double norm_of(const array<float, 3>& b) {
  double sum = 0;
  for (const float x : b) sum += double(x) * double(x);
  return std::sqrt(sum);
}

template <class Array>
Array magnitudes(Array x) {
  for (auto& v : x) v = std::abs(v);
  return x;
}

double bound_of_halves(const atomic& a) {
  const ao_to_mo_options on_host{.on = {.where = policy::host}};
  return of_roundings(2 * a.eri.extent(0) + 4) *
         norm_of(
             ao_to_mo(magnitudes(a.eri), magnitudes(a.occupied), magnitudes(a.virtuals), on_host)) /
         norm_of(ao_to_mo(a.eri, a.occupied, a.virtuals, on_host));
}

// The sum over naux cancels: errors are relative to that of the magnitudes.
double bound_with_root(const atomic& a) {
  const ao_to_mo_options on_host{.on = {.where = policy::host}};
  const array<float, 3> half =
      ao_to_mo(magnitudes(a.eri), magnitudes(a.occupied), magnitudes(a.virtuals), on_host);
  const std::size_t naux = half.extent(2);
  double square = 0;
  for (std::size_t i = 0; i < half.extent(0); ++i)
    for (std::size_t v = 0; v < half.extent(1); ++v)
      for (std::size_t q = 0; q < naux; ++q) {
        double sum = 0;
        for (std::size_t p = 0; p < naux; ++p)
          sum += double(half(i, v, p)) * std::fabs(double(a.root(p, q)));
        square += sum * sum;
      }
  return of_roundings(2 * a.eri.extent(0) + naux + 6) * std::sqrt(square) /
         norm_of(ao_to_mo(a.eri, a.occupied, a.virtuals,
                          {.metric = a.metric, .on = {.where = policy::host}}));
}

TEST(device_mp2, integrals_over_molecular_orbitals_are_the_hosts) {
  const atomic a;
  const spin w = water();
  for (const bool has_metric : {false, true}) {
    device dev;
    ao_to_mo_options options{.on = {.where = policy::device, .on = &dev}},
        of_host{.on = {.where = policy::host}};
    if (has_metric) options.metric = of_host.metric = a.metric;
    const array<float, 3> b = ao_to_mo(a.eri, a.occupied, a.virtuals, options);
    EXPECT_EQ(last_run().backend, "device");
    EXPECT_EQ(last_run().launches, 1u);
    const array<float, 3> host = ao_to_mo(a.eri, a.occupied, a.virtuals, of_host);
    EXPECT_EQ(last_run().backend, "host");
    ASSERT_EQ(b.extents(), host.extents());
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      difference += std::pow(double(b.data()[i]) - double(host.data()[i]), 2);
      norm += std::pow(double(host.data()[i]), 2);
    }
    EXPECT_LT(std::sqrt(difference / norm), has_metric ? bound_with_root(a) : bound_of_halves(a));
    if (has_metric) {
      EXPECT_NEAR(df_mp2(b, w.occupied(), w.virtuals(), on(dev)).correlation(),
                  water_opposite + water_same, hartree_in_float);
    }
  }
}

TEST(device_mp2, triangles_of_integrals_are_unpacked) {
  const atomic a;
  array<float, 2> triangle({28, a.eri.extent(2)});
  for (std::size_t m = 0; m < 7; ++m)
    for (std::size_t n = 0; n <= m; ++n)
      for (std::size_t p = 0; p < a.eri.extent(2); ++p)
        triangle(m * (m + 1) / 2 + n, p) = a.eri(m, n, p);
  device dev;
  const ao_to_mo_options options{.on = {.where = policy::device, .on = &dev}};
  const array<float, 3> full = ao_to_mo(a.eri, a.occupied, a.virtuals, options),
                        rows = ao_to_mo(triangle, a.occupied, a.virtuals, options);
  for (std::size_t i = 0; i < full.size(); ++i)
    EXPECT_NEAR(rows.data()[i], full.data()[i], 1e-5F) << i;
}

// From integrals over atomic orbitals to the energy: what goes up goes up once, B never comes back.
TEST(device_mp2, integrals_stay_between_the_transformation_and_the_energy) {
  const atomic a;
  const spin w = water();
  device dev;
  const device_array<float, 3> b = ao_to_mo(to_device(dev, a.first), to_device(dev, a.occupied),
                                            to_device(dev, a.virtuals), to_device(dev, a.root));
  EXPECT_EQ(dev.record().fetch.tensors, 0u);
  const mp2_energies e = df_mp2(b, w.occupied(), w.virtuals());
  EXPECT_NEAR(e.opposite_spin, water_opposite, hartree_in_float);
  EXPECT_NEAR(e.same_spin(), water_same, hartree_in_float);
  EXPECT_EQ(dev.record().upload.tensors, 5u);  // four, and the orbital energies packed
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  EXPECT_EQ(dev.record().launches, 2u);
}

TEST(device_mp2, all_of_it_is_one_dispatch_when_captured) {
  const atomic a;
  const spin w = water();
  device dev;
  array<float, 1> occupied({5}), virtuals({2}), energies({2});
  std::ranges::copy(w.occupied(), occupied.begin());
  std::ranges::copy(w.virtuals(), virtuals.begin());
  const view<float, 1> to = energies.view();
  device_graph graph = capture(dev, [&] {
    const device_array<float, 3> b = ao_to_mo(to_device(dev, a.first), to_device(dev, a.occupied),
                                              to_device(dev, a.virtuals), to_device(dev, a.root));
    to_host(df_mp2(b, to_device(dev, occupied), to_device(dev, virtuals)), to);
  });
  const run_record run = graph.submit();
  EXPECT_EQ(run.launches, 1u);
  EXPECT_EQ(run.uploads, 1u);
  EXPECT_EQ(run.fetches, 1u);
  EXPECT_NEAR(double(energies(0)), water_opposite, hartree_in_float);
  EXPECT_NEAR(double(energies(1)), water_same, hartree_in_float);
}

TEST(device_mp2, integrals_that_do_not_fit_are_refused) {
  const atomic a;
  device dev;
  const device_array<float, 3> eri = to_device(dev, a.first);
  const device_array<float, 2> c = to_device(dev, a.occupied);
  EXPECT_THROW(ao_to_mo(to_device(dev, a.eri), c, c), shape_error);  // auxiliary functions last
  EXPECT_THROW(ao_to_mo(eri, c, to_device(dev, a.root)), shape_error);
  EXPECT_THROW(ao_to_mo(eri, c, c, c), shape_error);
  EXPECT_THROW(ao_to_mo(eri, c, c, {}, {.metric = a.metric}), invalid_argument);
  EXPECT_THROW(
      ao_to_mo(loaded<double, 3>("h2o_sto3g/AO_mnQ.npy"), loaded<double, 2>("h2o_sto3g/C.npy"),
               loaded<double, 2>("h2o_sto3g/C.npy"), {.on = {.where = policy::device, .on = &dev}}),
      device_error);
}

TEST(device_mp2, open_shells_of_device_arrays_are_those_of_arrays) {
  const spin up("oh_ccpvdz_uhf/Ba_iaQ.npy", "oh_ccpvdz_uhf/eps_a.npy"),
      down("oh_ccpvdz_uhf/Bb_iaQ.npy", "oh_ccpvdz_uhf/eps_b.npy");
  device dev;
  const orbitals_on_device a{to_device(dev, up.b), up.occupied(), up.virtuals()},
      b{to_device(dev, down.b), down.occupied(), down.virtuals()};
  EXPECT_EQ(df_mp2(a, b), df_mp2(up.orbitals(), down.orbitals(), on(dev)));
}

TEST(device_mp2, a_target_error_chooses_the_precision) {
  const spin w = water();
  device dev;
  df_mp2_options options = on(dev);
  const mp2_energies exact =
      df_mp2(w.b, w.occupied(), w.virtuals(), {.on = {.where = policy::host}});
  for (const double target : {0.1, 1e-3, 1e-6}) {
    options.on.precision = {.target_error = target};
    const mp2_energies got = df_mp2(w.b, w.occupied(), w.virtuals(), options);
    EXPECT_NEAR(got.correlation() / exact.correlation(), 1, target);
    EXPECT_NE(last_run().recipe.find("is chosen for a target error"), std::string::npos);
  }
  options.on.precision = {.target_error = 1e-9};
  EXPECT_THROW(df_mp2(w.b, w.occupied(), w.virtuals(), options), device_error);
}

TEST(device_mp2, automatic_leaves_small_energies_to_the_host) {
  const spin w = water();
  device dev;
  df_mp2_options options = on(dev);
  options.on.where = policy::automatic;
  const mp2_energies host =
      df_mp2(w.b, w.occupied(), w.virtuals(), {.on = {.where = policy::host}});
  EXPECT_EQ(df_mp2(w.b, w.occupied(), w.virtuals(), options), host);
  EXPECT_EQ(last_run().backend, "host");
}

// Modelled, with sdk_2_24: packed copies, launch and device.
TEST(device_mp2, small_energies_take_about_a_millisecond) {
  for (const auto& [extents, seconds] :
       {std::pair{extents_type<3>{5, 19, 72}, 1.2e-3}, {extents_type<3>{16, 128, 128}, 1.5e-3}}) {
    array<float, 3> b(extents);
    const std::vector<double> occupied(extents[0], -1.0), virtuals(extents[1], 1.0);
    device dev(engine::trainium1(), engine::sdk_2_24());
    EXPECT_EQ(df_mp2(b, occupied, virtuals, on(dev)).correlation(), 0);
    EXPECT_LT(last_run().seconds(), seconds);
  }
}

// The answer is known without an accelerator, and the wish for one is checked all the same.
TEST(device_mp2, nothing_to_sum_is_asked_for_where_it_is_to_run) {
  device dev;
  const array<float, 3> no_pairs({2, 0, 3}), no_sums({2, 3, 0});
  const array<double, 3> in_double({2, 0, 3});
  const std::vector<double> two(2, -1.0), three(3, 1.0);
  const df_mp2_options nowhere{.on = {.where = policy::device, .on = nullptr}},
      unknown{.on = {.backend = "nobody"}}, compensated = on(dev, precision::compensated);
  EXPECT_EQ(df_mp2(no_pairs, two, {}, on(dev)).correlation(), 0);
  EXPECT_EQ(df_mp2(no_sums, two, three, on(dev)).correlation(), 0);
  EXPECT_THROW(df_mp2(no_pairs, two, {}, nowhere), device_error);
  EXPECT_THROW(df_mp2(no_sums, two, three, nowhere), device_error);
  EXPECT_THROW(df_mp2(no_pairs, two, {}, unknown), invalid_argument);
  EXPECT_THROW(df_mp2(no_pairs, two, {}, compensated), device_error);
  EXPECT_THROW(df_mp2(in_double, two, {}, on(dev)), device_error);
  const mp2_orbitals<float> none{no_pairs, two, {}};
  EXPECT_EQ(df_mp2(none, none, on(dev)).correlation(), 0);
  EXPECT_THROW(df_mp2(none, none, nowhere), device_error);
  EXPECT_EQ(dev.record().launches, 0u);

  const array<float, 3> integrals({5, 5, 4}), no_basis({0, 0, 4}), no_auxiliaries({5, 5, 0});
  const array<float, 2> occupied({5, 2}), virtuals({5, 3}), no_virtuals({5, 0}), no_rows({0, 2});
  const ao_to_mo_options there{.on = {.where = policy::device, .on = &dev}},
      no_device{.on = {.where = policy::device, .on = nullptr}};
  EXPECT_TRUE(ao_to_mo(integrals, occupied, no_virtuals, there).empty());
  EXPECT_EQ(ao_to_mo(no_basis, no_rows, no_rows, there)(1, 1, 3), 0);
  EXPECT_THROW(ao_to_mo(integrals, occupied, no_virtuals, no_device), device_error);
  EXPECT_THROW(ao_to_mo(no_auxiliaries, occupied, virtuals, no_device), device_error);
  EXPECT_THROW(ao_to_mo(no_basis, no_rows, no_rows, no_device), device_error);
  EXPECT_EQ(dev.record().launches, 0u);
}

TEST(device_mp2, refusals_are_typed) {
  const spin w = water();
  device dev, other;
  const auto energy = [&](const df_mp2_options& options) {
    return df_mp2(w.b, w.occupied(), w.virtuals(), options);
  };
  EXPECT_THROW(
      df_mp2(loaded<double, 3>("h2o_sto3g/B_iaQ.npy"), w.occupied(), w.virtuals(), on(dev)),
      device_error);
  EXPECT_THROW(energy({.on = {.where = policy::device, .on = nullptr}}), device_error);
  EXPECT_THROW(energy(on(dev, precision::compensated)), device_error);
  const device_array<float, 3> b = to_device(dev, w.b);
  EXPECT_THROW(df_mp2(b, w.occupied(), w.virtuals(), on(other)), invalid_argument);
  EXPECT_THROW(df_mp2(b, w.occupied(), w.occupied()), shape_error);
  EXPECT_THROW(df_mp2(b, w.occupied(), w.virtuals(), {.frozen_core = 6}), invalid_argument);
  EXPECT_THROW(
      df_mp2(b, to_device(dev, array<float, 1>({4})), to_device(dev, array<float, 1>({2}))),
      shape_error);
  array<float, 3> infinite({1, 1, 1});
  infinite(0, 0, 0) = 1e30F;
  const double low = -1, high = 1;
  EXPECT_THROW(df_mp2(to_device(dev, infinite), {&low, 1}, {&high, 1}), invalid_argument);
}

}  // namespace
}  // namespace papilio::test

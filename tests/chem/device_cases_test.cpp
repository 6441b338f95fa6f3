// Published acceptance cases of MP2 energies on an accelerator, by their numbers there and with
// their tolerances: made integrals against sums in long double, molecules against another program.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>

#include "chem/made_orbitals.hpp"
#include "chem/molecule_arrays.hpp"
#include "papilio/dispatch.hpp"
#include "papilio/engine.hpp"
#include "papilio/kernels/mp2.hpp"
#include "papilio/kernels/sized_kernel.hpp"
#include "support/case_list.hpp"
#include "support/oracle.hpp"

namespace papilio::test {
namespace {

using engine::device;

struct published_case {
  const char* id;
  void (*run)();
};
std::ostream& operator<<(std::ostream& out, const published_case& c) { return out << c.id; }
std::string name_of(const testing::TestParamInfo<published_case>& info) {
  std::string name = info.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
}

struct tolerance {
  double relative, absolute;
};
constexpr tolerance tight{1e-6, 1e-6}, of_sums{1e-4, 1e-4}, usual{1e-3, 1e-3}, wide{1e-3, 1e-2},
    of_device{1e-4, 1e-3};

df_mp2_options on(device& dev) { return {.on = {.where = policy::device, .on = &dev}}; }

// Within the published tolerance, and within what roundings of float can do.
void check_energy(const mp2_orbitals<float>& o, tolerance bound) {
  device dev;
  const mp2_energies got = df_mp2(o.b, o.eps_occupied, o.eps_virtual, on(dev));
  EXPECT_EQ(last_run().backend, "device");
  const exact_energies found = exact_closed(o);
  const auto expected = static_cast<double>(found.opposite + found.alpha + found.beta);
  EXPECT_NEAR(got.correlation(), expected, bound.absolute + bound.relative * std::abs(expected));
}
void check_energy(const extents_type<3>& extents, tolerance bound) {
  check_energy(made_orbitals<float>(extents, 1).orbitals(), bound);
}

// Energies evenly from -1 to -0.2, and from 0.2 to 1.
void check_levels(const extents_type<3>& extents, tolerance bound) {
  made_orbitals<float> made(extents, 0);
  const auto spread = [](std::vector<double>& levels, double low, double high) {
    for (std::size_t i = 0; i < levels.size(); ++i)
      levels[i] = low + (high - low) * double(i) / double(levels.size() - 1);
  };
  spread(made.occupied, -1, -0.2);
  spread(made.virtuals, 0.2, 1);
  check_energy(made.orbitals(), bound);
}

// All electrons correlated; energies of the manifests.
void check_molecule(const std::string& name, double correlation, double close) {
  const auto b = loaded<float, 3>(name + "/B_iaQ.npy");
  const auto levels = loaded<double, 1>(name + "/eps.npy");
  const std::span<const double> all = levels.flat();
  device dev;
  const mp2_energies got = df_mp2(b, all.first(b.extent(0)), all.subspan(b.extent(0)), on(dev));
  EXPECT_NEAR(got.correlation(), correlation, close);
}

// Nothing but the energies comes back between the integrals and these.
void check_pipeline(std::size_t nbf, std::size_t nocc, std::size_t nvir, std::size_t naux) {
  array<float, 3> eri({naux, nbf, nbf});
  array<float, 2> c_occ({nbf, nocc}), c_vir({nbf, nvir});
  const auto fill = [](auto& to, unsigned seed, float scale) {
    std::ranges::transform(random_real<float>(to.size(), seed), to.begin(),
                           [scale](float x) { return scale * x; });
  };
  fill(eri, 1, 0.1F);
  fill(c_occ, 2, 1);
  fill(c_vir, 3, 1);
  const made_orbitals<float> levels({nocc, nvir, naux}, 4);
  device dev;
  const device_array<float, 3> b =
      ao_to_mo(to_device(dev, eri), to_device(dev, c_occ), to_device(dev, c_vir));
  const mp2_energies got = df_mp2(b, levels.occupied, levels.virtuals);
  EXPECT_EQ(dev.record().fetch.tensors, 1u);
  array<double, 3> exact({nocc, nvir, naux});
  for (std::size_t p = 0; p < naux; ++p)
    for (std::size_t i = 0; i < nocc; ++i)
      for (std::size_t n = 0; n < nbf; ++n) {
        double half = 0;
        for (std::size_t m = 0; m < nbf; ++m) half += double(c_occ(m, i)) * double(eri(p, m, n));
        for (std::size_t a = 0; a < nvir; ++a) exact(i, a, p) += half * double(c_vir(n, a));
      }
  const mp2_orbitals<double> o{exact, levels.occupied, levels.virtuals};
  const exact_energies found = exact_closed(o);
  const auto expected = static_cast<double>(found.opposite + found.alpha + found.beta);
  EXPECT_NEAR(got.correlation(), expected,
              of_device.absolute + of_device.relative * std::abs(expected));
}

// Published energies of made inputs depend on their generator. Here the scale, without values: of
// all pairs i <= j the products that are needed, on a full array in fp32, are at least half of the
// modelled time.
void check_scale(const pair_energy_problem& problem) {
  device dev;
  const kernels::sized_kernel sized = kernels::mp2_energy_kernel(problem, dev.machine());
  const engine::launch_result result =
      kernels::prepared_kernel(dev, sized, engine::run_mode::dry_run)
          .launch({sized.inputs.begin(), sized.inputs.end()},
                  {sized.outputs.begin(), sized.outputs.end()});
  const double least = problem.pairs() * double(problem.nvir) * double(problem.nvir) *
                       double(problem.naux) * 4 / (128 * 128) / 2.8e9;
  EXPECT_GE(result.device_seconds, least);
  EXPECT_LE(result.device_seconds, 2 * least);
}

// The same with values: the host's energy, in double.
void check_against_host(const extents_type<3>& extents) {
  const made_orbitals<float> made(extents, 1, 0.1);
  array<double, 3> b(extents);
  std::ranges::copy(made.b, b.begin());
  device dev;
  const mp2_energies got = df_mp2(made.b, made.occupied, made.virtuals, on(dev)),
                     host = df_mp2(b, made.occupied, made.virtuals);
  EXPECT_NEAR(got.opposite_spin, host.opposite_spin, 1e-4 * std::abs(host.opposite_spin));
  EXPECT_NEAR(got.same_spin(), host.same_spin(), 1e-4 * std::abs(host.same_spin()));
}

// Molecules whose integrals are another program's by their sizes: made integrals with energies of
// about half a hartree, as those of molecules, to so many hartree of the host's in double.
void check_size_of_molecule(const extents_type<3>& extents, double close) {
  const double terms = double(extents[0] * extents[0] * extents[1] * extents[1] * extents[2]);
  const made_orbitals<float> made(extents, 1, std::pow(1 / terms, 0.25));
  array<double, 3> b(extents);
  std::ranges::copy(made.b, b.begin());
  device dev;
  const double expected = df_mp2(b, made.occupied, made.virtuals).correlation();
  EXPECT_GT(std::abs(expected), 0.1);
  EXPECT_LT(std::abs(expected), 2);
  EXPECT_NEAR(df_mp2(made.b, made.occupied, made.virtuals, on(dev)).correlation(), expected, close);
}

const published_case energies[] = {
    {"trnblas-122",
     [] {
       check_levels({4, 8, 16}, of_sums);
     }},
    {"trnblas-123",
     [] {
       check_levels({8, 8, 16}, of_sums);
     }},
    {"trnblas-124",
     [] {
       check_levels({4, 8, 16}, usual);
     }},
    {"trnblas-125",
     [] {
       check_levels({8, 64, 32}, usual);
     }},
    {"trnblas-126",
     [] {
       check_levels({8, 16, 32}, usual);
     }},
    {"trnblas-127",
     [] {
       check_levels({2, 256, 8}, usual);
     }},
    {"trnblas-128",
     [] {
       check_levels({2, 448, 8}, wide);
     }},
    {"trnblas-141",
     [] {
       check_levels({4, 8, 16}, usual);
     }},
    {"trnblas-142",
     [] {
       check_levels({8, 16, 32}, usual);
     }},
    {"trnblas-143",
     [] {
       check_levels({8, 64, 32}, usual);
     }},
    {"trnblas-144",
     [] {
       check_levels({2, 256, 8}, usual);
     }},
    {"trnblas-145",
     [] {
       check_levels({2, 448, 8}, wide);
     }},
    {"trntensor-072",
     [] {
       made_orbitals<float> made({2, 3, 5}, 0, 0.1);
       made.occupied = {-0.5, -0.4};
       made.virtuals = {0.1, 0.2, 0.3};
       check_energy(made.orbitals(), tight);
     }},
    {"trntensor-073",
     [] {
       check_energy({3, 4, 6}, tight);
     }},
    {"trntensor-074",
     [] {
       const made_orbitals<float> made({3, 4, 6}, 1);
       device dev;
       EXPECT_THROW(df_mp2(made.b, made.virtuals, made.virtuals, on(dev)), shape_error);
       EXPECT_THROW(df_mp2(made.b, made.occupied, made.occupied, on(dev)), shape_error);
     }},
    {"trntensor-096", [] { check_pipeline(32, 5, 10, 16); }},
};

const published_case molecules[] = {
    {"trnblas-129", [] { check_molecule("h2o_sto3g", -0.03560182304095755, 1e-6); }},
    {"trnblas-130", [] { check_molecule("h2o_ccpvdz", -0.20401865555142545, 1e-5); }},
    {"trnblas-131", [] { check_molecule("ch4_ccpvdz", -0.16405224466467364, 1e-5); }},
    {"trnblas-132", [] { check_molecule("nh3_ccpvdz", -0.18923379073120414, 1e-5); }},
    // Glycine, and three molecules of water, in STO-3G; glycine in cc-pVDZ, water in cc-pVTZ.
    {"trnblas-133",
     [] {
       check_size_of_molecule({20, 10, 270}, 1e-5);
     }},
    {"trnblas-134",
     [] {
       check_size_of_molecule({20, 75, 270}, 5e-5);
     }},
    {"trnblas-135",
     [] {
       check_size_of_molecule({15, 6, 216}, 1e-5);
     }},
    {"trnblas-136",
     [] {
       check_size_of_molecule({5, 53, 72}, 1e-4);
     }},
};

const published_case scales[] = {
    {"trnblas-146",
     [] {
       check_scale({.nocc = 16, .nvir = 112, .naux = 384});
       check_against_host({16, 112, 384});
     }},
    {"trnblas-147", [] { check_scale({.nocc = 64, .nvir = 448, .naux = 1536}); }},
    {"trnblas-148", [] { check_scale({.nocc = 96, .nvir = 672, .naux = 2304}); }},
};

class device_chem_cases : public testing::TestWithParam<published_case> {};
TEST_P(device_chem_cases, holds) { GetParam().run(); }

INSTANTIATE_TEST_SUITE_P(energies, device_chem_cases, testing::ValuesIn(energies), name_of);
INSTANTIATE_TEST_SUITE_P(molecules, device_chem_cases, testing::ValuesIn(molecules), name_of);
INSTANTIATE_TEST_SUITE_P(scales, device_chem_cases, testing::ValuesIn(scales), name_of);

TEST(device_chem_case_list, every_case_is_here) { expect_registered(PAPILIO_CASE_LIST); }

}  // namespace
}  // namespace papilio::test

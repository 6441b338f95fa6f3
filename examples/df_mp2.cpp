// Correlation energy of a molecule by MP2 with density fitting: from integrals over atomic orbitals
// to those over molecular ones, and from these to the energy by pairs of spins.
//   df_mp2 DIR [--device]
// DIR has AO_mnQ.npy [nbf, nbf, naux], metric_PQ.npy [naux, naux], C.npy [nbf, nmo], eps.npy [nmo]
// and B_iaQ.npy [nocc, nvir, naux], whose nocc tells how many orbitals are occupied. All in atomic
// units. --device: the energies also by an emulated accelerator, with the time that it would take.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <span>
#include <string>

#include "papilio/device.hpp"
#include "papilio/papilio.hpp"

namespace {

using papilio::tensor;

void print(const char* name, double hartree) { std::printf("%-28s %18.12f\n", name, hartree); }

void print(const papilio::mp2_energies& energies) {
  print("opposite spin", energies.opposite_spin);
  print("same spin", energies.same_spin());
  print("correlation", energies.correlation());
  print("spin-component scaled", energies.scs());
  print("scaled opposite spin", energies.sos());
}

void run(const std::string& folder) {
  const tensor<double> b = papilio::read_npy_as<double>(folder + "/B_iaQ.npy");
  const tensor<double> eps = papilio::read_npy_as<double>(folder + "/eps.npy");
  const tensor<double> c = papilio::read_npy_as<double>(folder + "/C.npy");
  const tensor<double> metric = papilio::read_npy_as<double>(folder + "/metric_PQ.npy");
  const tensor<double> eri = papilio::read_npy_as<double>(folder + "/AO_mnQ.npy");

  const papilio::view<const double, 3> given = b.as<3>();
  const papilio::view<const double, 2> orbitals = c.as<2>();
  const std::size_t nocc = given.extent(0), nvir = given.extent(1);
  if (eps.size() != nocc + nvir)
    throw papilio::shape_error("eps.npy is not of B_iaQ.npy's orbitals");
  const std::span<const double> occupied = eps.flat().first(nocc),
                                virtuals = eps.flat().subspan(nocc);
  std::printf("%s: %zu occupied, %zu virtual orbitals, %zu auxiliary functions; hartree\n",
              folder.c_str(), nocc, nvir, given.extent(2));

  const papilio::array<double, 3> made =
      papilio::ao_to_mo(eri.as<3>(), orbitals.slice(1, 0, nocc), orbitals.slice(1, nocc, nvir),
                        {.metric = metric.as<2>()});
  const papilio::mp2_energies energies = papilio::df_mp2(made, occupied, virtuals);
  print(energies);
  print("less that of B_iaQ.npy",
        energies.correlation() - papilio::df_mp2(given, occupied, virtuals).correlation());
  if (nocc > 1)
    print("correlation, 1 frozen",
          papilio::df_mp2(made, occupied, virtuals, {.frozen_core = 1}).correlation());

  papilio::array<float, 3> rounded(made.extents());
  std::transform(made.begin(), made.end(), rounded.begin(),
                 [](double x) { return static_cast<float>(x); });
  print("in float, less in double",
        papilio::df_mp2(rounded, occupied, virtuals).correlation() - energies.correlation());
}

papilio::array<float, 2> rounded(const papilio::view<const double, 2>& matrix) {
  papilio::array<float, 2> result(matrix.extents());
  for (std::size_t i = 0; i < matrix.extent(0); ++i)
    for (std::size_t k = 0; k < matrix.extent(1); ++k)
      result(i, k) = static_cast<float>(matrix(i, k));
  return result;
}

/// The same by an accelerator: integrals go up once, those over molecular orbitals stay there, two
/// numbers come back.
void run_on_device(const std::string& folder) {
  const tensor<float> eri = papilio::read_npy_as<float>(folder + "/AO_mnQ.npy");
  const tensor<double> metric = papilio::read_npy_as<double>(folder + "/metric_PQ.npy");
  const tensor<double> c = papilio::read_npy_as<double>(folder + "/C.npy");
  const tensor<double> eps = papilio::read_npy_as<double>(folder + "/eps.npy");
  const std::size_t nocc = papilio::read_npy_as<float>(folder + "/B_iaQ.npy").extent(0),
                    nmo = c.extent(1), nbf = eri.extent(0), naux = eri.extent(2);
  // With the auxiliary functions first, as accelerators want integrals.
  const papilio::view<const float, 3> full = eri.as<3>(),
                                      first(full.data(), {naux, nbf, nbf},
                                            {full.stride(2), full.stride(0), full.stride(1)});
  const papilio::view<const double, 2> orbitals = c.as<2>();

  papilio::engine::device device(papilio::engine::trainium1(), papilio::engine::sdk_2_24());
  const auto up = [&](const auto& array) { return papilio::to_device(device, array); };
  const papilio::device_array<float, 3> b =
      papilio::ao_to_mo(up(first), up(rounded(orbitals.slice(1, 0, nocc))),
                        up(rounded(orbitals.slice(1, nocc, nmo - nocc))),
                        up(rounded(papilio::inverse_square_root(metric.as<2>()).view())));
  const papilio::mp2_energies energies =
      papilio::df_mp2(b, eps.flat().first(nocc), eps.flat().subspan(nocc));
  print("by an accelerator", energies.correlation());
  std::printf("%s", device.record().to_text().c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  const bool on_device = argc == 3 && std::string(argv[2]) == "--device";
  if (argc != 2 && !on_device) {
    std::fprintf(stderr, "usage: df_mp2 DIR [--device]\n");
    return 2;
  }
  run(argv[1]);
  if (on_device) run_on_device(argv[1]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "df_mp2: %s\n", e.what());
  return 1;
}

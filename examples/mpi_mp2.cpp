// Correlation energy of a molecule by MP2, shared by the ranks of MPI: each has some blocks of pairs of
// orbitals. The energies of all blocks are gathered and added in their order, so that no bit depends on
// the number of ranks.
//   mpirun -n RANKS mpi_mp2 DIR
// DIR has B_iaQ.npy [nocc, nvir, naux] and eps.npy [nocc + nvir], in atomic units.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "papilio/papilio.hpp"

namespace {

void run(const std::string& folder, int rank, int ranks) {
  const papilio::tensor<double> b = papilio::read_npy_as<double>(folder + "/B_iaQ.npy"),
                                eps = papilio::read_npy_as<double>(folder + "/eps.npy");
  const papilio::view<const double, 3> integrals = b.as<3>();
  const std::size_t nocc = integrals.extent(0);
  const auto occupied = eps.flat().first(nocc), virtuals = eps.flat().subspan(nocc);

  const std::size_t blocks = papilio::df_mp2_block_count(integrals.extents());
  const auto first_of = [&](int r) {
    return blocks * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks);
  };
  const std::vector<papilio::mp2_energies> mine = papilio::df_mp2_by_block(
      integrals, occupied, virtuals,
      {.on = {.threads = 1}, .blocks = {.first = first_of(rank), .last = first_of(rank + 1)}});

  constexpr int numbers = sizeof(papilio::mp2_energies) / sizeof(double);
  std::vector<papilio::mp2_energies> all(blocks);
  std::vector<int> counts, places;
  for (int r = 0; r < ranks; ++r) {
    counts.push_back(static_cast<int>(first_of(r + 1) - first_of(r)) * numbers);
    places.push_back(static_cast<int>(first_of(r)) * numbers);
  }
  MPI_Gatherv(mine.data(), counts[static_cast<std::size_t>(rank)], MPI_DOUBLE, all.data(),
              counts.data(), places.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  papilio::mp2_energies sum;
  for (const papilio::mp2_energies& block : all) sum += block;
  const bool is_same = sum == papilio::df_mp2(integrals, occupied, virtuals);
  std::printf("%zu blocks of pairs: correlation %.12f hartree, %s\n", blocks, sum.correlation(),
              is_same ? "the bits of one process" : "other bits than one process");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, status = argc == 2 ? 0 : 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (status != 0 && rank == 0) std::fprintf(stderr, "usage: mpi_mp2 DIR\n");
  try {
    if (status == 0) run(argv[1], rank, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mpi_mp2: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, status = 1);
  }
  MPI_Finalize();
  return status;
}

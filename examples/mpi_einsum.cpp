// A contraction in slices, shared by the ranks of MPI: a ring of eight matrices, closed by its trace,
// whose intermediates may only have so many elements. The slices are cut into groups by their number
// alone, and the groups added in their order, so that no bit depends on the number of ranks.
//   mpirun -n RANKS mpi_einsum
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include "papilio/papilio.hpp"

namespace {

constexpr std::size_t bond = 24;

papilio::tensor<double> matrix(double step) {
  papilio::tensor<double> m({bond, bond});
  for (std::size_t i = 0; i < m.size(); ++i) m.flat()[i] = std::sin(step * static_cast<double>(i));
  return m;
}

void run(int rank, int ranks) {
  const papilio::tensor<double> a = matrix(0.3), b = matrix(0.7), c = matrix(1.1), d = matrix(1.9);
  const std::vector<papilio::tensor_view<const double>> operands{a, b, c, d, a, b, c, d};
  const papilio::contraction_plan plan = papilio::plan_contraction<double>(
      "ab,bc,cd,de,ef,fg,gh,ha->", operands, {.path = {.largest_intermediate = bond}});
  const std::size_t slices = plan.slices(), groups = std::min<std::size_t>(slices, 16);

  const auto sum_of = [&](std::size_t g) {
    return plan.execute_slices<double>(slices * g / groups, slices * (g + 1) / groups, operands)
        .flat()[0];
  };
  std::vector<double> mine(groups), all(groups);
  for (auto g = static_cast<std::size_t>(rank); g < groups; g += static_cast<std::size_t>(ranks))
    mine[g] = sum_of(g);
  // Every group has one rank, and zeros of the others: adding them rounds nothing.
  MPI_Allreduce(mine.data(), all.data(), static_cast<int>(groups), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  if (rank != 0) return;
  double alone = 0;
  for (std::size_t g = 0; g < groups; ++g) alone += sum_of(g);
  const double trace = std::accumulate(all.begin(), all.end(), 0.0);
  const double whole = plan.execute<double>(operands).flat()[0];
  std::printf("%zu slices in %zu groups: trace %.12f, %s, %.0e from one sum\n", slices, groups,
              trace, trace == alone ? "the bits of one process" : "other bits than one process",
              std::abs(trace / whole - 1));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    run(rank, ranks);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mpi_einsum: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, status = 1);
  }
  MPI_Finalize();
  return status;
}

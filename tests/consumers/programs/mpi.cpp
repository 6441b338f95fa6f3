// papilio::mpi alone: a constant of 6 x 8 elements is bin 0, on as many ranks as there are.
#include <cmath>
#include <complex>
#include <cstdio>
#include <papilio/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  {
    papilio::mpi::fftn_plan<double> plan(MPI_COMM_WORLD, {6, 8});
    auto x = papilio::mpi::make_array<std::complex<double>>(plan.input());
    for (auto& element : x.flat()) element = 1;
    auto y = papilio::mpi::make_array<std::complex<double>>(plan.output());
    plan.forward(x, y);
    double error = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool is_first = i == 0 && plan.output().first[0] == 0;
      error = std::fmax(error, std::abs(y.flat()[i] - (is_first ? 48.0 : 0.0)));
    }
    std::printf("mpi: largest error %.1e\n%s", error, plan.explain().c_str());
    status = error < 1e-12 ? 0 : 1;
  }
  MPI_Finalize();
  return status;
}

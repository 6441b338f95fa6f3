// Transforms of distributed arrays beside FFTW-MPI's: mpirun -n RANKS papilio_bench_mpi [ROUNDS [EXTENTS...]]
// Every round runs all of a case; printed are medians over the rounds of the slowest rank's times, and
// FFTW's over ours. FFTW plans with MEASURE; all read one array and write another, which for windows is
// shared.
#include <fftw3-mpi.h>
#include <mpi.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "papilio/fft.hpp"
#include "papilio/mpi.hpp"

namespace {

using complex = std::complex<double>;
using papilio::mpi::order;

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// FFTW's array, whose size its planner says.
template <class T>
struct fftw_array {
  explicit fftw_array(std::ptrdiff_t count)
      : data(static_cast<T*>(fftw_malloc(sizeof(T) * static_cast<std::size_t>(count)))),
        size(static_cast<std::size_t>(count)) {
    std::fill_n(data, size, T());
  }
  ~fftw_array() { fftw_free(data); }
  fftw_array(const fftw_array&) = delete;
  fftw_array& operator=(const fftw_array&) = delete;
  T* data;
  std::size_t size;
};

struct variant {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {}, cpu_seconds = {};
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void run_rounds(std::vector<variant>& variants, int rounds) {
  for (int round = -1; round < rounds; ++round) {
    for (variant& v : variants) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      const std::clock_t cpu_begin = std::clock();
      v.run();
      double own = MPI_Wtime() - begin, slowest = 0, all_cpu = 0;
      double own_cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
      MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      MPI_Allreduce(&own_cpu, &all_cpu, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      if (round < 0) continue;
      v.seconds.push_back(slowest);
      v.cpu_seconds.push_back(all_cpu);
    }
  }
}

void print_rows(const std::string& label, const std::vector<variant>& variants) {
  if (rank_of_world() != 0) return;
  for (const variant& v : variants) {
    std::vector<double> ratios, cpu_ratios;
    const variant& fftw = variants[v.name.find("transposed") == std::string::npos ? 0 : 1];
    for (std::size_t i = 0; i < v.seconds.size(); ++i) {
      ratios.push_back(fftw.seconds[i] / v.seconds[i]);
      cpu_ratios.push_back(fftw.cpu_seconds[i] / v.cpu_seconds[i]);
    }
    std::printf("%-16s %-22s %9.3f ms  FFTW over it %5.2f, by the CPU of all ranks %5.2f\n",
                label.c_str(), v.name.c_str(), 1e3 * median(v.seconds), median(ratios),
                median(cpu_ratios));
  }
}

template <class T>
void fill(T* data, std::size_t reals) {
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < reals; ++i) reinterpret_cast<double*>(data)[i] = normal(generator);
}

// A plan with its arrays.
template <class Plan, class In>
void add_plan(std::vector<variant>& variants, const char* name, MPI_Comm communicator,
              const std::vector<std::size_t>& extents, const papilio::mpi::plan_options& options) {
  struct held {
    Plan plan;
    papilio::tensor<In> in;
    papilio::mpi::shared_array<complex> out;
  };
  Plan plan(communicator, extents, options);
  auto in = papilio::mpi::make_array<In>(plan.input());
  fill(in.data(), in.size() * sizeof(In) / sizeof(double));
  auto out = papilio::mpi::make_array<complex>(communicator, plan.output());
  const auto all = std::make_shared<held>(held{std::move(plan), std::move(in), std::move(out)});
  variants.push_back({name, [all] { all->plan.forward(all->in, all->out); }});
}

template <class Plan, class In>
void add_plans(std::vector<variant>& variants, const std::vector<std::size_t>& extents) {
  using papilio::mpi::exchange_method;
  const auto add = [&](const char* name, order output, exchange_method exchanges) {
    add_plan<Plan, In>(variants, name, MPI_COMM_WORLD, extents,
                       {.output = output, .exchanges = exchanges});
  };
  add("messages", order::natural, exchange_method::messages);
  add("windows", order::natural, exchange_method::windows);
  add("messages, transposed", order::transposed, exchange_method::messages);
  add("windows, transposed", order::transposed, exchange_method::windows);
}

void run_case(const std::vector<std::size_t>& extents, bool is_real, int rounds) {
  std::vector<std::ptrdiff_t> n(extents.begin(), extents.end()), bins = n;
  if (is_real) bins.back() = bins.back() / 2 + 1;
  const int rank = static_cast<int>(n.size());
  std::ptrdiff_t rows, first, rows_out, first_out;
  const std::ptrdiff_t count = fftw_mpi_local_size_transposed(rank, bins.data(), MPI_COMM_WORLD,
                                                              &rows, &first, &rows_out, &first_out);
  fftw_array<complex> in(count), out(count);
  const auto fftw_complex_of = [](complex* data) { return reinterpret_cast<fftw_complex*>(data); };
  const auto plan_of = [&](unsigned flags) {
    if (is_real)
      return fftw_mpi_plan_dft_r2c(rank, n.data(), reinterpret_cast<double*>(in.data),
                                   fftw_complex_of(out.data), MPI_COMM_WORLD, flags);
    return fftw_mpi_plan_dft(rank, n.data(), fftw_complex_of(in.data), fftw_complex_of(out.data),
                             MPI_COMM_WORLD, FFTW_FORWARD, flags);
  };
  const fftw_plan natural = plan_of(FFTW_MEASURE),
                  transposed = plan_of(FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
  fill(in.data, 2 * in.size);

  std::vector<variant> variants{{"FFTW", [&] { fftw_execute(natural); }},
                                {"FFTW, transposed", [&] { fftw_execute(transposed); }}};
  // The bound: a rank's transforms without any exchange.
  std::vector<std::size_t> box = extents;
  box[0] = std::max<std::size_t>(1, static_cast<std::size_t>(rows));
  using papilio::mpi::fftn_plan, papilio::mpi::rfftn_plan;
  if (is_real) {
    add_plans<rfftn_plan<double>, double>(variants, extents);
    add_plan<rfftn_plan<double>, double>(variants, "a box, no exchange", MPI_COMM_SELF, box, {});
  } else {
    add_plans<fftn_plan<double>, complex>(variants, extents);
    add_plan<fftn_plan<double>, complex>(variants, "a box, no exchange", MPI_COMM_SELF, box, {});
  }
  std::string label = is_real ? "r2c" : "c2c";
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    label += axis == 0 ? ' ' : 'x';
    label += std::to_string(extents[axis]);
  }
  run_rounds(variants, rounds);
  print_rows(label, variants);
  fftw_destroy_plan(natural);
  fftw_destroy_plan(transposed);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  std::vector<std::vector<std::size_t>> cases{
      {128, 128, 128}, {256, 256, 256}, {250, 201, 60}, {2048, 2048}};
  if (argc > 2) {
    cases.assign(1, {});
    for (int i = 2; i < argc; ++i)
      cases[0].push_back(static_cast<std::size_t>(std::strtoull(argv[i], nullptr, 10)));
  }
  for (const auto& extents : cases)
    for (const bool is_real : {false, true}) run_case(extents, is_real, rounds);
  fftw_mpi_cleanup();
  MPI_Finalize();
  return 0;
}

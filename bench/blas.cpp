// gemm beside cblas_?gemm of OpenBLAS on the same operands, in turns, on 1 and on 2 threads.
//   papilio_bench_blas [--repeats N] [--thorough]
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "papilio/blas.hpp"
#include "peer.hpp"

namespace {

using namespace papilio;

using bench::median;

// One thread's own time, that neighbours do not lengthen; of several the wall's, and of that the
// least, which they lengthen least.
double now_seconds(int threads) {
  return threads == 1 ? bench::thread_seconds() : bench::wall_seconds();
}
double typical(const std::vector<double>& values, int threads) {
  return threads == 1 ? median(values) : *std::ranges::min_element(values);
}

void call(std::size_t m, std::size_t n, std::size_t k, const float* a, const float* b, float* c) {
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), sum = static_cast<int>(k);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, sum, 1, a, sum, b, columns,
              0, c, columns);
}
void call(std::size_t m, std::size_t n, std::size_t k, const double* a, const double* b,
          double* c) {
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), sum = static_cast<int>(k);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, sum, 1, a, sum, b, columns,
              0, c, columns);
}

struct shape {
  std::size_t batch, m, n, k;
};

template <class T>
array<T, 3> made(const extents_type<3>& extents) {
  array<T, 3> x(extents);
  std::uint64_t state = 1;
  for (T& v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<T>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return x;
}

template <class T>
void run(const char* type, const shape& s, int threads, int repeats) {
  const auto a = made<T>({s.batch, s.m, s.k}), b = made<T>({s.batch, s.k, s.n});
  array<T, 3> ours({s.batch, s.m, s.n}), theirs = ours;
  const double flops = 2.0 * static_cast<double>(s.batch * s.m) * static_cast<double>(s.n * s.k);
  // Short calls are timed many at once.
  const int calls = std::max(1, static_cast<int>(2e8 / flops));
  std::vector<double> t_ours, t_theirs;
  for (int r = -1; r < repeats; ++r) {
    double start = now_seconds(threads);
    for (int i = 0; i < calls; ++i) {
      if (s.batch == 1)
        gemm(1, a.view()[0], b.view()[0], 0, ours.view()[0], {.threads = threads});
      else
        gemm_batched(1, a, b, 0, ours, {.threads = threads});
    }
    const double mine = (now_seconds(threads) - start) / calls;
    openblas_set_num_threads(threads);
    start = now_seconds(threads);
    for (int i = 0; i < calls; ++i)
      for (std::size_t item = 0; item < s.batch; ++item)
        call(s.m, s.n, s.k, &a(item, 0, 0), &b(item, 0, 0), &theirs(item, 0, 0));
    const double other = (now_seconds(threads) - start) / calls;
    openblas_set_num_threads(1);
    if (r < 0) continue;  // caches, pages, threads
    t_ours.push_back(mine);
    t_theirs.push_back(other);
  }
  std::printf(
      "%s %3zu x %4zu x %4zu x %4zu, %d thread%s: %9.1f us %6.1f GF/s; OpenBLAS %9.1f us "
      "%6.1f GF/s; time ratio %.3f\n",
      type, s.batch, s.m, s.n, s.k, threads, threads == 1 ? " " : "s",
      typical(t_ours, threads) * 1e6, flops / typical(t_ours, threads) * 1e-9,
      typical(t_theirs, threads) * 1e6, flops / typical(t_theirs, threads) * 1e-9,
      typical(t_ours, threads) / typical(t_theirs, threads));
}

}  // namespace

int main(int count, char** arguments) {
  int repeats = 9;
  bool thorough = false;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--thorough") == 0)
      thorough = true;
    else if (std::strcmp(arguments[i], "--repeats") == 0 && i + 1 < count)
      repeats = std::max(1, std::atoi(arguments[++i]));
    else
      return std::fprintf(stderr, "usage: papilio_bench_blas [--repeats N] [--thorough]\n"), 2;
  }
  std::vector<shape> shapes{{1, 48, 48, 128},   {1, 128, 128, 128},    {1, 256, 256, 256},
                            {1, 512, 512, 512}, {1, 1024, 1024, 1024}, {1, 2048, 2048, 2048},
                            {16, 256, 256, 256}};
  if (thorough) shapes.push_back({32, 1024, 1024, 1024});
  for (const int threads : {1, 2})
    for (const shape& s : shapes) run<float>("float ", s, threads, repeats);
  if (!thorough) return 0;
  for (const int threads : {1, 2})
    for (const shape& s : shapes) run<double>("double", s, threads, repeats);
}

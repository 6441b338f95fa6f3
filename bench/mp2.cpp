// The energy step of df_mp2 beside a blocked loop over OpenBLAS: a product of one occupied
// orbital's rows with those of a block of others, then one plain pass over a >= b. In turns, in
// float, on 1 and 2 threads (the loop on one). Beside it sgemm's speed on such products.
//   papilio_bench_mp2 [--repeats N] [--filter TEXT] [--memory]
// --memory: one run of the large shape alone, and the process's peak memory relative to B.
#include <cblas.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/chem.hpp"
#include "peer.hpp"

namespace {

using namespace papilio;

struct problem {
  array<float, 3> b;
  std::vector<double> occupied, virtuals;

  std::size_t nocc() const { return b.extent(0); }
  std::size_t nvir() const { return b.extent(1); }
  std::size_t naux() const { return b.extent(2); }
  double flops() const {
    const auto n = static_cast<double>(nocc()), v = static_cast<double>(nvir());
    return n * (n + 1) * v * v * static_cast<double>(naux());
  }
};

problem made(std::size_t nocc, std::size_t nvir, std::size_t naux) {
  problem p{array<float, 3>({nocc, nvir, naux}, uninitialized), {}, {}};
  std::uint64_t state = 1;
  for (float& x : p.b) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x = static_cast<float>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5) * 0.1f;
  }
  for (std::size_t i = 0; i < nocc; ++i)
    p.occupied.push_back(-2 + 1.5 * static_cast<double>(i) / static_cast<double>(nocc));
  for (std::size_t a = 0; a < nvir; ++a)
    p.virtuals.push_back(0.2 + 3 * static_cast<double>(a) / static_cast<double>(nvir));
  return p;
}

/// The peer, with its memory had once.
class blocked_loop {
 public:
  explicit blocked_loop(const problem& p)
      : p_(p),
        block_(std::clamp<std::size_t>((std::size_t{1} << 17) / (p.nvir() * p.nvir()), 1, 8)),
        products_(p.nvir() * block_ * p.nvir()) {
    for (const double e : p.virtuals) virtuals_.push_back(static_cast<float>(e));
  }

  double energy() {
    double sum = 0;
    for (std::size_t i = 0; i < p_.nocc(); ++i)
      for (std::size_t j = i; j < p_.nocc(); j += block_) {
        const std::size_t count = std::min(block_, p_.nocc() - j);
        multiply(i, j, count);
        for (std::size_t k = 0; k < count; ++k) sum += pair(i, j + k, k, count);
      }
    return sum;
  }

 private:
  void multiply(std::size_t i, std::size_t j, std::size_t count) {
    const int v = static_cast<int>(p_.nvir()), q = static_cast<int>(p_.naux());
    const int columns = static_cast<int>(count) * v;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, v, columns, q, 1, &p_.b(i, 0, 0), q,
                &p_.b(j, 0, 0), q, 0, products_.data(), columns);
  }
  double pair(std::size_t i, std::size_t j, std::size_t k, std::size_t count) const {
    const std::size_t v = p_.nvir(), pitch = count * v;
    const float* const x = products_.data() + k * v;
    const auto e = static_cast<float>(p_.occupied[i] + p_.occupied[j]);
    double sum = 0;
    for (std::size_t a = 0; a < v; ++a) {
      const float ea = e - virtuals_[a];
      float row = 0;
      for (std::size_t b = 0; b < a; ++b) {
        const float xab = x[a * pitch + b], xba = x[b * pitch + a];
        row += (xab * xab + xba * xba - xab * xba) * 2 / (ea - virtuals_[b]);
      }
      const float xaa = x[a * pitch + a];
      sum += row + xaa * xaa / (ea - virtuals_[a]);
    }
    return i == j ? sum : 2 * sum;
  }

  const problem& p_;
  std::size_t block_;
  std::vector<float> products_, virtuals_;
};

// GFLOP/s of sgemm on the product of one orbital with `block` others, and on 2048 cubed.
double sgemm_speed(int m, int n, int k, int repeats) {
  const std::size_t rows = static_cast<std::size_t>(m), columns = static_cast<std::size_t>(n),
                    depth = static_cast<std::size_t>(k);
  std::vector<float> a(rows * depth, 0.5f), b(columns * depth, 0.25f), c(rows * columns);
  std::vector<double> seconds;
  for (int r = 0; r < repeats + 1; ++r) {
    const double start = bench::thread_seconds();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, a.data(), k, b.data(), k, 0,
                c.data(), n);
    seconds.push_back(bench::thread_seconds() - start);
  }
  return 2e-9 * m * n * k / bench::median(seconds);
}

void run(const problem& p, int repeats) {
  blocked_loop loop(p);
  const mp2_energies e = df_mp2(p.b, p.occupied, p.virtuals);
  const double theirs = loop.energy();
  if (!(std::abs(e.correlation() - theirs) <= 1e-4 * std::abs(theirs)))
    std::printf("the energies differ: %g and %g\n", e.correlation(), theirs);
  const bench::budget much{.blocks = 4 * repeats + 1, .least_blocks = std::min(3, repeats)};
  const auto other = [&] { loop.energy(); };
  for (const int threads : {1, 2}) {
    const auto mine = [&] { df_mp2(p.b, p.occupied, p.virtuals, {.on = {.threads = threads}}); };
    // Of one thread its own time; the peer's is on one thread either way.
    const auto clock = threads == 1 ? bench::thread_seconds : bench::wall_seconds;
    const bench::comparison t = bench::compare(mine, other, much, clock);
    std::printf(
        "(%zu,%zu,%zu) %dt%s %11.1f us %6.1f GF/s | loop on 1t %11.1f us %6.1f GF/s | "
        "%.2f of its time\n",
        p.nocc(), p.nvir(), p.naux(), threads, t.is_quiet ? " " : "~", t.first_seconds * 1e6,
        p.flops() / t.first_seconds * 1e-9, t.second_seconds * 1e6,
        p.flops() / t.second_seconds * 1e-9, t.first_seconds / t.second_seconds);
    std::fflush(stdout);
  }
  const int v = static_cast<int>(p.nvir()), q = static_cast<int>(p.naux());
  std::printf("    sgemm of [%d, %d] [%d, %d]: %.1f GF/s; of 2048 cubed: %.1f\n", v, q, q, v,
              sgemm_speed(v, v, q, 4 * repeats), sgemm_speed(2048, 2048, 2048, 2));
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

void run_memory() {
  const problem p = made(64, 448, 1500);
  const double before = peak_bytes(), bytes = static_cast<double>(p.b.size() * sizeof(float));
  const double start = bench::wall_seconds();
  const mp2_energies e = df_mp2(p.b, p.occupied, p.virtuals);
  const double seconds = bench::wall_seconds() - start;
  std::printf(
      "(64,448,1500) %.2f s %.1f GF/s, E %.6f; peak %.1f MB, %.3f of B; %.1f MB of it are "
      "not the arrays\n",
      seconds, p.flops() / seconds * 1e-9, e.correlation(), peak_bytes() * 1e-6,
      peak_bytes() / bytes, (peak_bytes() - before) * 1e-6);
}

}  // namespace

int main(int count, char** arguments) {
  int repeats = 9;
  const char* filter = "";
  bool has_memory = false;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--filter") == 0 && i + 1 < count)
      filter = arguments[++i];
    else if (std::strcmp(arguments[i], "--repeats") == 0 && i + 1 < count)
      repeats = std::max(1, std::atoi(arguments[++i]));
    else if (std::strcmp(arguments[i], "--memory") == 0)
      has_memory = true;
    else
      return std::fprintf(stderr,
                          "usage: papilio_bench_mp2 [--repeats N] [--filter TEXT] [--memory]\n"),
             2;
  }
  openblas_set_num_threads(1);
  if (has_memory) return run_memory(), 0;
  const std::size_t shapes[][3] = {{5, 19, 72}, {5, 19, 84}, {16, 128, 128}, {16, 448, 1500}};
  for (const auto& [nocc, nvir, naux] : shapes) {
    const std::string name =
        std::to_string(nocc) + "," + std::to_string(nvir) + "," + std::to_string(naux);
    if (name.find(filter) != std::string::npos) run(made(nocc, nvir, naux), repeats);
  }
}

// einsum of two operands beside one cblas_sgemm of the same m, n and k, and contract_many of 200
// products of one shape ("many") beside as many einsum, in turns, on 1 and 2 threads.
//   papilio_bench_contract [--repeats N] [--filter TEXT]
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "contract_steps.hpp"
#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "peer.hpp"

namespace {

using namespace papilio;
using bench::extents_of;
using bench::made;
using bench::step;

struct product {
  std::size_t batch = 1, m = 1, k = 1, n = 1;
};

product product_of(const step& s) {
  const auto has = [](const std::string& labels, char c) {
    return labels.find(c) != std::string::npos;
  };
  product p;
  for (const auto& [label, size] : s.sizes) {
    const bool left = has(s.left, label), right = has(s.right, label), out = has(s.out, label);
    (left && right ? (out ? p.batch : p.k) : left ? p.m : p.n) *= size;
  }
  return p;
}

// m x k times k x n, all row-major and gapless.
void call(const product& p, const float* a, const float* b, float* c, int threads) {
  openblas_set_num_threads(threads);
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  for (std::size_t i = 0; i < p.batch; ++i)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a + i * p.m * p.k, k,
                b + i * p.n * p.k, n, 0, c + i * p.m * p.n, n);
  openblas_set_num_threads(1);
}

void run(const step& s, int threads, int repeats) {
  const tensor<float> a = made(extents_of(s.left, s.sizes)), b = made(extents_of(s.right, s.sizes));
  tensor<float> ours(extents_of(s.out, s.sizes)), theirs = ours;
  einsum_options options;
  options.on.threads = threads;
  const product p = product_of(s);
  const double flops = 2.0 * static_cast<double>(p.batch * p.m) * static_cast<double>(p.n * p.k);
  const auto mine = [&] { einsum_into(s.name, ours, a, b, options); };
  const auto other = [&] { call(p, a.data(), b.data(), theirs.data(), threads); };
  const bench::budget much{.blocks = 4 * repeats + 1, .least_blocks = repeats, .seconds = 1.5};
  const auto clock = threads == 1 ? bench::thread_seconds : bench::wall_seconds;
  const bench::comparison t = bench::compare(mine, other, much, clock);
  std::printf("%-22s %dt%s %9.2f us %6.1f GF/s | sgemm %9.2f us | speed %.2f of it | %s\n", s.name,
              threads, t.is_quiet ? " " : "~", t.first_seconds * 1e6,
              flops / t.first_seconds * 1e-9, t.second_seconds * 1e6,
              t.second_seconds / t.first_seconds,
              plan_contraction(s.name, a, b, options).steps().at(0).how.c_str());
  std::fflush(stdout);
}

void run_many(const char* name, std::size_t n, int threads, int repeats) {
  constexpr std::size_t products = 200;
  const tensor<float> a = made({products, n, n}), b = made({products, n, n});
  std::vector<contraction<float>> list;
  for (std::size_t i = 0; i < products; ++i) {
    const auto matrix = [&](const tensor<float>& of) {
      return tensor_view<const float>{of.data() + i * n * n, std::vector<std::size_t>{n, n}};
    };
    list.push_back({"ij,jk->ik", {matrix(a), matrix(b)}});
  }
  contract_many_options options;
  options.on.threads = threads;
  einsum_options alone;
  alone.on.threads = threads;
  const auto mine = [&] { contract_many<float>(list, options); };
  const auto other = [&] {
    std::vector<tensor<float>> results;
    for (const contraction<float>& c : list)
      results.push_back(einsum(c.subscripts, c.operands[0], c.operands[1], alone));
  };
  const bench::budget much{.blocks = 4 * repeats + 1, .least_blocks = repeats, .seconds = 1.5};
  const auto clock = threads == 1 ? bench::thread_seconds : bench::wall_seconds;
  const bench::comparison t = bench::compare(mine, other, much, clock);
  std::printf("%-22s %dt%s %9.2f us | einsum of each %9.2f us | speed %.2f of it\n", name, threads,
              t.is_quiet ? " " : "~", t.first_seconds * 1e6, t.second_seconds * 1e6,
              t.second_seconds / t.first_seconds);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  int repeats = 9;
  const char* filter = "";
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--filter") == 0 && i + 1 < count)
      filter = arguments[++i];
    else if (std::strcmp(arguments[i], "--repeats") == 0 && i + 1 < count)
      repeats = std::max(1, std::atoi(arguments[++i]));
    else
      return std::fprintf(stderr, "usage: papilio_bench_contract [--repeats N] [--filter TEXT]\n"),
             2;
  }
  for (const int threads : {1, 2}) {
    for (const step& s : bench::contraction_steps())
      if (std::strstr(s.name, filter) != nullptr) run(s, threads, repeats);
    for (const auto& [name, n] : {std::pair("many 200 x 16^3", 16), {"many 200 x 64^3", 64}})
      if (std::strstr(name, filter) != nullptr)
        run_many(name, static_cast<std::size_t>(n), threads, repeats);
  }
}

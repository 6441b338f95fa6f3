// einsum of two operands beside one cblas_sgemm of the same m, n and k, in turns, on 1 and 2
// threads.
//   papilio_bench_contract [--repeats N] [--filter TEXT]
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/contract.hpp"
#include "peer.hpp"

namespace {

using namespace papilio;
struct step {
  const char* name;
  std::string left, right, out;
  std::map<char, std::size_t> sizes;
};

using extents = std::vector<std::size_t>;

extents extents_of(const std::string& labels, const std::map<char, std::size_t>& sizes) {
  extents result;
  for (char c : labels) result.push_back(sizes.at(c));
  return result;
}

tensor<float> made(const extents& e) {
  tensor<float> x(e);
  std::uint64_t state = 1;
  for (float& v : x.flat()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<float>(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return x;
}

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

step made_step(const char* text, std::map<char, std::size_t> sizes) {
  const std::string s = text;
  const std::size_t comma = s.find(','), arrow = s.find("->");
  return {text, s.substr(0, comma), s.substr(comma + 1, arrow - comma - 1), s.substr(arrow + 2),
          std::move(sizes)};
}

std::vector<step> steps() {
  const auto all = [](const char* labels, std::size_t extent) {
    std::map<char, std::size_t> sizes;
    for (const char* c = labels; *c != 0; ++c) sizes[*c] = extent;
    return sizes;
  };
  return {
      made_step("ap,bp->ab", {{'a', 48}, {'b', 48}, {'p', 128}}),
      made_step("mi,mnP->inP", {{'m', 32}, {'i', 8}, {'n', 32}, {'P', 64}}),
      made_step("ij,jk->ik", all("ijk", 512)),
      made_step("bij,bjk->bik", {{'b', 16}, {'i', 256}, {'j', 256}, {'k', 256}}),
      made_step("abcd,ebfd->aecf", all("abcdef", 32)),
      made_step("abcd,cd->ab", all("abcd", 40)),
      made_step("abcd,dbea->ec", all("abcde", 32)),
      made_step("abc,bda->dc", {{'a', 24}, {'b', 24}, {'c', 320}, {'d', 312}}),
      made_step("abcd,aebf->dfce", all("abcdef", 24)),
      made_step("abcde,efbad->cf",
                {{'a', 16}, {'b', 16}, {'c', 200}, {'d', 8}, {'e', 8}, {'f', 180}}),
      made_step("abc,acd->abd", {{'a', 48}, {'b', 96}, {'c', 96}, {'d', 96}}),
      made_step("abc,dca->bd", {{'a', 40}, {'b', 296}, {'c', 40}, {'d', 304}}),
      made_step("abcd,bef->acdef",
                {{'a', 24}, {'b', 72}, {'c', 24}, {'d', 24}, {'e', 20}, {'f', 24}}),
      made_step("abcdef,dega->gfbc",
                {{'a', 24}, {'b', 16}, {'c', 16}, {'d', 16}, {'e', 8}, {'f', 12}, {'g', 24}}),
      made_step("aebf,fdec->abcd", all("abcdef", 24)),
      made_step("abij,cjbk->aick",
                {{'a', 48}, {'b', 16}, {'i', 12}, {'j', 16}, {'c', 40}, {'k', 16}}),
      made_step("iab,jba->ij", {{'i', 200}, {'j', 200}, {'a', 40}, {'b', 40}}),
      made_step("ab,ba->ab", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,cb->abc", {{'a', 100}, {'b', 100}, {'c', 100}}),
      made_step("a,b->ba", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,b->a", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,a->b", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,ba->", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,ab->", {{'a', 1000}, {'b', 1000}}),
      made_step("ab,ab->b", {{'a', 1000}, {'b', 1000}}),
  };
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
  for (const int threads : {1, 2})
    for (const step& s : steps())
      if (std::strstr(s.name, filter) != nullptr) run(s, threads, repeats);
}

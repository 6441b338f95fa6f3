#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "papilio/base.hpp"
#include "papilio/blas.hpp"
#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "turns.hpp"

namespace papilio::bench {
namespace {

constexpr const char* about =
    R"(Products beside OpenBLAS on the same operands, on 1 thread (CPU time) and 2 (wall time):
  gemm        float; only where asked for: gemm_double, and gemm_large, 32 products of 1024^3
  einsum      two operands, beside one cblas_sgemm of the same m, n and k
  many        contract_many of 200 products of one shape, beside an einsum of each
  mp2         df_mp2 beside a blocked loop on one thread: the product of one occupied orbital's
              rows with those of a block of others, then one plain pass over a >= b
)";

// Numbers within 0.5 of 0, the same each time.
template <class Array>
std::shared_ptr<Array> made(Array x) {
  std::uint64_t state = 1;
  for (auto& v : x.flat()) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<std::remove_reference_t<decltype(v)>>(
        static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return std::make_shared<Array>(std::move(x));
}

/// The matrices of a batch lie one after the other, row-major.
struct product {
  std::size_t batch = 1, m = 1, k = 1, n = 1;

  double flop() const { return 2.0 * static_cast<double>(batch * m) * static_cast<double>(n * k); }
  std::string text() const {
    return (batch == 1 ? "" : std::to_string(batch) + " of ") + std::to_string(m) + 'x' +
           std::to_string(k) + 'x' + std::to_string(n);
  }
};

template <class T>
void call_blas(const product& p, const T* a, const T* b, T* c, int threads) {
  openblas_set_num_threads(threads);
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  for (std::size_t i = 0; i < p.batch; ++i, a += p.m * p.k, b += p.k * p.n, c += p.m * p.n) {
    if constexpr (std::is_same_v<T, float>)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
    else
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
  }
  openblas_set_num_threads(1);  // papilio cuts products itself
}

template <class T>
row gemm_row(const product& p, int threads) {
  const auto a = made(array<T, 3>({p.batch, p.m, p.k})), b = made(array<T, 3>({p.batch, p.k, p.n})),
             ours = made(array<T, 3>({p.batch, p.m, p.n})), theirs = made(array<T, 3>(*ours));
  const auto mine = [=] {
    if (p.batch == 1)
      gemm(1, std::as_const(*a).view()[0], std::as_const(*b).view()[0], 0, ours->view()[0],
           {.threads = threads});
    else
      gemm_batched(1, *a, *b, 0, *ours, {.threads = threads});
  };
  const auto other = [=] { call_blas(p, a->data(), b->data(), theirs->data(), threads); };
  return {.sides = {timed("papilio", mine, clock_of(threads)),
                    timed("OpenBLAS", other, clock_of(threads))},
          .work = p.flop()};
}

using sizes_type = std::map<char, std::size_t>;

struct step {
  std::string subscripts;
  sizes_type sizes;

  std::string left() const { return subscripts.substr(0, subscripts.find(',')); }
  std::string right() const {
    const std::size_t comma = subscripts.find(',');
    return subscripts.substr(comma + 1, subscripts.find("->") - comma - 1);
  }
  std::string out() const { return subscripts.substr(subscripts.find("->") + 2); }
  std::vector<std::size_t> extents_of(const std::string& labels) const {
    std::vector<std::size_t> result;
    for (const char c : labels) result.push_back(sizes.at(c));
    return result;
  }
  product as_product() const {
    const auto has = [](const std::string& labels, char c) {
      return labels.find(c) != std::string::npos;
    };
    product p;
    for (const auto& [label, size] : sizes) {
      const bool in_left = has(left(), label), in_right = has(right(), label);
      (in_left && in_right ? (has(out(), label) ? p.batch : p.k) : in_left ? p.m : p.n) *= size;
    }
    return p;
  }
};

row einsum_row(const step& s, int threads) {
  const auto a = made(tensor<float>(s.extents_of(s.left()))),
             b = made(tensor<float>(s.extents_of(s.right()))),
             ours = made(tensor<float>(s.extents_of(s.out()))), theirs = made(tensor<float>(*ours));
  const product p = s.as_product();
  const einsum_options options{.on = {.threads = threads}};
  const auto mine = [=] { einsum_into(s.subscripts, *ours, *a, *b, options); };
  const auto other = [=] { call_blas(p, a->data(), b->data(), theirs->data(), threads); };
  return {.sides = {timed("papilio", mine, clock_of(threads)),
                    timed("sgemm", other, clock_of(threads))},
          .work = p.flop(),
          .label = plan_contraction(s.subscripts, *a, *b, options).steps().at(0).how};
}

// Products of every kind: plain, batched, permuted, outer, elementwise.
std::vector<step> steps() {
  const auto all = [](const char* labels, std::size_t extent) {
    sizes_type sizes;
    for (const char* c = labels; *c != 0; ++c) sizes[*c] = extent;
    return sizes;
  };
  return {{"ap,bp->ab", {{'a', 48}, {'b', 48}, {'p', 128}}},
          {"mi,mnP->inP", {{'m', 32}, {'i', 8}, {'n', 32}, {'P', 64}}},
          {"ij,jk->ik", all("ijk", 512)},
          {"bij,bjk->bik", {{'b', 16}, {'i', 256}, {'j', 256}, {'k', 256}}},
          {"abcd,ebfd->aecf", all("abcdef", 32)},
          {"abcd,cd->ab", all("abcd", 40)},
          {"abcd,dbea->ec", all("abcde", 32)},
          {"abc,bda->dc", {{'a', 24}, {'b', 24}, {'c', 320}, {'d', 312}}},
          {"abcd,aebf->dfce", all("abcdef", 24)},
          {"abcde,efbad->cf", {{'a', 16}, {'b', 16}, {'c', 200}, {'d', 8}, {'e', 8}, {'f', 180}}},
          {"abc,acd->abd", {{'a', 48}, {'b', 96}, {'c', 96}, {'d', 96}}},
          {"abc,dca->bd", {{'a', 40}, {'b', 296}, {'c', 40}, {'d', 304}}},
          {"abcd,bef->acdef", {{'a', 24}, {'b', 72}, {'c', 24}, {'d', 24}, {'e', 20}, {'f', 24}}},
          {"abcdef,dega->gfbc",
           {{'a', 24}, {'b', 16}, {'c', 16}, {'d', 16}, {'e', 8}, {'f', 12}, {'g', 24}}},
          {"aebf,fdec->abcd", all("abcdef", 24)},
          {"abij,cjbk->aick", {{'a', 48}, {'b', 16}, {'i', 12}, {'j', 16}, {'c', 40}, {'k', 16}}},
          {"iab,jba->ij", {{'i', 200}, {'j', 200}, {'a', 40}, {'b', 40}}},
          {"ab,ba->ab", all("ab", 1000)},
          {"ab,cb->abc", all("abc", 100)},
          {"a,b->ba", all("ab", 1000)},
          {"ab,b->a", all("ab", 1000)},
          {"ab,a->b", all("ab", 1000)},
          {"ab,ba->", all("ab", 1000)},
          {"ab,ab->", all("ab", 1000)},
          {"ab,ab->b", all("ab", 1000)}};
}

row many_row(std::size_t n, int threads) {
  constexpr std::size_t products = 200;
  const auto a = made(tensor<float>({products, n, n})), b = made(tensor<float>({products, n, n}));
  std::vector<contraction<float>> list;
  for (std::size_t i = 0; i < products; ++i) {
    const auto matrix = [&](const tensor<float>& of) {
      return tensor_view<const float>{of.data() + i * n * n, std::vector<std::size_t>{n, n}};
    };
    list.push_back({"ij,jk->ik", {matrix(*a), matrix(*b)}});
  }
  const auto mine = [=] { contract_many<float>(list, {.on = {.threads = threads}}); };
  const auto other = [list, a, b, alone = einsum_options{.on = {.threads = threads}}] {
    std::vector<tensor<float>> results;
    for (const contraction<float>& c : list)
      results.push_back(einsum(c.subscripts, c.operands[0], c.operands[1], alone));
  };
  return {.sides = {timed("papilio", mine, clock_of(threads)),
                    timed("einsum_of_each", other, clock_of(threads))}};
}

struct orbitals {
  std::shared_ptr<array<float, 3>> b;
  std::vector<double> occupied = {}, virtuals = {};

  std::size_t nocc() const { return b->extent(0); }
  std::size_t nvir() const { return b->extent(1); }
  std::size_t naux() const { return b->extent(2); }
};

/// The peer, with its memory had once.
class blocked_loop {
 public:
  explicit blocked_loop(orbitals of)
      : p_(std::move(of)),
        block_(std::clamp<std::size_t>((std::size_t{1} << 17) / (p_.nvir() * p_.nvir()), 1, 8)),
        products_(p_.nvir() * block_ * p_.nvir()),
        virtuals_(p_.virtuals.begin(), p_.virtuals.end()) {}

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
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, v, columns, q, 1, &(*p_.b)(i, 0, 0), q,
                &(*p_.b)(j, 0, 0), q, 0, products_.data(), columns);
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

  orbitals p_;
  std::size_t block_;
  std::vector<float> products_, virtuals_;
};

row mp2_row(const extents_type<3>& extents, int threads) {
  orbitals p{made(array<float, 3>(extents))};
  for (float& x : *p.b) x *= 0.1f;
  const auto n = static_cast<double>(p.nocc()), v = static_cast<double>(p.nvir());
  for (std::size_t i = 0; i < p.nocc(); ++i)
    p.occupied.push_back(-2 + 1.5 * static_cast<double>(i) / n);
  for (std::size_t a = 0; a < p.nvir(); ++a)
    p.virtuals.push_back(0.2 + 3 * static_cast<double>(a) / v);
  const auto loop = std::make_shared<blocked_loop>(p);
  const auto mine = [=] {
    return df_mp2(*p.b, p.occupied, p.virtuals, {.on = {.threads = threads}}).correlation();
  };
  const double theirs = loop->energy();
  row r{.sides = {timed(
                      "papilio", [=] { mine(); }, clock_of(threads)),
                  timed(
                      "loop", [=] { loop->energy(); }, clock_of(threads))},
        .work = n * (n + 1) * v * v * static_cast<double>(p.naux())};
  if (!(std::abs(mine() - theirs) <= 1e-4 * std::abs(theirs))) r.fault = "the energies differ";
  return r;
}

void add_rows(int threads) {
  const std::string last = '/' + std::to_string(threads);
  for (const product& p :
       {product{1, 48, 128, 48}, product{1, 128, 128, 128}, product{1, 256, 256, 256},
        product{1, 512, 512, 512}, product{1, 1024, 1024, 1024}, product{1, 2048, 2048, 2048},
        product{16, 256, 256, 256}, product{32, 1024, 1024, 1024}}) {
    add_row((p.batch == 32 ? "gemm_large/" : "gemm/") + p.text() + last,
            [=] { return gemm_row<float>(p, threads); });
    add_row("gemm_double/" + p.text() + last, [=] { return gemm_row<double>(p, threads); });
  }
  for (const step& s : steps())
    add_row("einsum/" + s.subscripts + last, [=] { return einsum_row(s, threads); });
  for (const std::size_t n : {16, 64})
    add_row("many/200 of " + std::to_string(n) + "^3" + last, [=] { return many_row(n, threads); });
  for (const extents_type<3>& e :
       {extents_type<3>{5, 19, 72}, {5, 19, 84}, {16, 128, 128}, {16, 448, 1500}})
    add_row("mp2/" + std::to_string(e[0]) + ',' + std::to_string(e[1]) + ',' +
                std::to_string(e[2]) + last,
            [=] { return mp2_row(e, threads); });
}

}  // namespace
}  // namespace papilio::bench

int main(int argc, char** argv) {
  using namespace papilio::bench;
  openblas_set_num_threads(1);
  for (const int threads : {1, 2}) add_rows(threads);
  return run_rows(argc, argv, about, 9, "-^gemm_(double|large)");
}

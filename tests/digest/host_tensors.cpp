#include "digest/host_runs.hpp"

#include <algorithm>

#include "papilio/blas.hpp"
#include "papilio/chem.hpp"
#include "papilio/contract.hpp"
#include "papilio/decompose.hpp"

// Products, contractions, decompositions and MP2 energies, over OpenBLAS.
namespace papilio::test {
namespace {

using std::size_t;

template <class T, size_t Rank>
array<T, Rank> made_array(const extents_type<Rank>& extents, std::uint64_t seed) {
  array<T, Rank> made(extents);
  const std::vector<T> values = made_values<T>(made.size(), seed);
  std::ranges::copy(values, made.data());
  return made;
}

template <class Values>
void add_values(bit_hash& hash, const Values& values) {
  using T = typename Values::value_type;
  hash.add_numbers(std::span<const T>(values.data(), values.size()));
}

template <class T>
void add_products(host_runs& runs) {
  const extents_type<3> shapes[] = {
      {1, 1, 1}, {3, 5, 7}, {64, 64, 64}, {129, 200, 131}, {7, 1000, 300}};
  for (const auto& [m, k, n] : shapes) {
    const std::string what = " m=" + std::to_string(m) + " k=" + std::to_string(k) +
                             " n=" + std::to_string(n) + ' ' + type_name<T>();
    const auto a = made_array<T, 2>({m, k}, 1), b = made_array<T, 2>({k, n}, 2);
    const auto start = made_array<T, 2>({m, n}, 3);
    runs.add("gemm" + what, [&](bit_hash& hash, int threads) {
      array<T, 2> c = start;
      gemm(T(2), a, b, T(1), c.view(), {.threads = threads});
      add_values(hash, c);
      // Both transposed: by strides, and by flags.
      array<T, 2> ct({n, m});
      const view<const T, 2> bt(b.data(), {n, k}, {1, std::ptrdiff_t(n)});
      gemm(T(1), bt, a, T(0), ct.view(), {.b = matrix_op::transpose, .threads = threads});
      add_values(hash, ct);
    });
  }
}

template <class T>
void add_einsum(host_runs& runs) {
  const auto a = made_array<T, 3>({12, 13, 14}, 1), b = made_array<T, 3>({14, 13, 11}, 2);
  const auto m = made_array<T, 2>({13, 14}, 3), d = made_array<T, 3>({12, 12, 5}, 4);
  const auto add = [&](const char* subscripts, const auto&... operands) {
    runs.add(std::string("einsum ") + subscripts + ' ' + type_name<T>(),
             [&](bit_hash& hash, int threads) {
               const einsum_options on{.on = {.threads = threads}};
               add_values(hash, einsum(subscripts, operands..., on));
             });
  };
  add("ijk,kjl->il", a, b);
  add("ijk,klm->ijlm", a, b);
  add("ijk,jk->i", a, m);
  add("ijk,jk->kji", a, m);
  add("iij->j", d);
  add("ijk->kij", a);
  add("ijk,kjl,jk->li", a, b, m);
  add("ijk->", a);
}

template <class T>
void add_decompositions(host_runs& runs) {
  const auto x = made_array<T, 3>({20, 18, 16}, 1);
  const auto add = [&](const std::string& name, const auto& bits) {
    runs.add(name + ' ' + type_name<T>(), bits);
  };
  for (const bool nonnegative : {false, true})
    add(nonnegative ? "cp nonnegative" : "cp", [&](bit_hash& hash, int threads) {
      const auto found = cp_als(x, 4,
                                {.max_iterations = 5,
                                 .nonnegative = nonnegative,
                                 .start = cp_start::svd,
                                 .on = {.threads = threads}});
      add_values(hash, found.weights);
      for (const auto& factor : found.factors) add_values(hash, factor);
      hash.add_number(found.relative_error);
    });
  const auto add_tucker = [](bit_hash& hash, const auto& found) {
    add_values(hash, found.core);
    for (const auto& factor : found.factors) add_values(hash, factor);
    hash.add_number(found.relative_error);
  };
  add("tucker_sthosvd", [&](bit_hash& hash, int threads) {
    add_tucker(hash, tucker_sthosvd(x, {.ranks = {5, 4, 3}, .on = {.threads = threads}}));
  });
  add("tucker_hooi", [&](bit_hash& hash, int threads) {
    add_tucker(hash, tucker_hooi(
                         x, {.ranks = {5, 4, 3}, .max_iterations = 4, .on = {.threads = threads}}));
  });
  add("tensor_train", [&](bit_hash& hash, int threads) {
    const auto found = tt_svd(x, {.max_ranks = {6, 5}, .on = {.threads = threads}});
    for (const auto& core : found.cores) add_values(hash, core);
    hash.add_number(found.relative_error);
  });
}

std::vector<double> energies(size_t count, double first) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + 0.125 * double(i);
  return values;
}

template <class T>
void add_chemistry(host_runs& runs) {
  for (const auto& [nocc, nvir, naux] :
       {extents_type<3>{1, 1, 1}, extents_type<3>{5, 19, 72}, extents_type<3>{9, 40, 131}}) {
    const std::string what = "nocc=" + std::to_string(nocc) + " nvir=" + std::to_string(nvir) +
                             " naux=" + std::to_string(naux) + ' ' + type_name<T>();
    const auto b = made_array<T, 3>({nocc, nvir, naux}, 1);
    const auto occupied = energies(nocc, -3), virtuals = energies(nvir, 0.5);
    runs.add("mp2 " + what, [&](bit_hash& hash, int threads) {
      const mp2_energies found = df_mp2(b, occupied, virtuals, {.on = {.threads = threads}});
      hash.add_number(found.opposite_spin);
      hash.add_number(found.alpha_alpha);
      hash.add_number(found.beta_beta);
    });
    const size_t basis = nocc + nvir;
    auto integrals = made_array<T, 3>({basis, basis, naux}, 2);  // symmetric in the first two
    for (size_t i = 0; i < basis; ++i)
      for (size_t j = 0; j < i; ++j)
        for (size_t p = 0; p < naux; ++p) integrals(i, j, p) = integrals(j, i, p);
    const auto c_occ = made_array<T, 2>({basis, nocc}, 3),
               c_vir = made_array<T, 2>({basis, nvir}, 4);
    runs.add("ao_to_mo " + what, [&](bit_hash& hash, int threads) {
      add_values(hash, ao_to_mo(integrals, c_occ, c_vir, {.on = {.threads = threads}}));
    });
  }
}

}  // namespace

void add_tensors(host_runs& runs) {
  add_products<float>(runs);
  add_products<double>(runs);
  add_products<std::complex<double>>(runs);
  add_einsum<float>(runs);
  add_einsum<double>(runs);
  add_einsum<std::complex<float>>(runs);
  add_decompositions<float>(runs);
  add_decompositions<double>(runs);
  add_chemistry<float>(runs);
  add_chemistry<double>(runs);
}

}  // namespace papilio::test
